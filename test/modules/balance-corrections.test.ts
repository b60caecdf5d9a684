import { describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { auditOf } from '../support/lists.js';
import { outboxOf } from '../support/outbox.js';

const correct = (t: TestApp, id: number, body: object): Test =>
  t.admin.post(`/affiliates/${id}/balance-corrections`).send({ reason: 'Told by phone', ...body });
const run = (t: TestApp, config: object = {}): Test =>
  t.admin.post('/payouts/process-payout').send({ config: { ...FORM, ...config } });

/** Unpaid and total earnings of an affiliate in minor units. */
async function balance(t: TestApp, id: number): Promise<[unpaid: number, total: number]> {
  const row = await t.app.affiliates.get(id);
  return [row.unpaid_earnings_minor, row.total_earnings_minor];
}

describe('a correction of the balance', () => {
  it('adds to the balance beside the commissions, and stores its reason in every place', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 1000);
    const amounts: number[] = [];
    t.service.hooks.addAction('affiliate_balance_corrected', (referral) => {
      amounts.push(referral.amount_minor);
    });
    const before = await outboxOf(t);

    const { body } = await correct(t, id, { amount: '2.505', reason: ' Bonus of <b>May</b> ' }).expect(200);

    expect(body.referral).toMatchObject({
      affiliate_id: id,
      type: 'adjustment',
      status: 'unpaid',
      amount: 2.51,
      currency: 'USD',
      description: 'Bonus of <b>May</b>',
      order_total: null,
      payable_at: null,
    });
    expect(await balance(t, id)).toEqual([1251, 1251]);
    expect(amounts).toEqual([251]);
    expect(await outboxOf(t)).toEqual(before); // no mail of a sale
    const referralId: number = body.referral.id;
    // No screen lists the entries of the ledger.
    const [entry] = await t.app.db('ledger_entries').where({ referral_id: referralId });
    expect(entry).toMatchObject({ kind: 'adjusted', reason: 'Bonus of <b>May</b>', currency: 'USD' });
    expect([entry.total_delta_minor, entry.unpaid_delta_minor, entry.actor_id].map(Number)).toEqual([
      251, 251, 1,
    ]);
    expect(await auditOf(t, 'action=affiliate.balance_corrected')).toMatchObject([
      {
        object_type: 'affiliate',
        object_id: String(id),
        after: { referral_id: referralId, amount_minor: 251, currency: 'USD', reason: 'Bonus of <b>May</b>' },
      },
    ]);
  });

  it('takes its amount back from a form, also below 0, but no other one below 0', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    const { body } = await correct(t, id, { amount: -3 }).expect(200);
    const path = `/referrals/${body.referral.id}`;
    const form = { amount: -3, status: 'unpaid', type: 'adjustment', description: 'Agreed' };
    const answer = await t.admin.patch(path).send(form).expect(200);
    expect(answer.body.referral).toMatchObject({ amount: -3, description: 'Agreed' });
    const refused = await t.admin
      .patch(path)
      .send({ ...form, amount: '-3.01' })
      .expect(422);
    expect(Object.keys(refused.body.errors)).toEqual(['amount']);
    expect(await balance(t, id)).toEqual([-300, -300]);
  });

  it('is netted by the payout, and a negative rest is carried to the next run', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    const bob = await affiliate(t, 3);
    await earn(t, id, 5000);
    await earn(t, bob.id, 700);
    await correct(t, id, { amount: -80 }).expect(200);
    expect(await balance(t, id)).toEqual([-3000, -3000]);

    const first = await run(t).expect(200);
    expect(first.body.payout).toMatchObject({ total_amount: 7, transactions_count: 1 });
    await run(t)
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('nothing_to_pay'));

    await earn(t, id, 4000);
    const second = await run(t).expect(200);
    expect(second.body.payout).toMatchObject({ total_amount: 10, referrals_count: 3 });
    expect(await balance(t, id)).toEqual([0, 1000]);

    const [transaction] = (await t.admin.get(`/payouts/${second.body.payout.id}/transactions`)).body
      .transactions.data;
    await t.admin.delete(`/payouts/${second.body.payout.id}/transactions/${transaction.id}`).expect(200);
    expect(await balance(t, id)).toEqual([1000, 1000]);
  });

  it('below 0 counts in a payout of any days, above 0 only in a payout of its own day', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await correct(t, id, { amount: -30 }).expect(200); // 15 January
    t.clock.advance(31 * 86_400_000); // 15 February
    await earn(t, id, 5000);
    t.clock.advance(28 * 86_400_000); // 15 March
    await correct(t, id, { amount: -5 }).expect(200);
    await correct(t, id, { amount: 100 }).expect(200);

    const { body } = await run(t, { start_date: '2026-02-01', end_date: '2026-02-28' }).expect(200);

    expect(body.payout).toMatchObject({ total_amount: 15, referrals_count: 3 });
    expect(await balance(t, id)).toEqual([10_000, 11_500]);
  });

  it('belongs to the balance of its own currency', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 5000);
    await earn(t, id, 900, { currency: 'JPY' });
    await correct(t, id, { amount: -400, currency: 'jpy' }).expect(200);
    expect(await balance(t, id)).toEqual([5000, 5000]);

    expect((await run(t, { currency: 'JPY' }).expect(200)).body.payout.total_amount).toBe(500);
    expect((await run(t).expect(200)).body.payout.total_amount).toBe(50);
  });

  it('is refused with the code of the error', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    const rules = async (body: object): Promise<unknown> => {
      const answer = await correct(t, id, body).expect(422);
      return Object.entries(answer.body.errors as Record<string, object>).map(
        ([field, found]) => `${field} ${Object.keys(found).join(' ')}`,
      );
    };
    expect(await rules({})).toEqual(['amount required']);
    expect(await rules({ amount: 0.004 })).toEqual(['amount not_zero']);
    expect(await rules({ amount: 'ten' })).toEqual(['amount numeric']);
    expect(await rules({ amount: true })).toEqual(['amount numeric']);
    expect(await rules({ amount: [5] })).toEqual(['amount numeric']);
    expect(await rules({ amount: { minor: 1.5 } })).toEqual(['amount numeric']);
    expect(await rules({ amount: '-100000000000' })).toEqual(['amount numeric']);
    expect(await rules({ amount: 5, currency: 'ZZZ' })).toEqual(['currency in']);
    expect(await rules({ amount: 5, reason: '  ' })).toEqual(['reason required min']);
    expect(await rules({ amount: 5, reason: 'x'.repeat(192) })).toEqual(['reason max']);
    await correct(t, 77, { amount: 5 })
      .expect(404)
      .expect(({ body }) => expect(body.code).toBe('affiliate_not_found'));
    await t.service.permissions.setPermissions(3, ['manage_all_data']);
    await t.as(3).post(`/affiliates/${id}/balance-corrections`).send({ amount: 5, reason: 'me' }).expect(403);
    expect(await balance(t, id)).toEqual([0, 0]);
  });

  it('of an import comes once, with its own date', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    const moved = {
      amount: { minor: -1234 },
      reason: 'Balance brought over',
      created_at: Date.UTC(2024, 5, 1),
      repeat_key: 'old-system:balance:7',
    };

    const first = await t.service.ledger.correct(id, moved);
    const again = await t.app.transaction(() => t.service.ledger.correct(id, moved));

    expect(first).toMatchObject({ amount_minor: -1234, created_at: moved.created_at });
    expect(again).toEqual(first);
    expect(await balance(t, id)).toEqual([-1234, -1234]);
  });

  it('that is not paid yet can be taken back', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    const { body } = await correct(t, id, { amount: -12 }).expect(200);

    await t.admin.delete(`/referrals/${body.referral.id}`).expect(200);

    expect(await balance(t, id)).toEqual([0, 0]);
  });
});

describe('corrections that meet payouts', () => {
  it('are paid once or wait, however they interleave', async () => {
    const t = await startApp();
    const people = [await affiliate(t, 2), await affiliate(t, 3), await affiliate(t, 4)];
    let sum = 0;
    let takenBack = 0;
    for (let round = 0; round < 4; round++) {
      const work: Promise<unknown>[] = [];
      for (const [at, { id }] of people.entries()) {
        const amounts = [900 + round, -400 * (at + 1), 250, -10];
        sum += amounts.reduce((total, amount) => total + amount, 0);
        for (const minor of amounts)
          work.push(t.service.ledger.correct(id, { amount: { minor }, reason: `round ${round}` }));
      }
      const pays = [1, 2, 3].map(() => t.service.payouts.process(FORM).catch(refused));
      const [made] = await Promise.all([Promise.all(pays), ...work]);

      // Every other payout is taken back while corrections come in.
      const [first] = [...made, await t.service.payouts.process(FORM).catch(refused)].filter(
        (payout) => payout !== null,
      );
      if (first !== undefined && round % 2 === 0) {
        const { page } = await t.service.payouts.transactions(first.id, LIST);
        takenBack += page.rows.length;
        await Promise.all(
          page.rows.flatMap((row) => [
            t.service.payouts.deleteTransaction(first.id, Number(row['id'])).catch(refused),
            t.service.ledger.correct(people[0]!.id, { amount: { minor: -1 }, reason: 'meanwhile' }),
          ]),
        );
        sum -= page.rows.length;
      }
      expect(await t.service.verify()).toEqual([]);
    }

    const { body } = await t.admin.get('/payouts?per_page=100').expect(200);
    const pages = await Promise.all(
      body.payouts.data.map(
        async ({ id }: { id: number }) => (await t.service.payouts.transactions(id, LIST)).page,
      ),
    );
    const transactions: number[] = pages.flatMap((page) =>
      page.rows.map((row: { total_amount: number }) => Math.round(row.total_amount * 100)),
    );
    const unpaid = await Promise.all(people.map(async ({ id }) => (await balance(t, id))[0]));
    expect([...transactions, ...unpaid].reduce((a, b) => a + b, 0)).toBe(sum);
    expect(transactions.length).toBeGreaterThan(0);
    expect(transactions.every((amount) => amount > 0)).toBe(true);
    expect(takenBack).toBeGreaterThan(0);
  });
});

const LIST = { page: 1, per_page: 100, search: '', order_by: '', order_type: 'ASC' } as const;

/** Refusals that a race may bring. */
function refused(error: { code?: string }): null {
  if (['nothing_to_pay', 'preview_outdated', 'transaction_not_found'].includes(String(error.code)))
    return null;
  throw error as Error;
}
