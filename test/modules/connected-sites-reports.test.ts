import { beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild, signed, type Child } from '../support/sites.js';

const VISITS = '/connected-sites/visits';
const REFERRALS = '/connected-sites/referrals';
const PAGE = 'https://store.test/shop?a=1&ref=2&utm_source=x#top';

let t: TestApp;
let child: Child;
let alice: { id: number };
beforeEach(async () => {
  t = await startApp({ rate: 10 });
  child = await connectChild(t, 'https://store.test');
  alice = await t.records.affiliate();
});

const visit = (fields: object = {}) =>
  signed(t, child, 'post', VISITS, {
    affiliate_param: String(alice.id),
    url: PAGE,
    ip: '203.0.113.7',
    ...fields,
  });
const order = (fields: object = {}) =>
  signed(t, child, 'post', REFERRALS, {
    reference: 'A-1',
    affiliate_param: String(alice.id),
    order: { subtotal: '100.00' },
    ...fields,
  });
const follow = (body: object, reference = 'A-1') =>
  signed(t, child, 'patch', `${REFERRALS}/${reference}`, body);
const referralOf = async (id: number) => (await t.admin.get(`/referrals/${id}`).expect(200)).body.referral;

describe('conversions', () => {
  it.each([
    [
      'a misspelled discount',
      { order: { subtotal: '100.00', discont: '10.00' } },
      'order.discont',
      'unknown_key',
    ],
    [
      'a currency inside the order',
      { order: { subtotal: '100.00', currency: 'EUR' } },
      'order.currency',
      'unknown_key',
    ],
    [
      'a misspelled amount of a product',
      { products: [{ item_id: 7, subtotl: '100.00' }] },
      'products.0.subtotl',
      'unknown_key',
    ],
    ['a fraction of a cent', { order: { subtotal: '100.005' } }, 'order.subtotal', 'decimals'],
  ])('with %s are refused by name, as those of the same process are', async (_, sent, field, rule) => {
    const { body } = await order(sent).expect(422);
    expect(body.errors ?? body.data).toMatchObject({ [field]: { [rule]: expect.any(String) } });
  });

  it('are computed here and stored once', async () => {
    const seen = (await visit({ utm_campaign: 'May' })).body;
    const sent = {
      visit_id: seen.visit_id,
      order: { subtotal: '100.00', discount: 10, tax: '8', shipping: '5.00' },
      currency: 'usd',
      amount: 99_999,
      description: 'A <b>mug</b>',
      customer: { email: 'jo@example.test', first_name: 'Jo', last_name: 'Doe', ip: '203.0.113.7' },
      products: [{ item_id: 7, title: 'Mug', subtotal: '100.00', tax: 8, discount: 10, total: 90 }],
    };
    const { body } = await order(sent).expect(200);
    expect(body).toEqual({
      referral: {
        id: expect.any(Number),
        reference: 'A-1',
        status: 'pending',
        amount: 9,
        currency: 'USD',
        affiliate_id: alice.id,
      },
      created: true,
    });
    expect(await t.app.referrals.get(body.referral.id)).toMatchObject({
      provider: `site_${child.site_id}`,
      provider_sub_id: 'A-1',
      provider_id: null,
      site_id: child.site_id,
      order_total_minor: 9000,
      utm_campaign: 'May',
      description: 'A <b>mug</b>',
      type: 'sale',
    });
    expect((await order({ ...sent, order: { subtotal: 5000 }, status: 'unpaid' })).body).toEqual({
      ...body,
      created: false,
    });
    expect(await referralOf(body.referral.id)).toMatchObject({ amount: 9, status: 'pending' });
  });

  it('that had to wait are checked by the time of the order', async () => {
    const { visit_id } = (await visit()).body;
    const ordered = t.clock.time / 1000 + 29 * 86_400;
    t.clock.advance(32 * 86_400_000);
    await order({ reference: 'late', visit_id }).expect(422);
    const { body } = await order({ reference: 'waited', visit_id, occurred_at: ordered }).expect(200);
    expect(await referralOf(body.referral.id)).toMatchObject({
      visit_id,
      created_at: '2026-02-16T15:00:00+00:00',
      settings: { ordered_at: '2026-02-13T15:00:00+00:00' },
    });
    await order({ reference: 'too early to be true', visit_id, occurred_at: 0 }).expect(422);
    const { visit_id: fresh } = (await visit({ ip: '203.0.113.9' })).body;
    const tomorrow = t.clock.time / 1000 + 86_400;
    const early = (await order({ reference: 'to come', visit_id: fresh, occurred_at: tomorrow })).body;
    expect(await referralOf(early.referral.id)).toMatchObject({
      settings: { ordered_at: '2026-02-16T15:00:00+00:00' },
    });
  });

  it('that came too fast after the click are marked so, however late they are reported', async () => {
    t = await startApp({ rate: 10, fraud: { fastOrder: 'reject' } });
    child = await connectChild(t, 'https://store.test');
    alice = await t.records.affiliate();
    const { visit_id } = (await visit()).body;
    const clicked = t.clock.time / 1000;
    t.clock.advance(3_600_000);
    expect((await order({ reference: 'fast', visit_id, occurred_at: clicked + 3 }).expect(200)).body).toEqual(
      { referral: null, created: false, ignored: 'fast_order' },
    );
    expect(
      (await order({ reference: 'slow', visit_id, occurred_at: clicked + 60 }).expect(200)).body.created,
    ).toBe(true);
  });

  it('sent at the same moment are one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => order({ order: { subtotal: n < 4 ? 100 : 200 } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.referral))).size).toBe(1);
  });

  it('of two sites may have one reference', async () => {
    const other = await connectChild(t, 'https://other.test');
    const first = (await order()).body;
    const second = (
      await signed(t, other, 'post', REFERRALS, {
        reference: 'A-1',
        affiliate_param: String(alice.id),
        order: { subtotal: 1 },
      })
    ).body;
    expect([second.created, second.referral.id === first.referral.id]).toEqual([true, false]);
  });

  it.each([
    ['pending', 'referral_created'],
    ['unpaid', 'referral_marked_unpaid'],
  ] as const)('as %s tell %s', async (status, name) => {
    const heard: unknown[] = [];
    t.service.hooks.addAction(name, (referral: { id: number }) => {
      heard.push(referral.id);
    });
    const { body } = await order({ status });
    expect([body.referral.status, heard]).toEqual([status, [body.referral.id]]);
  });

  it('may name their commission when the option trusts them', async () => {
    const trusting = await startApp({ connectedSites: { trustAmounts: true } });
    const site = await connectChild(trusting);
    const { id } = await trusting.records.affiliate();
    const { body } = await signed(trusting, site, 'post', REFERRALS, {
      reference: '1',
      affiliate_param: String(id),
      order: { subtotal: 100 },
      amount: '33.33',
    });
    expect(body.referral.amount).toBe(33.33);
  });

  it.each([
    ['zero_amount', { order: { subtotal: 0 } }],
    ['self_referral', { customer: { email: 'PAY@example.test' } }],
    ['self_referral', { customer: { email: 'alice@shop.test' } }],
  ])('are ignored: %s (%#)', async (ignored, fields) => {
    expect((await order(fields).expect(200)).body).toEqual({ referral: null, created: false, ignored });
  });

  it('for an opt-in may be worth nothing', async () => {
    expect((await order({ type: 'opt_in', order: { subtotal: 0 } })).body).toMatchObject({
      created: true,
      referral: { amount: 0 },
    });
  });

  it('follow the visit, which must agree', async () => {
    const bob = await t.records.affiliate({ user_id: 3 });
    const { visit_id } = (await visit()).body;
    expect((await order({ affiliate_param: undefined, visit_id })).body.referral.affiliate_id).toBe(alice.id);
    for (const fields of [{ affiliate_param: String(bob.id), visit_id }, { visit_id: 999_999 }]) {
      expect((await order({ reference: 'B', ...fields }).expect(422)).body.code).toBe('visit_mismatch');
    }
    t.clock.advance(30 * 86_400_000);
    expect((await order({ reference: 'C', visit_id })).status).toBe(200);
    t.clock.advance(1000);
    expect((await order({ reference: 'D', visit_id }).expect(422)).body.code).toBe('visit_mismatch');
  });

  it('of unknown and inactive affiliates are refused', async () => {
    const { visit_id } = (await visit()).body;
    const bob = await t.records.affiliate({ user_id: 3, status: 'inactive' });
    for (const affiliate_param of ['nobody', String(bob.id)])
      expect((await order({ affiliate_param }).expect(404)).body.code).toBe('affiliate_not_found');
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);
    expect((await order({ affiliate_param: undefined, visit_id }).expect(404)).body.code).toBe(
      'affiliate_not_found',
    );
  });

  it.each([
    ['reference', { reference: '' }],
    ['reference', { reference: 'x'.repeat(151) }],
    ['affiliate_param', { affiliate_param: '' }],
    ['affiliate_param', { affiliate_param: undefined }],
    ['order', { order: undefined }],
    ['order.subtotal', { order: {} }],
    ['order.subtotal', { order: { subtotal: -1 } }],
    ['order.tax', { order: { subtotal: 1, tax: 'x' } }],
    ['currency', { currency: 'XXZ' }],
    ['status', { status: 'paid' }],
    ['type', { type: 'lead' }],
    ['description', { description: 'x'.repeat(501) }],
    ['products', { products: Array.from({ length: 101 }, () => ({ item_id: 'a' })) }],
  ])('with a wrong %s are refused (%#)', async (name, fields) => {
    const { body } = await order(fields).expect(422);
    expect([body.code, Object.keys(body.errors)]).toEqual(['validation_failed', [name]]);
  });
});

describe('follow-ups', () => {
  const settle = async (status: string): Promise<number> => {
    const { id } = (
      await order({
        order: { subtotal: 90 },
        status: status === 'pending' || status === 'processing' ? 'pending' : 'unpaid',
      })
    ).body.referral;
    if (status === 'rejected') await follow({ status: 'rejected' }).expect(200);
    if (status === 'paid') await t.records.payout();
    // Only imported rows have this status.
    if (status === 'processing') {
      await t.app.db('referrals').where({ id }).update({ status, source_key: 'other:1' });
      await t.service.ledger.reconcile();
    }
    expect((await referralOf(id)).status).toBe(status);
    return id;
  };

  it.each([
    ['pending', { status: 'unpaid' }, 200, 'unpaid', 9, true],
    ['pending', { status: 'rejected' }, 200, 'rejected', 9, true],
    ['unpaid', { status: 'rejected' }, 200, 'rejected', 9, true],
    ['unpaid', { refunded_total: '90.00' }, 200, 'rejected', 0, true],
    ['pending', { refunded_total: 1000 }, 200, 'rejected', 0, true],
    ['unpaid', { refunded_total: 30 }, 200, 'unpaid', 6, true],
    ['pending', { refunded_total: '0.01' }, 200, 'pending', 9, true],
    ['pending', { status: 'unpaid', refunded_total: 45 }, 200, 'unpaid', 4.5, true],
    ['unpaid', { status: 'unpaid' }, 200, 'unpaid', 9, false],
    ['unpaid', { refunded_total: 0 }, 200, 'unpaid', 9, false],
    ['rejected', { status: 'rejected' }, 200, 'rejected', 9, false],
    ['rejected', { refunded_total: 90 }, 200, 'rejected', 0, true],
    ['rejected', { status: 'unpaid' }, 409, 'rejected', 9, false],
    ['processing', { status: 'unpaid' }, 200, 'processing', 9, false],
    ['processing', { status: 'rejected' }, 200, 'processing', 9, 'locked'],
    ['processing', { refunded_total: 30 }, 200, 'processing', 9, 'locked'],
    ['paid', { status: 'unpaid' }, 200, 'paid', 9, false],
    ['paid', { status: 'rejected' }, 200, 'paid', 9, true],
    ['paid', { refunded_total: 90 }, 200, 'paid', 9, true],
  ] as const)('%s, reported as %j: %i, %s', async (from, input, status, after, amount, changed) => {
    const id = await settle(from);
    const answer = await follow(input);
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.code).toBe('referral_locked');
    else
      expect(answer.body).toEqual({
        referral: { id, reference: 'A-1', status: after, amount, currency: 'USD', affiliate_id: alice.id },
        changed: changed === true,
        ...(changed === 'locked' && { reason: 'locked' }),
      });
    expect(await referralOf(id)).toMatchObject({ status: after, amount });
  });

  it('start from the original amount, so repeats and orders of arrival do not matter', async () => {
    const id = await settle('unpaid');
    const amounts: unknown[] = [];
    for (const refunded_total of [30, 30, 20, 60, 45])
      amounts.push((await follow({ refunded_total })).body.referral.amount);
    expect(amounts).toEqual([6, 6, 6, 3, 3]);
    expect((await referralOf(id)).status).toBe('unpaid');
  });

  it.each([
    ['referral_marked_unpaid', { status: 'unpaid' }],
    ['referral_marked_rejected', { status: 'rejected' }],
    ['referral_commission_updated', { refunded_total: 30 }],
  ] as const)('tell %s', async (name, input) => {
    await settle('pending');
    let calls = 0;
    t.service.hooks.addAction(name, () => {
      calls += 1;
    });
    await follow(input).expect(200);
    await follow(input).expect(200);
    expect(calls).toBe(1);
  });

  it('take references with any letters', async () => {
    await order({ reference: 'Nr. 5/\u00e9 %' }).expect(200);
    expect(
      (await follow({ status: 'unpaid' }, encodeURIComponent('Nr. 5/\u00e9 %')).expect(200)).body.referral
        .reference,
    ).toBe('Nr. 5/\u00e9 %');
  });

  it('of unknown orders and of other sites are not found', async () => {
    const other = await connectChild(t, 'https://other.test');
    await order();
    expect((await follow({ status: 'unpaid' }, 'B-2').expect(404)).body.code).toBe('referral_not_found');
    expect(
      (await signed(t, other, 'patch', `${REFERRALS}/A-1`, { status: 'unpaid' }).expect(404)).body.code,
    ).toBe('referral_not_found');
  });

  it.each([
    [{}, 'status'],
    [{ status: 'paid' }, 'status'],
    [{ refunded_total: -1 }, 'refunded_total'],
    [{ refunded_total: 'x' }, 'refunded_total'],
  ])('refuse %j', async (input, name) => {
    await order();
    expect(Object.keys((await follow(input).expect(422)).body.errors)).toEqual([name]);
  });
});
