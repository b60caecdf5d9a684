import { describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { HookVeto } from '../../hooks/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { auditOf } from '../support/lists.js';
import { statementsOf } from '../support/statements.js';

const preview = (t: TestApp, config: object = {}): Test =>
  t.admin.post('/payouts/validate-payout-config').send({ config: { ...FORM, ...config } });
const run = (t: TestApp, config: object = {}): Test =>
  t.admin.post('/payouts/process-payout').send({ config: { ...FORM, ...config } });
const deactivate = (t: TestApp, id: number): Test =>
  t.admin.patch(`/affiliates/${id}/status`).send({ status: 'inactive' }).expect(200);
const withoutPaymentEmail = (t: TestApp, id: number): Promise<unknown> =>
  t.app.affiliates.changes.saveProfile(id, { payment_email: null });
const payouts = async (t: TestApp): Promise<number> =>
  (await t.admin.get('/payouts').expect(200)).body.payouts.total;

describe('preview', () => {
  it('shows what each affiliate would get, the highest amount first', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    const bob = await affiliate(t, 3);
    await earn(t, alice.id, 3000);
    await earn(t, alice.id, 2000, { currency: null }); // rows of old imports read as the program currency
    await earn(t, bob.id, 6000);

    const { body } = await preview(t, {
      end_date: '2026-01-31',
      affiliate_ids: [String(alice.id), bob.id],
    }).expect(200);

    expect(body.payable_affiliates).toMatchObject([
      {
        id: bob.id,
        payable_referral_count: 1,
        total_payable_amount: 60,
        user_details: { full_name: 'Bob Ray' },
        payment_email: 'pay3@shop.test',
      },
      { id: alice.id, payable_referral_count: 2, total_payable_amount: 50 },
    ]);
    expect(body).toMatchObject({
      payable_total_amount: 110,
      truncated: false,
      skipped: [],
      warnings: [],
      unknown_affiliate_ids: [],
      config: {
        start_date: '1970-01-01 00:00:00',
        end_date: '2026-01-31 23:59:59',
        min_payout: 0,
        affiliate_ids: [alice.id, bob.id],
      },
    });
  });

  it('answers an empty list when nothing is payable', async () => {
    const t = await startApp();
    await affiliate(t, 2);

    expect((await preview(t).expect(200)).body).toMatchObject({
      payable_affiliates: [],
      payable_total_amount: 0,
    });
  });

  it('names other currencies, missing details, inactive and unknown affiliates', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 500);
    await earn(t, alice.id, 1000, { currency: 'JPY' });
    await earn(t, alice.id, 725, { currency: 'EUR' });
    await withoutPaymentEmail(t, alice.id);
    await deactivate(t, alice.id);

    const { body } = await preview(t, { affiliate_ids: [alice.id, 77] }).expect(200);

    expect(body.payable_total_amount).toBe(5);
    expect(body.skipped).toEqual([
      { currency: 'EUR', amount: 7.25, referral_count: 1 },
      { currency: 'JPY', amount: 1000, referral_count: 1 },
    ]);
    expect(body.warnings).toEqual([
      { affiliate_id: alice.id, code: 'missing_payment_details' },
      { affiliate_id: alice.id, code: 'affiliate_inactive' },
    ]);
    expect(body.unknown_affiliate_ids).toEqual([77]);
  });

  it('changes nothing and takes the encoding of a form', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 500);

    const { body } = await t.admin
      .post('/payouts/validate-payout-config')
      .type('form')
      .send(`config[title]=x&config[description]=y&config[min_payout]=&config[affiliate_ids][]=${alice.id}`)
      .expect(200);

    expect(body.payable_total_amount).toBe(5);
    expect(await payouts(t)).toBe(0);
  });

  it.each([['validate-payout-config'], ['process-payout']])(
    '%s refuses bad fields by name and a start after the end by code',
    async (path) => {
      const t = await startApp();
      const post = (config?: object): Test =>
        t.admin.post(`/payouts/${path}`).send(config === undefined ? {} : { config });

      expect((await post({ min_payout: 'x', start_date: 'x' }).expect(422)).body).toMatchObject({
        code: 'validation_failed',
        errors: { title: {}, description: {}, min_payout: {}, start_date: {} },
      });
      expect((await post().expect(422)).body.code).toBe('validation_failed');
      expect(
        (await post({ ...FORM, start_date: '2026-02-01', end_date: '2026-01-01' }).expect(422)).body.code,
      ).toBe('invalid_date_range');
    },
  );
});

describe('run', () => {
  it('pays every payable referral of an affiliate in one transaction', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 10_000);
    await run(t).expect(200);
    await earn(t, alice.id, 3000);
    await earn(t, alice.id, 2000);

    const { body } = await run(t, { title: 'Second', custom_fields: { a: 1 } }).expect(200);

    expect(body.payout).toMatchObject({
      created_by: 1,
      total_amount: 50,
      payout_method: 'manual',
      status: 'processing',
      currency: 'USD',
      title: 'Second',
      referrals_count: 2,
      transactions_count: 1,
      affiliates_count: 1,
      settings: { min_payout: 0, affiliate_ids: [] },
    });
    expect(await t.app.affiliates.get(alice.id)).toMatchObject({
      total_earnings_minor: 15_000,
      unpaid_earnings_minor: 0,
    });
    const { body: list } = await t.admin.get(`/payouts/${body.payout.id}/transactions`).expect(200);
    expect(list).toMatchObject({
      processing_count: 1,
      transactions: { data: [{ total_amount: 50, status: 'processing', affiliate: { id: alice.id } }] },
    });
  });

  it('writes nothing when there is nothing to pay', async () => {
    const t = await startApp();

    expect((await run(t).expect(422)).body).toMatchObject({ code: 'nothing_to_pay', data: { status: 422 } });
    expect(await payouts(t)).toBe(0);
  });

  it('pays a sum that reaches the minimum, and never one of 0 or less', async () => {
    const t = await startApp({ payouts: { minPayout: 5 } });
    const [alice, bob, carol] = [await affiliate(t, 2), await affiliate(t, 3), await affiliate(t, 4)];
    await earn(t, alice.id, 2000);
    await earn(t, bob.id, 1999);
    await earn(t, carol.id, 0);

    const first = await run(t, { min_payout: 20 }).expect(200);
    const second = await run(t).expect(200);

    expect(first.body.payout).toMatchObject({ total_amount: 20, transactions_count: 1 });
    expect(second.body.payout).toMatchObject({ total_amount: 19.99, transactions_count: 1 });
    expect((await run(t).expect(422)).body.code).toBe('nothing_to_pay');
  });

  it('takes the whole days of the site, not of the server', async () => {
    const t = await startApp({ timeZone: 'America/New_York' });
    const alice = await affiliate(t, 2);
    // 4 January, last millisecond
    await earn(t, alice.id, 100, { created_at: Date.UTC(2026, 0, 5, 4, 59, 59, 999) });
    await earn(t, alice.id, 200, { created_at: Date.UTC(2026, 0, 5, 5) });
    await earn(t, alice.id, 400, { created_at: Date.UTC(2026, 0, 6, 4, 59, 59, 999) });
    await earn(t, alice.id, 800, { created_at: Date.UTC(2026, 0, 6, 5) });

    const { body } = await run(t, { start_date: '2026-01-05', end_date: '2026-01-05' }).expect(200);

    expect(body.payout).toMatchObject({
      total_amount: 6,
      settings: { start_date: '2026-01-05 00:00:00', end_date: '2026-01-05 23:59:59' },
    });
  });

  it('holds a referral back until it is payable', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100, { payable_at: t.clock.now() + 1 });

    await run(t).expect(422);
    t.clock.advance(1);
    expect((await run(t).expect(200)).body.payout.total_amount).toBe(1);
  });

  it('keeps currencies apart: one batch each', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 500);
    await earn(t, alice.id, 10_000, { currency: 'JPY' });
    await earn(t, alice.id, 1234, { currency: 'KWD' });

    const dollars = (await run(t).expect(200)).body.payout;
    const yen = (await run(t, { currency: 'jpy' }).expect(200)).body.payout;
    const dinars = (await run(t, { currency: 'KWD' }).expect(200)).body.payout;

    expect([dollars, yen, dinars].map((payout) => [payout.currency, payout.total_amount])).toEqual([
      ['USD', 5],
      ['JPY', 10_000],
      ['KWD', 1.234],
    ]);
  });

  it('nets a claw-back against later commissions', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    const sale = await earn(t, alice.id, 3000);
    await run(t).expect(200);
    await earn(t, alice.id, -3000, { parent_id: sale.id });
    await earn(t, alice.id, 2500);

    expect((await run(t).expect(422)).body.code).toBe('nothing_to_pay'); // still 5 in debt
    await earn(t, alice.id, 1000);
    expect((await run(t).expect(200)).body.payout).toMatchObject({ total_amount: 5, referrals_count: 3 });
  });

  it.each([
    ['requireActive', deactivate],
    ['requirePaymentDetails', withoutPaymentEmail],
  ])('option %s leaves such affiliates out', async (option, change) => {
    const t = await startApp({ payouts: { [option]: true } });
    const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3)];
    await earn(t, alice.id, 100);
    await earn(t, bob.id, 200);
    await change(t, alice.id);

    expect((await run(t).expect(200)).body.payout).toMatchObject({ total_amount: 2, transactions_count: 1 });
  });

  it('asks for bank details when the program pays by bank', async () => {
    const t = await startApp({ payouts: { requirePaymentDetails: true } });
    await t.app.settings.saveReferralConfig({ payout_method: 'bank_transfer' });
    const [alice, bob] = [
      await affiliate(t, 2, { bank_details: 'DE89370400440532013000' }),
      await affiliate(t, 3, { bank_details: 'x' }),
    ];
    await t.service.affiliates.saveProfile(bob.id, { bank_details: '' });
    await earn(t, alice.id, 100);
    await earn(t, bob.id, 200);

    expect((await run(t).expect(200)).body.payout.total_amount).toBe(1);
  });

  it('leaves out affiliates whose host user is gone', async () => {
    const t = await startApp();
    const [alice, bob] = [await affiliate(t, 2), await affiliate(t, 3)];
    await earn(t, alice.id, 100);
    await earn(t, bob.id, 200);
    t.host.removeUser(2);

    expect((await run(t).expect(200)).body.payout).toMatchObject({ total_amount: 2 });
    expect((await run(t).expect(422)).body.code).toBe('nothing_to_pay');
  });

  it('records who ran it', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);
    const { body } = await run(t).expect(200);

    expect(await auditOf(t, 'action=payout.processed')).toMatchObject([
      {
        object_id: String(body.payout.id),
        actor_id: 1,
        after: { total_amount_minor: 100, transactions: 1, referrals: 1 },
      },
    ]);
  });
});

describe('preview token', () => {
  it('lets a run pay exactly what was shown', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);
    const { body } = await preview(t).expect(200);
    t.clock.advance(5000);

    expect((await run(t, { preview_token: body.preview_token }).expect(200)).body.payout.total_amount).toBe(
      1,
    );
  });

  it.each<[string, (t: TestApp, affiliateId: number, referralId: number) => Promise<unknown>]>([
    ['a new referral', (t, id) => earn(t, id, 50)],
    [
      'another amount',
      (t, _id, referralId) => t.admin.patch(`/referrals/${referralId}`).send({ amount: 2 }).expect(200),
    ],
    [
      'another referral of the same amount',
      async (t, id, referralId) => {
        await t.admin.delete(`/referrals/${referralId}`).expect(200);
        await earn(t, id, 100);
      },
    ],
  ])('answers preview_outdated with the new totals after %s', async (_label, change) => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    const sale = await earn(t, alice.id, 100);
    await earn(t, alice.id, 25);
    const { body } = await preview(t).expect(200);
    await change(t, alice.id, sale.id);

    const answer = await run(t, { preview_token: body.preview_token }).expect(422);

    expect(answer.body).toMatchObject({
      code: 'preview_outdated',
      payable_affiliates_count: 1,
      payable_total_amount: expect.any(Number),
    });
    expect(await payouts(t)).toBe(0);
  });
});

describe('extensions', () => {
  it('may change texts, method and further settings, never figures', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);
    const seen: unknown[] = [];
    t.service.hooks.addFilter('payout/before_create', (data, config, affiliates) => {
      seen.push(data, config, affiliates);
      return {
        ...data,
        title: 'By <b>extension</b>',
        payout_method: 'wire',
        total_amount_minor: 999,
        settings: { ...(data['settings'] as object), min_payout: 7, note: 'x' },
      };
    });
    t.service.hooks.addAction('payout/processed', (payout, affiliates) => {
      seen.push(payout, affiliates);
    });

    const { body } = await run(t, { custom_fields: { a: 'b' } }).expect(200);

    expect(body.payout).toMatchObject({
      title: 'By <b>extension</b>',
      payout_method: 'wire',
      total_amount: 1,
      settings: { min_payout: 0, note: 'x' },
    });
    const payable = [{ id: alice.id, payable_referral_count: 1, total_payable_amount_minor: 100 }];
    expect(seen).toMatchObject([
      { status: 'draft' },
      { custom_fields: { a: 'b' } },
      payable,
      { id: body.payout.id, status: 'processing' },
      payable,
    ]);
  });

  it.each<[string, (t: TestApp) => unknown]>([
    [
      'throws a veto',
      (t) =>
        t.service.hooks.addFilter('payout/before_processing', () => {
          throw new HookVeto('Not today.');
        }),
    ],
    [
      'answers with an error',
      (t) => t.service.hooks.addFilter('payout/before_processing', (() => new Error('Not today.')) as never),
    ],
  ])('stop a run without a trace when one %s', async (_label, tap) => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);
    tap(t);

    expect((await run(t).expect(422)).body).toMatchObject({ code: 'payout_rejected', message: 'Not today.' });
    expect(await payouts(t)).toBe(0);
  });

  it('that fail leave no trace', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);
    t.service.hooks.addFilter('payout/before_create', () => {
      throw new Error('broken');
    });

    await run(t).expect(500);
    expect(await payouts(t)).toBe(0);
  });

  it('are asked once more when the set changes under them, then the run gives up', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    const sale = await earn(t, alice.id, 100);
    let asked = 0;
    const untap = t.service.hooks.addFilter('payout/before_processing', async () => {
      asked += 1;
      await t.app.referrals.update(sale.id, { amount: asked + 1 });
      return undefined;
    });

    expect((await run(t).expect(422)).body).toMatchObject({
      code: 'preview_outdated',
      payable_total_amount: 3,
    });
    expect(asked).toBe(2);
    untap();
    expect((await run(t).expect(200)).body.payout.total_amount).toBe(3);
  });

  it('do not see later referrals paid: those wait for the next run', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);
    let late = 0;
    t.service.hooks.addFilter('payout/before_processing', async () => {
      if (late === 0) late = (await earn(t, alice.id, 5000)).id;
      return undefined;
    });

    expect((await run(t).expect(200)).body.payout.total_amount).toBe(1);
    expect((await t.app.referrals.get(late)).status).toBe('unpaid');
  });
});

describe('at the same time', () => {
  it('can be seen by others while it runs, and no longer than that', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 500);
    await earn(t, id, 700);
    const running = async (): Promise<unknown> =>
      (await t.admin.get('/payouts/running').expect(200)).body.works;
    const seen: unknown[] = [];
    t.service.hooks.addFilter('payout/before_processing', async (payout) => {
      seen.push(await running());
      return payout;
    });

    await t.records.payout(FORM);

    expect(seen).toMatchObject([[{ kind: 'payout', payout_id: null, running: true, done: 0, total: 2 }]]);
    expect(await running()).toEqual([]);
  });

  it('16 runs make one payout; the others find nothing to pay', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    for (let at = 0; at < 5; at++) await earn(t, alice.id, 100 + at);

    const answers = await Promise.all(Array.from({ length: 16 }, () => run(t)));

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(
      new Set(answers.filter((answer) => answer.status !== 200).map((answer) => answer.body.code)),
    ).toEqual(new Set(['nothing_to_pay']));
    expect(await payouts(t)).toBe(1);
  });

  it('a repeated Idempotency-Key replays the first answer', async () => {
    const t = await startApp();
    const alice = await affiliate(t, 2);
    await earn(t, alice.id, 100);

    const first = await run(t).set('Idempotency-Key', 'k1').expect(200);
    const again = await run(t).set('Idempotency-Key', 'k1').expect(200);

    expect(again.body).toEqual(first.body);
    expect(await payouts(t)).toBe(1);
  });

  it('takes as many statements for 40 affiliates as for 2', async () => {
    const t = await startApp();
    const count = async (affiliates: number): Promise<number> => {
      for (let at = 0; at < affiliates; at++) {
        const userId = affiliates * 100 + at;
        t.host.addUser({ id: userId, login: `u${userId}`, email: `u${userId}@shop.test` });
        await earn(t, (await affiliate(t, userId)).id, 100);
      }
      return (await statementsOf(t, () => t.app.payouts.process(FORM))).length;
    };

    await count(1); // makes the lease row and fills the settings cache
    expect(await count(40)).toBe(await count(2));
  });

  it('lets the next run begin ten seconds after the process of this one died', async () => {
    const t = await startApp();
    await earn(t, (await affiliate(t, 2)).id, 100);
    let left = 0;
    t.service.hooks.addFilter('payout/before_create', async (draft) => {
      const lease: { expires_at: number | string } = await t.app
        .db('job_leases')
        .where({ name: 'payouts.run' })
        .first('expires_at');
      left = Number(lease.expires_at) - Date.now();
      return draft;
    });

    await run(t).expect(200);

    expect(left).toBeGreaterThan(5000);
    expect(left).toBeLessThanOrEqual(10_000);
  });
});
