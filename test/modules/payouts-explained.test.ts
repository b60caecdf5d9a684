import { describe, expect, it } from '@jest/globals';
import type { ResponseOf } from '../../client/index.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { listed } from '../support/lists.js';

const DAY = 86_400_000;
const preview = async (t: TestApp, config: object = {}): Promise<ResponseOf<'payouts.preview'>> =>
  (
    await t.admin
      .post('/payouts/validate-payout-config')
      .send({ config: { ...FORM, ...config } })
      .expect(200)
  ).body;

describe('the preview says for every unpaid cent', () => {
  /** One affiliate for each reason. */
  async function program(options: TestOptions = {}): Promise<{ t: TestApp; ids: Record<string, number> }> {
    const t = await startApp({ payouts: { requireActive: true, requirePaymentDetails: true }, ...options });
    const [alice, bob, carol, dave] = [
      await affiliate(t, 2),
      await affiliate(t, 3, { payment_email: '' }),
      await affiliate(t, 4),
      await affiliate(t, 5),
    ];
    await earn(t, alice.id, 5000, { created_at: t.clock.time - 40 * DAY }); // before the range
    await earn(t, alice.id, 1000);
    await earn(t, alice.id, -200, { created_at: t.clock.time - 40 * DAY, type: 'adjustment' });
    await earn(t, alice.id, 300, { status: 'pending' });
    await earn(t, alice.id, 400, { payable_at: t.clock.time + DAY });
    await earn(t, alice.id, 450, { payable_at: t.clock.time + 2 * DAY });
    await earn(t, alice.id, 70, { currency: 'JPY' });
    await earn(t, bob.id, 700);
    await earn(t, carol.id, 900);
    await t.admin.patch(`/affiliates/${carol.id}/status`).send({ status: 'inactive' }).expect(200);
    await earn(t, dave.id, 199);
    return { t, ids: { alice: alice.id, bob: bob.id, carol: carol.id, dave: dave.id } };
  }

  it('whether it is paid now, or which reason keeps it', async () => {
    const { t, ids } = await program();

    const body = await preview(t, { start_date: '2026-01-01', min_payout: 2 });

    const amountOf = (
      reason: string,
      amount: number,
      count: number,
      people: number,
      currency = 'USD',
    ): object => ({
      reason,
      currency,
      amount,
      referral_count: count,
      affiliates_count: people,
    });
    expect(body.unpaid).toEqual([
      amountOf('below_minimum', 1.99, 1, 1),
      amountOf('held', 3, 1, 1),
      amountOf('inactive', 9, 1, 1),
      amountOf('no_payment_details', 7, 1, 1),
      amountOf('other_currency', 70, 1, 1, 'JPY'),
      amountOf('outside_range', 50, 1, 1),
      amountOf('paid_now', 8, 2, 1),
      amountOf('until', 8.5, 2, 1),
    ]);
    expect(body.payable_total_amount).toBe(8);
    expect(body.left_out).toEqual([
      {
        affiliate_id: ids['alice'],
        reason: 'held',
        currency: 'USD',
        amount: 3,
        referral_count: 1,
        until: null,
      },
      {
        affiliate_id: ids['alice'],
        reason: 'other_currency',
        currency: 'JPY',
        amount: 70,
        referral_count: 1,
        until: null,
      },
      {
        affiliate_id: ids['alice'],
        reason: 'outside_range',
        currency: 'USD',
        amount: 50,
        referral_count: 1,
        until: null,
      },
      {
        affiliate_id: ids['alice'],
        reason: 'until',
        currency: 'USD',
        amount: 8.5,
        referral_count: 2,
        until: '2026-01-16T15:00:00+00:00',
      },
      {
        affiliate_id: ids['bob'],
        reason: 'no_payment_details',
        currency: 'USD',
        amount: 7,
        referral_count: 1,
        until: null,
      },
      {
        affiliate_id: ids['carol'],
        reason: 'inactive',
        currency: 'USD',
        amount: 9,
        referral_count: 1,
        until: null,
      },
      {
        affiliate_id: ids['dave'],
        reason: 'below_minimum',
        currency: 'USD',
        amount: 1.99,
        referral_count: 1,
        until: null,
      },
    ]);
    expect(body.left_out_truncated).toBe(false);
    expect((await t.records.payout({ ...FORM, start_date: '2026-01-01', min_payout: 2 })).total_amount).toBe(
      8,
    );
  });

  it('also of those the host does not know, and of those not asked for', async () => {
    const { t, ids } = await program({ payouts: {} });
    t.host.removeUser(4);

    const body = await preview(t, { affiliate_ids: [ids['carol'], ids['dave']] });

    const reasons = Object.fromEntries(
      body.left_out.map((row) => [`${row.affiliate_id} ${row.reason}`, row.amount]),
    );
    expect(reasons).toMatchObject({
      [`${ids['carol']} user_missing`]: 9,
      [`${ids['alice']} not_selected`]: 58,
      [`${ids['bob']} not_selected`]: 7,
    });
    expect(body.unpaid).toContainEqual({
      reason: 'paid_now',
      currency: 'USD',
      amount: 1.99,
      referral_count: 1,
      affiliates_count: 1,
    });
  });

  it('and the parts are all that is owed', async () => {
    const { t } = await program();
    const { unpaid } = await preview(t);
    const sum = unpaid
      .filter((row: { currency: string }) => row.currency === 'USD')
      .reduce((total: number, row: { amount: number }) => total + Math.round(row.amount * 100), 0);
    const owed = (await listed(t, '/referrals'))
      .filter(({ status, currency }) => currency === 'USD' && ['unpaid', 'pending'].includes(status))
      .reduce((total, { amount }) => total + Math.round(amount * 100), 0);
    expect(sum).toBe(owed);
  });

  it('that a balance below 0 waits', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 500);
    await t.service.ledger.correct(id, { amount: -8, reason: 'Paid twice' });
    expect((await preview(t)).left_out).toEqual([
      {
        affiliate_id: id,
        reason: 'below_minimum',
        currency: 'USD',
        amount: -3,
        referral_count: 2,
        until: null,
      },
    ]);
  });
});

describe('the frozen lines of a payout', () => {
  it('say what was paid for each referral, also when the affiliate is gone', async () => {
    const t = await startApp();
    const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3)];
    const sales = [
      await earn(t, alice.id, 5000),
      await earn(t, alice.id, -300, { type: 'adjustment' }),
      await earn(t, bob.id, 700),
    ];
    const payout = await t.records.payout(FORM);
    const lines = async (query = ''): Promise<Record<string, unknown>[]> =>
      (await t.admin.get(`/payouts/${payout.id}/items?order_type=ASC&${query}`).expect(200)).body.items.data;

    expect(await lines()).toMatchObject([
      {
        referral_id: sales[0]!.id,
        affiliate_id: alice.id,
        amount: 50,
        currency: 'USD',
        transaction_status: 'processing',
        referral: { id: sales[0]!.id, status: 'paid' },
      },
      { referral_id: sales[1]!.id, amount: -3, referral: { type: 'adjustment' } },
      { referral_id: sales[2]!.id, affiliate_id: bob.id, amount: 7 },
    ]);
    expect(await lines(`affiliate_id=${bob.id}`)).toHaveLength(1);
    const [first] = await lines('order_by=amount');
    expect(first).toMatchObject({ amount: -3 });
    expect(await lines(`transaction_id=${String(first!['transaction_id'])}`)).toHaveLength(2);
    expect(await lines('per_page=1&page=3')).toMatchObject([{ referral_id: sales[2]!.id }]);

    await t.admin.delete(`/affiliates/${alice.id}`).expect(200);
    expect(await lines(`affiliate_id=${alice.id}`)).toMatchObject([
      { amount: 50, referral: null },
      { amount: -3, referral: null },
    ]);
    await t.admin.get('/payouts/99/items').expect(404);
  });
});

describe('the audit', () => {
  it('is read by object, actor, action and site day', async () => {
    const t = await startApp({ timeZone: 'America/New_York' });
    t.host.grant(5, 'manage_options');
    const alice = await affiliate(t, 2); // by code
    await earn(t, alice.id, 5000);
    const payout = await t.records.payout(FORM);
    t.clock.advance(10 * 3_600_000); // 2026-01-15 20:00 in New York, already the 16th in London
    await t.as(5).patch(`/payouts/${payout.id}/transactions/bulk-action`).send({}).expect(200);
    t.clock.advance(DAY);
    await t.service.ledger.correct(alice.id, { amount: 1, reason: 'Thanks' });
    const read = async (query: string): Promise<Record<string, unknown>[]> =>
      (await t.admin.get(`/audit?${query}`).expect(200)).body.entries.data;
    const actions = async (query: string): Promise<unknown[]> =>
      (await read(query)).map((entry) => entry['action']);

    expect(await read(`object_type=payout&object_id=${payout.id}`)).toMatchObject([
      {
        action: 'payout.marked_paid',
        actor: { ID: 5, display_name: 'Dave' },
        after: { transactions: 1, first_id: 1, last_id: 1, total_amount_minor: 5000 },
        created_at: '2026-01-16T01:00:00+00:00',
      },
      { action: 'payout.processed', actor_id: 1, before: null, request_id: expect.any(String) },
    ]);
    expect(await actions('actor_id=5')).toEqual(['payout.marked_paid']);
    expect(await actions('actor_id=0&object_type=affiliate')).toEqual([
      'affiliate.balance_corrected',
      'affiliate.created',
    ]);
    expect(await actions('day=2026-01-15&action=payout.marked_paid')).toEqual(['payout.marked_paid']);
    expect(await actions('day=2026-01-16')).toEqual(['affiliate.balance_corrected', 'referral.created']);
    expect(await actions('order_type=ASC&per_page=1&object_type=payout')).toEqual(['payout.processed']);
    expect(await actions('object_type=nothing')).toEqual([]);
    await t.admin.get('/audit?day=2026-02-30').expect(422);
    await t.service.permissions.setPermissions(3, ['manage_all_data']);
    await t.as(3).get('/audit').expect(403);
  });
});
