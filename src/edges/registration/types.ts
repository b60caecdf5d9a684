import type { IncomingMessage } from 'node:http';
import type { HostUser } from '../../../adapters/host.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Challenge } from '../captcha/types.js';

export type Flag = 'yes' | 'no';

/** Types an administrator can give a field of their own (docs/settings.md §8). */
export const CUSTOM_TYPES = [
  'text',
  'textarea',
  'number',
  'date',
  'url',
  'select',
  'radio',
  'multiselect',
] as const;
export type CustomType = (typeof CUSTOM_TYPES)[number];
export type FieldType = CustomType | 'email' | 'password' | 'raw_html' | 'inline_checkbox';

/** One field of the sign-up form, as on the wire. */
export interface RegistrationField {
  readonly name: string;
  readonly type: FieldType;
  readonly label: string;
  readonly placeholder: string;
  readonly help_text: string;
  readonly required: Flag;
  readonly enabled: Flag;
  readonly readonly: Flag;
  readonly value: string;
  readonly system_defined: Flag;
  /** `required` and `enabled` can not be changed. */
  readonly disable_alter: Flag;
  /** Asked of guests only. */
  readonly public_only: Flag;
  readonly is_hidden: Flag;
  readonly custom: Flag;
  readonly options?: readonly string[];
  readonly html?: string;
  readonly inline_label?: string;
}

export interface RegistrationSettings {
  /** `no` closes the public sign-up. */
  readonly enabled: Flag;
  /** `yes`: new affiliates wait for approval. */
  readonly require_approval: Flag;
}

export type Submitted = Readonly<Record<string, unknown>>;

/** A checked application; what passes to hooks, so there is no password in it. */
export interface Application {
  readonly full_name: string;
  readonly email: string;
  readonly username: string;
  readonly note: string;
  readonly payment_email: string;
  readonly bank_details: string;
  readonly custom_fields: Readonly<Record<string, unknown>>;
}

/** Who signs up and over which connection. */
export interface SignupRequest {
  readonly user: HostUser | null;
  readonly ip: string | null;
  readonly id: string;
  readonly url: string;
  readonly raw: IncomingMessage;
  /** The response, on which the host signs the new user in. */
  readonly response: unknown;
}

export type SignupOutcome =
  | { readonly kind: 'code_sent'; readonly reference: string; readonly expiresIn: number }
  | {
      readonly kind: 'applied';
      readonly affiliate: Affiliate;
      readonly redirectUrl: string;
      readonly isNew: boolean;
    };

export interface SignupForm {
  readonly fields: readonly RegistrationField[];
  readonly settings: RegistrationSettings;
  /** Can this site make users out of guests? */
  readonly supported: boolean;
  readonly affiliate: Affiliate | null;
  readonly redirectUrl: string | null;
  /** The check that a person fills it in. */
  readonly captcha: Challenge | null;
}

export interface SignupState {
  readonly state: 'guest' | 'none' | 'pending' | 'active' | 'inactive';
  readonly registration: 'open' | 'closed' | 'unsupported';
  readonly redirectUrl: string | null;
}
