import { Button, TextInput } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { refreshSession, send } from '../../shared/boot.js';
import { useTask } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { announce } from '../../shared/page-title.js';
import { t } from '../../shared/texts.js';
import { keepAnswers, keepPending, type SentCode } from './pending.js';

const AGAIN_AFTER = 30;

/**
 * Confirms the application by the code in the mail. `onMade` is called if the account was created without a
 * sign-in, `onSent` when another code was sent.
 */
export function CodeStep({
  sent,
  onSent,
  onAgain,
  onMade,
}: {
  sent: SentCode;
  onSent: (sent: SentCode) => void;
  onAgain: () => void;
  onMade: () => void;
}): ReactNode {
  const form = useForm(
    { code: '' },
    async ({ code }) => {
      await send('registration.verify', { body: { reference: sent.reference, code: code.trim() } });
      keepPending(null);
      keepAnswers(null);
      if ((await refreshSession()).user === null) onMade();
    },
    undefined,
    { creates: true },
  );
  const left = useCountdown(sent.expiresIn);
  const again = useSendAgain(sent, onSent);
  return (
    <FormFrame form={form} yes={t('Finish')} onCancel={onAgain}>
      <h2 className="fa-signup-title">{t('Check your inbox')}</h2>
      <p className="fa-soft">
        {t('We sent a six-digit code to {email}. Enter it here to finish.', { email: sent.email })}
      </p>
      <TextInput
        {...form.text('code')}
        label={t('Code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        size="lg"
        className="fa-code-input"
        data-autofocus
        autoFocus
      />
      <p className="fa-faint" role="timer">
        {left > 0
          ? t('The code is valid for another {time}.', { time: clockText(left) })
          : t('The code has expired. Go back and send the form again.')}
      </p>
      {left > 0 && (
        <Button
          variant="default"
          size="compact-md"
          style={{ justifySelf: 'start' }}
          loading={again.running}
          disabled={again.wait > 0}
          onClick={() => again.start()}
        >
          {again.wait > 0
            ? t('Send another code in {time}', { time: clockText(again.wait) })
            : t('Send another code')}
        </Button>
      )}
    </FormFrame>
  );
}

/** Sends another code, at most every 30 seconds. */
function useSendAgain(
  { reference, email, sentAt }: SentCode,
  onSent: (sent: SentCode) => void,
): { readonly wait: number; readonly running: boolean; readonly start: () => void } {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const sending = useTask(async () => {
    const { expires_in: expiresIn = 600 } = await send('registration.send_again', { body: { reference } });
    onSent({ reference, email, expiresIn, sentAt: Date.now() });
    announce(t('Another code was sent to {email}.', { email }));
  });
  return { wait: Math.max(0, AGAIN_AFTER - Math.floor((now - sentAt) / 1000)), ...sending };
}

const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function useCountdown(seconds: number): number {
  const end = useMemo(() => Date.now() + seconds * 1000, [seconds]);
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.max(0, Math.round((end - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [end]);
  return left;
}
