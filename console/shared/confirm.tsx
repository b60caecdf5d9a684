import { Suspense, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { lazyComponent } from './lazy-component.js';
import type { Confirmation } from './confirmation.js';

// Loaded on first use.
const ConfirmDialog = lazyComponent(() => import('./confirm-dialog.js'), 'ConfirmDialog');

let open: Confirmation | null = null;
const listeners = new Set<() => void>();
const show = (question: Confirmation | null): void => {
  open = question;
  for (const listener of listeners) listener();
};

/** Asks for confirmation before an action. */
export const confirmFirst = (question: Confirmation): void => show(question);

/** Asks, and returns whether the user confirmed. */
export const isConfirmed = (question: Omit<Confirmation, 'run' | 'onClose'>): Promise<boolean> =>
  new Promise((resolve) =>
    show({ ...question, run: async () => resolve(true), onClose: () => resolve(false) }),
  );

export function ConfirmHost(): ReactNode {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
  const [used, setUsed] = useState(false);
  useEffect(() => {
    if (question !== null) setUsed(true);
  }, [question]);
  if (!used && question === null) return null;
  return (
    <Suspense>
      <ConfirmDialog
        question={question}
        onClose={() => {
          question?.onClose?.();
          show(null);
        }}
      />
    </Suspense>
  );
}
