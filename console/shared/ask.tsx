import { lazy, Suspense, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { Question } from './question.js';

// Its code is loaded with the first question.
const AskDialog = lazy(async () => ({ default: (await import('./ask-dialog.js')).AskDialog }));

let open: Question | null = null;
const listeners = new Set<() => void>();
const put = (question: Question | null): void => {
  open = question;
  for (const listener of listeners) listener();
};

/** Asks before something is done; the second press does it. */
export const ask = (question: Question): void => put(question);

export function Asking(): ReactNode {
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
      <AskDialog question={question} onClose={() => put(null)} />
    </Suspense>
  );
}
