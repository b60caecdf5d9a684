import { isMap } from '../../core/is-map.js';
import { cut, LINES } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import type { FormPart } from '../../platform/http/form-parts.js';
import { isEmail } from '../../core/address.js';
import { normalize } from '../../platform/http/normalize.js';
import type { Affiliate, ProfilePatch } from '../../program/affiliates/types.js';
import type { RegistrationField } from '../registration/types.js';
import { customAnswers } from './custom-answers.js';
import type { Deps } from './deps.js';
import type { FormField, PortalSettings } from './schemas.js';
import { changedKeys } from './account.js';

const BANK_MAX = 5000;
const LARGE = { size: 'large' } as const;

/** The settings that affiliates may change: the form, its values, and saving it (docs/interface.md §11.4). */
export class SettingsForm {
  constructor(private readonly app: Deps) {}

  async read(affiliate: Affiliate): Promise<PortalSettings> {
    const custom = await this.app.registration.customFields();
    const answers = Object.fromEntries(
      custom.map((field) => [field.name, affiliate.custom_fields[field.name] ?? blankOf(field)]),
    );
    const settings: PortalSettings['settings'] = {
      ref_email_notification: affiliate.settings.disable_new_ref_email === 'yes' ? 'no' : 'yes',
      ...((await this.#paysByBank())
        ? { bank_details: affiliate.settings.bank_details }
        : { payment_email: affiliate.payment_email }),
      ...((await this.#namesLinks()) && { custom_param: affiliate.custom_param ?? '' }),
      ...answers,
    };
    const form: PortalSettings['form_fields'] = {
      ...((await this.#paysByBank()) ? BANK_FIELD : EMAIL_FIELD),
      ...((await this.#namesLinks()) && LINK_FIELD),
      ...NOTICE_FIELD,
      ...Object.fromEntries(custom.map((field) => [field.name, drawn(field)])),
    };
    const data = await this.app.hooks.applyFilters(
      'portal/settings_data',
      { form_fields: form, settings },
      affiliate,
    );
    return { settings: data.settings ?? settings, form_fields: data.form_fields ?? form };
  }

  /** Lists in the form, which a form body does not contain when they are empty. */
  async formParts(): Promise<readonly FormPart[]> {
    const fields = await this.app.registration.customFields();
    return fields
      .filter(({ type }) => type === 'multiselect')
      .map(({ name }) => ({
        name: `settings.${name}`,
        sentWith: 'settings.ref_email_notification',
        kind: 'list',
      }));
  }

  /** Stores either everything or, if a value is wrong, nothing; keys that do not apply are ignored. */
  async save(affiliate: Affiliate, given: unknown): Promise<void> {
    const submitted = isMap(given) ? given : {};
    const check = new FieldCheck();
    const notify = readNotify(check, submitted['ref_email_notification']);
    const address = (await this.#paysByBank())
      ? { bank_details: readBank(check, submitted['bank_details']) }
      : { payment_email: readEmail(check, submitted['payment_email']) };
    check.throwIfAny();
    const custom = await customAnswers(this.app, await this.app.registration.customFields(), submitted);
    const patch: ProfilePatch = {
      ...address,
      ...((await this.#namesLinks()) && 'custom_param' in submitted && linkName(submitted['custom_param'])),
      disable_new_ref_email: notify === 'yes' ? 'no' : 'yes',
      custom_fields: custom,
    };
    const saved = await this.app.affiliates.changes.saveProfile(affiliate.id, patch);
    const changed = changedKeys(affiliate, saved);
    if (changed.length > 0) await this.app.hooks.doAction('portal/settings_updated', saved, changed);
  }

  #namesLinks(): Promise<boolean> {
    return this.app.settings.features.isOn('own_link_name');
  }

  async #paysByBank(): Promise<boolean> {
    return (await this.app.settings.referralConfig()).payout_method === 'bank_transfer';
  }
}

const EMAIL_FIELD = {
  payment_email: {
    type: 'text',
    atts: LARGE,
    data_type: 'email',
    label: 'Payment Email (PayPal)',
    help_text: 'Your commissions are sent to this address.',
  },
};
const BANK_FIELD = {
  bank_details: {
    type: 'textarea',
    atts: { ...LARGE, rows: 3 },
    label: 'Bank Details',
    help_text: 'Account holder, IBAN or account number, and bank.',
  },
};
const LINK_FIELD = {
  custom_param: {
    type: 'text',
    atts: LARGE,
    label: 'Link name',
    help_text: 'Replaces the number in your links. Links with earlier names still work.',
  },
};
const NOTICE_FIELD = {
  ref_email_notification: {
    atts: LARGE,
    type: 'inline_checkbox',
    checkbox_label: 'Notify me by e-mail about new commissions',
    help_text: 'You get one e-mail per commission.',
    true_value: 'yes',
    false_value: 'no',
  },
};

/** A registration field in the form that the portal uses. */
function drawn({ type, label, help_text, placeholder, options = [] }: RegistrationField): FormField {
  const base = { atts: { ...LARGE, ...(placeholder && { placeholder }) }, label, help_text };
  const choices = options.map((option) => ({ label: option, value: option }));
  if (type === 'number' || type === 'url') return { type: 'text', data_type: type, ...base };
  if (type === 'multiselect') return { type: 'select', is_multiple: true, options: choices, ...base };
  if (type === 'select' || type === 'radio') return { type, options: choices, ...base };
  return { type, ...base };
}

const blankOf = ({ type }: RegistrationField): string | readonly string[] =>
  type === 'multiselect' ? [] : '';

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

function readNotify(check: FieldCheck, given: unknown): unknown {
  const flag = normalize({ flag: true }, given);
  if (isMissing(given))
    check.add('ref_email_notification', 'required', 'The notification must be yes or no.');
  else if (flag !== 'yes' && flag !== 'no')
    check.add('ref_email_notification', 'in', 'The notification must be yes or no.');
  return flag;
}

function readEmail(check: FieldCheck, given: unknown): string {
  const email = typeof given === 'string' ? given.trim() : '';
  if (isMissing(given) || email === '')
    check.add('payment_email', 'required', 'The payment e-mail is required.');
  if ((given !== undefined && given !== null && email === '') || (email !== '' && !isEmail(email)))
    check.add('payment_email', 'email', 'The payment e-mail must be an e-mail address.');
  return email;
}

/** A value that is not text is refused like an unsuitable text. */
const linkName = (given: unknown): Pick<ProfilePatch, 'custom_param'> => ({
  custom_param: isMissing(given) ? null : typeof given === 'string' ? given : '-',
});

function readBank(check: FieldCheck, given: unknown): string {
  const details = typeof given === 'string' || typeof given === 'number' ? LINES.read(String(given)) : '';
  if (isMissing(given)) check.add('bank_details', 'required', 'The bank details are required.');
  else if (typeof given === 'object') check.add('bank_details', 'string', 'The bank details must be text.');
  else if (details === '') check.add('bank_details', 'required', 'The bank details are required.');
  else if (!LINES.fits(details)) check.add('bank_details', LINES.rule, LINES.says);
  else if (cut(details, BANK_MAX) !== details)
    check.add('bank_details', 'max', `The bank details must have at most ${BANK_MAX} characters.`);
  return details;
}
