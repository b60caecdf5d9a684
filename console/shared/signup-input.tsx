import { Checkbox, NativeSelect, PasswordInput, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ResponseOf } from './data.js';
import { optional } from './optional.js';
import { t } from './texts.js';

/** A field of the sign-up form. */
export type SignupField = ResponseOf<'registration.form'>['fields'][number];

const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  full_name: 'name',
  email: 'email',
  username: 'username',
  password: 'new-password',
  conf_password: 'new-password',
  url: 'url',
  payment_email: 'email',
};

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

/** What the service asks of an answer. */
export function ruleOf(name: string): string | undefined {
  if (name === 'username') return t('At least 4 letters, digits or underscores');
  return name === 'password' ? t('At least 6 characters') : undefined;
}

/** Translates default markup; the program's own is unchanged. */
function builtInWords(html: string): string {
  if (html === '<h3>About your promotion</h3>') return `<h3>${t('About your promotion')}</h3>`;
  if (html === 'I agree to the terms and conditions') return t('I agree to the terms and conditions');
  const link = /^I agree to the (<a [^>]*>)terms and conditions<\/a>$/.exec(html)?.[1];
  return link === undefined
    ? html
    : t('I agree to the {terms}', { terms: `${link}${t('terms and conditions')}</a>` });
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
    description: field.help_text || ruleOf(field.name),
    placeholder: field.placeholder || undefined,
    required,
    withAsterisk: false,
    error,
    readOnly: field.readonly === 'yes',
    className: field.readonly === 'yes' ? 'fa-fixed' : undefined,
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
    readonly className: string | undefined;
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
