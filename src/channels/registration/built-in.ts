import { escapeHtml } from '../../core/text.js';
import type { FieldType, RegistrationField } from './types.js';

/** A hidden field, to recognize programs that fill in every field. */
export const HONEYPOT = 'hp_website';

type Row = readonly [name: string, type: FieldType, label: string, more?: Partial<RegistrationField>];

const LOCKED = { required: 'yes', disable_alter: 'yes' } as const;
const GUEST = { ...LOCKED, public_only: 'yes' } as const;
const ASKED = { required: 'yes' } as const;

const ROWS: readonly Row[] = [
  ['full_name', 'text', 'Full name', LOCKED],
  ['email', 'email', 'Email', LOCKED],
  ['username', 'text', 'Username', GUEST],
  ['password', 'password', 'Password', GUEST],
  ['conf_password', 'password', 'Repeat the password', GUEST],
  ['raw_html', 'raw_html', '', { system_defined: 'no', html: '<h3>About your promotion</h3>' }],
  ['note', 'textarea', 'How will you promote us?', ASKED],
  ['url', 'url', 'Website', { placeholder: 'https://' }],
  // The label is made when it is shown, because it contains the link to the terms (see termsLabel).
  ['terms_condition', 'inline_checkbox', 'Terms', { ...LOCKED, inline_label: '' }],
  ['payment_email', 'email', 'Payment email (PayPal)', ASKED],
  ['bank_details', 'textarea', 'Bank details', ASKED],
];

/** The fields of every program, in their default order (docs/settings.md §8). */
export const BUILT_IN: readonly RegistrationField[] = ROWS.map(([name, type, label, more]) => ({
  name,
  type,
  label,
  placeholder: '',
  help_text: '',
  required: 'no',
  enabled: 'yes',
  readonly: 'no',
  value: '',
  system_defined: 'yes',
  disable_alter: 'no',
  public_only: 'no',
  is_hidden: 'no',
  custom: 'no',
  ...more,
}));

export const builtIn = (name: string): RegistrationField | undefined =>
  BUILT_IN.find((field) => field.name === name);

/** The text of the consent box, unless an administrator has written another one. */
export const termsLabel = (url: string): string =>
  url === ''
    ? 'I agree to the terms and conditions'
    : `I agree to the <a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">terms and conditions</a>`;

const RESERVED = [
  'admin',
  'administrator',
  'root',
  'system',
  'webmaster',
  'hostmaster',
  'postmaster',
  'support',
  'security',
  'moderator',
  'manager',
  'staff',
  'owner',
  'affiliate',
  'affiliates',
  'official',
  'guest',
  'user',
  'anonymous',
  'null',
  'undefined',
  'test',
];

export const reservedUsernames = (): string[] => [...RESERVED];
