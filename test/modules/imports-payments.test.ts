import { describe, expect, it } from '@jest/globals';
import { memorySource, type Rows } from '../imports/memory-source.js';
import { startApp, type TestApp } from '../support/app.js';
import { listed } from '../support/lists.js';

// Money that was on its way in the old system: owed to nobody a second time, and to everybody once.

const AT = { created_at: '2025-12-01 10:00:00' };
const commission = (id: string, status: string, amount: string, more: object = {}): object => ({
  id,
  affiliate_id: '1',
  status,
  amount,
  currency: 'USD',
  ...AT,
  ...more,
});
const payment = (id: string, status: string, ids: string[], more: object = {}): object => ({
  id,
  affiliate_id: '1',
  amount: '15',
  status,
  referral_ids: ids,
  batch: { id: 'a' },
  ...AT,
  ...more,
});

async function moveIn(rows: Rows): Promise<TestApp> {
  const t = await startApp({
    migrators: [
      memorySource({
        affiliates: [{ id: '1', user: { email: 'alice@shop.test' }, status: 'active' }],
        ...rows,
      }),
    ],
  });
  await t.app.imports.start('affiliate_wp');
  await t.app.imports.run('affiliate_wp');
  return t;
}

// A batch that was tried again may have left a number out.
const onlyId = async (t: TestApp, path: string): Promise<number> => (await listed(t, path))[0].id;

const owed = async (t: TestApp): Promise<unknown> =>
  t.app.affiliates
    .get(await onlyId(t, '/affiliates'))
    .then((affiliate) => [affiliate.total_earnings_minor, affiliate.unpaid_earnings_minor]);

describe('payments on their way', () => {
  const ROWS: Rows = {
    referrals: [
      commission('1', 'unpaid', '10'),
      commission('2', 'paid', '5'),
      commission('3', 'unpaid', '7'),
      commission('4', 'pending', '9'),
      commission('5', 'processing', '2'),
    ],
    payouts: [payment('1', 'processing', ['1', '2', '4', '5'])],
  };

  it('hold their commissions, so that no payout offers them again', async () => {
    const t = await moveIn(ROWS);

    expect(await owed(t)).toEqual([2400, 700]);
    const { body } = await t.admin
      .post('/payouts/validate-payout-config')
      .send({ config: { title: 'Next', description: 'All of it' } })
      .expect(200);
    expect(body).toMatchObject({ payable_total_amount: 7 });
    const { body: view } = await t.admin
      .get(`/payouts/${await onlyId(t, '/payouts')}/transactions`)
      .expect(200);
    expect(view).toMatchObject({
      processing_count: 1,
      transactions: { data: [{ status: 'processing', total_amount: 17 }] },
    });
  });

  it('are explained by the report to the cent', async () => {
    const t = await moveIn(ROWS);

    const report = await t.app.imports.report('affiliate_wp');
    const sums = Object.fromEntries(
      (report?.sums ?? []).map((sum) => [
        sum.status,
        [sum.imported_minor, sum.moved_minor, sum.stored_minor],
      ]),
    );
    expect(sums).toEqual({
      paid: [500, 1200, 1700],
      pending: [900, 0, 900],
      processing: [200, -200, 0],
      unpaid: [1700, -1000, 700],
    });
    expect(report?.noted).toMatchObject({
      unpaid_commissions_held_by_open_payment: 1,
      commissions_not_paid_left_as_they_are: 1,
    });
  });

  it('keep that explanation when everything is looked at again', async () => {
    const t = await moveIn(ROWS);
    await t.app.imports.start('affiliate_wp', true);
    await t.app.imports.run('affiliate_wp');

    const report = await t.app.imports.report('affiliate_wp');
    for (const sum of report?.sums ?? [])
      expect([sum.status, sum.stored_minor]).toEqual([sum.status, sum.existing_minor + sum.moved_minor]);
    expect(await owed(t)).toEqual([2400, 700]);
  });

  it('make their commissions payable again when the transaction is deleted', async () => {
    const t = await moveIn(ROWS);

    const transactions = `/payouts/${await onlyId(t, '/payouts')}/transactions`;
    await t.admin.delete(`${transactions}/${await onlyId(t, transactions)}`).expect(200);

    expect(await owed(t)).toEqual([2400, 2400]);
  });

  it('cover a commission once, however many of them name it', async () => {
    const t = await moveIn({
      referrals: [commission('1', 'unpaid', '10'), commission('2', 'unpaid', '4')],
      payouts: [
        payment('1', 'processing', ['1']),
        payment('2', 'processing', ['1', '2']),
        payment('3', 'processing', ['1']),
      ],
    });

    expect(await owed(t)).toEqual([1400, 0]);
    // a payout holds an affiliate once: the second payment of the batch stands in a payout beside it
    expect((await listed(t, '/payouts')).map(({ total_amount }) => total_amount)).toEqual([10, 4]);
    expect((await t.app.imports.report('affiliate_wp'))?.skipped).toEqual({ no_paid_commissions: 1 });
  });

  it('that are done leave unpaid commissions as they are', async () => {
    const t = await moveIn({
      referrals: [commission('1', 'unpaid', '10'), commission('2', 'paid', '5')],
      payouts: [payment('1', 'paid', ['1', '2'])],
    });

    expect(await owed(t)).toEqual([1500, 1000]);
    expect((await t.app.imports.report('affiliate_wp'))?.noted).toMatchObject({
      commissions_not_paid_left_as_they_are: 1,
    });
  });
});
