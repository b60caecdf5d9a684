import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { affiliate, FORM } from '../support/payouts.js';
import { auditOf } from '../support/lists.js';
import { insertMany } from '../support/rows.js';
import { clearOutbox } from '../support/outbox.js';

const PEOPLE = 40;
const EACH = 30;
/** Commissions of the first affiliate: more than one step takes. */
const MANY = 9000;

/** Many commissions; counters and entries are made by the repair that hosts use. */
async function fill(t: TestApp, people = PEOPLE): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < people; at++) {
    t.host.addUser({ id: 100 + at, login: `u${at}`, email: `u${at}@shop.test` });
    ids.push((await affiliate(t, 100 + at)).id);
  }
  await commissions(t, ids, (at) => (at === 0 ? MANY : EACH));
  return ids;
}

async function commissions(
  t: TestApp,
  ids: readonly number[],
  countOf: (at: number) => number,
): Promise<void> {
  const stamps = { created_at: t.clock.now(), updated_at: t.clock.now() };
  const rows = ids.flatMap((id, at) =>
    Array.from({ length: countOf(at) }, (_, n) => ({
      affiliate_id: id,
      status: 'unpaid',
      amount_minor: n % 10 === 9 ? -50 : 100, // something is taken back too
      currency: 'USD',
      type: n % 10 === 9 ? 'adjustment' : 'sale',
      provider: 'manual',
      ...stamps,
    })),
  );
  await insertMany(t, 'referrals', rows);
  await t.app.ledger.reconcile();
}

const sumOf = (count: number): number => (count * 0.9 * 100 - count * 0.1 * 50) / 100;
const TOTAL = sumOf(MANY) + (PEOPLE - 1) * sumOf(EACH);

type Work = Record<string, unknown>;
const running = async (t: TestApp): Promise<Work[]> =>
  (await t.admin.get('/payouts/running').expect(200)).body.works;
const run = (t: TestApp): ReturnType<TestApp['admin']['post']> =>
  t.admin.post('/payouts/process-payout').send({ config: FORM });

async function ended(t: TestApp): Promise<void> {
  for (let waited = 0; (await running(t)).length > 0; waited++) {
    if (waited > 600) throw new Error('The work did not end.');
    await sleep(25);
  }
}

/** Sends a request while the first step of a payout is stored. */
function inFirstStep(t: TestApp, send: (payoutId: number) => PromiseLike<unknown>): Promise<unknown> {
  const { knex } = t.app.db; // inside the step it is the transaction
  let asked = false; // a transaction has the listeners of its database too
  return new Promise((resolve, reject) => {
    const listen = ({ sql, bindings }: { sql: string; bindings: readonly unknown[] }): void => {
      if (asked || !/^update \S*works\S* set \S*done/u.test(sql)) return;
      asked = true;
      t.app.db.knex.removeListener('query', listen);
      send(Number(bindings.at(-1))).then(resolve, reject);
    };
    knex.on('query', listen);
  });
}

const stopInFirstStep = (t: TestApp): Promise<unknown> =>
  inFirstStep(t, (id) => t.admin.delete(`/payouts/${id}/running`).expect(200));

/** A payout that stands in the middle of its first affiliate. */
async function stopped(options: TestOptions = {}): Promise<{ t: TestApp; id: number; ids: number[] }> {
  const t = await startApp(options);
  const ids = await fill(t);
  return { t, id: await stoppedRun(t), ids };
}

async function stoppedRun(t: TestApp): Promise<number> {
  const stop = stopInFirstStep(t);
  const { body } = await run(t).set('Prefer', 'respond-async').expect(202);
  await stop;
  await t.app.operations.settled();
  expect(await t.service.verify()).toEqual([]);
  return body.payout.id;
}

describe('a large payout', () => {
  it('is made in steps, and pays everybody what the preview showed', async () => {
    const t = await startApp();
    const ids = await fill(t);

    const { body } = await run(t).expect(200);

    expect(body).toMatchObject({
      payout: {
        status: 'processing',
        total_amount: TOTAL,
        transactions_count: PEOPLE,
        referrals_count: MANY + (PEOPLE - 1) * EACH,
      },
      message: 'Payout created.',
      left_out_count: 0,
      left_out: [],
    });
    expect(await running(t)).toEqual([]);
    expect(await t.app.affiliates.get(ids[0]!)).toMatchObject({ unpaid_earnings_minor: 0 });
    expect(await t.app.db('payout_plan').first()).toBeUndefined(); // working rows, in no list
    const { body: again } = await run(t).expect(422);
    expect(again.code).toBe('nothing_to_pay');
  });

  it('answers the draft at once when asked to, and goes on by itself', async () => {
    const t = await startApp();
    await fill(t);

    const { body } = await run(t).set('Prefer', 'respond-async').expect(202);

    expect(body).toMatchObject({ payout: { status: 'draft' }, message: 'The payout is being created.' });
    await ended(t);
    const { body: after } = await t.admin.get(`/payouts/${body.payout.id}`).expect(200);
    expect(after.payout).toMatchObject({ status: 'processing', total_amount: TOTAL });
  });

  it('cannot be paid, exported or taken apart before it is made', async () => {
    const { t, id } = await stopped();
    const [work] = await running(t);
    expect(work).toMatchObject({ kind: 'payout', payout_id: id, running: false, reason: null });
    const { body: list } = await t.admin.get('/payouts').expect(200);
    expect(list.payouts.data).toMatchObject([{ id, status: 'draft' }]);

    const { body: bulk } = await t.admin
      .patch(`/payouts/${id}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(409);
    expect(bulk.code).toBe('payout_in_progress');
    await t.admin.get(`/payouts/${id}/transactions-export`).expect(409);
    await t.admin.get(`/payouts/${id}/transactions-export?method=paypal`).expect(409);
    const { body: rows } = await t.admin.get(`/payouts/${id}/transactions`).expect(200);
    for (const { id: transaction } of rows.transactions.data.slice(0, 1)) {
      await t.admin.patch(`/payouts/${id}/transactions/${transaction}`).send({ status: 'paid' }).expect(409);
      await t.admin.delete(`/payouts/${id}/transactions/${transaction}`).expect(409);
    }
  });

  it('goes on where it stood, and leaves out whose commissions changed', async () => {
    const { t, id, ids } = await stopped();
    const last = ids.at(-1)!;
    const { body: open } = await t.admin
      .get(`/affiliates/${last}/referrals?status=unpaid&per_page=1`)
      .expect(200);
    expect(open.referrals.total).toBe(EACH); // the last one was not reached
    await t.admin.patch(`/referrals/${open.referrals.data[0].id}`).send({ amount: 7 }).expect(200);
    const processed: unknown[] = [];
    t.service.hooks.addAction('payout/processed', (payout, affiliates) => {
      processed.push([payout.total_amount_minor, affiliates.length]);
    });

    await t.admin.post(`/payouts/${id}/running`).expect(200);
    await ended(t);

    const { body } = await t.admin.get(`/payouts/${id}`).expect(200);
    expect(body.payout).toMatchObject({
      status: 'processing',
      total_amount: TOTAL - sumOf(EACH),
      transactions_count: PEOPLE - 1,
      left_out_count: 1,
      left_out: [{ affiliate_id: last, amount: sumOf(EACH), code: 'changed' }],
    });
    expect(processed).toEqual([[(TOTAL - sumOf(EACH)) * 100, PEOPLE - 1]]);
    expect((await run(t).expect(200)).body.payout.transactions_count).toBe(1); // the next run pays it
  });

  it('takes back with the next payout what is refunded while it is made', async () => {
    const t = await startApp({ clawback: 'adjust' });
    const { id: first } = await affiliate(t, 2);
    const order = { provider: 'shop', reference: 'A', status: 'unpaid', affiliate: first } as const;
    const { referral } = await t.service.conversions.record(null, {
      ...order,
      order: { subtotal: '100.00' },
    });
    const commission = async (): Promise<unknown> =>
      (await t.admin.get(`/referrals/${referral!.id}`).expect(200)).body.referral;
    await commissions(t, [first, (await affiliate(t, 3)).id], (at) => (at === 0 ? MANY : EACH));
    const id = await stoppedRun(t);
    expect(await commission()).toMatchObject({ status: 'paid', amount: 20 });

    await t.service.conversions.refund('shop', 'A', { refunded_total: '100.00' });
    expect(await t.service.verify()).toEqual([]);
    await t.admin.post(`/payouts/${id}/running`).expect(200);
    await ended(t);

    expect((await t.admin.get(`/payouts/${id}`).expect(200)).body.payout).toMatchObject({
      total_amount: sumOf(MANY) + sumOf(EACH) + 20,
      left_out: [],
    });
    expect(await commission()).toMatchObject({ status: 'paid', amount: 20 });
    expect(await t.app.affiliates.get(first)).toMatchObject({ unpaid_earnings_minor: -2000 });
    expect(await t.service.verify()).toEqual([]);
  });

  it('takes back what it has claimed of an affiliate that changes in the middle', async () => {
    const { t, id, ids } = await stopped();
    const { body: open } = await t.admin
      .get(`/affiliates/${ids[0]}/referrals?status=unpaid&per_page=1`)
      .expect(200);
    expect(open.referrals.total).toBeGreaterThan(0);
    await t.admin.delete(`/referrals/${open.referrals.data[0].id}`).expect(200);

    await t.admin.post(`/payouts/${id}/running`).expect(200);
    await ended(t);

    const { body } = await t.admin.get(`/payouts/${id}`).expect(200);
    expect(body.payout).toMatchObject({
      transactions_count: PEOPLE - 1,
      left_out: [{ affiliate_id: ids[0], code: 'changed' }],
    });
  });

  it('is gone on with by the jobs, or before the next run, when its process has ended', async () => {
    for (const next of ['job', 'run'] as const) {
      const { t, id } = await stopped();
      await t.app.db('works').update({ state: 'running' }); // as a killed process leaves it

      if (next === 'job') await t.service.jobs.runDue();
      else expect((await run(t).expect(422)).body.code).toBe('nothing_to_pay');

      const { body } = await t.admin.get(`/payouts/${id}`).expect(200);
      expect(body.payout).toMatchObject({ status: 'processing', total_amount: TOTAL });
    }
  });

  it('can be undone before it is made, without a trace', async () => {
    const { t, id, ids } = await stopped();

    const { body } = await t.admin.post(`/payouts/${id}/undo`).send({}).expect(200);

    expect(body).toMatchObject({ processing_count: 0, next_after_id: null, payout: { total_amount: 0 } });
    await t.admin.get(`/payouts/${id}`).expect(404);
    expect(await running(t)).toEqual([]);
    expect(await t.app.affiliates.get(ids[0]!)).toMatchObject({
      unpaid_earnings_minor: sumOf(MANY) * 100,
    });
    expect((await run(t).expect(200)).body.payout.total_amount).toBe(TOTAL);
  });

  it('that pays nobody, since everything changed, is removed', async () => {
    const { t, id, ids } = await stopped({ payouts: { requireActive: true } });
    for (const affiliateId of ids)
      await t.admin.patch(`/affiliates/${affiliateId}/status`).send({ status: 'inactive' }).expect(200);

    await t.admin.post(`/payouts/${id}/running`).expect(200);
    await ended(t);

    await t.admin.get(`/payouts/${id}`).expect(404);
    expect(await t.app.affiliates.get(ids[0]!)).toMatchObject({ unpaid_earnings_minor: sumOf(MANY) * 100 });
  });

  it('that ends with nothing, since its only affiliate changed after the plan, answers that the preview is outdated', async () => {
    const t = await startApp({ payouts: { requireActive: true } });
    const [id] = (await fill(t, 1)) as [number];
    const deactivated = inFirstStep(t, () =>
      t.admin.patch(`/affiliates/${id}/status`).send({ status: 'inactive' }).expect(200),
    );

    const { body } = await run(t).expect(422);

    await deactivated;
    expect(body).toMatchObject({
      code: 'preview_outdated',
      payable_total_amount: 0,
      payable_referral_count: 0,
    });
    expect((await t.admin.get('/payouts').expect(200)).body.payouts.data).toEqual([]);
    expect(await running(t)).toEqual([]);
    expect(await t.app.db('payout_plan').first()).toBeUndefined();
    expect(await t.app.affiliates.get(id)).toMatchObject({ unpaid_earnings_minor: sumOf(MANY) * 100 });
  });

  it('is undone in the background, except what an extension refuses', async () => {
    const t = await startApp();
    const ids = [(await affiliate(t, 2)).id, (await affiliate(t, 3)).id];
    await commissions(t, ids, () => 2);
    const { id } = (await run(t).expect(200)).body.payout;
    t.service.hooks.addAction('payout/transaction/deleting', ({ affiliate_id: affiliateId }) => {
      if (affiliateId === ids[0]) throw new HookVeto('The bank has this payment.');
    });

    await t.admin.post(`/payouts/${id}/undo`).set('Prefer', 'respond-async').send({}).expect(202);
    await ended(t);

    const { payout } = (await t.admin.get(`/payouts/${id}`).expect(200)).body;
    expect(payout).toMatchObject({ total_amount: 2, transactions_count: 1 });
    expect((await auditOf(t, 'action=payout.undone')).map(({ after }) => after)).toMatchObject([
      { left_out: 1 },
    ]);
  });

  it('whose undo fails three times stops with the reason, and goes on when a person continues it', async () => {
    const t = await startApp();
    await commissions(t, [(await affiliate(t, 2)).id, (await affiliate(t, 3)).id], () => 2);
    const { id } = (await run(t).expect(200)).body.payout;
    let attempts = 0;
    const remove = t.service.hooks.addAction('payout/transaction/deleting', () => {
      attempts += 1;
      throw new Error('The bank does not answer.');
    });

    await t.admin.post(`/payouts/${id}/undo`).set('Prefer', 'respond-async').send({}).expect(202);
    await t.app.operations.settled();

    expect(attempts).toBe(3);
    expect(await running(t)).toMatchObject([
      { kind: 'undo', running: false, reason: 'internal_error', message: null, done: 0, total: 2 },
    ]);
    expect((await t.admin.get(`/payouts/${id}`).expect(200)).body.payout.total_amount).toBe(4);
    expect(await t.service.verify()).toEqual([]);

    remove();
    await t.admin.post(`/payouts/${id}/running`).expect(200);
    await ended(t);
    expect((await t.admin.get(`/payouts/${id}`).expect(200)).body.payout.total_amount).toBe(0);
  });

  it('is undone in the background', async () => {
    const t = await startApp();
    await fill(t);
    const { id } = (await run(t).expect(200)).body.payout;

    await t.admin.post(`/payouts/${id}/undo`).set('Prefer', 'respond-async').send({}).expect(202);
    await ended(t);

    const { body } = await t.admin.get(`/payouts/${id}`).expect(200);
    expect(body.payout).toMatchObject({ total_amount: 0, transactions_count: 0, referrals_count: 0 });
    expect((await run(t).expect(200)).body.payout.total_amount).toBe(TOTAL);
  });
});

describe('marking a large payout paid', () => {
  const MANY_PEOPLE = 230;

  async function made(): Promise<{ t: TestApp; id: number; without: number }> {
    const t = await startApp();
    const ids: number[] = [];
    for (let at = 0; at < MANY_PEOPLE; at++) {
      t.host.addUser({ id: 100 + at, login: `u${at}`, email: `u${at}@shop.test` });
      ids.push((await affiliate(t, 100 + at)).id);
    }
    await commissions(t, ids, () => 2);
    const { body } = await t.admin
      .post('/payouts/process-payout')
      .send({ config: { ...FORM, payout_method: 'paypal' } })
      .expect(200);
    const without = ids[120]!;
    await t.app.affiliates.changes.saveProfile(without, { payment_email: null });
    return { t, id: body.payout.id, without };
  }

  it('goes on in steps, names who is left out, and leaves one entry in the audit log', async () => {
    const { t, id, without } = await made();
    await clearOutbox(t);
    const paidIds: number[] = [];
    t.service.hooks.addAction('payout/transaction/transaction_updated_to_paid', ({ id: transaction }) => {
      paidIds.push(transaction);
    });

    const { body } = await t.admin
      .patch(`/payouts/${id}/transactions/bulk-action`)
      .send({ status: 'paid' })
      .expect(200);

    expect(body).toMatchObject({
      processing_count: 0,
      left_out_count: 1,
      left_out: [{ affiliate_id: without, code: 'missing_payment_details' }],
      message: `${MANY_PEOPLE - 1} payments were marked as paid, 1 were skipped.`,
    });
    expect(new Set(paidIds).size).toBe(MANY_PEOPLE - 1);
    expect(paidIds).toHaveLength(MANY_PEOPLE - 1);
    expect((await t.admin.get(`/payouts/${id}`).expect(200)).body.payout.status).toBe('processing');
    expect((await auditOf(t, 'action=payout.marked_paid')).map(({ after }) => after)).toMatchObject([
      { transactions: MANY_PEOPLE - 1, left_out: 1, first_id: paidIds[0], last_id: paidIds.at(-1) },
    ]);
    const { entries } = (await t.admin.get('/system/outbox?per_page=200').expect(200)).body;
    expect(entries.total).toBe(MANY_PEOPLE - 1);
    expect(new Set(entries.data.map(({ kind }: { kind: string }) => kind))).toEqual(
      new Set(['payout_to_affiliate']),
    );
  });

  it('goes on in the background, and its progress can be seen', async () => {
    const { t, id } = await made();

    const { body } = await t.admin
      .patch(`/payouts/${id}/transactions/bulk-action`)
      .set('Prefer', 'respond-async')
      .send({ status: 'paid' })
      .expect(202);

    expect(body.message).toBe('The payments are being marked as paid.');
    await ended(t);
    const { body: after } = await t.admin.get(`/payouts/${id}/transactions`).expect(200);
    expect(after.processing_count).toBe(1);
  });
});
