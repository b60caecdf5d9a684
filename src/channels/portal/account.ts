import type { HostUser } from '../../../adapters/host.js';
import { readAnswer } from '../../core/answer.js';
import { toIso } from '../../core/dates.js';
import { LINE, LINES } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import { isEmail, isHttpUrl } from '../../core/address.js';
import {
  NO_INVOICE,
  type Affiliate,
  type InvoiceDetails,
  type ProfilePatch,
  type YesNo,
} from '../../program/affiliates/types.js';
import { customAnswers } from './custom-answers.js';
import type { Deps } from './deps.js';
import type { InvoiceResponse, LinkName, Notifications, PaymentDetails, Profile } from './schemas.js';
import { formatBankAccount, parseBankAccount, readBankAccount, type BankAccount } from './bank-account.js';

export interface PaymentDetailsInput extends Partial<Record<keyof BankAccount, string>> {
  readonly payment_email?: string;
}

export interface ProfileInput {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly url?: string;
  readonly custom_fields?: Readonly<Record<string, unknown>>;
}

const NAME_MAX = 100;

/** Changes that affiliates make to their own account: payment details, name, link name, mails. */
export class PortalAccount {
  constructor(private readonly app: Deps) {}

  async paymentDetails(affiliate: Affiliate): Promise<PaymentDetails> {
    const { payout_method: method } = await this.app.settings.referralConfig();
    const account = parseBankAccount(affiliate.settings.bank_details);
    return method === 'paypal'
      ? {
          method,
          complete: Boolean(affiliate.payment_email),
          details: { payment_email: affiliate.payment_email ?? '' },
        }
      : { method, complete: affiliate.settings.bank_details !== '', details: { ...account } };
  }

  /**
   * Stores the details that the program's payout method needs; a mail to the old address notifies the owner.
   */
  async savePaymentDetails(affiliate: Affiliate, given: PaymentDetailsInput): Promise<PaymentDetails> {
    const { payout_method: method } = await this.app.settings.referralConfig();
    const check = new FieldCheck();
    const patch: ProfilePatch =
      method === 'paypal'
        ? { payment_email: readPaymentEmail(check, given.payment_email) }
        : { bank_details: formatBankAccount(readBankAccount(check, given)) };
    check.throwIfAny();
    return this.paymentDetails(await this.#save(affiliate, patch));
  }

  notifications({ settings }: Affiliate): Notifications {
    return {
      new_commission: settings.disable_new_ref_email === 'yes' ? 'no' : 'yes',
      payment_sent: settings.disable_payout_email === 'yes' ? 'no' : 'yes',
      announcements: settings.disable_announcements === 'yes' ? 'no' : 'yes',
    };
  }

  async saveNotifications(
    affiliate: Affiliate,
    given: { readonly new_commission?: YesNo; readonly payment_sent?: YesNo; readonly announcements?: YesNo },
  ): Promise<Notifications> {
    const saved = await this.#save(affiliate, {
      ...(given.new_commission && { disable_new_ref_email: opposite(given.new_commission) }),
      ...(given.payment_sent && { disable_payout_email: opposite(given.payment_sent) }),
      ...(given.announcements && { disable_announcements: opposite(given.announcements) }),
    });
    return this.notifications(saved);
  }

  async invoiceDetails({ settings }: Affiliate): Promise<InvoiceResponse> {
    const { ask_invoice_details: asked } = await this.app.settings.referralConfig();
    return { asked: asked === 'yes', details: { ...(settings.invoice ?? NO_INVOICE) } };
  }

  /** Omitted fields do not change. 422 `invoice_not_asked` where the program does not ask for them. */
  async saveInvoiceDetails(
    affiliate: Affiliate,
    given: Partial<Record<keyof InvoiceDetails, string>>,
  ): Promise<InvoiceResponse> {
    const { asked, details } = await this.invoiceDetails(affiliate);
    if (!asked) fail('invoice_not_asked');
    const check = new FieldCheck();
    const invoice = Object.fromEntries(
      INVOICE_FIELDS.map((name) => [name, readInvoiceText(check, name, given[name] ?? details[name])]),
    ) as unknown as InvoiceDetails; // one text for each of the three names
    check.throwIfAny();
    return this.invoiceDetails(await this.#save(affiliate, { invoice }));
  }

  async profile(affiliate: Affiliate, user: HostUser): Promise<Profile> {
    const fields = await this.app.registration.customFields();
    return {
      ...(await this.app.affiliates.ownColumns(affiliate)),
      first_name: user.first_name,
      last_name: user.last_name,
      full_name: user.full_name,
      email: user.email,
      login: user.login,
      url: user.url,
      member_since: toIso(affiliate.created_at),
      /** Can users of the host be changed from here? */
      editable: this.app.host.users.update !== undefined,
      deletion_asked_at: toIso(affiliate.deletion_asked_at),
      custom_fields: fields.map((field) => ({
        ...field,
        answer: readAnswer(affiliate.custom_fields[field.name]) ?? (field.type === 'multiselect' ? [] : ''),
      })),
    };
  }

  async saveProfile(affiliate: Affiliate, user: HostUser, given: ProfileInput): Promise<Profile> {
    const names = this.#readNames(given);
    const sent = given.custom_fields;
    const answers =
      sent &&
      (await customAnswers(
        this.app,
        (await this.app.registration.customFields()).filter(({ name }) => Object.hasOwn(sent, name)),
        sent,
      ));
    const saved = answers ? await this.#save(affiliate, { custom_fields: answers }) : affiliate;
    const { users } = this.app.host;
    const changed = Object.keys(names).length > 0 && users.update ? await users.update(user.id, names) : user;
    return this.profile(saved, changed);
  }

  async linkName(affiliate: Affiliate): Promise<LinkName> {
    return {
      enabled: await this.app.settings.features.isOn('own_link_name'),
      name: affiliate.custom_param,
      link: await this.app.tracking.shareUrlOf(affiliate),
    };
  }

  /** Sets the affiliate's own name in links, instead of id or login; links with a former name still work. */
  async saveLinkName(affiliate: Affiliate, name: string | null): Promise<LinkName> {
    if (!(await this.app.settings.features.isOn('own_link_name'))) fail('link_names_disabled');
    return this.linkName(await this.#save(affiliate, { custom_param: name === '' ? null : name }));
  }

  #readNames(given: ProfileInput): { first_name?: string; last_name?: string; url?: string } {
    const check = new FieldCheck();
    const names: { first_name?: string; last_name?: string; url?: string } = {};
    for (const key of ['first_name', 'last_name'] as const) {
      if (given[key] === undefined) continue;
      names[key] = given[key].trim();
      if (!LINE.fits(names[key])) check.add(key, LINE.rule, LINE.says);
      if (names[key].length > NAME_MAX) check.add(key, 'max', `Use at most ${NAME_MAX} characters.`);
    }
    if (names.first_name === '' && (names.last_name ?? '') === '')
      check.add('first_name', 'required', 'Enter a name.');
    if (given.url !== undefined) {
      names.url = given.url.trim();
      if (names.url !== '' && !isHttpUrl(names.url))
        check.add('url', 'url', 'Enter a URL that begins with https://.');
    }
    check.throwIfAny();
    return names;
  }

  async #save(affiliate: Affiliate, patch: ProfilePatch): Promise<Affiliate> {
    const saved = await this.app.affiliates.changes.saveProfile(affiliate.id, patch);
    const changed = changedKeys(affiliate, saved);
    if (changed.length > 0) await this.app.hooks.doAction('portal/settings_updated', saved, changed);
    return saved;
  }
}

const INVOICE_MAX = { name: 191, address: 500, tax_number: 64 } as const satisfies Record<
  keyof InvoiceDetails,
  number
>;
const INVOICE_FIELDS = Object.keys(INVOICE_MAX) as (keyof InvoiceDetails)[];

function readInvoiceText(check: FieldCheck, name: keyof InvoiceDetails, given: string): string {
  const text = given.trim();
  const shape = name === 'address' ? LINES : LINE;
  if (!shape.fits(text)) check.add(name, shape.rule, shape.says);
  if (text.length > INVOICE_MAX[name]) check.add(name, 'max', `Use at most ${INVOICE_MAX[name]} characters.`);
  return text;
}

const opposite = (flag: YesNo): YesNo => (flag === 'yes' ? 'no' : 'yes');

function readPaymentEmail(check: FieldCheck, given: string | undefined): string {
  const address = (given ?? '').trim();
  if (address === '') check.add('payment_email', 'required', 'The payment e-mail is required.');
  else if (!isEmail(address))
    check.add('payment_email', 'email', 'The payment e-mail must be an e-mail address.');
  return address;
}

/** Names only; listeners get no values. */
export function changedKeys(before: Affiliate, after: Affiliate): string[] {
  const changed = Object.keys({ ...before.custom_fields, ...after.custom_fields }).filter(
    (name) => JSON.stringify(before.custom_fields[name]) !== JSON.stringify(after.custom_fields[name]),
  );
  const pairs = {
    payment_email: [before.payment_email, after.payment_email],
    custom_param: [before.custom_param, after.custom_param],
    bank_details: [before.settings.bank_details, after.settings.bank_details],
    invoice: [JSON.stringify(before.settings.invoice), JSON.stringify(after.settings.invoice)],
    ref_email_notification: [before.settings.disable_new_ref_email, after.settings.disable_new_ref_email],
    payout_email_notification: [before.settings.disable_payout_email, after.settings.disable_payout_email],
  };
  return [
    ...changed,
    ...Object.entries(pairs).flatMap(([name, [old, next]]) => (old === next ? [] : [name])),
  ];
}
