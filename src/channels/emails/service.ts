import { isEmail } from '../../core/address.js';
import type { JsonMap } from '../../core/is-map.js';
import type { Language } from '../../core/localized.js';
import { MINUTE } from '../../core/duration.js';
import type { HostMail } from '../../../adapters/host.js';
import type { Mailer } from '../../../adapters/mailer.js';
import { smtpMailer } from '../../../adapters/smtp-mailer.js';
import type { Db } from '../../platform/database/db.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import { fail } from '../../errors.js';
import {
  affiliateCreated,
  affiliateRejected,
  affiliateSaved,
  isPaidElsewhere,
} from '../../program/affiliates/domain-events.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { apiKeyGranted } from '../../program/api-keys/domain-events.js';
import type { ApiKey } from '../../program/api-keys/types.js';
import { endpointDisabled } from '../webhooks/domain-events.js';
import { levelChanged } from '../../attribution/goals/domain-events.js';
import { referralPayable } from '../../accounting/referrals/domain-events.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { QueueEntry } from '../../program/outbox/types.js';
import type { Deps } from './deps.js';
import { Bounces } from './bounces.js';
import { readEmailConfig, saveEmailConfig, sendersOf } from './config.js';
import { MailDelivery } from './delivery.js';
import { Digest } from './digest.js';
import { entryFor, examplesOf } from './extension-mails.js';
import { exampleValues } from './examples.js';
import { plain, renderBare } from './layout.js';
import { accountCodes, rateSentence } from './notice-codes.js';
import { Notifications } from './notifications.js';
import { expandSmartCodes, unknownCodes } from './smart-codes.js';
import {
  NOTICE_KEYS,
  type CodeGroup,
  type CodeValues,
  type EmailConfig,
  type EmailSettings,
  type MailSubject,
  type MailToSend,
  type MailWriter,
  type ModuleMail,
  type NoticeKey,
} from './types.js';
import { mailValues } from './values.js';

const SALE_DELAY_MS = 5000;
const TESTS: RateLimit = { name: 'test-mail', points: 10, windowMs: 5 * MINUTE, batch: 1 };
const AGAIN_AFTER_MS = MINUTE;

/** A notification that is being written: settings as in a saved one, and the reader's language. */
export interface MailDraft {
  readonly data: JsonMap;
  /** Undefined: that of the site. */
  readonly language?: Language | undefined;
}

/**
 * Mails: queued in the transaction of their cause, written and sent by a job (docs/settings.md §2.1, §2.2).
 */
export class EmailsService {
  readonly notifications: Notifications;
  readonly #delivery: MailDelivery;
  readonly #limiter: RateLimiter;
  readonly #kinds = new Map<string, MailWriter>();
  readonly #bounces: Bounces;
  #mailer: Mailer | null | undefined;

  constructor(private readonly app: Deps) {
    this.notifications = new Notifications(app);
    this.#limiter = new RateLimiter(app);
    this.#bounces = new Bounces(app);
    app.internal.on(affiliateCreated, (trx, { affiliate }) => this.#affiliateCreated(trx, affiliate));
    app.internal.on(affiliateSaved, async (trx, { before, after }) => {
      if (isPaidElsewhere(before, after)) await this.#paymentDetailsChanged(trx, before);
      if (after.status === 'active' && before.status !== 'active') await this.#affiliateApproved(trx, after);
    });
    app.internal.on(affiliateRejected, (trx, { affiliate, reason }) =>
      this.#affiliateRejected(trx, affiliate, reason),
    );
    app.internal.on(referralPayable, (trx, { referral, isNew }) =>
      this.#referralUnpaid(trx, referral, isNew),
    );
    app.internal.on(levelChanged, (trx, { affiliate: { id }, window }) =>
      this.app.outbox.enqueue(trx, [
        {
          event: `affiliate:${id}:level:${window}`,
          recipient: `affiliate:${id}`,
          kind: 'level_changed_to_affiliate',
          payload: { affiliate_id: id },
        },
      ]),
    );
    app.internal.on(endpointDisabled, (trx, { id, at }) => this.#endpointDisabled(trx, id, at));
    app.internal.on(apiKeyGranted, (trx, { apiKey, isNew }) => this.#apiKeyGranted(trx, apiKey, isNew));
    this.#delivery = new MailDelivery(
      app,
      this.notifications,
      () => this.#mailerOf(),
      this.#kinds,
      this.#bounces,
    );
  }

  /** Mails of this kind in the outbox are written by another module. */
  addKind(kind: string, write: MailWriter): void {
    this.#kinds.set(kind, write);
  }

  /** A notification that another module sends, with the values of its own codes: subject and body, without the layout. */
  async write(key: NoticeKey, to: string, codes: CodeValues): Promise<ModuleMail> {
    const { values } = await mailValues(this.app, {});
    const notice = { key, to, values: { ...values, ...codes } };
    return this.#delivery.write(notice, await this.notifications.settingsOf(key));
  }

  /** The same as a mail without the layout, for `sendPlain`. */
  async writePlain(
    key: NoticeKey,
    to: string,
    codes: CodeValues,
  ): Promise<Pick<HostMail, 'to' | 'subject' | 'html'>> {
    const { subject, body } = await this.write(key, to, codes);
    return { to, subject, html: renderBare(body, this.app.host.site().language ?? 'en').html };
  }

  /** The mail with the code of a sign-up, or the one to the owner of the account that has this address already. */
  writeSignup(to: string, code: string | null): Promise<Pick<HostMail, 'to' | 'subject' | 'html'>> {
    return code === null
      ? this.writePlain('account_exists', to, accountCodes(this.app.host.site()))
      : this.writePlain('signup_code', to, { signup: { code } });
  }

  /** A mail of another module in the common layout, as it would be sent. */
  async framed(mail: ModuleMail): Promise<HostMail> {
    return (await this.#delivery.framed(mail)) ?? fail('invalid_email');
  }

  /** Expands smart codes for an affiliate. Subjects are texts, bodies HTML. */
  async expandFor(
    affiliateId: number,
    subject: string,
    body: string,
  ): Promise<{ subject: string; body: string }> {
    const { values } = await mailValues(this.app, { affiliate_id: affiliateId });
    return {
      subject: (await expandSmartCodes(this.app, subject, values, 'text')).replaceAll(/\s+/g, ' ').trim(),
      body: await expandSmartCodes(this.app, body, values, 'html'),
    };
  }

  /** Sends a finished mail of the caller's choice at once; at most 10 test mails in five minutes for each user. */
  async sendTestOf(mail: ModuleMail): Promise<void> {
    const { user } = this.app.context.current();
    if (user !== null) await this.#limiter.take(TESTS, String(user.id));
    try {
      await this.#delivery.send(await this.framed(mail));
    } catch (cause) {
      fail('mail_not_sent', { cause });
    }
  }

  /**
   * Mails to this address bounced permanently, as a mail service reports in its webhook: it gets no more
   * mails, and those in the outbox are skipped as `bounced`. Throws `invalid_email`.
   */
  async bounced(address: string): Promise<void> {
    await this.#bounces.add(checkedAddress(address));
  }

  /** The address takes mails again. Throws `invalid_email`. */
  async allow(address: string): Promise<void> {
    await this.#bounces.remove(checkedAddress(address));
  }

  config(): Promise<EmailConfig> {
    return readEmailConfig(this.app);
  }

  /** The address that affiliates write to: for replies, of the sender, or of the site; '' for none. */
  async contact(): Promise<string> {
    const { reply_to_email: replies, send_from_email: sender } = await this.config();
    return replies || sender || (this.app.host.site().adminEmail ?? '');
  }

  saveConfig(input: Readonly<Record<string, unknown>>): Promise<EmailConfig> {
    return saveEmailConfig(this.app, input);
  }

  get smartCodes(): Notifications['smartCodes'] {
    return this.notifications.smartCodes;
  }

  /**
   * Queues a mail that an extension has named in `mails`; it is sent within a minute, unless it is switched off in the
   * settings. Throws `invalid_email_key`, `affiliate_not_found` and `validation_failed`.
   */
  async send(key: string, mail: MailToSend): Promise<void> {
    const entry = await entryFor(this.app, this.notifications.ofExtension(key), mail);
    await this.app.transaction((trx) => this.app.outbox.enqueue(trx, [entry]));
  }

  /** A new affiliate, in the transaction that created it. */
  async #affiliateCreated(trx: Db, affiliate: Affiliate): Promise<void> {
    const payload = { affiliate_id: affiliate.id };
    const own = { recipient: `affiliate:${affiliate.id}`, payload };
    await this.app.outbox.enqueue(trx, [
      ...(affiliate.status === 'pending'
        ? [
            {
              ...own,
              event: `affiliate:${affiliate.id}:pending`,
              kind: 'pending_account_created_to_affiliate' as const,
            },
          ]
        : []),
      {
        event: `affiliate:${affiliate.id}:created`,
        recipient: 'admin',
        kind: 'account_created_to_admin',
        payload,
      },
    ]);
    if (affiliate.status === 'active') await this.#affiliateApproved(trx, affiliate);
  }

  /** Queues a mail for each approval; approvals within a minute count as one. */
  async #affiliateApproved(trx: Db, affiliate: Affiliate): Promise<void> {
    const now = this.app.clock.now();
    const minute = Math.floor(now / AGAIN_AFTER_MS);
    const [event, before] = [minute, minute - 1].map(
      (each) => `affiliate:${affiliate.id}:approved:${each}`,
    ) as [string, string];
    const recipient = `affiliate:${affiliate.id}`;
    // Within a minute, the key prevents a second mail; across the change of the minute, the mail before is
    // looked up, under the lock of the affiliate's row.
    if (await this.app.outbox.isQueuedSince(trx, { event: before, recipient }, now - AGAIN_AFTER_MS)) return;
    await this.app.outbox.enqueue(trx, [
      { event, recipient, kind: 'account_approved_to_affiliate', payload: { affiliate_id: affiliate.id } },
    ]);
  }

  /** Notifies an applicant that the application was rejected, and why. */
  async #affiliateRejected(trx: Db, affiliate: Affiliate, reason: string): Promise<void> {
    await this.app.outbox.enqueue(trx, [
      {
        event: `affiliate:${affiliate.id}:rejected:${this.app.clock.now()}`,
        recipient: `affiliate:${affiliate.id}`,
        kind: 'application_rejected',
        payload: { affiliate_id: affiliate.id, reason },
      },
    ]);
  }

  /**
   * The payment details were changed by any user: mails go to the former address, and to the account's if
   * that is another one.
   */
  async #paymentDetailsChanged(trx: Db, before: Affiliate): Promise<void> {
    const now = this.app.clock.now();
    const old = before.payment_email || null;
    const entry = (recipient: string, toAccount: boolean): QueueEntry => ({
      event: `affiliate:${before.id}:payment_details:${now}`,
      recipient,
      kind: 'payment_details_changed',
      payload: { affiliate_id: before.id, old_address: old, to_account: toAccount, changed_at: now },
    });
    await this.app.outbox.enqueue(trx, [
      entry(`affiliate:${before.id}`, true),
      ...(old === null ? [] : [entry(`address:${old.toLowerCase()}`.slice(0, 191), false)]),
    ]);
  }

  /** An API key was made or changed by any user: its owner gets a mail. */
  async #apiKeyGranted(trx: Db, { id, name, user_id: owner }: ApiKey, isNew: boolean): Promise<void> {
    const now = this.app.clock.now();
    const payload: MailSubject = { user_id: owner, key_name: name, key_is_new: isNew, changed_at: now };
    await this.app.outbox.enqueue(trx, [
      { event: `api_key:${id}:${now}`, recipient: `user:${owner}`, kind: 'api_key_granted', payload },
    ]);
  }

  /** A referral became payable: one mail a moment later, if it still is payable then. */
  async #referralUnpaid(trx: Db, referral: Referral, isNew: boolean): Promise<void> {
    if (referral.affiliate_id === null || referral.amount_minor < 0 || referral.type === 'adjustment') return;
    const more = {
      event: `referral:${referral.id}:unpaid`,
      payload: { affiliate_id: referral.affiliate_id, referral_id: referral.id },
    };
    const mails = [
      { ...more, recipient: `affiliate:${referral.affiliate_id}`, kind: 'new_sale_to_affiliate' },
      { ...more, recipient: 'admin', kind: 'new_sale_to_admin' },
    ].map((mail) => ({ ...mail, delayMs: SALE_DELAY_MS }));
    if (isNew) await this.app.outbox.enqueue(trx, mails);
    else await this.app.outbox.enqueueAgain(trx, mails, SALE_DELAY_MS);
  }

  /** An endpoint was switched off because it did not respond. */
  async #endpointDisabled(trx: Db, endpointId: number, now: number): Promise<void> {
    const event = `webhook:${endpointId}:disabled:${now}`;
    const payload: MailSubject = { endpoint_id: endpointId };
    await this.app.outbox.enqueue(trx, [{ event, recipient: 'admin', kind: 'endpoint_disabled', payload }]);
  }

  /**
   * Queues the administrator's summary of yesterday or last week, once per day; false when none is due today.
   */
  queueDigest(): Promise<boolean> {
    return new Digest(this.app).queue();
  }

  /** Is a mail waiting whose time has come? */
  isDue(): Promise<boolean> {
    return this.app.outbox.isDue('mail');
  }

  /** Sends what is due. Returns how many mails were sent. */
  deliverDue(): Promise<number> {
    return this.#delivery.run();
  }

  /** Sends a notification about these rows to an address of the caller's choice, without the outbox. */
  async sendTest(key: string, to: string, subject: MailSubject = {}): Promise<void> {
    const template = this.notifications.template(key) ?? fail('invalid_email_key');
    if (!to) return;
    const { values } = await mailValues(this.app, { ...examplesOf(template), ...subject });
    const hasOwnCodes = NOTICE_KEYS.some((notice) => notice === key);
    const all = { ...(hasOwnCodes && (await exampleValues(this.app, key, { template }))), ...values };
    const settings = await this.notifications.settingsOf(key);
    await this.#delivery.send(await this.#delivery.compose({ key, to, values: all }, settings));
  }

  /**
   * A notification as it would look now, about the newest rows it could be about, or examples; the draft is not saved.
   */
  async preview(key: unknown, { data, language }: MailDraft, to: string): Promise<HostMail> {
    const template = this.notifications.template(key, language) ?? fail('invalid_email_key');
    const known = String(key);
    const settings = await this.notifications.changed(known, data);
    const values = await exampleValues(this.app, known, { template, language });
    const notice = { key: known, to: to || fail('invalid_email'), values, language };
    return this.#delivery.compose(notice, settings);
  }

  /** A rate that a mail promises, as a sentence in the language of the site; '' for none. */
  async rateSentence(
    of: { readonly rate: number; readonly rate_type: 'percentage' | 'fixed' } | null,
  ): Promise<string> {
    return of === null ? '' : rateSentence(this.app, of);
  }

  /** The codes of a draft that would not be filled in. */
  async unknownIn(key: unknown, { data }: MailDraft): Promise<string[]> {
    const known = String(key);
    return this.unknownCodes(known, await this.notifications.changed(known, data));
  }

  /** The codes of this text that `expandFor` would not fill in. */
  async unfilled(text: string): Promise<string[]> {
    return unknownCodes(this.app, text, {
      groups: ['affiliate', 'user', 'site'],
      codes: [],
      context: async () => (await mailValues(this.app, {})).values,
    });
  }

  /** The codes in subject and body of a notification that would not be filled in. */
  async unknownCodes(key: string, settings: EmailSettings): Promise<string[]> {
    const template = this.notifications.template(key) ?? fail('invalid_email_key');
    let values: Promise<CodeValues> | undefined;
    const texts = [settings, ...Object.values(settings.texts ?? {})];
    const all = texts.map(({ subject, email_body: body }) => `${subject}\n${body}`).join('\n');
    const unknown = await unknownCodes(this.app, all, {
      groups: [...new Set<CodeGroup>([...template.smartcode_groups, 'site'])],
      codes: [
        ...(template.ownCodes ?? []),
        ...Object.keys(template.codes ?? {}).map((name) => `mail.${name}`),
      ],
      context: () => (values ??= exampleValues(this.app, key, { template })),
    });
    // some codes, such as the day of new rates, are filled in for one mail only
    const own = `${template.subject}\n${template.body}`;
    return unknown.filter((code) => !own.includes(code));
  }

  /**
   * The same, sent at once and noted in the audit log; at most 10 in five minutes for each user. 502
   * `mail_not_sent` when the mailer refuses it.
   */
  async sendPreview(key: unknown, draft: MailDraft, to: string): Promise<void> {
    const { user } = this.app.context.current();
    if (user !== null) await this.#limiter.take(TESTS, String(user.id));
    const mail = await this.preview(key, draft, to);
    await this.app.transaction((trx) =>
      this.app.audit.write(trx, 'mail.test', ['mail', String(key)], { after: { to, subject: mail.subject } }),
    );
    const isSent = await this.#delivery
      .send(mail)
      .catch((cause: unknown) => fail('mail_not_sent', { cause }));
    if (!isSent)
      fail('mail_not_sent', {
        message: 'The mail was not sent: this service has no mailer, or it is a staging copy.',
      });
  }

  /** Sends a finished mail at once from the program's address; throws when it cannot be sent. */
  async sendPlain(mail: Pick<HostMail, 'to' | 'subject' | 'html'>): Promise<void> {
    const config = await readEmailConfig(this.app);
    await this.#delivery.send({ ...mail, text: plain(mail.html), ...sendersOf(config) });
  }

  #mailerOf(): Mailer | null {
    if (this.#mailer === undefined) this.#mailer = this.#chooseMailer();
    return this.#mailer;
  }

  #chooseMailer(): Mailer | null {
    const { options, host } = this.app;
    if (options.mailer) return options.mailer;
    if (options.smtp) return smtpMailer(options.smtp, host.site().adminEmail ?? 'affiliates@localhost');
    const { mail } = host;
    return mail ? { send: (message) => mail(message) } : null;
  }
}

const checkedAddress = (address: unknown): string =>
  typeof address === 'string' && isEmail(address.trim()) ? address.trim() : fail('invalid_email');
