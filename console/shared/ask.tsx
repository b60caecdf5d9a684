import { Button, Modal, TextInput } from '@mantine/core';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { t } from './texts.js';
import { Problem } from './parts.js';

export interface Question {
  readonly title: string;
  /** What happens, with sums and counts. */
  readonly text: ReactNode;
  readonly yes: string;
  readonly danger?: boolean;
  /** Has to be typed before the button works: where much goes. */
  readonly type?: string;
  /** A text the deed needs, e.g. a reason. */
  readonly reason?: { readonly label: string; readonly required?: boolean };
  readonly run: (reason: string) => Promise<unknown>;
}

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
  return (
    <Modal opened={question !== null} onClose={() => put(null)} title={question?.title ?? ''} size="md">
      {question && <Dialog question={question} />}
    </Modal>
  );
}

function Dialog({ question }: { question: Question }): ReactNode {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ready =
    (question.type === undefined || typed.trim() === question.type) &&
    (!question.reason?.required || reason.trim() !== '');
  const run = async (): Promise<void> => {
    setRunning(true);
    setError(null);
    try {
      await question.run(reason.trim());
      put(null);
    } catch (problem) {
      setError(problem);
      setRunning(false);
    }
  };
  return (
    <form
      className="fa-dialog"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !running) void run();
      }}
    >
      <div className="fa-dialog-text">{question.text}</div>
      {question.reason && (
        <TextInput
          label={question.reason.label}
          required={question.reason.required ?? false}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
      )}
      {question.type !== undefined && (
        <TextInput
          label={t('Type “{text}” to confirm', { text: question.type })}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
      )}
      {error !== null && <Problem error={error} />}
      <div className="fa-dialog-buttons">
        <Button variant="default" onClick={() => put(null)}>
          {t('Cancel')}
        </Button>
        <Button type="submit" loading={running} disabled={!ready} {...(question.danger && { color: 'red' })}>
          {question.yes}
        </Button>
      </div>
    </form>
  );
}
