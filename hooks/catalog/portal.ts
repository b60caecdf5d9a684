import { isAddress, isBoolean, isCollection, isList, isMap, isText, isWhole } from '../checks.js';
import { after, filter } from '../line.js';
import type { Affiliate, DataMap, User } from '../records.js';

export interface ShareSite {
  readonly name: string;
  readonly url: string;
  readonly param: string;
  /** What the portal shows beside them. */
  readonly id?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly description?: string;
  readonly logo?: string;
}
/** What a check of a sign-up found: empty = go on, `{ message, errors }` = refuse. */
export type RegistrationErrors = readonly [] | { readonly message?: string; readonly errors?: DataMap };

export const portalHooks = {
  'portal/additional_sites': filter<readonly ShareSite[], [affiliate: Affiliate | null]>(
    ['affiliate'],
    'Further sites of the share widget, each `{name, url, param}`.',
    { check: isList, shown: true },
  ),
  'portal/share_links': filter<readonly unknown[], [affiliate: Affiliate]>(
    ['affiliate'],
    'All links an affiliate is offered to share.',
    { check: isList, shown: true },
  ),
  portal_menu_items: filter<DataMap, [affiliate: Affiliate | null]>(
    ['affiliate'],
    'Navigation of the portal app of the WordPress plugin (option `compat`): key → `{title, enabled, icon, route}`; `portalApp` has its own.',
    { check: isMap, shown: true },
  ),
  portal_page_url: filter<string>([], 'Address of the portal.', { check: isAddress, shown: true }),
  screen_url: filter<string, [pages: 'console' | 'portal', path: string]>(
    ['pages', 'path'],
    'Address of a screen that a mail leads to; `pages` is `console` or `portal`, `path` e.g. `/affiliates/3`.',
    { check: isAddress, shown: true },
  ),
  portal_notice_html: filter<string, [affiliate: Affiliate | null]>(
    ['affiliate'],
    'A notice in the portal; cleaned after the filter.',
    { check: isText, shown: true },
  ),
  portal_localize_data: filter<DataMap>([], 'Everything the portal app starts with.', {
    check: isMap,
    shown: true,
  }),
  'portal/settings_data': filter<DataMap, [affiliate: Affiliate]>(
    ['affiliate'],
    'The settings form of an affiliate and its values: `{form_fields, settings}`.',
    { check: isMap, shown: true },
  ),
  'portal/settings_updated': after<[affiliate: Affiliate, changed: readonly string[]]>(
    ['affiliate', 'changed'],
    'An affiliate saved settings of the portal; `changed` names them, without values.',
  ),
  social_media_links: filter<DataMap>(
    [],
    'Platforms to share on: key → `{key, title, icon, share_url, status}`.',
    { check: isCollection, shown: true },
  ),
  social_media_share_default_enabled_keys: filter<readonly string[]>(
    [],
    'Platforms that are on before anything was saved.',
    { check: isList, shown: true },
  ),
  'auth/signup_fields': filter<readonly unknown[], [user: User | null]>(
    ['user'],
    'The fields of the sign-up form.',
    { check: isList },
  ),
  'auth/pre_registration_errors': filter<RegistrationErrors, [data: DataMap, request: unknown]>(
    ['data', 'request'],
    'Captcha and similar checks of a sign-up: an empty list goes on, `{message, errors}` refuses.',
    { check: isCollection },
  ),
  'auth/custom_field_values': filter<DataMap, [fields: readonly unknown[], submitted: DataMap]>(
    ['fields', 'submitted'],
    'Values of custom fields to store. Throw `HookVeto` to refuse them.',
    { check: isCollection },
  ),
  'auth/signup_verification_mail_subject': filter<string>([], 'Subject of the mail with the sign-up code.', {
    check: isText,
  }),
  'auth/signup_verification_email_body': filter<string, [code: string, data: DataMap]>(
    ['code', 'data'],
    'Body of the mail with the sign-up code.',
    { check: isText },
  ),
  'auth/max_verification_attempts': filter<number>([], 'Wrong codes allowed per sign-up.', {
    check: isWhole,
  }),
  'auth/after_signup_redirect_url': filter<string, [user: User | null, submitted: DataMap]>(
    ['user', 'submitted'],
    'Where to go after the sign-up.',
    { check: isText, shown: true },
  ),
  'auth/auto_approve_affiliates': filter<boolean, [user: User | null]>(
    ['user'],
    '`true` makes a new affiliate active at once, whatever the settings say.',
    { check: isBoolean },
  ),
  terms_policy_url: filter<string>([], 'Address of the terms.', { check: isAddress, shown: true }),
  reserved_usernames: filter<readonly string[]>([], 'Names nobody can sign up with.', { check: isList }),
} as const;
