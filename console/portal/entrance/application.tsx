import { Checkbox, NativeSelect, PasswordInput, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { refreshSession, send } from '../../shared/boot.js';
import { consentLast, FormFrame, useForm } from '../../shared/form.js';
import { t } from '../../shared/texts.js';
import { useCaptcha } from './captcha.js';
import { keepAnswers, typedAnswers } from './pending.js';
import type { SentCode } from './pending.js';
import { answerFigures, typedAnswer, type SignupField, type SignupForm } from './signup-form.js';
import { optional } from '../optional.js';

type Values = Record<string, unknown>;

const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  full_name: 'name',
  email: 'email',
  username: 'username',
  password: 'new-password',
  conf_password: 'new-password',
  url: 'url',
  payment_email: 'email',
};

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

/** Translates labels the program has not changed. */
const labelOf = (label: string): string => t(label);

/** Labels of the default fields, so that the catalogs contain them. */
export const KNOWN_LABELS = (): readonly string[] => [
  t('Full name'),
  t('Email'),
  t('Username'),
  t('Password'),
  t('Repeat the password'),
  t('How will you promote us?'),
  t('Website'),
  t('Payment email (PayPal)'),
  t('Bank details'),
];

/** Translates default markup; the program's own is unchanged. */
function builtInWords(html: string): string {
  if (html === '<h3>About your promotion</h3>') return `<h3>${t('About your promotion')}</h3>`;
  if (html === 'I agree to the terms and conditions') return t('I agree to the terms and conditions');
  const link = /^I agree to the (<a [^>]*>)terms and conditions<\/a>$/.exec(html)?.[1];
  return link === undefined ? html : `${link}${t('I agree to the terms and conditions')}</a>`;
}

/** Opens links in a new tab, so that the form keeps its values. */
const apart = (html: string): string =>
  html.replaceAll(/<a (?![^>]*\btarget=)/g, '<a target="_blank" rel="noopener noreferrer" ');

interface InputProps {
  readonly field: SignupField;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** One field of a configurable form; also used in the profile. */
export function SignupInput({ field, value, error, onChange }: InputProps): ReactNode {
  if (field.type === 'raw_html')
    // Sanitized by the service when stored.
    return <div className="fa-words" dangerouslySetInnerHTML={{ __html: builtInWords(field.html ?? '') }} />;
  const required = field.required === 'yes';
  if (field.type === 'inline_checkbox')
    return (
      <Checkbox
        size="md"
        label={
          <span
            className="fa-consent"
            dangerouslySetInnerHTML={{ __html: apart(builtInWords(field.inline_label ?? '')) }}
          />
        }
        description={field.help_text || undefined}
        checked={value === 'yes'}
        required={required}
        error={error}
        onChange={(event) => onChange(event.currentTarget.checked ? 'yes' : '')}
      />
    );
  const common = {
    label: labelOf(field.label),
    description: field.help_text || undefined,
    placeholder: field.placeholder || undefined,
    required,
    withAsterisk: false,
    error,
    readOnly: field.readonly === 'yes',
  } as const;
  const label = required ? common.label : optional(common.label);
  return <Control field={field} common={{ ...common, label }} value={value} onChange={onChange} />;
}

interface ControlProps {
  readonly field: SignupField;
  readonly common: {
    readonly label: ReactNode;
    readonly description: string | undefined;
    readonly placeholder: string | undefined;
    readonly required: boolean;
    readonly withAsterisk: boolean;
    readonly error: string | undefined;
    readonly readOnly: boolean;
  };
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function Control(props: ControlProps): ReactNode {
  switch (props.field.type) {
    case 'select':
      return <SelectControl {...props} />;
    case 'multiselect':
      return <BoxesControl {...props} />;
    case 'radio':
      return <RadioControl {...props} />;
    default:
      return <TextControl {...props} />;
  }
}

function TextControl({ field: { name, type }, common, value, onChange }: ControlProps): ReactNode {
  const text = textOf(value);
  const typed = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value);
  if (type === 'textarea')
    return <Textarea {...common} autosize minRows={3} maxRows={10} value={text} onChange={typed} />;
  const autoComplete = AUTOCOMPLETE[name] ?? 'off';
  if (type === 'password')
    return <PasswordInput {...common} autoComplete={autoComplete} value={text} onChange={typed} />;
  return (
    <TextInput
      {...common}
      type={type === 'number' ? 'text' : type}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autoComplete={autoComplete}
      value={text}
      onChange={typed}
      {...(type === 'url' && { onBlur: () => onChange(withScheme(text)) })}
    />
  );
}

/** Most people write an address of the web without it. */
const withScheme = (text: string): string =>
  /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/u.test(text.trim()) ? `https://${text.trim()}` : text;

function SelectControl({ field: { options = [] }, common, value, onChange }: ControlProps): ReactNode {
  const { readOnly, ...choice } = common;
  return (
    <NativeSelect
      {...choice}
      disabled={readOnly}
      data={[{ value: '', label: common.placeholder ?? t('Choose') }, ...options]}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function BoxesControl({ field: { options = [] }, common, value, onChange }: ControlProps): ReactNode {
  const { readOnly, ...choice } = common;
  return (
    <Checkbox.Group {...choice} value={Array.isArray(value) ? value.map(String) : []} onChange={onChange}>
      <Stack gap={8} mt={6}>
        {options.map((option) => (
          <Checkbox key={option} value={option} label={option} disabled={readOnly} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function RadioControl({ field: { options = [] }, common, value, onChange }: ControlProps): ReactNode {
  return (
    <Radio.Group
      label={common.label}
      description={common.description}
      error={common.error}
      value={textOf(value)}
      onChange={onChange}
    >
      <Stack gap={8} mt={6}>
        {options.map((option) => (
          <Radio key={option} value={option} label={option} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
