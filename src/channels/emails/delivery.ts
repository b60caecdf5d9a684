import { MINUTE, HOUR } from '../../core/duration.js';
import type { HostMail } from '../../../adapters/host.js';
import type { Mailer } from '../../../adapters/mailer.js';
import { own as entryOf } from '../../core/own.js';
import type { Deps } from './deps.js';
import type { Bounces } from './bounces.js';
import { addressLine, footerFor, readEmailConfig } from './config.js';
import { Digest } from './digest.js';
import { endpointDisabledMail } from './endpoint-mail.js';
import { renderMail } from './layout.js';
import type { Notifications } from './notifications.js';
import type { Due, Sent } from '../../program/outbox/types.js';
import { paymentFailedMail, payoutWaitsMail } from './payment-mail.js';
import { rejectionMail } from './rejection.js';
import { apiKeyMail, paymentDetailsMail } from './security.js';
import { expandSmartCodes } from './smart-codes.js';
import { sayIn } from '../../core/mail-texts.js';
import {
  API_KEY_GRANTED,
  APPLICATION_REJECTED,
  DIGEST,
  ENDPOINT_DISABLED,
  PAYMENT_DETAILS,
  PAYMENT_FAILED,
  PAYOUT_WAITS,
  type EmailKey,
  type EmailSettings,
  type EmailTemplate,
  type MailSubject,
  type MailWriter,
  type ModuleMail,
} from './types.js';
import { mailValues, type MailPeople } from './values.js';

const BATCH = 50;
/** Pauses between the attempts; a mail server may be away for three days. */
const RETRY_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, ...Array<number>(6).fill(12 * HOUR)];

/**
 * Sends the mails that are due: at least once, and again for three days while the mailer fails. Without a mailer, and
 * in a staging copy, they are skipped.
 */
export class Delivery {
  readonly #digest: Digest;

  constructor(
    private readonly app: Deps,
    private readonly notifications: Notifications,
    private readonly mailer: () => Mailer | null,
    /** Kinds of mails that other modules write. */
    private readonly kinds: ReadonlyMap<string, MailWriter>,
    private readonly bounces: Bounces,
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
    key: string,
    people: MailPeople,
    settings: EmailSettings,
    to: string | null,
  ): Promise<HostMail | null> {
    const template = this.notifications.template(key);
    if (!to || template === null) return null;
    const body =
      settings.is_default_body === 'yes' || settings.email_body === '' ? template.body : settings.email_body;
    const subject = (await expandSmartCodes(this.app, settings.subject, people.values, 'text'))
      .replaceAll(/\s+/g, ' ')
      .trim();
    return this.#framed(
      {
        to,
        subject,
        body: await expandSmartCodes(this.app, body, people.values, 'html'),
        ...(key === 'new_sale_to_affiliate' &&
          this.#stoppedAt(await this.app.settings.portalScreenUrl('/settings'))),
      },
      people,
      template.recipient,
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
    const { language } = this.app.host.site();
    const common = footerFor(recipient, config, sayIn(language));
    const footer = await expandSmartCodes(this.app, own?.(common) ?? common, people.values, 'html');
    const { html, text } = renderMail({
      subject,
      config,
      site: this.app.host.site().name,
      language: language ?? 'en',
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

  /** Mail programs offer to stop what is news, on this page. */
  #stoppedAt(url: string): Pick<ModuleMail, 'headers'> {
    return url === '' ? {} : { headers: { 'List-Unsubscribe': `<${url}>` } };
  }

  /** False when there is no mailer, or this is a staging copy. */
  async send(mail: HostMail): Promise<boolean> {
    const mailer = this.mailer();
    if (mailer === null || (await this.app.settings.isCopy())) {
      this.app.log.info('A mail was skipped: there is no mailer, or this is a copy.', { to: mail.to });
      return false;
    }
    await mailer.send(mail);
    return true;
  }

  async #deliver(entry: Due): Promise<Sent> {
    try {
      const mail = await this.#mailOf(entry.kind, entry.payload);
      if (mail !== null && (await this.bounces.has(mail.to))) return { outcome: 'skipped', note: 'bounced' };
      const isSent = mail !== null && (await this.send({ ...mail, messageId: this.#messageId(entry.id) }));
      if (isSent) return { outcome: 'sent' };
      if (mail === null) return { outcome: 'skipped' };
      return { outcome: 'skipped', note: this.mailer() === null ? 'no_mailer' : 'staging_copy' };
    } catch (error) {
      this.app.log.warn('a mail could not be sent', {
        kind: entry.kind,
        attempts: entry.attempts + 1,
        error,
      });
      return { outcome: 'failed', ...refusalIn(error) };
    }
  }

  /** Made of the outbox's id: a server that took the mail and then dropped the line gets it with the same id. */
  #messageId(id: number): string {
    const mark = this.app.secrets.sign('message-id', String(id)).slice(0, 16);
    return `<${id}.${mark.replaceAll(/[^a-z0-9]/gi, '0')}@${new URL(this.app.host.site().url).hostname}>`;
  }

  async #mailOf(kind: string, subject: MailSubject): Promise<HostMail | null> {
    const own = this.kinds.get(kind);
    if (own !== undefined) return this.framed(await own(subject));
    if (kind === DIGEST) return this.#summary(subject);
    if (kind === APPLICATION_REJECTED) return this.#refusal(subject);
    if (kind === PAYMENT_DETAILS) return this.#warning(subject);
    if (kind === ENDPOINT_DISABLED) return this.#endpointMail(subject);
    if (kind === PAYMENT_FAILED) return this.#failure(subject);
    if (kind === PAYOUT_WAITS) return this.#waiting(subject);
    if (kind === API_KEY_GRANTED) return this.#keyMail(subject);
    return this.#notification(kind, subject);
  }

  /** A mail whose text can be changed in the settings. */
  async #notification(kind: string, subject: MailSubject): Promise<HostMail | null> {
    const template = this.notifications.template(kind);
    if (template === null) return null;
    const settings = await this.notifications.settingsOf(kind);
    if (settings.active === 'no') return null;
    const people = await mailValues(this.app, subject);
    if (entryOf(IS_STILL, kind)?.(people) === false) return null;
    return this.compose(kind, people, settings, await this.#recipient(kind, template, people));
  }

  async #summary(subject: MailSubject): Promise<HostMail | null> {
    const { admin_email: to } = await readEmailConfig(this.app);
    const written = to === '' ? null : await this.#digest.write(subject);
    if (written === null) return null;
    const stop = this.#stoppedAt(await this.app.settings.consoleUrl('/settings/emails'));
    return this.#framed({ to, ...written, ...stop }, await mailValues(this.app, {}), 'admin');
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

  async #failure(subject: MailSubject): Promise<HostMail | null> {
    const people = await mailValues(this.app, subject);
    const written = await paymentFailedMail(this.app, subject, people);
    return written && this.#framed(written, people, 'affiliate');
  }

  async #waiting(subject: MailSubject): Promise<HostMail | null> {
    const { admin_email: to } = await readEmailConfig(this.app);
    const written = to === '' ? null : await payoutWaitsMail(this.app, subject);
    return written && this.#framed({ to, ...written }, await mailValues(this.app, {}), 'admin');
  }

  async #keyMail(subject: MailSubject): Promise<HostMail | null> {
    const written = await apiKeyMail(this.app, subject);
    return written && this.#framed(written, await mailValues(this.app, {}), 'admin');
  }

  async #recipient(key: string, template: EmailTemplate, people: MailPeople): Promise<string | null> {
    const isOfExtension = template.codes !== undefined;
    if ((people.affiliate === null && !isOfExtension) || (key === 'new_sale_to_admin' && !people.user))
      return null;
    if (template.recipient === 'admin') return (await readEmailConfig(this.app)).admin_email || null;
    return isUnwanted(key, people) ? null : people.user?.email || null;
  }
}

/** Affiliates can stop these mails in the portal. */
const isUnwanted = (key: string, { affiliate }: MailPeople): boolean =>
  (key === 'new_sale_to_affiliate' && affiliate?.settings.disable_new_ref_email === 'yes') ||
  (key === 'payout_to_affiliate' && affiliate?.settings.disable_payout_email === 'yes');

/** Is what the mail says still true? Rows may have changed or gone since it was queued. */
const IS_STILL: Readonly<Record<EmailKey, (people: MailPeople) => boolean>> = {
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

const ANSWER_LENGTH = 1024;

/**
 * What the mail server said. It refused the address or the text for good with 5xx, which nodemailer tells by
 * these codes; a refused password is not about this mail, so it is tried again.
 */
function refusalIn(error: unknown): Pick<Extract<Sent, { outcome: 'failed' }>, 'error' | 'answer' | 'final'> {
  const { code, responseCode: status, response: text } = error as Readonly<Record<string, unknown>>;
  if (typeof status !== 'number' || typeof text !== 'string') return { error: 'not sent' };
  const response = { status, text: text.slice(0, ANSWER_LENGTH) };
  const isFinal = status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return { error: isFinal ? 'refused' : 'not sent', answer: response, ...(isFinal && { final: true }) };
}
