import { Button, Modal } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { forgetUnsaved, hasUnsaved } from './form.js';
import { t } from './texts.js';

let waiting: (() => void) | null = null;
const listeners = new Set<() => void>();
const put = (go: (() => void) | null): void => {
  waiting = go;
  for (const listener of listeners) listener();
};

const withoutQuery = (path: string): string => path.split('?')[0]!;

/** The browser's address, but a form with changes is not left without asking. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [path, go] = useBrowserLocation(options);
  const guarded: typeof go = (to, how) => {
    const target = typeof to === 'string' ? to : to.pathname;
    if (hasUnsaved() && withoutQuery(target) !== location.pathname) put(() => go(to, how));
    else go(to, how);
  };
  return [path, guarded];
};

export function Leaving(): ReactNode {
  const go = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );
  return (
    <Modal opened={go !== null} onClose={() => put(null)} title={t('Leave without saving?')} size="sm">
      <p className="fa-dialog-text">{t('Your changes on this page are not saved yet.')}</p>
      <div className="fa-dialog-buttons">
        <Button variant="default" onClick={() => put(null)} data-autofocus>
          {t('Stay here')}
        </Button>
        <Button
          color="red"
          onClick={() => {
            forgetUnsaved();
            put(null);
            go?.();
          }}
        >
          {t('Leave')}
        </Button>
      </div>
    </Modal>
  );
}
