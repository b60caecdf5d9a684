import { useEffect, useState, type ReactNode } from 'react';
import { lazyPart } from './lazy-component.js';
import type { Confirmation } from './confirmation.js';
import { createStore, useStore } from './store.js';

// Loaded on first use.
const ConfirmDialog = lazyPart(() => import('./confirm-dialog.js'), 'ConfirmDialog');

const asked = createStore<Confirmation | null>(null);

/** Asks for confirmation before an action. */
export const confirmFirst = (question: Confirmation): void => asked.set(question);

/** Asks, and returns whether the user confirmed. */
export const isConfirmed = (question: Omit<Confirmation, 'run' | 'onClose'>): Promise<boolean> =>
  new Promise((resolve) =>
    asked.set({ ...question, run: async () => resolve(true), onClose: () => resolve(false) }),
  );

function dismiss(): void {
  asked.get()?.onClose?.();
  asked.set(null);
}

// Escape closes the question and no dialog below it, so this listener comes before those of all dialogs.
if (typeof window !== 'undefined')
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || asked.get() === null) return;
      event.stopImmediatePropagation();
      dismiss();
    },
    { capture: true },
  );

export function ConfirmHost(): ReactNode {
  const question = useStore(asked);
  const [used, setUsed] = useState(false);
  useEffect(() => {
    if (question !== null) setUsed(true);
  }, [question]);
  if (!used && question === null) return null;
  return <ConfirmDialog question={question} onClose={dismiss} />;
}
