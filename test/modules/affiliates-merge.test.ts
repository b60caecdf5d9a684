import { describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { HookVeto } from '../../hooks/index.js';
import type { Affiliate } from '../../src/program/affiliates/types.js';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { fc } from '../support/random.js';
import { cookieOf, trackedSite } from '../support/tracker.js';

const merge = (t: TestApp, into: number, from: number): Test =>
  t.admin.post(`/affiliates/${into}/merge`).send({ other_id: from });
const preview = (t: TestApp, into: number, from: number): Test =>
  t.admin.get(`/affiliates/${into}/merge/${from}`);

/** Alice and Bob: two accounts of one person. */
async function two(t: TestApp, ofBob: object = {}): Promise<[alice: Affiliate, bob: Affiliate]> {
  return [await affiliate(t, 2), await affiliate(t, 3, ofBob)];
}

const order = (reference: string, more: object): Parameters<TestApp['app']['conversions']['record']>[1] => ({
  provider: 'shop',
  reference,
  type: 'sale',
  status: 'unpaid',
  order: { subtotal: '100.00', total: '100.00' },
  customer: { email: `${reference}@buyers.test` },
  ...more,
});

describe('a merge of two affiliates', () => {
  it('moves everything of one account to the other, after a preview of what it will move', async () => {
    const t = await startApp();
    const group = await t.records.group();
    const [alice, bob] = await two(t, { note: 'Met in Berlin', group_id: group.id });
    const visit = await t.records.visit({ affiliate_id: bob.id });
    await t.app.conversions.record(null, order('B-1', { visit_id: visit.id }));
    await earn(t, alice.id, 700);
    await earn(t, bob.id, 500);
    await earn(t, bob.id, 300, { currency: 'EUR' });
    await t.app.conversions.bindCoupon('shop', 'BOB10', bob.id);
    await t.app.links.create({ affiliate_id: bob.id, slug: 'bobs-shop' });
    const { body: material } = await t.admin
      .post('/creatives/creatives')
      .send({
        name: 'For both',
        type: 'text',
        text: 'Buy',
        url: 'https://shop.test/',
        privacy: 'private',
        status: 'active',
        affiliate_ids: [alice.id, bob.id],
      })
      .expect(200);

    const { body: before } = await preview(t, alice.id, bob.id).expect(200);
    const { body: answer } = await merge(t, alice.id, bob.id).expect(200);

    expect(before.merge).toMatchObject({
      kept: { id: alice.id },
      merged: { id: bob.id },
      moved: [
        { part: 'visits', count: 1 },
        { part: 'referrals', count: 3 },
        { part: 'customers', count: 1 },
        { part: 'payments', count: 0 },
        { part: 'coupons', count: 1 },
        { part: 'links', count: 1 },
        { part: 'creatives', count: 1 },
      ],
      takes_group: true,
      refusal: null,
    });
    expect(answer.affiliate).toMatchObject({
      id: alice.id,
      referrals: 4,
      visits: 1,
      total_earnings: before.merge.total_earnings,
      unpaid_earnings: before.merge.unpaid_earnings,
      note: 'Met in Berlin',
      group_id: group.id,
      payment_email: 'pay2@shop.test',
    });
    expect(await t.app.affiliates.find(bob.id)).toBeNull();
    expect(await t.app.conversions.couponsOf(alice.id)).toEqual([{ provider: 'shop', code: 'BOB10' }]);
    expect((await t.app.links.findActive('bobs-shop'))?.affiliate_id).toBe(alice.id);
    const { body: shown } = await t.admin.get(`/creatives/creatives/${material.creative.id}`).expect(200);
    expect(shown.creative.affiliate_ids).toEqual([alice.id]);
    expect((await t.admin.get(`/affiliates/${alice.id}/customers`)).body.customers.total).toBe(1);
    expect((await t.admin.get(`/affiliates/${alice.id}/visits`)).body.visits.total).toBe(1);
  });

  it('moves each ledger entry with its kind, in every currency', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    await earn(t, bob.id, 500);
    await earn(t, bob.id, 300, { currency: 'EUR' });
    await merge(t, alice.id, bob.id).expect(200);

    // No screen lists the entries of the ledger.
    const entries = await t.app.db('ledger_entries').orderBy('id');
    expect(
      entries.map((entry: Record<string, unknown>) => [
        Number(entry['affiliate_id']),
        entry['kind'],
        entry['currency'],
        Number(entry['total_delta_minor']),
      ]),
    ).toEqual([
      [alice.id, 'earned', 'USD', 500],
      [alice.id, 'earned', 'EUR', 300],
    ]);
  });

  it('credits the one that stays for every old link, cookie and id of the other', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t, { custom_param: 'bobs-name' });
    const site = trackedSite(t.app);
    const cookie = cookieOf(await site.open(`/?ref=${bob.id}`));
    const earlier = await affiliate(t, 4);
    await merge(t, bob.id, earlier.id).expect(200);
    await merge(t, alice.id, bob.id).expect(200);

    for (const value of [String(bob.id), 'bob', 'bobs-name', String(earlier.id), 'carol'])
      expect([value, (await t.app.tracking.resolveParam(value))?.id]).toEqual([value, alice.id]);
    const { headers } = { headers: { cookie } };
    expect((await t.app.tracking.attribution({ headers } as never))?.affiliate.id).toBe(alice.id);
    const { referral } = await t.app.conversions.record(null, order('C-1', { affiliate: bob.id }));
    expect(referral?.affiliate_id).toBe(alice.id);
  });

  it('makes one payment of two in the same payout, and keeps what each was for', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    const [first, second] = [await earn(t, alice.id, 700), await earn(t, bob.id, 500)];
    const payout = await t.records.payout();
    await t.app.payouts.changes.markAllPaid(payout.id);
    await merge(t, alice.id, bob.id).expect(200);

    const { body } = await t.admin.get(`/payouts/${payout.id}/transactions`).expect(200);
    expect(body.transactions.data).toHaveLength(1);
    expect(body.transactions.data[0]).toMatchObject({ affiliate_id: alice.id, total_amount: 12 });
    const { body: items } = await t.admin.get(`/payouts/${payout.id}/items`).expect(200);
    const paid = new Set(items.items.data.map((item: { referral_id: number }) => item.referral_id));
    expect(paid).toEqual(new Set([first.id, second.id]));
    await t.app.payouts.changes.remove(payout.id, body.transactions.data[0].id);
    expect((await t.app.affiliates.get(alice.id)).unpaid_earnings_minor).toBe(1200);
  });

  it('is in the audit log, the events and the hooks', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    const heard: unknown[] = [];
    t.service.hooks.addAction('affiliates_merged', (kept, mergedId) => {
      heard.push([kept.id, mergedId]);
    });
    await merge(t, alice.id, bob.id).expect(200);

    expect(heard).toEqual([[alice.id, bob.id]]);
    const { body } = await t.admin.get('/audit?action=affiliate.merged').expect(200);
    expect(body.entries.data[0]).toMatchObject({
      object_id: String(alice.id),
      before: { merged_id: bob.id, merged_user_id: 3 },
      after: { referrals: 0, visits: 0 },
    });
    await t.service.webhooks.lineUp();
    const { body: list } = await t.admin.get('/events?type[]=affiliate.merged').expect(200);
    expect(list.events.map((event: { data: object }) => event.data)).toEqual([
      { affiliate_id: alice.id, merged_id: bob.id, merged_user_id: 3 },
    ]);
  });

  it('is not made when an extension refuses it', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    t.service.hooks.addAction('before_merge_affiliates', () => {
      throw new HookVeto('Not these two');
    });
    await merge(t, alice.id, bob.id).expect(422);

    expect(await t.app.affiliates.find(bob.id)).not.toBeNull();
  });

  it('sums the charts of both, with one affiliate fewer', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    await t.records.visit({ affiliate_id: alice.id });
    await t.records.visit({ affiliate_id: bob.id });
    await earn(t, bob.id, 500);
    await merge(t, alice.id, bob.id).expect(200);

    const chartOf = async (path: string): Promise<unknown> =>
      Object.fromEntries(
        (await t.admin.get(path).expect(200)).body.series.map((line: { name: string; data: number[] }) => [
          line.name,
          line.data.at(-1),
        ]),
      );
    expect(await chartOf('/reports/dashboard-chart-stats')).toEqual({
      Visits: 2,
      Referrals: 1,
      Affiliates: 1,
    });
    expect(await chartOf(`/affiliates/${alice.id}/statistics`)).toEqual({ Visits: 2, Referrals: 1 });
  });
});

describe('two affiliates cannot be merged', () => {
  it('when both ids are the same, or one does not exist', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    expect((await merge(t, id, id).expect(422)).body.code).toBe('merge_with_itself');
    expect((await merge(t, id, 999).expect(404)).body.code).toBe('affiliate_not_found');
    expect((await merge(t, 999, id).expect(404)).body.code).toBe('affiliate_not_found');
  });

  it('into an affiliate whose links do not count', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    await t.app.affiliates.changes.changeStatus(alice.id, 'inactive');
    const { body } = await preview(t, alice.id, bob.id).expect(200);
    expect(body.merge.refusal.code).toBe('merge_into_inactive');
    expect((await merge(t, alice.id, bob.id).expect(422)).body.code).toBe('merge_into_inactive');
    await merge(t, bob.id, alice.id).expect(200);
  });

  it('while a payment to one of them is processing', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    await earn(t, bob.id, 500);
    const payout = await t.records.payout();
    expect((await merge(t, alice.id, bob.id).expect(422)).body.code).toBe('merge_payout_open');
    expect((await merge(t, bob.id, alice.id).expect(422)).body.code).toBe('merge_payout_open');
    await t.app.payouts.changes.markAllPaid(payout.id);
    await merge(t, alice.id, bob.id).expect(200);
  });
});

it('changes no sum for any mix of earnings, payouts and refunds', async () => {
  const step = fc.record({
    who: fc.nat(1),
    amount: fc.integer({ min: 1, max: 5000 }),
    currency: fc.constantFrom('USD', 'EUR'),
    status: fc.constantFrom('unpaid', 'pending', 'rejected'),
    clicks: fc.nat(2),
    next: fc.constantFrom('nothing', 'payout', 'adjust'),
  });
  const t = await startApp();
  let user = 100;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (steps, inSteps) => {
      for (const id of [user, user + 1]) t.host.addUser({ id, login: `u${id}`, email: `u${id}@shop.test` });
      const pair = [await affiliate(t, user), await affiliate(t, user + 1)].map(({ id }) => id);
      user += 2;
      for (const { who, amount, currency, status, clicks, next } of steps) {
        const id = pair[who]!;
        for (let click = 0; click < clicks; click++) await t.records.visit({ affiliate_id: id });
        await earn(t, id, amount, { currency, status });
        if (next === 'adjust') await t.app.referrals.correct(id, { amount: '-0.50', reason: 'Fee' });
        if (next === 'payout') await payOut(t, currency);
      }
      const before = await sums(t);
      if (inSteps) await mergeInSteps(t, pair[0]!, pair[1]!);
      else await t.app.affiliates.merge(pair[0]!, pair[1]!);
      expect(await t.app.affiliates.find(pair[1]!)).toBeNull();
      expect(await sums(t)).toEqual(before);
      expect(await t.service.verify()).toEqual([]);
    }),
    { numRuns: 25 },
  );
}, 120_000);

/** As a merge of very much is done. */
async function mergeInSteps(t: TestApp, into: number, from: number): Promise<void> {
  const details = { into, part: 0, after_id: 0 };
  await t.app.transaction((trx) =>
    t.app.operations.begin(trx, { kind: 'merge', object_id: from, done: 0, total: 1, details }),
  );
  await t.app.operations.resume();
}

async function payOut(t: TestApp, currency: string): Promise<void> {
  const { body } = await t.admin
    .post('/payouts/process-payout')
    .send({ config: { title: 'Run', description: '', currency } });
  if (body.payout) await t.app.payouts.changes.markAllPaid(body.payout.id);
}

/** Sums of the stored amounts and counts of all affiliates, also of tables that no screen shows. */
async function sums(t: TestApp): Promise<object> {
  const add = async (
    table: Parameters<TestApp['app']['db']>[0],
    columns: readonly string[],
  ): Promise<number[]> => {
    const rows: Record<string, unknown>[] = await t.app.db(table).select([...columns]);
    return columns.map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0));
  };
  const earnings = ['total_earnings_minor', 'unpaid_earnings_minor', 'referrals', 'visits'];
  return {
    affiliates: await add('affiliates', earnings),
    referrals: await add('referrals', ['amount_minor']),
    ledger: await add('ledger_entries', ['total_delta_minor', 'unpaid_delta_minor']),
    payouts: await add('payouts', ['total_amount_minor']),
    transactions: await add('payout_transactions', ['total_amount_minor']),
    totals: await add('referral_totals', [
      'paid',
      'unpaid',
      'paid_minor',
      'unpaid_minor',
      'rejected',
      'pending',
    ]),
    days: await add('daily_stats', ['visits', 'referrals']),
  };
}

describe('a merge of an affiliate with very many visits', () => {
  const MANY = 3000;

  async function manyVisits(t: TestApp, id: number): Promise<void> {
    const stamps = { created_at: t.clock.now(), updated_at: t.clock.now() };
    const rows = Array.from({ length: MANY }, (_, at) => ({
      affiliate_id: id,
      url: `https://shop.test/${at}`,
      ...stamps,
    }));
    // One by one they would take minutes.
    for (let at = 0; at < MANY; at += 500) await t.app.db('visits').insert(rows.slice(at, at + 500));
    await t.app.ledger.reconcile();
  }

  it('moves them in batches, and ends with one account that has everything', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    await manyVisits(t, bob.id);
    const visit = await t.records.visit({ affiliate_id: bob.id });
    await t.app.conversions.record(null, order('B-1', { visit_id: visit.id }));
    await earn(t, bob.id, 500);
    const seen: unknown[] = [];
    t.service.hooks.addAction('affiliates_merged', (affiliate, gone) => {
      seen.push(affiliate.id, gone);
    });

    const { body } = await merge(t, alice.id, bob.id).expect(200);

    expect(body.affiliate).toMatchObject({ id: alice.id, visits: MANY + 1, referrals: 2 });
    await t.admin.get(`/affiliates/${bob.id}`).expect(404);
    expect(seen).toEqual([alice.id, bob.id]);
    expect((await t.admin.get('/system/state').expect(200)).body.works).toEqual([]);
  });

  it('continues after an interruption, and until then no payout includes either account', async () => {
    const t = await startApp();
    const [alice, bob] = await two(t);
    await manyVisits(t, bob.id);
    await earn(t, alice.id, 400);
    await earn(t, bob.id, 500);
    await t.app.transaction((trx) =>
      t.app.operations.begin(trx, {
        kind: 'merge',
        object_id: bob.id,
        done: 0,
        total: MANY,
        details: { into: alice.id, part: 0, after_id: 0 },
      }),
    );

    const { body: refused } = await t.admin
      .post('/payouts/process-payout')
      .send({ config: FORM })
      .expect(422);
    expect(refused.code).toBe('nothing_to_pay');
    const carol = await affiliate(t, 4);
    expect((await merge(t, carol.id, bob.id).expect(409)).body.code).toBe('merge_running');
    await t.service.jobs.runDue();

    await t.admin.get(`/affiliates/${bob.id}`).expect(404);
    const { body: paid } = await t.admin.post('/payouts/process-payout').send({ config: FORM }).expect(200);
    expect(paid.payout.total_amount).toBe(9);
  });
});
