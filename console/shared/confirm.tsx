import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { lazyPart } from './lazy-component.js';
import type { Confirmation } from './confirmation.js';

// Loaded on first use.
const ConfirmDialog = lazyPart(() => import('./confirm-dialog.js'), 'ConfirmDialog');

let open: Confirmation | null = null;
const listeners = new Set<() => void>();
const show = (question: Confirmation | null): void => {
  open = question;
  for (const listener of listeners) listener();
};

/** Asks for confirmation before an action. */
export const confirmFirst = (question: Confirmation): void => show(question);

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
  return <ConfirmDialog question={question} onClose={() => show(null)} />;
}
