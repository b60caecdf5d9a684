import type { Deps } from './deps.js';
import { readEmailConfig } from './config.js';
import { Digest } from './digest.js';
import { apiKeyCodes, paymentCodes, paymentDetailsCodes, payoutCodes, webhookCodes } from './notice-codes.js';
import type { Notifications } from './notifications.js';
import { TEMPLATES } from './templates.js';
import {
  RECORD_KEYS,
  type CodeValues,
  type MailSubject,
  type Notice,
  type NoticeKey,
  type RecordKey,
} from './types.js';
import { mailValues, siteIn, userValues, type MailPeople } from './values.js';

type Reader = (subject: MailSubject) => Promise<Notice | null>;

/** Reads what the mails in the outbox are about, at the moment of sending. */
export class Notices {
  readonly #digest: Digest;
  /** By kind in the outbox. */
  readonly #readers: ReadonlyMap<string, Reader>;

  constructor(
    private readonly app: Deps,
    private readonly notifications: Notifications,
  ) {
    this.#digest = new Digest(app);
    this.#readers = new Map<string, Reader>([
      ...RECORD_KEYS.map((key) => [key, (subject: MailSubject) => this.#aboutRecord(key, subject)] as const),
      ['digest', (subject) => this.#summary(subject)],
      ['payout_waits', (subject) => this.#payoutWaits(subject)],
      ['endpoint_disabled', (subject) => this.#endpointDisabled(subject)],
      ['application_rejected', (subject) => this.#applicationRejected(subject)],
      ['payment_failed', (subject) => this.#paymentFailed(subject)],
      ['payment_details_changed', (subject) => this.#paymentDetailsChanged(subject)],
      ['api_key_granted', (subject) => this.#apiKeyGranted(subject)],
    ]);
  }

  /** Null when the mail should no longer be sent. */
  async read(kind: string, subject: MailSubject): Promise<Notice | null> {
    const reader = this.#readers.get(kind);
    return reader === undefined ? this.#ofExtension(kind, subject) : reader(subject);
  }

  async #ofExtension(key: string, subject: MailSubject): Promise<Notice | null> {
    const template = this.notifications.template(key);
    if (template === null) return null;
    const language = template.recipient === 'admin' ? undefined : 'user';
    const { site, user, values } = await mailValues(this.app, subject, language);
    const to = template.recipient === 'admin' ? (await readEmailConfig(this.app)).admin_email : user?.email;
    return to ? { key, to, values, language: site.language } : null;
  }

  async #aboutRecord(key: RecordKey, subject: MailSubject): Promise<Notice | null> {
    const language = TEMPLATES[key].recipient === 'admin' ? undefined : 'user';
    const people = await mailValues(this.app, subject, language);
    const to = IS_STILL[key](people) ? await this.#recipient(key, people) : null;
    return to === null ? null : { key, to, values: people.values, language: people.site.language };
  }

  async #recipient(key: RecordKey, { affiliate, user }: MailPeople): Promise<string | null> {
    if (!affiliate || (key === 'new_sale_to_admin' && !user)) return null;
    if (TEMPLATES[key].recipient === 'admin') return (await readEmailConfig(this.app)).admin_email || null;
    if (key === 'new_sale_to_affiliate' && affiliate.settings.disable_new_ref_email === 'yes') return null;
    if (key === 'payout_to_affiliate' && affiliate.settings.disable_payout_email === 'yes') return null;
    return user?.email || null;
  }

  async #toAdmin(key: NoticeKey, codes: CodeValues | null): Promise<Notice | null> {
    const { admin_email: to } = await readEmailConfig(this.app);
    if (codes === null || to === '') return null;
    const { site, values } = await mailValues(this.app, {});
    return { key, to, values: { ...values, ...codes }, language: site.language };
  }

  async #summary({ days }: MailSubject): Promise<Notice | null> {
    return this.#toAdmin('digest', days ? await this.#digest.codes(days) : null);
  }

  async #payoutWaits({ payout_id: id }: MailSubject): Promise<Notice | null> {
    const payout = id ? await this.app.payouts.find(id) : null;
    if (payout?.status !== 'processing') return null;
    return this.#toAdmin('payout_waits', await payoutCodes(this.app, this.app.host.site(), payout));
  }

  /** Null when the endpoint was switched on again or removed. */
  async #endpointDisabled({ endpoint_id: id }: MailSubject): Promise<Notice | null> {
    const endpoint = (await this.app.webhooks.endpoints()).find((each) => each.id === id);
    if (endpoint?.status !== 'disabled') return null;
    const { url, disabled_reason: reason } = endpoint;
    return this.#toAdmin(
      'endpoint_disabled',
      await webhookCodes(this.app, this.app.host.site(), { url, isGone: reason === 'gone' }),
    );
  }

  /** Null when the application is no longer rejected. */
  async #applicationRejected(subject: MailSubject): Promise<Notice | null> {
    const { site, affiliate, user, values } = await mailValues(this.app, subject, 'user');
    const { reason = '' } = subject;
    if (affiliate?.status !== 'inactive' || !user?.email || reason === '') return null;
    return {
      key: 'application_rejected',
      to: user.email,
      values: { ...values, application: { reason } },
      language: site.language,
    };
  }

  async #paymentFailed(subject: MailSubject): Promise<Notice | null> {
    const { site, user, values } = await mailValues(this.app, subject, 'user');
    const payment = await this.app.payers.payment(subject.attempt_id ?? 0);
    if (payment === null || !user?.email) return null;
    return {
      key: payment.state === 'returned' ? 'payment_returned' : 'payment_failed',
      to: user.email,
      values: { ...values, ...(await paymentCodes(this.app, site, payment)) },
      language: site.language,
    };
  }

  /**
   * It goes to the former address too, so that a thief cannot hide the change. That address is not proven, so
   * the copy to it contains nothing that a user has written.
   */
  async #paymentDetailsChanged(subject: MailSubject): Promise<Notice | null> {
    const { site, affiliate, user, values } = await mailValues(this.app, subject, 'user');
    const to = addresseeOf(subject, user?.email ?? '');
    if (to === '' || affiliate === null) return null;
    const codes = await paymentDetailsCodes(this.app, site, {
      at: subject.changed_at ?? affiliate.updated_at,
      name: subject.to_account === true ? (user?.display_name ?? '') : '',
    });
    return {
      key: 'payment_details_changed',
      to,
      values: { ...(values.site && { site: values.site }), ...codes },
      language: site.language,
    };
  }

  /** Null when the host does not know the owner. */
  async #apiKeyGranted(subject: MailSubject): Promise<Notice | null> {
    const { user_id: id = 0, key_name: name = '', key_is_new: isNew = true, changed_at: at = 0 } = subject;
    const user = (await this.app.users([id])).get(id);
    if (!user?.email) return null;
    const site = siteIn(this.app, user.language);
    const { values } = await mailValues(this.app, {});
    return {
      key: isNew ? 'api_key_granted' : 'api_key_changed',
      to: user.email,
      values: {
        ...values,
        user: userValues(user, null),
        ...(await apiKeyCodes(this.app, site, { name, at })),
      },
      language: site.language,
    };
  }
}

/** Is the content of the mail still true? Rows may have changed or been deleted since it was queued. */
const IS_STILL: Readonly<Record<RecordKey, (people: MailPeople) => boolean>> = {
  pending_account_created_to_affiliate: ({ affiliate }) => affiliate?.status === 'pending',
  account_approved_to_affiliate: ({ affiliate }) => affiliate?.status === 'active',
  account_created_to_admin: ({ affiliate }) => affiliate !== null,
  new_sale_to_affiliate: ({ referral }) => isPayable(referral),
  new_sale_to_admin: ({ referral }) => isPayable(referral),
  payout_to_affiliate: ({ transaction }) => transaction?.status === 'paid',
  level_changed_to_affiliate: ({ affiliate }) => affiliate?.status === 'active',
  rates_changed_to_affiliate: ({ affiliate, values }) =>
    affiliate?.status === 'active' && values.affiliate?.['rates_from'] !== undefined,
};

const isPayable = (referral: MailPeople['referral']): boolean =>
  referral?.status === 'unpaid' || referral?.status === 'paid';

/** The old address, or the account's if that is another one; '' for none. */
function addresseeOf({ to_account: toAccount, old_address }: MailSubject, account: string): string {
  const old = old_address ?? '';
  if (toAccount !== true) return old;
  return account.toLowerCase() === old.toLowerCase() ? '' : account;
}
