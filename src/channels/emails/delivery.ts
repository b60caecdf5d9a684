import { MINUTE, HOUR } from '../../core/duration.js';
import type { HostMail, HostSite } from '../../../adapters/host.js';
import type { Mailer } from '../../../adapters/mailer.js';
import type { Deps } from './deps.js';
import type { Bounces } from './bounces.js';
import { footerFor, readEmailConfig, sendersOf } from './config.js';
import { renderBare, renderMail } from './layout.js';
import type { Notifications } from './notifications.js';
import { Notices } from './notices.js';
import type { DueEntry, SendResult } from '../../program/outbox/types.js';
import { expandSmartCodes } from './smart-codes.js';
import { escapeHtml } from '../../core/text.js';
import { fail } from '../../errors.js';
import { sayIn } from '../../core/mail-texts.js';
import type {
  CodeValues,
  EmailSettings,
  EmailTemplate,
  MailReader,
  MailSubject,
  MailWriter,
  ModuleMail,
  Notice,
} from './types.js';
import { mailValues, siteIn } from './values.js';

const BATCH = 50;
/** Pauses between the attempts; a mail server may be away for three days. */
const RETRY_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, ...Array<number>(6).fill(12 * HOUR)];

/**
 * Sends the mails that are due: at least once, and again for three days while the mailer fails. Without a mailer, and
 * in a staging copy, they are skipped.
 */
export class MailDelivery {
  readonly #notices: Notices;

  constructor(
    private readonly app: Deps,
    private readonly notifications: Notifications,
    private readonly mailer: () => Mailer | null,
    /** Kinds of mails that other modules write. */
    private readonly kinds: ReadonlyMap<string, MailWriter>,
    private readonly bounces: Bounces,
  ) {
    this.#notices = new Notices(app, notifications);
  }

  /** Sends everything that is due. Returns how many mails were sent. */
  run(): Promise<number> {
    return this.app.outbox.run('mail', {
      retryMs: (attempts) => RETRY_MS[attempts],
      batch: BATCH,
      atOnce: 1,
      send: (entry) => this.#deliver(entry),
    });
  }

  /** A notification in its present form. */
  async compose(notice: Notice, settings: EmailSettings): Promise<HostMail> {
    const { isBare, recipient, reader = recipient } = this.#template(notice.key);
    const site = siteIn(this.app, notice.language);
    const mail = await this.write(notice, settings);
    if (isBare !== true)
      return this.#framed({ ...mail, ...(await this.#stoppedAt(notice.key)) }, notice.values, {
        reader,
        site,
      });
    const { to, subject, body } = mail;
    const bare = renderBare(body, site.language ?? 'en');
    return { to, subject, ...bare, ...sendersOf(await readEmailConfig(this.app)) };
  }

  /** Subject and body of a notification, with the codes filled in. */
  async write({ key, to, values, language }: Notice, settings: EmailSettings): Promise<ModuleMail> {
    const site = siteIn(this.app, language);
    const template = this.#template(key, site.language);
    const { subject, email_body: body } = this.notifications.textIn(key, settings, site.language);
    const { footer } = template;
    return {
      to,
      subject: (await expandSmartCodes(this.app, subject, values, 'text')).replaceAll(/\s+/g, ' ').trim(),
      body: await this.#complete(body, template, values),
      ...(footer !== undefined && { footer: () => footer }),
    };
  }

  #template(key: string, language?: string): EmailTemplate {
    return this.notifications.template(key, language) ?? fail('invalid_email_key');
  }

  /** The body with its values; required values that it lacks are added at its end. */
  async #complete(body: string, { must = [] }: EmailTemplate, values: CodeValues): Promise<string> {
    let html = await expandSmartCodes(this.app, body, values, 'html');
    for (const { code, block } of must) {
      const value = values[code[0]]?.[code[1]];
      const isShown =
        body.includes(code.join('.')) && typeof value === 'string' && html.includes(escapeHtml(value));
      if (!isShown) html += await expandSmartCodes(this.app, block, values, 'html');
    }
    return html;
  }

  /** A mail of another module in the layout of all mails. */
  async framed(written: ModuleMail | null): Promise<HostMail | null> {
    const { site, values } = await mailValues(this.app, {});
    return written && this.#framed(written, values, { reader: 'affiliate', site });
  }

  async #framed(
    { to, subject, body, footer: own, headers }: ModuleMail,
    values: CodeValues,
    { reader, site }: { readonly reader: MailReader; readonly site: HostSite },
  ): Promise<HostMail> {
    const config = await readEmailConfig(this.app);
    const { language } = site;
    const common = footerFor(reader, config, sayIn(language));
    const footer = await expandSmartCodes(this.app, own?.(common) ?? common, values, 'html');
    const { html, text } = renderMail({
      subject,
      config,
      site: site.name,
      language: language ?? 'en',
      body,
      footer,
    });
    return {
      to,
      subject,
      html,
      text,
      ...sendersOf(config),
      ...(headers === undefined ? {} : { headers }),
    };
  }

  /** Mail programs offer to stop what is news, on the page where it is stopped. */
  async #stoppedAt(key: string): Promise<Pick<ModuleMail, 'headers'>> {
    const { settings } = this.app;
    const url =
      key === 'new_sale_to_affiliate'
        ? await settings.portalScreenUrl('/settings')
        : key === 'digest'
          ? await settings.consoleUrl('/settings/mails')
          : '';
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

  async #deliver(entry: DueEntry): Promise<SendResult> {
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
    const notice = await this.#notices.read(kind, subject);
    if (notice === null) return null;
    const settings = await this.notifications.settingsOf(notice.key);
    return settings.active === 'no' ? null : this.compose(notice, settings);
  }
}

const ANSWER_LENGTH = 1024;

/**
 * The response of the mail server. With 5xx, which nodemailer shows by these codes, it refused the address or
 * the text permanently; a refused password is not about this mail, so it is tried again.
 */
function refusalIn(
  error: unknown,
): Pick<Extract<SendResult, { outcome: 'failed' }>, 'error' | 'response' | 'final'> {
  const { code, responseCode: status, response: text } = error as Readonly<Record<string, unknown>>;
  if (typeof status !== 'number' || typeof text !== 'string') return { error: 'not sent' };
  const response = { status, text: text.slice(0, ANSWER_LENGTH) };
  const isFinal = status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return { error: isFinal ? 'refused' : 'not sent', response, ...(isFinal && { final: true }) };
}
