import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Confirmation } from './confirmation.js';
import { Problem } from './parts.js';
import { t } from './texts.js';
import { toast } from './toast.js';

export function ConfirmDialog({
  question,
  onClose,
}: {
  question: Confirmation | null;
  onClose: () => void;
}): ReactNode {
  const [last, setLast] = useState(question);
  if (question !== null && question !== last) setLast(question);
  return (
    // above a dialog that was opened after an earlier question
    <Modal opened={question !== null} onClose={onClose} title={last?.title} size="md" zIndex={250}>
      {last && <Dialog question={last} onClose={onClose} />}
    </Modal>
  );
}

function Dialog({ question, onClose }: { question: Confirmation; onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [isShared, setShared] = useState(true);
  const ready =
    (question.type === undefined || typed.trim() === question.type) &&
    (!question.reason?.required || reason.trim() !== '');
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => question.run(reason.trim(), isShared),
    onSuccess: () => {
      if (shown.current) onClose();
    },
    onError: (problem) => {
      if (!shown.current) toast.failed(problem); // the dialog was closed meanwhile
    },
  });
  return (
    <form
      className="fa-dialog"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !isPending) mutate();
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
      {question.reason?.share !== undefined && (
        <Checkbox
          label={question.reason.share}
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
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
        <Button variant="default" onClick={() => onClose()}>
          {t('Cancel')}
        </Button>
        <Button
          type="submit"
          loading={isPending}
          disabled={!ready}
          {...(question.danger && { color: 'red' })}
        >
          {question.yes}
        </Button>
      </div>
    </form>
  );
}
