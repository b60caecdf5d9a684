import { describe, expect, it } from '@jest/globals';
import { INVARIANTS } from '../../src/accounting/ledger/invariants-table.js';
import { startApp } from '../support/app.js';
import { affiliate, earn } from '../support/payouts.js';
import { listed } from '../support/lists.js';

describe('the books', () => {
  it('balance after everything that can happen to a commission', async () => {
    const t = await startApp();
    const { id } = (await t.records.affiliate({
      user_id: 2,
      status: 'active',
      payment_email: 'pay@alice.test',
    })) as { id: number };
    const order = (reference: number, more: object = {}) => ({
      provider: 'shop',
      reference,
      status: 'unpaid' as const,
      order: { subtotal: 100 },
      affiliate: id,
      ...more,
    });
    const balanced = async (): Promise<void> => expect(await t.service.verify()).toEqual([]);

    for (const reference of [1, 2, 3, 4]) await t.service.conversions.record(null, order(reference));
    await t.service.conversions.record(null, order(5, { order: { subtotal: 100, currency: 'EUR' } }));
    await balanced();
    await t.service.conversions.refund('shop', 1, { refunded_total: 33 });
    await t.service.conversions.cancel('shop', 2);
    await balanced();
    const { body } = await t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'Run' } })
      .expect(200);
    await balanced();
    const transactions = await t.admin.get(`/payouts/${body.payout.id}/transactions`).expect(200);
    await t.admin
      .delete(`/payouts/${body.payout.id}/transactions/${transactions.body.transactions.data[0].id}`)
      .expect(200);
    await balanced();
    await t.admin.delete(`/affiliates/${id}`).expect(200);
    await balanced();
  });

  it('have nothing to repair', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2, status: 'active' });
    expect(await t.service.ledger.reconcile()).toEqual([]);
  });

  it('go on being recounted after the process that did it was killed', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 500);
    await t.app.db('affiliates').update({ referrals: 5 }); // wrong, as no request can leave it
    await t.app.transaction((trx) =>
      t.app.operations.begin(trx, {
        kind: 'recount',
        done: 1,
        total: 4,
        details: { part: 1, after_id: 0, repaired: 0 },
      }),
    );

    await t.app.operations.resume();

    expect(await t.service.verify()).toEqual([]);
    expect((await t.admin.get('/system/state').expect(200)).body.works).toEqual([]);
  });

  it('balance while the currency changes in steps, with orders meanwhile, and after the process was killed', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    const bob = await affiliate(t, 3);
    for (const { id } of [alice, bob]) {
      await earn(t, id, 500);
      await earn(t, id, 300, { currency: 'EUR' });
    }
    const counted = async (): Promise<unknown[]> =>
      (await listed(t, '/affiliates')).map((row) => row.total_earnings);

    t.service.hooks.addAction('settings_updated', () => t.app.operations.stop('currency', 0));
    const { body } = await t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { currency: 'EUR' }, confirm: 'yes' })
      .expect(409);

    expect(body.code).toBe('currency_changing');
    expect((await t.app.settings.referralConfig()).currency).toBe('EUR');
    expect(await counted()).toEqual([5, 5]);
    await earn(t, alice.id, 100, { currency: 'USD' });
    await earn(t, alice.id, 7, { currency: 'EUR' });
    expect(await counted()).toEqual([6, 5]);
    expect(await t.service.verify()).toEqual([]);
    const preview = await t.admin.get(`/affiliates/${alice.id}/merge/${bob.id}`).expect(200);
    expect(preview.body.merge.refusal.code).toBe('currency_changing');

    await t.app.operations.goOn('currency', 0);
    await t.app.operations.settled();
    expect(await counted()).toEqual([3.07, 3]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('find and repair totals, marks and counters that do not fit the rows', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    const visits = [await t.records.visit({ affiliate_id: id }), await t.records.visit({ affiliate_id: id })];
    await earn(t, id, 500, { visit_id: visits[0]!.id, provider: 'shop' });
    const before = await figures();

    // wrong, as no request can leave them
    await t.app.db('referral_totals').update({ unpaid_minor: 7, rejected: 2 });
    await t.app.db('visits').where({ id: visits[0]!.id }).update({ converted: 0 });
    await t.app.db('visits').where({ id: visits[1]!.id }).update({ converted: 1 });
    await t.app.db('affiliates').update({ referrals: 5 });

    expect(
      new Set((await t.service.verify()).map(({ invariant, table }) => `${invariant} ${table}`)),
    ).toEqual(new Set(['I3 affiliates', 'I3 visits', 'I3 referral_totals']));
    expect(await t.service.verify()).toContainEqual({
      invariant: 'I3',
      name: 'counters',
      rule: INVARIANTS.I3.rule,
      table: 'affiliates',
      id,
      detail: 'The stored number of referrals is 5, but the rows come to 1.',
    });
    expect(await t.service.ledger.reconcile()).toEqual([
      { affiliate_id: id, column: 'converted_marks', before: 2, after: 0 },
      { affiliate_id: id, column: 'referral_totals', before: 1, after: 0 },
      { affiliate_id: id, column: 'referrals', before: 5, after: 1 },
    ]);
    expect(await t.service.verify()).toEqual([]);
    expect(await figures()).toEqual(before);

    async function figures(): Promise<unknown> {
      const { report } = (await t.admin.get('/reports/commerce-reports/shop').expect(200)).body;
      const { data } = (await t.admin.get('/visits?convert_status=converted').expect(200)).body.visits;
      return [report.widgets, data.map((visit: { id: number }) => visit.id)];
    }
  });

  it('refuse a total beyond 15 digits instead of losing a cent', async () => {
    const t = await startApp();
    const { id } = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
    const big = { affiliate_id: id, type: 'sale', status: 'unpaid', amount: '99999999999.99' };
    for (let count = 0; count < 100; count += 1) await t.service.referrals.create(big);

    await t.admin
      .post('/referrals')
      .send(big)
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('amount_overflow'));
  });
});
