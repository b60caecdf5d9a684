import { useEffect, useState, type ReactNode } from 'react';
import { lazyPart } from './lazy-component.js';
import type { Confirmation } from './confirmation.js';
import { createStore, useStore } from './store.js';

// Loaded on first use.
const ConfirmDialog = lazyPart(() => import('./confirm-dialog.js'), 'ConfirmDialog');

const asked = createStore<Confirmation | null>(null);

/** Asks for confirmation before an action. */
export const confirmFirst = (question: Confirmation): void => asked.set(question);

export function ConfirmHost(): ReactNode {
  const question = useStore(asked);
  const [used, setUsed] = useState(false);
  useEffect(() => {
    if (question !== null) setUsed(true);
  }, [question]);
  if (!used && question === null) return null;
  return <ConfirmDialog question={question} onClose={() => asked.set(null)} />;
}
