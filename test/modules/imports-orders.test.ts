import { describe, expect, it } from '@jest/globals';
import { memorySource } from '../imports/memory-source.js';
import { order, startCommerce, type CommerceShop } from '../support/commerce.js';

// Orders of before the move: what their shop reports of them later finds the commissions that were imported.

const commission = (id: string, more: object = {}): Record<string, unknown> => ({
  id,
  affiliate_id: '1',
  status: 'unpaid',
  amount: '20.00',
  order_total: '100.00',
  currency: 'USD',
  provider: 'demo',
  provider_id: `A-${id}`,
  created_at: '2025-12-01 10:00:00',
  ...more,
});

interface Moved extends CommerceShop {
  readonly rows: Record<string, unknown>[];
  run(): Promise<void>;
  refund(reference: string, more: object): Promise<unknown>;
  state(reference: string): Promise<unknown[]>;
}

async function moved(rows: Record<string, unknown>[], more: object = {}): Promise<Moved> {
  const source = memorySource({
    affiliates: [{ id: '1', user: { email: 'alice@shop.test' }, status: 'active' }],
    referrals: rows,
    ...more,
  });
  const t = await startCommerce({ migrators: [source] });
  const run = async (): Promise<void> => {
    await t.app.imports.start('affiliate_wp', true);
    await t.app.imports.run('affiliate_wp');
  };
  await run();
  return {
    ...t,
    rows,
    run,
    refund: async (reference, given) => {
      t.clock.advance(1000);
      const refund = { order_ref: reference, currency: 'USD', state: 'done', ...given };
      return (await t.send({ type: 'order.refunded', refund }).expect(200)).body;
    },
    state: async (reference) => {
      const row = (await t.referrals()).find(
        (each) => each['provider_id'] === reference && each['type'] !== 'adjustment',
      );
      return [row?.['status'], row?.['amount']];
    },
  };
}

describe('orders of before the move', () => {
  it('are reduced by what their shop refunds, also after they were paid', async () => {
    const t = await moved([commission('1'), commission('2', { status: 'paid' })], {
      payouts: [
        {
          id: '9',
          affiliate_id: '1',
          amount: '20.00',
          status: 'paid',
          referral_ids: ['2'],
          batch: { id: 'b' },
        },
      ],
    });
    await t.refund('A-1', { refund_id: 'r1', gross: '40.00' });
    await t.refund('A-2', { gross: '50.00' });
    expect([await t.state('A-1'), await t.state('A-2')]).toEqual([
      ['unpaid', 12],
      ['paid', 20],
    ]);
    expect((await t.referrals()).filter((row) => row['type'] === 'adjustment')).toMatchObject([
      { status: 'unpaid', amount: -10 },
    ]);
    await t.refund('A-1', { refund_id: 'r2', gross: '60.00' });
    expect(await t.state('A-1')).toEqual(['rejected', 0]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('are found whichever shop of the provider reports them, and are never credited again', async () => {
    const t = await moved([commission('1')]);
    const attribution = { token: await t.token() };
    const reported = order({ id: 'A-1', attribution });
    await t.send({ type: 'order.paid', account: 'shop-2', order: reported }).expect(200);
    await t
      .send({ type: 'order.canceled', account: 'shop-2', order_ref: 'A-1', reason: 'voided' })
      .expect(200);
    expect(await t.referrals()).toMatchObject([{ provider_id: 'A-1', status: 'rejected' }]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('wait for a person when nobody knows what they cost', async () => {
    const t = await moved([commission('1', { order_total: null })]);
    await t.refund('A-1', { gross: '50.00' });
    expect(await t.state('A-1')).toEqual(['pending', 20]);
    const [row] = await t.referrals();
    expect(await t.service.referrals.explain(Number(row?.['id']))).toMatchObject({
      reasons: ['totals_mismatch'],
    });
    await t.admin
      .patch(`/referrals/${String(row?.['id'])}`)
      .send({ amount: 10, status: 'unpaid' })
      .expect(200);
    expect(await t.state('A-1')).toEqual(['unpaid', 10]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('are given back whole when their shop says what they cost and that all of it was refunded', async () => {
    const t = await moved([commission('1', { order_total: null }), commission('2', { order_total: null })]);
    await t.send({ type: 'order.paid', order: order({ id: 'A-1' }) }).expect(200);
    await t.refund('A-1', { refund_id: 'r1', gross: '114.00' });
    expect(await t.state('A-1')).toEqual(['rejected', 0]);
    const [row] = (await t.referrals()).filter((each) => each['provider_id'] === 'A-1');
    const { steps } = (await t.service.referrals.explain(Number(row?.['id'])))!;
    expect(JSON.stringify(steps)).toContain('114.00');

    await t.refund('A-2', { gross: '114.00' });
    expect(await t.state('A-2')).toEqual(['pending', 20]);
    await t.send({ type: 'order.paid', order: order({ id: 'A-2' }) }).expect(200);
    expect(await t.state('A-2')).toEqual(['rejected', 0]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('take what changed in the old system since, and what their shop reports afterwards', async () => {
    const t = await moved([
      commission('1'),
      commission('2', { status: 'pending' }),
      commission('3', { status: 'rejected' }),
      commission('4'),
    ]);
    Object.assign(t.rows[0]!, { amount: '15.00' });
    Object.assign(t.rows[1]!, { status: 'unpaid' });
    Object.assign(t.rows[2]!, { status: 'unpaid', amount: '8.00' });
    Object.assign(t.rows[3]!, { status: 'paid' });
    await t.run();
    const states = async (): Promise<unknown[]> =>
      Promise.all(['A-1', 'A-2', 'A-3', 'A-4'].map((each) => t.state(each)));
    expect(await states()).toEqual([
      ['unpaid', 15],
      ['unpaid', 20],
      ['unpaid', 8],
      ['paid', 20],
    ]);
    expect(await t.service.verify()).toEqual([]);
    for (const each of ['A-1', 'A-2', 'A-3', 'A-4']) await t.refund(each, { gross: '50.00' });
    expect(await states()).toEqual([
      ['unpaid', 7.5],
      ['unpaid', 10],
      ['unpaid', 4],
      ['paid', 20],
    ]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('owe what was deducted of a commission that came to nothing, then or since, as the old system does', async () => {
    const deduction = (of: string): Record<string, unknown> =>
      commission(`${of}-back`, { amount: '-5.00', order_total: null, provider_id: `A-${of}`, parent_id: of });
    const t = await moved([
      commission('1', { status: 'rejected' }),
      deduction('1'),
      commission('2'),
      deduction('2'),
    ]);
    const owed = async (): Promise<number> =>
      Number((await t.service.affiliates.list()).rows[0]!.unpaid_earnings);
    expect(await owed()).toBe(-5 + 20 - 5);
    expect(await t.service.verify()).toEqual([]);

    Object.assign(t.rows[2]!, { status: 'rejected' });
    await t.run();
    expect(await owed()).toBe(-5 - 5);
    expect(await t.service.verify()).toEqual([]);
  });
});
