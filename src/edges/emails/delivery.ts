import { MINUTE, HOUR } from '../../core/duration.js';
import type { HostMail } from '../../../adapters/host.js';
import type { Mailer } from '../../../adapters/mailer.js';
import type { Needs } from './needs.js';
import { addressLine, footerFor, readEmailConfig } from './config.js';
import { Digest } from './digest.js';
import { endpointDisabledMail } from './endpoint-mail.js';
import { renderMail } from './layout.js';
import type { Notifications } from './notifications.js';
import type { Due, Sent } from '../../program/outbox/types.js';
import { rejectionMail } from './rejection.js';
import { apiKeyMail, paymentDetailsMail } from './security.js';
import { expandSmartCodes } from './smart-codes.js';
import { TEMPLATES } from './templates.js';
import {
  API_KEY_GRANTED,
  APPLICATION_REJECTED,
  DIGEST,
  EMAIL_KEYS,
  ENDPOINT_DISABLED,
  PAYMENT_DETAILS,
  type EmailKey,
  type EmailSettings,
  type MailSubject,
  type MailWriter,
  type ModuleMail,
} from './types.js';
import { mailValues, type MailPeople } from './values.js';

const BATCH = 50;
const RETRY_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];

/**
 * Sends the mails that are due: at least once, again later when the mailer fails, and no more after the sixth
 * try.
 */
export class Delivery {
  readonly #digest: Digest;

  constructor(
    private readonly app: Needs,
    private readonly notifications: Notifications,
    private readonly mailer: () => Mailer,
    /** Kinds of mails that other modules write. */
    private readonly kinds: ReadonlyMap<string, MailWriter>,
  ) {
    this.#digest = new Digest(app);
  }

  /** Sends everything that is due; answers how many mails were sent. */
  run(): Promise<number> {
    return this.app.outbox.run('mail', {
      retryMs: (attempts) => RETRY_MS[attempts],
      batch: BATCH,
      atOnce: 1,
      send: (entry) => this.#deliver(entry),
    });
  }

  /** A mail in its present form; null when nobody should get it. */
  async compose(
    key: EmailKey,
    people: MailPeople,
    settings: EmailSettings,
    to: string | null,
  ): Promise<HostMail | null> {
    if (!to) return null;
    const body =
      settings.is_default_body === 'yes' || settings.email_body === ''
        ? TEMPLATES[key].body
        : settings.email_body;
    const subject = (await expandSmartCodes(this.app, settings.subject, people.values, 'text'))
      .replaceAll(/\s+/g, ' ')
      .trim();
    return this.#framed(
      { to, subject, body: await expandSmartCodes(this.app, body, people.values, 'html') },
      people,
      TEMPLATES[key].recipient,
    );
  }

  /** A mail of another module in the layout of all mails. */
  async framed(written: ModuleMail | null): Promise<HostMail | null> {
    return written && this.#framed(written, await mailValues(this.app, {}), 'affiliate');
  }

  async #framed(
    { to, subject, body, footer: own, headers }: ModuleMail,
    people: MailPeople,
    recipient: 'admin' | 'affiliate',
  ): Promise<HostMail> {
    const config = await readEmailConfig(this.app);
    const common = footerFor(recipient, config);
    const footer = await expandSmartCodes(this.app, own?.(common) ?? common, people.values, 'html');
    const { html, text } = renderMail({
      subject,
      config,
      site: this.app.host.site().name,
      language: this.app.host.site().language ?? 'en',
      body,
      footer,
    });
    const from = addressLine(config.send_from_name, config.send_from_email);
    const replyTo = addressLine(config.reply_to_name, config.reply_to_email);
    return {
      to,
      subject,
      html,
      text,
      ...(from === undefined ? {} : { from }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(headers === undefined ? {} : { headers }),
    };
  }

  send(mail: HostMail): Promise<void> {
    return this.mailer().send(mail);
  }

  async #deliver(entry: Due): Promise<Sent> {
    try {
      const mail = await this.#mailOf(entry.kind, entry.payload);
      if (mail) await this.send(mail);
      return { outcome: mail ? 'sent' : 'skipped' };
    } catch (error) {
      this.app.log.warn('a mail could not be sent', {
        kind: entry.kind,
        attempts: entry.attempts + 1,
        error,
      });
      return { outcome: 'failed', error: 'not sent' };
    }
  }

  async #mailOf(kind: string, subject: MailSubject): Promise<HostMail | null> {
    const own = this.kinds.get(kind);
    if (own !== undefined) return this.framed(await own(subject));
    if (kind === DIGEST) return this.#summary(subject);
    if (kind === APPLICATION_REJECTED) return this.#refusal(subject);
    if (kind === PAYMENT_DETAILS) return this.#warning(subject);
    if (kind === ENDPOINT_DISABLED) return this.#endpointMail(subject);
    if (kind === API_KEY_GRANTED) return this.#keyMail(subject);
    const key = EMAIL_KEYS.find((known) => known === kind);
    if (!key) return null;
    const settings = await this.notifications.settingsOf(key);
    if (settings.active === 'no') return null;
    const people = await mailValues(this.app, subject);
    if (!IS_STILL[key](people)) return null;
    return this.compose(key, people, settings, await this.#recipient(key, people));
  }

  async #summary(subject: MailSubject): Promise<HostMail | null> {
    const { admin_email: to } = await readEmailConfig(this.app);
    const written = to === '' ? null : await this.#digest.write(subject);
    return written && this.#framed({ to, ...written }, await mailValues(this.app, {}), 'admin');
  }

  async #endpointMail(subject: MailSubject): Promise<HostMail | null> {
    const { admin_email: to } = await readEmailConfig(this.app);
    const written = to === '' ? null : await endpointDisabledMail(this.app, subject);
    return written && this.#framed({ to, ...written }, await mailValues(this.app, {}), 'admin');
  }

  async #refusal(subject: MailSubject): Promise<HostMail | null> {
    const people = await mailValues(this.app, subject);
    const written = rejectionMail(this.app, subject, people);
    return written && this.#framed(written, people, 'affiliate');
  }

  async #warning(subject: MailSubject): Promise<HostMail | null> {
    const people = await mailValues(this.app, subject);
    const written = await paymentDetailsMail(this.app, subject, people);
    return written && this.#framed(written, people, 'affiliate');
  }

  async #keyMail(subject: MailSubject): Promise<HostMail | null> {
    const written = await apiKeyMail(this.app, subject);
    return written && this.#framed(written, await mailValues(this.app, {}), 'admin');
  }

  async #recipient(key: EmailKey, { affiliate, user }: MailPeople): Promise<string | null> {
    if (!affiliate || (key === 'new_sale_to_admin' && !user)) return null;
    if (TEMPLATES[key].recipient === 'admin') return (await readEmailConfig(this.app)).admin_email || null;
    if (key === 'new_sale_to_affiliate' && affiliate.settings.disable_new_ref_email === 'yes') return null;
    if (key === 'payout_to_affiliate' && affiliate.settings.disable_payout_email === 'yes') return null;
    return user?.email || null;
  }
}

/** Is what the mail says still true? Rows may have changed or gone since it was queued. */
const IS_STILL: Readonly<Record<EmailKey, (people: MailPeople) => boolean>> = {
  pending_account_created_to_affiliate: ({ affiliate }) => affiliate?.status === 'pending',
  account_approved_to_affiliate: ({ affiliate }) => affiliate?.status === 'active',
  account_created_to_admin: ({ affiliate }) => affiliate !== null,
  new_sale_to_affiliate: ({ referral }) => isPayable(referral),
  new_sale_to_admin: ({ referral }) => isPayable(referral),
  payout_to_affiliate: ({ transaction }) => transaction?.status === 'paid',
};

const isPayable = (referral: MailPeople['referral']): boolean =>
  referral?.status === 'unpaid' || referral?.status === 'paid';
