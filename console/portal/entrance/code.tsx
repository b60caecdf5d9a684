import { TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { refreshSession, send } from '../../shared/boot.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { t } from '../../shared/texts.js';

export interface SentCode {
  readonly reference: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly email: string;
}

/**
 * The code from the mail finishes the application. `onMade` is told of an account that the site
 * did not sign in.
 */
export function CodeStep({
  sent,
  onAgain,
  onMade,
}: {
  sent: SentCode;
  onAgain: () => void;
  onMade: () => void;
}): ReactNode {
  const form = useForm(
    { code: '' },
    async ({ code }) => {
      await send('registration.verify', { body: { reference: sent.reference, code: code.trim() } });
      if ((await refreshSession()).user === null) onMade();
    },
    undefined,
    { creates: true },
  );
  const left = useCountdown(sent.expiresIn);
  return (
    <FormFrame form={form} yes={t('Finish')} onCancel={onAgain}>
      <h2 className="fa-signup-title">{t('Look into your mailbox')}</h2>
      <p className="fa-soft">
        {t('We have sent a code of six digits to {email}. Enter it here to finish.', { email: sent.email })}
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
    </FormFrame>
  );
}

const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function useCountdown(seconds: number): number {
  const [end] = useState(() => Date.now() + seconds * 1000);
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.max(0, Math.round((end - Date.now()) / 1000))), 1000);
    return () => clearInterval(timer);
  }, [end]);
  return left;
}
