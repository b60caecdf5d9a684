import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { HostMail } from '../../adapters/host.js';
import { startApp, type TestApp } from '../support/app.js';
import { listed } from '../support/lists.js';
import { clearOutbox, outboxOf } from '../support/outbox.js';

const TEXT = {
  subject: 'News for {{user.first_name}}',
  body: '<p>Hello {{user.display_name}}, id {{affiliate.id}}</p>',
};
const write = (t: TestApp, audience: object, more: object = {}) =>
  t.admin.post('/messages').send({ ...TEXT, audience, ...more });
async function deliver(t: TestApp): Promise<HostMail[]> {
  t.host.mailbox.length = 0;
  await t.service.jobs.runDue();
  t.clock.advance(1000);
  await t.service.jobs.runDue();
  return t.host.mailbox.filter(({ to }) => to !== 'admin@example.test');
}
const start = async (): Promise<{ t: TestApp; alice: number; bob: number; carol: number; group: number }> => {
  const t = await startApp();
  const { id: group } = await t.records.group();
  const alice = await t.records.affiliate({ user_id: 2, rate_type: 'group', group_id: group });
  const bob = await t.records.affiliate({ user_id: 3 });
  const carol = await t.records.affiliate({ user_id: 4, status: 'inactive' });
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  return { t, alice: alice.id, bob: bob.id, carol: carol.id, group };
};

describe('messages to affiliates', () => {
  it('reach chosen ones, a group or all that match, each with codes of their own; never inactive ones', async () => {
    const { t, alice, bob, carol, group } = await start();
    await write(t, { ids: [bob, alice, carol, bob] }).expect(200);
    expect((await deliver(t)).map(({ to, subject }) => [to, subject])).toEqual([
      ['alice@shop.test', 'News for Alice'],
      ['bob@shop.test', 'News for Bob'],
    ]);
    await write(t, { group_id: group }).expect(200);
    expect((await deliver(t)).map(({ to }) => to)).toEqual(['alice@shop.test']);
    await write(t, { matching: { search: 'bob' } }).expect(200);
    expect((await deliver(t)).map(({ to }) => to)).toEqual(['bob@shop.test']);
    expect((await write(t, { ids: [carol] }).expect(422)).body.code).toBe('message_reaches_nobody');
    expect(await deliver(t)).toEqual([]);

    const { messages } = (await t.admin.get('/messages').expect(200)).body;
    expect(messages.data).toMatchObject([
      { status: 'done', is_sending: false, recipients: 1, sent_by: 'Admin' },
      { recipients: 1 },
      { recipients: 2 },
    ]);
    const first = messages.data[2].id;
    const { recipients } = (await t.admin.get(`/messages/${first}/recipients`).expect(200)).body;
    expect(recipients).toMatchObject({ total: 2, data: [{ id: alice }, { id: bob }] });
    await write(t, { ids: [alice] }).expect(200);
    const newest = async () => (await listed(t, '/messages'))[0];
    expect(await newest()).toMatchObject({ status: 'queued', is_sending: true });
    await t.app.messages.queueStep();
    expect(await newest()).toMatchObject({ status: 'done', is_sending: true, recipients: 1 });
    const history = (await t.admin.get(`/affiliates/${bob}/messages`).expect(200)).body.messages;
    expect(history).toHaveLength(2);
  });

  it('can be stopped with one press, from a mail program too; other mails go on', async () => {
    const { t, alice } = await start();
    await t.app.emails.saveConfig({ reply_to_email: 'help@shop.test' });
    await write(t, { ids: [alice] }).expect(200);
    const [mail] = await deliver(t);
    expect(mail?.replyTo).toBe('help@shop.test');
    expect(mail?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    const address = /<(.+)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(address);
    await request(t.server)
      .post(pathname + search)
      .type('form')
      .send({ 'List-Unsubscribe': 'One-Click' })
      .expect(200);
    await write(t, { ids: [alice] }).expect(200);
    expect(await deliver(t)).toEqual([]);
    expect((await t.as(2).get('/portal/notifications').expect(200)).body).toEqual({
      new_commission: 'yes',
      payment_sent: 'yes',
      announcements: 'no',
    });
    await t.as(2).post('/portal/notifications').send({ announcements: 'yes' }).expect(200);
    await write(t, { ids: [alice] }).expect(200);
    expect(await deliver(t)).toHaveLength(1);
    await t.anonymous.post(`/messages/unsubscribe?key=${alice}.${'0'.repeat(64)}`).expect(422);
  });

  it('stand in the portal until their day, if the sender wants it', async () => {
    const { t, alice } = await start();
    await write(t, { ids: [alice] }, { portal_days: 3 }).expect(200);
    await t.service.jobs.runDue();
    const shown = async (user: number): Promise<{ subject: string }[]> =>
      (await t.as(user).get('/portal/announcements').expect(200)).body.announcements;
    expect(await shown(2)).toMatchObject([
      { subject: 'News for Alice', html: `<p>Hello Alice Doe, id ${alice}</p>` },
    ]);
    expect(await shown(3)).toEqual([]);
    expect(await shown(5)).toEqual([]);
    t.clock.advance(3 * 86_400_000);
    expect(await shown(2)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['subject', 'News for {{name}}', '{{name}}'],
    ['body', '<p>Hello {{user.nickname}}</p>', '{{user.nickname}}'],
    ['body', '<p>{{referral.amount}}</p>', '{{referral.amount}}'],
    ['body', '<p>{{user.first_name}}, {{user.first_name or nothing</p>', '{{user.first_name'],
  ])('with a code in the %s that nobody fills in are refused: %s', async (field, text, code) => {
    const { t, alice } = await start();
    for (const path of ['/messages', '/messages/preview', '/messages/test']) {
      const { body } = await t.admin
        .post(path)
        .send({ ...TEXT, [field]: text, audience: { ids: [alice] } })
        .expect(422);
      const says = 'The text contains an unknown code in double braces. Correct or remove it.';
      expect(body).toMatchObject({
        message: says,
        data: { unknown_codes: { [field]: [code] } },
        errors: { [field]: { code: says } },
      });
    }
    expect(await listed(t, '/messages')).toEqual([]);
  });

  it('are previewed and tested before they leave, and cleaned', async () => {
    const { t, alice, bob } = await start();
    const draft = { ...TEXT, body: `${TEXT.body}<script>alert(1)</script>`, audience: { ids: [alice, bob] } };
    const { body } = await t.admin
      .post('/messages/preview')
      .send({ ...draft, affiliate_id: bob })
      .expect(200);
    expect(body).toMatchObject({ to: 'bob@shop.test', subject: 'News for Bob', recipients: 2 });
    expect(body.html).not.toContain('script');
    expect(body.html).toContain('No more messages like this one');
    await t.admin.post('/messages/test').send(draft).expect(200);
    const tested = t.host.mailbox.at(-1);
    expect(tested).toMatchObject({ to: 'admin@shop.test', subject: 'News for Alice' });
    // nobody but Alice may stop the messages to her
    expect([body.html, JSON.stringify(tested)].filter((text) => text.includes('unsubscribe'))).toEqual([]);
    await t.admin
      .post('/messages')
      .send({ ...draft, subject: ' ' })
      .expect(422);
    expect(await listed(t, '/messages')).toEqual([]);
  });

  it('leave in steps at a bounded rate', async () => {
    const { t } = await start();
    for (let n = 10; n < 80; n += 1) {
      t.host.addUser({ id: n, login: `user${n}`, email: `user${n}@shop.test`, display_name: `User ${n}` });
      await t.app.affiliates.changes.create({ user_id: n, status: 'active', rate_type: 'default' });
    }
    await clearOutbox(t);
    await write(t, {}).expect(200);
    await t.service.jobs.runDue();
    const messages = await outboxOf(t, 'message');
    const atOnce = messages.filter(({ next_attempt_at: at }) => Date.parse(at) <= t.clock.now());
    expect([messages.length, atOnce.length]).toEqual([72, 60]);
  });
});
