import { Button, Modal, type ModalProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOpenRecord } from './address.js';

/** Opens the dialog that creates a record. */
export function NewButton({ children }: { readonly children: ReactNode }): ReactNode {
  const [, setOpened] = useOpenRecord();
  return (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened('new')}>
      {children}
    </Button>
  );
}

/** A dialog whose open state is in the URL; it never opens if `may` is false. */
export function UrlDialog({
  name,
  may = true,
  children,
  ...modal
}: Pick<ModalProps, 'title' | 'size'> & {
  readonly name: string;
  readonly may?: boolean;
  readonly children: (close: () => void) => ReactNode;
}): ReactNode {
  const [opened, setOpened] = useOpenRecord();
  const isOpen = may && opened === name;
  const close = (): void => setOpened(null);
  return (
    <Modal opened={isOpen} onClose={close} {...modal}>
      {isOpen && children(close)}
    </Modal>
  );
}
