import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp } from '../support/app.js';
import { TRUSTED } from '../support/sites.js';
import { trackedSite } from '../support/tracker.js';

// One person is one person: large networks, other spellings of a mailbox, and a request that is sent again.

/** An address in the nth /64 of one /48. */
const nth = (n: number): Record<string, string> => ({
  'X-Forwarded-For': `2001:db8:1:${n.toString(16)}::1`,
});

describe('an IPv6 /48', () => {
  it('cannot guess API keys from one /64 after the other', async () => {
    const t = await startApp(TRUSTED);
    const statuses: number[] = [];
    for (let n = 0; n < 81; n++) {
      const { status } = await request(t.server)
        .get(`${t.service.basePath}/affiliates`)
        .set({
          ...nth(n * 300),
          Authorization: 'Bearer fak_aaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
        });
      statuses.push(status);
    }
    expect(new Set(statuses.slice(0, 80))).toEqual(new Set([401]));
    expect(statuses[80]).toBe(429);
  });

  it('cannot make more visits than four addresses', async () => {
    const t = await startApp(TRUSTED);
    const { id } = await t.records.affiliate({ user_id: 2 });
    const site = trackedSite(t.app);
    for (let n = 0; n < 420; n += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => site.open(`/?ref=${id}`, nth((n + at) * 150)).expect(200)),
      );
    expect((await t.service.affiliates.get(id)).visits).toBe(400);
    await site.open(`/?ref=${id}`, { 'X-Forwarded-For': '2001:db8:2::1' }).expect(200);
    expect((await t.service.affiliates.get(id)).visits).toBe(401);
  });

  it('signs up no more often than four addresses', async () => {
    const t = await startApp({ ...TRUSTED, registration: { perFiveMinutes: 2 } });
    const statuses: number[] = [];
    for (let n = 0; n < 9; n++) {
      const { status } = await t.anonymous
        .post('/registration')
        .set(nth(n * 300))
        .send({
          full_name: 'Jo Stone',
          email: `jo${n}@mail.test`,
          username: `jo${n}stone`,
          password: 'a long password',
          conf_password: 'a long password',
          note: 'On my blog',
          payment_email: `pay${n}@mail.test`,
          terms_condition: 'yes',
        });
      statuses.push(status);
    }
    expect(new Set(statuses.slice(0, 8))).toEqual(new Set([200]));
    expect(statuses[8]).toBe(429);
  });
});

describe('an own purchase', () => {
  const boxes: readonly (readonly [own: string, bought: string])[] = [
    ['jo@shop.test', 'j\u034Fo@shop.test'],
    ['jo@shop.test', 'jo\uFE0F@shop.test'],
    ['jo@shop.test', 'j\u3164o@shop.test'],
    ['jo.doe@proton.me', 'jodoe+x@pm.me'],
    ['jo-doe@protonmail.com', 'jo_doe@proton.me'],
    ['jo@icloud.com', 'jo+shop@me.com'],
    ['jo@mac.com', 'jo@icloud.com'],
    ['jo.doe@yandex.ru', 'jo-doe@ya.ru'],
    ['jo@fastmail.com', 'shop@jo.fastmail.com'],
  ];
  it.each(boxes)('%j is found under %j', async (payment_email, email) => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ user_id: 2, payment_email });
    const { reason, referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '1',
      status: 'unpaid',
      affiliate: id,
      order: { subtotal: '100.00' },
      customer: { email },
    });
    expect([reason, referral?.status ?? 'rejected']).toEqual(['self_referral', 'rejected']);
  });
});

describe('a request whose answer is lost after its effect', () => {
  it('is answered with what it made', async () => {
    const t = await startApp();
    const { find } = t.host.users;
    const form = { user_id: 2, status: 'active', rate_type: 'default', payment_email: 'jo@pay.test' };
    const send = () => t.admin.post('/affiliates').set('Idempotency-Key', 'once').send(form);
    let lost = true;
    Object.assign(t.host.users, {
      find: async (ids: readonly number[]) => {
        if (lost && (await t.app.db('affiliates').first('id')) !== undefined && !t.app.db.inTransaction)
          throw new Error('connection lost');
        return find(ids);
      },
    });
    expect((await send()).status).toBeGreaterThanOrEqual(500);
    lost = false;
    const { body } = await send().expect(409);
    expect(body).toMatchObject({
      code: 'idempotency_committed',
      object: { type: 'affiliate', id: '1' },
    });
    expect(await t.app.db('affiliates').pluck('user_id')).toHaveLength(1);
  });
});
