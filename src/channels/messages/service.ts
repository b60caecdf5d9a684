import { DAY, MINUTE } from '../../core/duration.js';
import { sayIn } from '../../core/mail-texts.js';
import { cleanHtml } from '../../core/html.js';
import { offsetOf, type Page } from '../../core/page.js';
import { cleanText, cut, escapeHtml, LINE } from '../../core/text.js';
import { fail, failFields } from '../../errors.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ModuleMail } from '../emails/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { Message } from './record.js';
import type { Audience, MessageInput, MessageText } from './types.js';

const PURPOSE = 'unsubscribe';
export const MESSAGE_MAIL = 'message';
/** Recipients queued in one step. */
const STEP = 200;
/** Mails of one message leave at this rate, so that a mail server takes them. */
const PER_MINUTE = 60;
const HISTORY = 50;
const SHOWN = 5;
const SUBJECT_MAX = 255;

/**
 * Messages of the program to affiliates: sent by the outbox at a bounded rate. Affiliates can unsubscribe
 * with one click; mails about commissions and payments are not part of them.
 */
export class MessagesService {
  constructor(private readonly app: Deps) {
    app.emails.addKind(MESSAGE_MAIL, async ({ message_id: id = 0, affiliate_id: affiliateId }) => {
      const message = await store.findMessage(this.app.db, id);
      const affiliate = affiliateId ? await this.app.affiliates.find(affiliateId) : null;
      if (message === null || affiliate === null || isStopped(affiliate)) return null;
      return this.#mailTo(message, affiliate);
    });
  }

  /** Stores a message; its recipients are queued in steps. 422 `message_reaches_nobody` for an empty audience. */
  async send(input: MessageInput): Promise<Message> {
    const text = await this.#checked(input);
    if (input.audience.group_id !== undefined) await this.app.groups.get(input.audience.group_id);
    if ((await this.count(input.audience)) === 0) fail('message_reaches_nobody');
    const now = this.app.clock.now();
    const days = input.portal_days ?? 0;
    const id = await this.app.transaction(async (trx) => {
      const made = await store.insertMessage(trx, {
        ...text,
        audience: input.audience,
        status: 'queued',
        recipients: 0,
        last_affiliate_id: null,
        portal_until: days > 0 ? now + days * DAY : null,
        created_by: this.app.context.current().user?.id ?? null,
        created_at: now,
      });
      await this.app.audit.write(trx, 'message.sent', ['message', made], {
        after: { subject: text.subject },
      });
      return made;
    });
    return (await store.findMessage(this.app.db, id)) ?? fail('message_not_found');
  }

  /** How many active affiliates a message would reach; those who stopped messages are among them. */
  async count(audience: Audience): Promise<number> {
    if (audience.ids === undefined) return this.app.affiliates.listing.countMatching(queryOf(audience));
    return (await this.#activeOf(audience.ids)).length;
  }

  /** The message as one of its recipients gets it. */
  async preview(
    input: MessageInput,
    affiliateId?: number,
  ): Promise<{ to: string; subject: string; html: string; recipients: number }> {
    const text = await this.#checked(input);
    const recipients = await this.count(input.audience);
    const [first] = await this.#next(input.audience, 0, 1);
    const id = affiliateId ?? first;
    if (id === undefined) return fail('message_reaches_nobody');
    const mail = await this.#example(text, await this.app.affiliates.get(id));
    const { to, subject, html } = await this.app.emails.framed(mail ?? fail('invalid_email'));
    return { to, subject, html, recipients };
  }

  /** Sends the message to the signed-in user only, filled in for one of its recipients. */
  async sendTest(input: MessageInput, to: string): Promise<void> {
    const text = await this.#checked(input);
    const [first] = await this.#next(input.audience, 0, 1);
    if (first === undefined) return fail('message_reaches_nobody');
    const mail = await this.#example(text, await this.app.affiliates.get(first));
    return this.app.emails.sendTestOf({ ...(mail ?? fail('invalid_email')), to });
  }

  async list({
    page,
    per_page,
  }: {
    readonly page: number;
    readonly per_page: number;
  }): Promise<Page<Message>> {
    const rows = await store.listMessages(this.app.db, {
      limit: per_page,
      offset: offsetOf({ page, per_page }),
    });
    return { rows, total: await store.countMessages(this.app.db), page, per_page };
  }

  /** Those of the messages whose mails are not all sent. */
  async sending(messages: readonly Pick<Message, 'id'>[]): Promise<ReadonlySet<number>> {
    const waiting = await this.app.outbox.waiting(messages.map(({ id }) => eventOf(id)));
    return new Set(messages.filter(({ id }) => waiting.has(eventOf(id))).map(({ id }) => id));
  }

  /** Affiliates that a message went to, in the order of their ids. */
  async recipientsOf(
    id: number,
    { page, per_page }: { readonly page: number; readonly per_page: number },
  ): Promise<Page<number>> {
    const { recipients } = (await store.findMessage(this.app.db, id)) ?? fail('message_not_found');
    const window = { limit: per_page, offset: offsetOf({ page, per_page }) };
    return { rows: await store.recipientsOf(this.app.db, id, window), total: recipients, page, per_page };
  }

  /** The newest messages to an affiliate. */
  async historyOf(affiliateId: number): Promise<Message[]> {
    await this.app.affiliates.get(affiliateId);
    return store.messagesOf(this.app.db, affiliateId, { limit: HISTORY });
  }

  /** The messages in the portal of this user now, with the codes filled in; none without an affiliate. */
  async announcements(userId: number): Promise<{ id: number; subject: string; html: string; at: number }[]> {
    const affiliate = await this.app.affiliates.findByUser(userId);
    if (affiliate === null) return [];
    const shown = { limit: SHOWN, until: this.app.clock.now() };
    const messages = await store.messagesOf(this.app.db, affiliate.id, shown);
    return Promise.all(
      messages.map(async ({ id, subject, body, created_at: at }) => {
        const filled = await this.app.emails.expandFor(affiliate.id, subject, body);
        return { id, subject: filled.subject, html: filled.body, at };
      }),
    );
  }

  /** No more messages for the affiliate of this key, from a link or a mail program. 422 `unsubscribe_unknown`. */
  async unsubscribe(key: string): Promise<void> {
    const [, id = '', signature = ''] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(key) ?? [];
    if (id === '' || !this.app.secrets.verify(PURPOSE, id, signature)) fail('unsubscribe_unknown');
    const affiliate = (await this.app.affiliates.find(Number(id))) ?? fail('unsubscribe_unknown');
    await this.app.affiliates.changes.saveProfile(affiliate.id, { disable_announcements: 'yes' });
  }

  async isDue(): Promise<boolean> {
    return (await store.nextQueued(this.app.db)) !== null;
  }

  /** Queues the next recipients of the oldest message that waits. Returns how many. */
  async queueStep(): Promise<number> {
    const message = await store.nextQueued(this.app.db);
    if (message === null) return 0;
    const ids = await this.#next(message.audience, message.last_affiliate_id ?? 0, STEP);
    const now = this.app.clock.now();
    const isEnd = ids.length < STEP;
    await this.app.transaction(async (trx) => {
      const change = {
        recipients: message.recipients + ids.length,
        last_affiliate_id: ids.at(-1) ?? message.last_affiliate_id,
        ...(isEnd && { status: 'done' as const }),
        updated_at: now,
      };
      if (!(await store.moveOn(trx, message, change)) || ids.length === 0) return;
      await store.insertRecipients(trx, message.id, ids);
      await this.app.outbox.enqueue(
        trx,
        ids.map((id, at) => ({
          event: eventOf(message.id),
          recipient: `affiliate:${id}`,
          kind: MESSAGE_MAIL,
          payload: { message_id: message.id, affiliate_id: id },
          delayMs: Math.floor((message.recipients + at) / PER_MINUTE) * MINUTE,
        })),
      );
    });
    return ids.length;
  }

  async #next(audience: Audience, after: number, limit: number): Promise<number[]> {
    if (audience.ids === undefined)
      return this.app.affiliates.listing.idsAfter(queryOf(audience), after, limit);
    const later = [...new Set(audience.ids)].filter((id) => id > after).toSorted((a, b) => a - b);
    return this.#activeOf(later.slice(0, limit));
  }

  async #activeOf(ids: readonly number[]): Promise<number[]> {
    const found = await this.app.affiliates.findMany(ids);
    return [...found.values()].filter(({ status }) => status === 'active').map(({ id }) => id);
  }

  async #checked(input: MessageText): Promise<MessageText> {
    const text = checkedText(input);
    const codes: Partial<Record<'subject' | 'body', string[]>> = {};
    for (const field of ['subject', 'body'] as const) {
      const unknown = await this.app.emails.unfilled(text[field]);
      if (unknown.length > 0) codes[field] = unknown;
    }
    const fields = Object.fromEntries(Object.keys(codes).map((field) => [field, { code: UNKNOWN_CODE }]));
    if (Object.keys(codes).length > 0)
      fail('validation_failed', { fields, message: UNKNOWN_CODE, data: { unknown_codes: codes } });
    return text;
  }

  /** The mail to one of the recipients, without the key that stops messages to them: others read it. */
  async #example(text: MessageText, affiliate: Affiliate): Promise<ModuleMail | null> {
    const mail = await this.#mailTo(text, affiliate);
    const page = await this.app.settings.portalScreenUrl('/');
    return mail && { to: mail.to, subject: mail.subject, body: mail.body, footer: this.#footer(page) };
  }

  /** The common footer with the link that stops messages. */
  #footer(page: string): (common: string) => string {
    const stop = sayIn(this.app.host.site().language)('No more messages like this one');
    return (common) => `${common}<p><a href="${escapeHtml(page)}">${stop}</a></p>`;
  }

  async #mailTo(text: MessageText, affiliate: Affiliate): Promise<ModuleMail | null> {
    const user = (await this.app.users([affiliate.user_id])).get(affiliate.user_id ?? 0);
    if (!user?.email) return null;
    const { subject, body } = await this.app.emails.expandFor(affiliate.id, text.subject, text.body);
    const key = `${affiliate.id}.${this.app.secrets.sign(PURPOSE, String(affiliate.id))}`;
    const page = await this.app.settings.portalScreenUrl(`/?unsubscribe=${key}`);
    const oneClick = new URL(
      `${this.app.basePath}/messages/unsubscribe?key=${key}`,
      this.app.host.site().url,
    );
    return {
      to: user.email,
      subject,
      body,
      footer: this.#footer(page),
      headers: {
        'List-Unsubscribe': `<${oneClick.href}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    };
  }
}

const UNKNOWN_CODE = 'The text contains an unknown code in double braces. Correct or remove it.';

/** The name of a message in the outbox. */
const eventOf = (id: number): string => `message:${id}`;

const isStopped = ({ status, settings }: Affiliate): boolean =>
  status !== 'active' || settings.disable_announcements === 'yes';

const queryOf = ({ group_id: groupId, matching }: Audience) => ({
  status: 'active',
  ...(groupId === undefined ? {} : { groupId }),
  ...(matching?.search ? { search: matching.search } : {}),
  ...(matching?.filters === undefined ? {} : { filters: matching.filters }),
});

function checkedText({ subject, body }: MessageText): MessageText {
  if (!LINE.fits(subject)) failFields({ subject: { [LINE.rule]: LINE.says } });
  const line = cut(LINE.read(subject), SUBJECT_MAX);
  const html = cleanHtml(body);
  if (line === '') failFields({ subject: { required: 'The subject is required.' } });
  if (cleanText(html) === '') failFields({ body: { required: 'The text is required.' } });
  return { subject: line, body: html };
}
