import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { refreshSession, send } from '../../shared/boot.js';
import { consentLast, FormFrame, useForm } from '../../shared/form.js';
import { SignupInput } from '../../shared/signup-input.js';
import { t } from '../../shared/texts.js';
import { useCaptcha } from './captcha.js';
import { keepAnswers, typedAnswers } from './pending.js';
import type { SentCode } from './pending.js';
import { answerFigures, typedAnswer, type SignupForm } from './signup-form.js';

type Values = Record<string, unknown>;

/** The sign-up form of the program. */
export function Application({
  form,
  invited,
  onCode,
  onMade,
}: {
  form: SignupForm;
  /** The e-mail address of an invitation is verified and read-only. */
  invited: { readonly key: string; readonly email: string } | undefined;
  onCode: (sent: SentCode) => void;
  onMade: () => void;
}): ReactNode {
  const address = useAddress();
  const [bait, setBait] = useState('');
  const captcha = useCaptcha(form.captcha);
  const typed = useMemo(typedAnswers, []);
  const start = Object.fromEntries(
    form.fields
      .filter(({ type }) => type !== 'raw_html')
      .map((field) => [
        field.name,
        typed[field.name] ?? (field.type === 'multiselect' ? [] : typedAnswer(field, field.value)),
      ]),
  );
  const apply = async (values: Values): Promise<void> => {
    const outcome = await send('registration.register', {
      body: {
        ...values,
        ...(invited && { email: invited.email, invitation: invited.key }),
        ...(await captcha.answer()),
        ...(bait !== '' && { [form.honeypot]: bait }),
      },
    });
    if (outcome.status === 'code_sent' && outcome.reference !== undefined)
      onCode({
        reference: outcome.reference,
        sentAt: Date.now(),
        expiresIn: outcome.expires_in ?? 900,
        email: String(values['email'] ?? ''),
      });
    else {
      if ((await refreshSession()).user === null) onMade();
      address.set({ invitation: null }, { replace: true }); // the address is shared later
    }
  };
  const state = useForm<Values>(start, apply, undefined, {
    creates: true,
    figures: (values) => answerFigures(form.fields, values),
  });
  useEffect(() => {
    const secret = form.fields.filter(({ type }) => type === 'password').map(({ name }) => name);
    const kept = Object.entries(state.values).filter(([name]) => !secret.includes(name));
    keepAnswers(Object.fromEntries(kept));
  }, [state.values]);
  return (
    <FormFrame form={state} yes={invited ? t('Join') : t('Send application')} always>
      <h2 className="fa-signup-title">{invited ? t('Join now') : t('Apply now')}</h2>
      {consentLast(form.fields).map((field) => (
        <SignupInput
          key={field.name}
          field={field}
          {...(invited && field.name === 'email' && { field: { ...field, readonly: 'yes' } })}
          value={invited && field.name === 'email' ? invited.email : state.values[field.name]}
          error={state.field(field.name).error}
          onChange={(value) => state.set({ [field.name]: value })}
        />
      ))}
      {captcha.box}
      <div className="fa-hidden" aria-hidden="true">
        <input
          name={form.honeypot}
          tabIndex={-1}
          autoComplete="off"
          value={bait}
          onChange={(event) => setBait(event.currentTarget.value)}
        />
      </div>
    </FormFrame>
  );
}
