import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import request from 'supertest';
import { Webhook } from 'standardwebhooks';
import type { HostMail } from '../../adapters/host.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { storedText } from '../support/rows.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const open: Receiver[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((receiver) => receiver.close()));
});

async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  open.push(started);
  return started;
}

const start = (options: TestOptions = {}): Promise<TestApp> =>
  startApp({ events: { allowPrivateNetworks: true }, ...options });

async function subscribe(
  t: TestApp,
  to: Receiver,
  body: object = {},
): Promise<{ id: number; secret: string }> {
  const answer = await t.admin
    .post('/settings/webhooks')
    .send({ url: to.url, events: ['*'], ...body })
    .expect(200);
  return { id: answer.body.webhook.id, secret: answer.body.secret };
}

/** Puts what happened in line and sends it. */
async function deliver(t: TestApp): Promise<void> {
  await t.service.webhooks.lineUp();
  await t.service.webhooks.deliverDue();
}

const types = ({ received }: Receiver): string[] => received.map(({ body }) => body.type);

async function sale(t: TestApp, affiliate: number, reference: string, subtotal = '100.00'): Promise<number> {
  const { referral } = await t.service.conversions.record(null, {
    provider: 'shop',
    reference,
    type: 'sale',
    status: 'unpaid',
    affiliate,
    order: { subtotal },
    customer: { email: `${reference}@buyer.test` },
  });
  if (!referral) throw new Error('The sale earned nothing.');
  return referral.id;
}

const newAffiliate = async (t: TestApp, user_id: number): Promise<number> =>
  (await t.service.affiliates.create({ user_id, status: 'active', payment_email: `pay${user_id}@shop.test` }))
    .id;

const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

describe('which events are sent', () => {
  it('is every change of a program, signed as standardwebhooks wants it, in the order it happened', async () => {
    const t = await start();
    const crm = await receiver();
    const { secret } = await subscribe(t, crm);
    const affiliate = await newAffiliate(t, 2);
    const referral = await sale(t, affiliate, 'order-1');
    await t.admin.patch(`/referrals/${referral}`).send({ amount: '15.00' }).expect(200);
    const payout = await t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'x' } })
      .expect(200);
    const payoutId = payout.body.payout.id as number;
    await t.admin.patch(`/payouts/${payoutId}/transactions/bulk-action`).send({ status: 'paid' }).expect(200);
    await deliver(t);

    const { body: listed } = await t.admin.get('/events').expect(200);
    expect(listed.events.map((event: { type: string }) => event.type)).toEqual([
      'affiliate.created',
      'customer.created',
      'referral.created',
      'customer.linked',
      'referral.updated',
      'payout.created',
      'payout_transaction.processing',
      'referral.status_changed',
      'payout_transaction.paid',
      'payout.updated',
    ]);
    const ofReferral = crm.received.filter(({ body }) => body.type.startsWith('referral.'));
    expect(crm.received).toHaveLength(10);
    expect(ofReferral.map(({ body }) => body.type)).toEqual([
      'referral.created',
      'referral.updated',
      'referral.status_changed',
    ]);
    const wh = new Webhook(secret);
    for (const { text, headers } of crm.received) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['user-agent']).toBe('affiliate-service');
      expect(verified(wh, text, headers)).toEqual(JSON.parse(text));
      expect(() => verified(wh, text.replace('{', '{ '), headers)).toThrow();
    }
    const changed = ofReferral[1]?.body;
    expect(changed?.data).toMatchObject({ id: referral, amount: 15, affiliate_id: affiliate });
    expect(changed?.previous).toEqual({ amount: 20 });
    expect(ofReferral[2]?.body).toMatchObject({
      data: { id: referral, status: 'paid', payout_id: payoutId },
      previous: { status: 'unpaid', payout_id: null },
    });
  });

  it('is every change of status, and a refund only when there was one', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm);
    const affiliate = await newAffiliate(t, 2);
    const { conversions } = t.service;
    const delivered = async (): Promise<unknown[]> => {
      await deliver(t);
      return crm.received
        .splice(0)
        .filter(({ body }) => /^referral\.(?:status|refund|upd)/.test(body.type))
        .map(({ body: { type, data, previous } }) => [
          type,
          { status: data['status'], amount: data['amount'], ...('due' in data && { due: data['due'] }) },
          previous,
        ]);
    };
    for (const reference of ['canceled', 'part', 'whole', 'lost']) await sale(t, affiliate, reference);
    await delivered();

    await conversions.cancel('shop', 'canceled');
    expect(await delivered()).toEqual([
      [
        'referral.status_changed',
        { status: 'rejected', amount: 20 },
        expect.objectContaining({ status: 'unpaid' }),
      ],
    ]);
    await conversions.refund('shop', 'part', { refunded_total: 50 });
    expect(await delivered()).toEqual([
      [
        'referral.refunded',
        { status: 'unpaid', amount: 10, due: 10 },
        { amount: 20, due: 20, order_total: 100 },
      ],
    ]);
    await conversions.refund('shop', 'whole', { refunded_total: 100 });
    expect(await delivered()).toMatchObject([
      ['referral.refunded', { status: 'rejected', due: 0 }, { status: 'unpaid', due: 20 }],
      ['referral.status_changed', { status: 'rejected' }, { status: 'unpaid' }],
    ]);
    await conversions.dispute('shop', 'lost', 'lost');
    expect(await delivered()).toMatchObject([
      ['referral.status_changed', { status: 'rejected' }, { status: 'unpaid' }],
    ]);
  });

  it('is what a payout was before, and nothing when one of its payments is paid', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['payout.updated'] });
    for (const user of [2, 3]) await sale(t, await newAffiliate(t, user), `of-${user}`);
    const { id } = await t.records.payout();
    await t.admin.patch(`/payouts/${id}/transactions/1`).send({ status: 'paid' }).expect(200);
    await t.admin.delete(`/payouts/${id}/transactions/2`).expect(200);
    await deliver(t);
    await t.admin.patch(`/payouts/${id}`).send({ title: 'February' }).expect(200);
    await t.admin.patch(`/payouts/${id}`).send({ title: 'February' }).expect(200);
    await deliver(t);
    expect(crm.received.map(({ body }) => body.previous)).toEqual([
      { status: 'processing', total_amount: 40 },
      { title: expect.any(String) },
    ]);
  });

  it('is what happens to customers, and that they were forgotten, without their data', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm);
    const affiliate = await newAffiliate(t, 2);
    const delivered = async (): Promise<unknown[]> => {
      await deliver(t);
      return crm.received
        .splice(0)
        .filter(({ body }) => body.type.startsWith('customer.'))
        .map(({ body: { type, data, previous } }) => [type, data['email'] ?? data['merged_id'], previous]);
    };
    await sale(t, affiliate, 'one');
    await sale(t, affiliate, 'two');
    const { body } = await t.admin.get('/customers').expect(200);
    const [second, first] = body.customers.data as { id: number; email: string }[];
    expect(sorted(await delivered())).toEqual(
      sorted(
        ['one', 'two'].flatMap((who) => [
          ['customer.created', `${who}@buyer.test`, {}],
          ['customer.linked', `${who}@buyer.test`, { by_affiliate_id: null }],
        ]),
      ),
    );
    await t.service.customers.update(first!.id, { first_name: 'Jo' });
    await t.service.customers.update(first!.id, { first_name: 'Jo' });
    expect(await delivered()).toEqual([
      ['customer.updated', 'one@buyer.test', expect.objectContaining({ first_name: null, full_name: '' })],
    ]);
    await t.service.customers.merge(second!.id, first!.id);
    expect(await delivered()).toEqual([['customer.merged', second!.id, {}]]);
    await t.service.customers.forget(first!.id);
    await deliver(t);
    const [forgotten] = crm.received;
    expect(forgotten?.body).toMatchObject({
      type: 'customer.forgotten',
      data: { id: first!.id, email: null },
    });
    expect(forgotten?.text).not.toMatch(/buyer\.test|Jo/);
  });

  it('is sites, rates, payment details and people who are forgotten', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, {
      events: [
        'site.updated',
        'program.rates_changed',
        'affiliate.payment_details_changed',
        'affiliate.forgotten',
      ],
    });
    const affiliate = await newAffiliate(t, 2);
    const { site } = await t.service.connectedSites.issue({
      site_url: 'https://blog.test',
      site_title: 'Blog',
    });
    await t.service.connectedSites.update(site.site_id, { status: 'inactive' });
    for (const rate of [25, 25]) await t.service.settings.saveReferralConfig({ rate });
    await t.service.settings.saveReferralConfig({ referral_variable: 'via' });
    await t.service.affiliates.update(affiliate, { note: 'x' });
    await t.service.affiliates.update(affiliate, { payment_email: 'new@shop.test' });
    await t.app.affiliates.changes.forgetUser(2, null);
    await deliver(t);
    const byType = new Map(crm.received.map(({ body }) => [body.type, body]));
    expect(crm.received).toHaveLength(4);
    expect(byType.get('site.updated')).toMatchObject({
      data: { status: 'inactive' },
      previous: { status: 'active' },
    });
    expect(byType.get('program.rates_changed')).toMatchObject({ data: { rate: 25 }, previous: { rate: 20 } });
    expect(byType.get('affiliate.payment_details_changed')?.previous).toEqual({});
    expect(byType.get('affiliate.forgotten')?.data).toMatchObject({
      id: affiliate,
      user_id: null,
      user: null,
    });
    expect(JSON.stringify(crm.received)).not.toMatch(/new@shop|pay2@shop/);
  });

  it('is disputes, and the refunds by id and amount, also of what was paid', async () => {
    const t = await start({ clawback: 'adjust' });
    const crm = await receiver();
    await subscribe(t, crm, { events: ['dispute.opened', 'dispute.closed', 'referral.refunded'] });
    const referral = await sale(t, await newAffiliate(t, 2), 'order');
    const delivered = async (): Promise<unknown[]> => {
      await deliver(t);
      return crm.received.splice(0).map(({ body }) => body);
    };
    for (const state of ['opened', 'opened', 'won'] as const)
      await t.service.conversions.dispute('shop', 'order', state);
    expect(await delivered()).toMatchObject([
      { type: 'dispute.opened', data: { reference: 'order', referral_id: referral, state: 'opened' } },
      { type: 'dispute.closed', data: { state: 'won' }, previous: { state: 'opened' } },
    ]);
    await t.service.conversions.refund('shop', 'order', { refund_id: 're_1', amount: 20 });
    const refund = { currency: 'USD', undone: false, refunded_at: expect.any(String) };
    expect(await delivered()).toMatchObject([
      { data: { due: 16, refunds: [{ ...refund, refund_id: 're_1', amount: 20 }] }, previous: { due: 20 } },
    ]);
    const { id } = await t.records.payout();
    await t.admin.patch(`/payouts/${id}/transactions/1`).send({ status: 'paid' }).expect(200);
    await t.service.conversions.refund('shop', 'order', { refund_id: 're_2', amount: 30 });
    expect(await delivered()).toMatchObject([
      {
        data: { id: referral, amount: 16, due: 10, refunds: [{ refund_id: 're_2', amount: 30 }] },
        previous: { due: 16 },
      },
    ]);
  });

  it('is that a payout was undone', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['payout.undone'] });
    for (const user of [2, 3]) await sale(t, await newAffiliate(t, user), `of-${user}`);
    const { id } = await t.records.payout();
    await t.admin.patch(`/payouts/${id}/transactions/1`).send({ status: 'paid' }).expect(200);
    await t.admin.post(`/payouts/${id}/undo`).expect(200);
    await deliver(t);
    expect(crm.received.map(({ body }) => body.data)).toMatchObject([
      { id, total_amount: 20, undone: { transactions_count: 1, total_amount: 20, left_out_count: 0 } },
    ]);
  });

  it('has the affiliate with name, address and link, and the lines of a payment', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm);
    const affiliate = await newAffiliate(t, 2);
    const referral = await sale(t, affiliate, 'order');
    const { id } = await t.records.payout();
    await deliver(t);
    const data = (type: string): Record<string, unknown> =>
      crm.received.find(({ body }) => body.type === type)?.body.data ?? {};
    const [user] = await t.app.host.users.find([2]);
    const person = { user_details: { email: user?.email }, user: { full_name: user?.full_name } };
    expect(data('affiliate.created')).toMatchObject({
      ...person,
      share_url: expect.stringContaining(`ref=${affiliate}`),
    });
    expect(data('referral.created')).toMatchObject({ affiliate: { id: affiliate, ...person } });
    expect(data('payout_transaction.processing')).toMatchObject({
      affiliate: { id: affiliate, ...person },
      payout: { id },
      lines: [{ referral_id: referral, amount: 20 }],
      lines_count: 1,
    });
    expect(JSON.stringify(crm.received)).not.toContain('pay2@shop.test');

    await t.app.affiliates.changes.forgetUser(2, user ?? null);
    const { body } = await t.admin.get('/events').expect(200);
    expect(JSON.stringify(body)).not.toContain(user?.email);
  });

  it('has the address of the order in the shop', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['referral.created', 'referral.deleted'] });
    t.service.hooks.addFilter(
      'provider_reference_shop_url',
      (_url, { provider_id: id }) => `https://shop.test/orders/${id}`,
    );
    const affiliate = await newAffiliate(t, 2);
    const { id } = await t.records.referral({
      affiliate_id: affiliate,
      amount: '5.00',
      provider: 'shop',
      provider_id: 'A-1',
    });
    await deliver(t);
    await t.admin.delete(`/referrals/${id}`).expect(200);
    await deliver(t);
    const { body } = await t.admin.get('/events?type[]=referral.created').expect(200);

    expect(crm.received.map(({ body: event }) => event.data['provider_url'])).toEqual([
      'https://shop.test/orders/A-1',
      '',
    ]);
    expect(body.events[0].data.provider_url).toBe('');
  });

  it('has the fields of its example, whatever it is about', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['*', 'visit.created'], payment_details: true, confirm: true });
    const affiliate = await newAffiliate(t, 2);
    await t.admin.post('/settings/program-rules').send({ minPayout: '10.00' });
    const referral = await sale(t, affiliate, 'order-1');
    await t.admin.patch(`/affiliates/${affiliate}/status`).send({ status: 'inactive' });
    await t.admin
      .post('/groups/groups')
      .send({ meta_key: 'Partners', value: { rate_type: 'percentage', rate: 5 } });
    await t.admin.post('/creatives/creatives').send({
      name: 'Banner',
      type: 'text',
      text: 'Buy',
      url: 'https://shop.test/',
      privacy: 'public',
      status: 'active',
    });
    await t.admin.delete(`/referrals/${referral}`).expect(200);
    await request(t.server).get('/?ref=2').set('accept', 'text/html').set('sec-fetch-dest', 'document');
    await deliver(t);

    const { body } = await t.admin.get('/settings/webhooks/catalogue').expect(200);
    const examples = new Map<string, { data: object }>(
      body.events.map((event: { type: string; example: { data: object } }) => [event.type, event.example]),
    );
    const events = crm.received.map(({ body: event }) => event);
    expect(events.length).toBeGreaterThan(4);
    for (const event of events) {
      const known = Object.keys(examples.get(event.type)?.data ?? {});
      const extra = Object.keys(event.data).filter((key) => !known.includes(key) && key !== 'payment_email');
      expect([event.type, extra]).toEqual([event.type, []]);
      expect(known.filter((key) => !(key in event.data))).toEqual([]);
    }
  });

  it('has the fields of a list over REST, except those that docs/events.md names', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['*', 'visit.created'], payment_details: true, confirm: true });
    const affiliate = await newAffiliate(t, 2);
    await sale(t, affiliate, 'order-1');
    const { id: payout } = await t.records.payout();
    await t.records.group();
    const banner = { name: 'Banner', type: 'text', text: 'Buy', url: 'https://shop.test/' };
    await t.admin.post('/creatives/creatives').send({ ...banner, privacy: 'public', status: 'active' });
    await request(t.server).get(`/?ref=${affiliate}`).set('accept', 'text/html');
    await deliver(t);

    const LISTS: Readonly<Record<string, { list: string; lacks?: string[]; adds?: string[] }>> = {
      'affiliate.created': {
        list: '/affiliates',
        lacks: ['rate_details', 'group', 'balances', 'bank_details'],
        adds: ['share_url'],
      },
      'customer.linked': { list: '/customers', lacks: ['referrals_count'] },
      'referral.created': { list: '/referrals', lacks: ['state', 'counted_amount', 'would_have_been'] },
      'payout.created': { list: '/payouts' },
      'payout_transaction.processing': {
        list: `/payouts/${payout}/transactions`,
        lacks: ['paid_to', 'changed_count', 'payee_changed', 'not_due_amount'],
        adds: ['payout', 'lines', 'lines_count'],
      },
      'creative.created': { list: '/creatives/creatives' },
      'group.created': { list: '/groups/groups' },
      'visit.created': { list: '/visits' },
    };
    for (const [type, { list, lacks = [], adds = [] }] of Object.entries(LISTS)) {
      const { body } = await t.admin.get(list).expect(200);
      const [rows] = Object.values(body as Record<string, { data?: object[] }>);
      const shown = Object.keys((rows?.data ?? (rows as object[]))[0] ?? {});
      const data = Object.keys(crm.received.find(({ body: event }) => event.type === type)?.body.data ?? {});
      expect({
        type,
        lacks: shown.filter((field) => !data.includes(field)).toSorted(),
        adds: data.filter((field) => !shown.includes(field)).toSorted(),
      }).toEqual({ type, lacks: lacks.toSorted(), adds: adds.toSorted() });
    }
  });

  it('is nothing of what was rolled back', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm);
    const affiliate = await newAffiliate(t, 2);
    await deliver(t);
    crm.received.length = 0;
    await expect(
      t.app.transaction(async () => {
        await t.service.affiliates.changeStatus(affiliate, 'inactive');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await deliver(t);

    expect(types(crm)).toEqual([]);
  });

  it('leaves payment details out unless they are asked for and confirmed', async () => {
    const t = await start();
    const [plain, full] = [await receiver(), await receiver()];
    await subscribe(t, plain);
    await t.admin
      .post('/settings/webhooks')
      .send({ url: full.url, events: ['*'], payment_details: true })
      .expect(422, /confirm: true/);
    await subscribe(t, full, { payment_details: true, confirm: true });
    await newAffiliate(t, 2);
    await deliver(t);

    expect(plain.received[0]?.text).not.toContain('pay2@shop.test');
    expect(full.received[0]?.body.data).toMatchObject({ payment_email: 'pay2@shop.test' });
  });

  it('sends clicks only to endpoints that name them', async () => {
    const t = await start();
    const [all, clicks] = [await receiver(), await receiver()];
    await subscribe(t, all);
    const affiliate = await newAffiliate(t, 2);
    const click = (): Promise<unknown> =>
      request(t.server).get(`/?ref=${affiliate}`).set('accept', 'text/html').set('user-agent', BROWSER);
    await click();
    await subscribe(t, clicks, { events: ['visit.created'] });
    t.clock.advance(DAY);
    await click();
    await deliver(t);

    expect(types(all)).toEqual(['affiliate.created']);
    expect(types(clicks)).toEqual(['visit.created']);
    expect(clicks.received[0]?.body.data).toMatchObject({ affiliate_id: affiliate });
  });

  it('are sent once when what is owed reaches the minimum of a payout, and again after it was below', async () => {
    const t = await start({ payouts: { minPayout: 30 } });
    const crm = await receiver();
    await subscribe(t, crm, { events: ['balance.threshold_reached'] });
    const affiliate = await newAffiliate(t, 2);
    await sale(t, affiliate, 'a');
    await deliver(t);
    expect(types(crm)).toEqual([]);
    const second = await sale(t, affiliate, 'b');
    await deliver(t);
    await sale(t, affiliate, 'c', '1.00');
    await deliver(t);
    expect(crm.received.map(({ body }) => body.data)).toMatchObject([{ id: affiliate, unpaid_earnings: 40 }]);
    await t.admin.delete(`/referrals/${second}`).expect(200);
    await deliver(t);
    await sale(t, affiliate, 'd');
    await deliver(t);
    expect(types(crm)).toEqual(['balance.threshold_reached', 'balance.threshold_reached']);
  });

  it('are sent for every commission of a deleted affiliate', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['referral.deleted', 'affiliate.deleted'] });
    const affiliate = await newAffiliate(t, 2);
    const ids = [await sale(t, affiliate, 'a'), await sale(t, affiliate, 'b')];
    await t.admin.delete(`/affiliates/${affiliate}`).expect(200);
    await deliver(t);

    // Events of different objects may arrive in any order.
    expect(crm.received.map(({ body }) => `${body.type} ${String(body.data['id'])}`).toSorted()).toEqual(
      [`affiliate.deleted ${affiliate}`, ...ids.map((id) => `referral.deleted ${id}`)].toSorted(),
    );
  });
});

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** standardwebhooks looks at its own clock; the test's stands still. */
function verified(wh: Webhook, text: string, headers: Readonly<Record<string, string>>): unknown {
  const now = Date.now;
  Date.now = () => Number(headers['webhook-timestamp']) * 1000;
  try {
    return wh.verify(text, { ...headers });
  } finally {
    Date.now = now;
  }
}

describe('delivery', () => {
  it('tries again with the same id, and keeps back only the object that fails', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['affiliate.created', 'affiliate.status_changed'] });
    const [one, two] = [await newAffiliate(t, 2), await newAffiliate(t, 3)];
    await t.service.affiliates.changeStatus(one, 'inactive');
    await t.service.affiliates.changeStatus(two, 'inactive');
    await t.service.webhooks.lineUp();
    const refuse = (res: { statusCode: number; end(text: string): void }): void => {
      res.statusCode = 500;
      res.end('no');
    };
    crm.answers.push(refuse); // the first of the two that go out together
    await t.service.webhooks.deliverDue();
    const failedFor = crm.received[0]?.body.data['id'];
    const other = failedFor === one ? two : one;

    expect(crm.received.map(({ body }) => [body.type, body.data['id']]).slice(1)).toEqual([
      ['affiliate.created', other],
      ['affiliate.status_changed', other],
    ]);
    t.clock.advance(MINUTE);
    await t.service.webhooks.deliverDue();
    const ofFailed = crm.received.filter(({ body }) => body.data['id'] === failedFor);
    expect(ofFailed.map(({ body }) => body.type)).toEqual([
      'affiliate.created',
      'affiliate.created',
      'affiliate.status_changed',
    ]);
    expect(ofFailed[0]?.headers['webhook-id']).toBe(ofFailed[1]?.headers['webhook-id']);
  });

  it('goes on with other objects while one waits for its answer', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['affiliate.updated'] });
    const [slow, quick] = [await newAffiliate(t, 2), await newAffiliate(t, 3)];
    await t.service.affiliates.update(slow, { note: 'slow' });
    const notes = Array.from({ length: 6 }, (_, at) => `quick ${at}`);
    for (const note of notes) await t.service.affiliates.update(quick, { note });
    await t.service.webhooks.lineUp();
    let answerSlow = (): void => {};
    crm.answers.push(
      ...Array.from({ length: 1 + notes.length }, () => (res: { end(text: string): void }) => {
        const { note } = crm.received.at(-1)?.body.data ?? {};
        if (note === 'slow') answerSlow = () => res.end('ok');
        else res.end('ok');
        if (note === notes.at(-1)) answerSlow();
      }),
    );

    expect(await t.service.webhooks.deliverDue()).toBe(1 + notes.length);
    expect(crm.received.map(({ body }) => body.data['note']).filter((note) => note !== 'slow')).toEqual(
      notes,
    );
  });

  it('waits as long as Retry-After asks', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm);
    await newAffiliate(t, 2);
    crm.answers.push((res) => {
      res.writeHead(429, { 'retry-after': '600' });
      res.end();
    });
    await deliver(t);
    t.clock.advance(9 * MINUTE);
    await deliver(t);
    expect(crm.received).toHaveLength(1);
    t.clock.advance(2 * MINUTE);
    await deliver(t);
    expect(crm.received).toHaveLength(2);
  });

  it('gives an event up after the tenth try and lets the next one of the object go', async () => {
    const t = await start();
    const crm = await receiver();
    const { id } = await subscribe(t, crm, { events: ['affiliate.created', 'affiliate.status_changed'] });
    const affiliate = await newAffiliate(t, 2);
    await t.service.affiliates.changeStatus(affiliate, 'inactive');
    crm.answers.push(
      ...Array.from({ length: 10 }, () => (res: { statusCode: number; end(): void }) => {
        res.statusCode = 422;
        res.end();
      }),
    );
    for (let n = 0; n < 14; n++) {
      await deliver(t);
      await t.service.webhooks.updateEndpoint(id, { status: 'active' }); // a person who looks after it
      await t.app.db('webhook_endpoints').update({ failing_since: null });
      t.clock.advance(27 * 60 * MINUTE);
    }

    expect(types(crm)).toEqual([
      ...Array.from({ length: 10 }, () => 'affiliate.created'),
      'affiliate.status_changed',
    ]);
    const { body } = await t.admin.get(`/settings/webhooks/${id}/deliveries`).expect(200);
    expect(
      body.deliveries.data.map((row: Record<string, unknown>) => [
        row['type'],
        row['status'],
        row['answer_status'],
      ]),
    ).toEqual([
      ['affiliate.status_changed', 'sent', 200],
      ['affiliate.created', 'dead', 422],
    ]);
  });

  it('switches an endpoint off that answers 410 and notifies the administrator', async () => {
    const sent: HostMail[] = [];
    const t = await start({ mailer: { send: async (mail: HostMail) => void sent.push(mail) } });
    await t.admin
      .post('/settings/email-config')
      .send({ settings: { admin_email: 'boss@shop.test' } })
      .expect(200);
    const crm = await receiver();
    const { id } = await subscribe(t, crm, { events: ['group.created'] });
    await t.admin
      .post('/groups/groups')
      .send({ meta_key: 'A', value: { rate_type: 'percentage', rate: 5 } })
      .expect(200);
    crm.answers.push((res) => {
      res.statusCode = 410;
      res.end();
    });
    await deliver(t);
    await t.service.emails.deliverDue();

    const { body } = await t.admin.get(`/settings/webhooks/${id}`);
    expect(body.webhook).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
      ['boss@shop.test', 'A webhook of Shop was switched off'],
    ]);
  });

  it('switches an endpoint off that failed for five days', async () => {
    const t = await start();
    const crm = await receiver();
    const { id } = await subscribe(t, crm);
    // Not closed: another server could be given its port, and answer.
    crm.answers.push(...Array.from({ length: 20 }, () => (res: { destroy(): void }) => res.destroy()));
    await newAffiliate(t, 2);
    for (let day = 0; day < 7; day++) {
      await deliver(t);
      t.clock.advance(DAY + 60 * MINUTE);
    }

    expect(await t.service.webhooks.endpoint(id)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
    });
    await newAffiliate(t, 3);
    await deliver(t); // nothing is queued for it any more
    const { body } = await t.admin.get(`/settings/webhooks/${id}/deliveries`);
    expect(body.deliveries.total).toBe(1);
  });

  it('never follows a redirect and never connects to a private address', async () => {
    const t = await start();
    const [crm, secretPlace] = [await receiver(), await receiver()];
    const { id } = await subscribe(t, crm);
    crm.answers.push((res) => {
      res.writeHead(302, { location: secretPlace.url });
      res.end();
    });
    await t.admin.post(`/settings/webhooks/${id}/test`).expect(200, /"delivered":false/);
    expect(secretPlace.received).toEqual([]);

    const guarded = await startApp();
    await guarded.admin
      .post('/settings/webhooks')
      .send({ url: crm.url, events: ['*'] })
      .expect(422, /https/);
    const inside = await guarded.admin
      .post('/settings/webhooks')
      .send({ url: 'https://127.0.0.1/hook', events: ['*'] })
      .expect(200);
    const answer = await guarded.admin.post(`/settings/webhooks/${inside.body.webhook.id}/test`).expect(200);
    expect(answer.body).toMatchObject({
      delivered: false,
      error: 'the address is not one of the public internet',
    });
  });

  it('keeps no more than the first 1 KiB of an answer', async () => {
    const t = await start();
    const crm = await receiver();
    const { id } = await subscribe(t, crm);
    crm.answers.push((res) => {
      res.end('x'.repeat(5000));
    });
    const { body } = await t.admin.post(`/settings/webhooks/${id}/test`).expect(200);
    expect(body).toMatchObject({ delivered: true, status: 200 });
    expect(body.answer).toHaveLength(1024);
  });

  it('signs with both secrets for a day after a rotation', async () => {
    const t = await start();
    const crm = await receiver();
    const { id, secret } = await subscribe(t, crm);
    const rotated = await t.admin.post(`/settings/webhooks/${id}/rotate`).expect(200);
    expect((await t.admin.get(`/settings/webhooks/${id}/secret`)).body).toEqual({
      secret: rotated.body.secret,
    });
    await newAffiliate(t, 2);
    await deliver(t);
    const [first] = crm.received;
    for (const key of [secret, rotated.body.secret as string])
      expect(verified(new Webhook(key), first?.text ?? '', first?.headers ?? {})).toBeTruthy();
    t.clock.advance(DAY);
    await newAffiliate(t, 3);
    await deliver(t);
    const last = crm.received.at(-1);
    expect(() => verified(new Webhook(secret), last?.text ?? '', last?.headers ?? {})).toThrow();
  });

  it('runs beside the other jobs', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm, { events: ['affiliate.created'] });
    await newAffiliate(t, 2);
    await t.service.jobs.runDue(); // puts it in line
    await t.service.jobs.runDue();
    expect(types(crm)).toEqual(['affiliate.created']);
  });
});

it('stands in the OpenAPI document under webhooks, which an independent validator takes', async () => {
  const t = await start();
  const document = t.service.openapi() as { webhooks: object };
  expect(Object.keys(document.webhooks)).toContain('referral.status_changed');
  expect(await new Validator().validate(structuredClone(JSON.parse(JSON.stringify(document))))).toEqual({
    valid: true,
  });
});

describe('asking for events', () => {
  it('answers them after an id, of some types, without payment details', async () => {
    const t = await start();
    const affiliate = await newAffiliate(t, 2);
    await sale(t, affiliate, 'a');
    await t.service.affiliates.changeStatus(affiliate, 'inactive');
    expect((await t.admin.get('/events')).body.events).toEqual([]);
    await t.service.webhooks.lineUp();

    const all = (await t.admin.get('/events').expect(200)).body;
    expect(all.events.map((event: { type: string }) => event.type)).toEqual([
      'affiliate.created',
      'customer.created',
      'referral.created',
      'customer.linked',
      'affiliate.status_changed',
    ]);
    expect(all.events[4].previous).toEqual({ status: 'active' });
    expect(JSON.stringify(all)).not.toContain('pay2@shop.test');
    const some = (await t.admin.get(`/events?after=${all.events[0].id}&type[]=affiliate.status_changed`))
      .body;
    expect(some.events.map((event: { id: number }) => event.id)).toEqual([all.events[4].id]);
    expect(some.last_id).toBe(all.last_id);
    await t.admin.get('/events?type[]=no.such').expect(422);
  });

  it('reports a restored backup to a reader who is ahead, and uses no webhook id twice', async () => {
    const t = await start();
    const crm = await receiver();
    await subscribe(t, crm);
    for (const user of [2, 3]) await newAffiliate(t, user);
    await deliver(t);
    const { body: before } = await t.admin.get('/events').expect(200);
    await t.app.db('events').where('id', before.last_id).delete(); // as the backup was
    await t.admin.get(`/events?after=${before.last_id - 1}`).expect(200);
    const { body } = await t.admin.get(`/events?after=${before.last_id}`).expect(409);
    expect(body).toMatchObject({ code: 'events_restarted', message: expect.stringMatching(/from 0/) });

    t.clock.advance(1000);
    await newAffiliate(t, 4);
    await t.service.webhooks.lineUp();
    await t.app.db('events').where('id', '>=', before.last_id).update({ id: before.last_id });
    const { body: after } = await t.admin.get('/events').expect(200);
    expect(after.events[0].webhook_id).toBe(before.events[0].webhook_id);
    expect(after.last_id).toBe(before.last_id);
    expect(after.events.at(-1).webhook_id).not.toBe(before.events.at(-1).webhook_id);
    // of two affiliates: either may arrive first
    expect(crm.received.map(({ headers }) => String(headers['webhook-id'])).toSorted()).toEqual(
      before.events.map((event: { webhook_id: string }) => event.webhook_id).toSorted(),
    );
  });

  it('keeps them for 30 days', async () => {
    const t = await start();
    await newAffiliate(t, 2);
    await t.service.webhooks.lineUp();
    t.clock.advance(31 * DAY);
    await t.app.webhooks.purge();
    expect((await t.admin.get('/events')).body.events).toEqual([]);
  });
});

describe('sending again', () => {
  it('resends one delivery, and replays everything since a time, also what was missed while off', async () => {
    const t = await start();
    const crm = await receiver();
    const { id } = await subscribe(t, crm);
    await newAffiliate(t, 2);
    await deliver(t);
    const { body } = await t.admin.get(`/settings/webhooks/${id}/deliveries?status=sent`);
    await t.admin
      .post(`/settings/webhooks/${id}/deliveries/${body.deliveries.data[0].id}/resend`)
      .expect(200);
    await t.admin.post(`/settings/webhooks/${id}/deliveries/999/resend`).expect(404, /delivery_not_found/);
    await deliver(t);
    expect(crm.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      expect.stringMatching(/^evt_1_[0-9a-f]{8}$/),
      crm.received[0]?.headers['webhook-id'],
    ]);

    await t.admin.patch(`/settings/webhooks/${id}`).send({ status: 'disabled' }).expect(200);
    await newAffiliate(t, 3);
    await deliver(t);
    expect(crm.received).toHaveLength(2);
    await t.admin.patch(`/settings/webhooks/${id}`).send({ status: 'active' }).expect(200);
    const replay = await t.admin
      .post(`/settings/webhooks/${id}/replay`)
      .send({ from: '2026-01-15T00:00:00Z' })
      .expect(200);
    expect(replay.body.events).toBe(2);
    await deliver(t);
    // two affiliates: whose event comes first is not promised
    const replayed = crm.received.slice(2).map(({ headers }) => headers['webhook-id']);
    expect(replayed.map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      expect.stringMatching(/^evt_1_/),
      expect.stringMatching(/^evt_2_/),
    ]);
    await t.admin.post(`/settings/webhooks/${id}/replay`).send({ from: 'yesterday' }).expect(422);
  });
});

describe('endpoints', () => {
  it('are checked, counted and audited, and their secret is in no list, log or audit', async () => {
    const t = await start();
    const crm = await receiver();
    const refused = async (body: object): Promise<unknown> =>
      (await t.admin.post('/settings/webhooks').send({ url: crm.url, events: ['*'], ...body })).body.errors;
    expect(await refused({ url: 'ftp://x.test/' })).toMatchObject({ url: expect.anything() });
    expect(await refused({ url: 'https://a:b@x.test/' })).toMatchObject({ url: expect.anything() });
    expect(await refused({ events: [] })).toMatchObject({ events: { required: expect.any(String) } });
    expect(await refused({ events: ['no.such'] })).toMatchObject({ events: { in: expect.any(String) } });

    const { id, secret } = await subscribe(t, crm);
    await t.admin.delete(`/settings/webhooks/${id}`).expect(200);
    await t.admin.get(`/settings/webhooks/${id}`).expect(404, /webhook_not_found/);
    const stored = await storedText(t, 'audit', 'webhook_endpoints', 'idempotency_keys');
    const kept = stored + JSON.stringify(t.log);
    expect(kept).toContain('webhook.deleted');
    expect(kept).not.toContain(secret);
    for (let n = 0; n < 50; n++) await t.service.webhooks.createEndpoint({ url: crm.url, events: ['*'] });
    await t.admin
      .post('/settings/webhooks')
      .send({ url: crm.url, events: ['*'] })
      .expect(422, /too_many_webhooks/);
  });
});

describe('the document about events', () => {
  const text = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
  const block = (language: string, nth = 0): string =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))][nth]?.[1] ?? '';
  const vector = (name: string): string =>
    new RegExp(`\\| ${name} \\| \`([^\`]*)\` \\|`).exec(text)?.[1] ?? '';

  it('has a vector that standardwebhooks and the shell function agree with', () => {
    const [secret, id, at, body] = ['secret', 'webhook-id', 'webhook-timestamp', 'body'].map(vector) as [
      string,
      string,
      string,
      string,
    ];
    const expected = vector('webhook-signature');
    expect(new Webhook(secret).sign(id, new Date(Number(at) * 1000), body)).toBe(expected);
    const shell = spawnSync('sh', ['-c', `${block('sh')}\nsignature "$@"`, 'sh', secret, id, at, body], {
      encoding: 'utf8',
    });
    expect(shell.stdout.trim()).toBe(expected);
  });

  it('has a receiver that accepts signed requests, and refuses other senders', async () => {
    const t = await start();
    const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
    const { endpoint, secret } = await t.service.webhooks.createEndpoint({
      url: 'https://crm.test/hook',
      events: ['*'],
    });
    writeFileSync(join(folder, 'receiver.mjs'), block('js'));
    const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let output = '';
      const port = await new Promise<string>((resolve) => {
        child.stdout.on('data', (part: Buffer) => {
          output += part.toString();
          const [, found] = /listening on (\d+)/.exec(output) ?? [];
          if (found !== undefined) resolve(found);
        });
      });
      const url = `http://127.0.0.1:${port}/`;
      await t.service.webhooks.updateEndpoint(endpoint.id, { url });
      t.clock.time = Date.now(); // the receiver looks at the real time
      expect(await t.service.webhooks.ping(endpoint.id)).toMatchObject({
        delivered: true,
        answer: { status: 204 },
      });
      const forged = await fetch(url, {
        method: 'POST',
        body: '{}',
        headers: {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': 'v1,AAAA',
        },
      });
      expect(forged.status).toBe(400);
    } finally {
      child.kill();
      rmSync(folder, { recursive: true });
    }
  });
});
