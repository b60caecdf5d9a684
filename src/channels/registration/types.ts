import type { IncomingMessage } from 'node:http';
import type { HostUser } from '../../../adapters/host.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Challenge } from '../captcha/types.js';

export type Flag = 'yes' | 'no';

/** The types of fields that an administrator can add (docs/settings.md §8). */
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

/** A field of the sign-up form, as responses show it. */
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
  /** `required` and `enabled` cannot be changed. */
  readonly disable_alter: Flag;
  /** Only for guests. */
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

/** A checked application. It is passed to hooks, so it contains no password. */
export interface Application {
  readonly full_name: string;
  readonly email: string;
  readonly username: string;
  readonly note: string;
  readonly payment_email: string;
  readonly bank_details: string;
  readonly custom_fields: Readonly<Record<string, unknown>>;
}

/** The visitor who signs up, and the request. */
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
  /** Can guests register on this site? */
  readonly supported: boolean;
  readonly affiliate: Affiliate | null;
  readonly redirectUrl: string | null;
  /** The captcha; null for none. */
  readonly captcha: Challenge | null;
}

export interface SignupState {
  readonly state: 'guest' | 'none' | 'pending' | 'active' | 'inactive';
  readonly registration: 'open' | 'closed' | 'unsupported';
  readonly redirectUrl: string | null;
}
