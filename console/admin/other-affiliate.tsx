import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useAddress } from '../shared/address.js';
import { Problem } from '../shared/parts.js';
import { t } from '../shared/texts.js';
import { AffiliateChooser } from './people.js';

interface DialogProps {
  readonly title: string;
  readonly label: string;
  readonly description?: string;
  /** The affiliate of the page. */
  readonly except: number;
  readonly children: (other: string, close: () => void) => ReactNode;
}

/** A dialog that starts with the choice of another affiliate, which is stored in the URL. */
export function OtherAffiliateDialog({ title, except, children, ...chooser }: DialogProps): ReactNode {
  const address = useAddress();
  const other = address.get('other');
  const close = (): void => address.set({ open: null, other: null });
  return (
    <Modal opened onClose={close} title={title}>
      <div className="fa-dialog">
        <AffiliateChooser
          {...chooser}
          value={other}
          onChange={(id) => address.set({ other: id }, { replace: true })}
          except={except}
          autoFocus
        />
        {other !== '' && <Fragment key={other}>{children(other, close)}</Fragment>}
      </div>
    </Modal>
  );
}

interface ConfirmProps {
  readonly yes: string;
  readonly danger?: boolean;
  readonly ready: boolean;
  readonly running: boolean;
  /** Hides the preview while the change runs, and shows it again if the change fails. */
  readonly onRunning: (is: boolean) => void;
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The preview and the button that confirms. */
export function ConfirmForm({
  yes,
  danger = false,
  ready,
  running,
  onRunning,
  run,
  onClose,
  children,
}: ConfirmProps): ReactNode {
  const { mutate, error } = useMutation({
    mutationFn: run,
    onMutate: () => onRunning(true),
    onError: () => onRunning(false),
  });
  return (
    <form
      className="fa-dialog"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !running) mutate();
      }}
    >
      {children}
      {error !== null && <Problem error={error} />}
      <div className="fa-dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button type="submit" {...(danger && { color: 'red' })} loading={running} disabled={!ready}>
          {yes}
        </Button>
      </div>
    </form>
  );
}
