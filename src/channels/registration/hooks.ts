import type { HostUser as User } from '../../../adapters/host.js';
import { isAddress, isBoolean, isCollection, isList, isText, isWhole } from '../../platform/hooks/checks.js';
import { defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

/** What a check of a sign-up found: empty = go on, `{ message, errors }` = refuse. */
export type RegistrationErrors = readonly [] | { readonly message?: string; readonly errors?: DataMap };

export const registrationHooks = defineHooks(
  {
    'auth/signup_fields': filter<readonly unknown[], [user: User | null]>(
      ['user'],
      'The fields of the sign-up form.',
      { check: isList },
    ),
    'auth/pre_registration_errors': filter<RegistrationErrors, [data: DataMap, request: unknown]>(
      ['data', 'request'],
      'Captcha and other checks of a sign-up. Return an empty list to accept it, `{message, errors}` to reject it.',
      { check: isCollection },
    ),
    'auth/custom_field_values': filter<DataMap, [fields: readonly unknown[], submitted: DataMap]>(
      ['fields', 'submitted'],
      'Values of custom fields to store. Throw `HookVeto` to reject them.',
      { check: isCollection },
    ),
    'auth/signup_verification_mail_subject': filter<string>(
      [],
      'Subject of the e-mail with the sign-up code.',
      {
        check: isText,
      },
    ),
    'auth/signup_verification_email_body': filter<string, [code: string, data: DataMap]>(
      ['code', 'data'],
      'Body of the e-mail with the sign-up code.',
      { check: isText },
    ),
    'auth/max_verification_attempts': filter<number>([], 'Number of wrong codes allowed per sign-up.', {
      check: isWhole,
    }),
    'auth/after_signup_redirect_url': filter<string, [user: User | null, submitted: DataMap]>(
      ['user', 'submitted'],
      'URL to redirect to after the sign-up.',
      { check: isText, shown: true },
    ),
    'auth/auto_approve_affiliates': filter<boolean, [user: User | null]>(
      ['user'],
      'Return `true` to activate a new affiliate immediately, regardless of the settings.',
      { check: isBoolean },
    ),
    terms_policy_url: filter<string>([], 'URL of the terms.', { check: isAddress, shown: true }),
    reserved_usernames: filter<readonly string[]>([], "Usernames that can't be used at sign-up.", {
      check: isList,
    }),
  },
  {
    'registration.fields': 'auth/signup_fields',
    'registration.errors': 'auth/pre_registration_errors',
    'registration.custom_fields': 'auth/custom_field_values',
    'registration.code_mail_subject': 'auth/signup_verification_mail_subject',
    'registration.code_mail_body': 'auth/signup_verification_email_body',
    'registration.code_attempts': 'auth/max_verification_attempts',
    'registration.redirect_url': 'auth/after_signup_redirect_url',
    'registration.auto_approve': 'auth/auto_approve_affiliates',
    'registration.terms_url': 'terms_policy_url',
    'registration.reserved_names': 'reserved_usernames',
  },
);
