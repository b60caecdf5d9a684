import { randomUUID } from 'node:crypto';
import type { HostMail } from '../../../adapters/host.js';
import type { Mailer } from '../../../adapters/mailer.js';
import type { App } from '../../app.js';
import { addressLine, readEmailConfig } from './config.js';
import { Digest } from './digest.js';
import { MailLayout } from './layout.js';
import type { Notifications } from './notifications.js';
import { claimDue, finish } from './outbox.js';
import { paymentDetailsMail } from './security.js';
import { expandSmartCodes } from './smart-codes.js';
import { TEMPLATES } from './templates.js';
import {
  DIGEST,
  EMAIL_KEYS,
  PAYMENT_DETAILS,
  type EmailKey,
  type EmailSettings,
  type OutboxRow,
} from './types.js';
import { mailValues, type MailPeople } from './values.js';

const BATCH = 50;
const CLAIM_MS = 120_000;
const RETRY_MS = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];

/** Sends what is due in the outbox: at least once, again later when the mailer fails, given up after the sixth try. */
export class Delivery {
  readonly #layout = new MailLayout();

  readonly #digest: Digest;

  constructor(
    private readonly app: App,
    private readonly notifications: Notifications,
    private readonly mailer: () => Mailer,
  ) {
    this.#digest = new Digest(app);
  }

  /** All that is due now; the number of mails that went out. */
  async run(): Promise<number> {
    let sent = 0;
    const worker = randomUUID(); // two runs in one process are two workers
    for (;;) {
      const now = this.app.clock.now();
      const rows = await claimDue(this.app.db, { worker, now, until: now + CLAIM_MS, limit: BATCH });
      for (const row of rows) if ((await this.#deliver(row, worker)) === 'sent') sent += 1;
      if (rows.length < BATCH) return sent;
    }
  }

  /** One mail as it would look now; null when nobody is to get it. */
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
    );
  }

  async #framed(
    { to, subject, body }: { readonly to: string; readonly subject: string; readonly body: string },
    people: MailPeople,
  ): Promise<HostMail> {
    const config = await readEmailConfig(this.app);
    const footer = await expandSmartCodes(this.app, config.email_footer, people.values, 'html');
    const { html, text } = this.#layout.render({
      subject,
      config,
      site: this.app.host.site().name,
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
    };
  }

  send(mail: HostMail): Promise<void> {
    return this.mailer().send(mail);
  }

  async #deliver(row: OutboxRow, worker: string): Promise<'sent' | 'skipped' | 'failed'> {
    const end = (change: Readonly<Record<string, string | number | null>>): Promise<void> =>
      finish(this.app.db, row.id, worker, { ...change, updated_at: this.app.clock.now() });
    try {
      const mail = await this.#mailOf(row);
      if (mail) await this.send(mail);
      await end({ status: mail ? 'sent' : 'skipped', last_error: null });
      return mail ? 'sent' : 'skipped';
    } catch (error) {
      const wait = RETRY_MS[row.attempts];
      this.app.log.warn('a mail could not be sent', { kind: row.kind, attempts: row.attempts + 1, error });
      await end(
        wait === undefined
          ? { status: 'dead', attempts: row.attempts + 1, last_error: 'gave up' }
          : {
              attempts: row.attempts + 1,
              next_attempt_at: this.app.clock.now() + wait,
              last_error: 'not sent',
            },
      );
      return 'failed';
    }
  }

  async #mailOf(row: OutboxRow): Promise<HostMail | null> {
    if (row.kind === DIGEST) return this.#summary(row);
    if (row.kind === PAYMENT_DETAILS) return this.#warning(row);
    const key = EMAIL_KEYS.find((known) => known === row.kind);
    if (!key) return null;
    const settings = await this.notifications.settingsOf(key);
    if (settings.active === 'no') return null;
    const people = await mailValues(this.app, row.payload);
    return this.compose(key, people, settings, await this.#recipient(key, people));
  }

  async #summary(row: OutboxRow): Promise<HostMail | null> {
    const { admin_email: to } = await readEmailConfig(this.app);
    const written = to === '' ? null : await this.#digest.write(row);
    return written && this.#framed({ to, ...written }, await mailValues(this.app, {}));
  }

  async #warning(row: OutboxRow): Promise<HostMail | null> {
    const people = await mailValues(this.app, row.payload);
    const written = await paymentDetailsMail(this.app, row, people);
    return written && this.#framed(written, people);
  }

  async #recipient(key: EmailKey, { affiliate, user }: MailPeople): Promise<string | null> {
    if (!affiliate || (key === 'new_sale_to_admin' && !user)) return null;
    if (TEMPLATES[key].recipient === 'admin') return (await readEmailConfig(this.app)).admin_email || null;
    if (key === 'new_sale_to_affiliate' && affiliate.settings.disable_new_ref_email === 'yes') return null;
    if (key === 'payout_to_affiliate' && affiliate.settings.disable_payout_email === 'yes') return null;
    return user?.email || null;
  }
}
