import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { memorySource as source, type Rows } from '../imports/memory-source.js';
import { startApp, type TestApp } from '../support/app.js';
import { testDatabase } from '../support/databases.js';
import { auditOf, listed } from '../support/lists.js';
import { startBeside } from '../support/same-database.js';

const AFFILIATE = { id: '1', user: { email: 'alice@shop.test' }, status: 'active' };
const FORM = { user_id: 4, status: 'active', rate_type: 'default', payment_email: 'carol@pay.test' };
const DATA: Rows = {
  affiliate_groups: [{ id: '1', name: 'Gold', rate_type: 'percentage', rate: '30' }],
  affiliates: [
    AFFILIATE,
    {
      id: '2',
      user: { email: 'nobody@old.test', login: 'nobody', first_name: 'No', last_name: 'Body' },
      status: 'active',
      rate_type: 'group',
      group_id: '1',
    },
  ],
  referrals: [
    { id: '1', affiliate_id: '1', status: 'paid', amount: '10.005', created_at: '2025-12-01 10:00:00' },
    { id: '2', affiliate_id: '1', status: 'unpaid', amount: 5.1000000001, created_at: '2025-12-02 10:00:00' },
    { id: '3', affiliate_id: '2', status: 'paid', amount: '7', created_at: '2025-12-02 10:00:00' },
  ],
  customers: [{ id: '1', email: 'buyer@old.test', referral_ids: ['1', '2'] }],
  payouts: [
    {
      id: '1',
      affiliate_id: '1',
      amount: '10.01',
      status: 'paid',
      referral_ids: ['1'],
      batch: { id: 'a' },
      created_at: '2026-01-01 00:00:00',
    },
  ],
  visits: [
    {
      id: '1',
      affiliate_id: '1',
      referral_ids: ['1', '3'],
      url: 'https://shop.test/?a=1',
      created_at: '2025-12-01 09:00:00',
    },
  ],
  creatives: [
    { id: '1', name: 'Link', type: 'text', text: 'Buy', url: 'https://shop.test/', status: 'active' },
  ],
};
const ZERO = {
  migrated_affiliate_groups: 0,
  migrated_affiliates: 0,
  migrated_referrals: 0,
  migrated_customers: 0,
  migrated_payout_id: 0,
  migrated_payouts: 0,
  migrated_visits: 0,
  migrated_creatives: 0,
  current_stage: 'affiliate_groups',
  error: null,
};

/** Polls as a page does until the import is through; a busy machine needs several polls. */
async function polled(t: TestApp, migrator: string): Promise<unknown> {
  for (let poll = 0; ; poll++) {
    const { body } = await t.admin.get(`/settings/migrations/status?migrator=${migrator}`).expect(200);
    if (body.current_stage === 'completed' || body.error !== null || poll === 100) return body;
  }
}

describe('migrations over REST', () => {
  it('lists available sources and the rows here', async () => {
    const t = await startApp({
      migrators: [
        source(DATA),
        source({}, { slug: 'slicewp', isAvailable: async () => false }),
        source({}, { slug: 'broken', isAvailable: () => Promise.reject(new Error('no connection')) }),
      ],
    });
    const { body } = await t.admin.get('/settings/migrations').expect(200);
    expect(body).toEqual({
      migrators: [{ name: 'AffiliateWP', slug: 'affiliate_wp' }],
      data_counts: {
        affiliate_groups: 0,
        affiliates: 0,
        referrals: 0,
        visits: 0,
        payouts: 0,
        customers: 0,
        creatives: 0,
      },
    });
  });

  it('has no sources unless the host registers some, and lets extensions add to the lists', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('migrators', (list) => [...(list as object[]), { name: 'Own', slug: 'own' }]);
    t.service.hooks.addFilter('get_current_data_counts', (counts) => ({ ...counts, coupons: 3 }));
    const { body } = await t.admin.get('/settings/migrations').expect(200);
    expect(body).toMatchObject({ migrators: [{ name: 'Own', slug: 'own' }], data_counts: { coupons: 3 } });
  });

  it('works with a source an extension registers', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('migrators', (list) => [
      ...(list as object[]),
      source(DATA, { slug: 'own', name: 'Own' }),
    ]);
    expect((await t.admin.get('/settings/migrations').expect(200)).body.migrators).toEqual([
      { name: 'Own', slug: 'own' },
    ]);
    await t.admin.post('/settings/migrations/start').send({ migrator: 'own' }).expect(200);
    expect(await polled(t, 'own')).toMatchObject({
      current_stage: 'completed',
      migrated_referrals: 3,
    });
  });

  it('starts, moves on with every poll and reports flat', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    const started = await t.admin.post('/settings/migrations/start').send({}).expect(200);
    expect(started.body.current_status).toMatchObject(ZERO);
    expect(await polled(t, 'affiliate_wp')).toMatchObject({
      migrated_affiliate_groups: 1,
      migrated_affiliates: 2,
      migrated_referrals: 3,
      migrated_customers: 1,
      migrated_payouts: 1,
      migrated_payout_id: 1,
      migrated_visits: 1,
      migrated_creatives: 1,
      current_stage: 'completed',
      error: null,
      progress: { processed: 10, total: 10, remaining_seconds: 0, skipped: 0 },
    });
    const statistics = (await t.admin.get('/settings/migrations/statistics').expect(200)).body.statistics;
    expect(statistics).toMatchObject({
      affiliates: { total: 2, migrated: 2 },
      visits: { total: 1, migrated: 1 },
    });
  });

  it('counts what is in, whatever the last run did, also after a restart and when rows have gone', async () => {
    const rows: Record<string, object[]> = Object.fromEntries(
      Object.entries(DATA).map(([stage, list]) => [stage, [...(list as object[])]]),
    );
    const t = await startApp({ migrators: [source(rows)] });
    const figures = async (from = t): Promise<unknown> =>
      (await from.admin.get('/settings/migrations/statistics').expect(200)).body.statistics;
    await t.admin.post('/settings/migrations/start').send({}).expect(200);
    const done = (await polled(t, 'affiliate_wp')) as object;
    const all = {
      affiliate_groups: { total: 1, migrated: 1 },
      affiliates: { total: 2, migrated: 2 },
      referrals: { total: 3, migrated: 3 },
      customers: { total: 1, migrated: 1 },
      payouts: { total: 1, migrated: 1 },
      visits: { total: 1, migrated: 1 },
      creatives: { total: 1, migrated: 1 },
    };
    expect(await figures()).toEqual(all);

    const figuresOf = (status: object): object =>
      Object.fromEntries(Object.entries(status).filter(([name]) => name.startsWith('migrated_')));
    for (const body of [{}, { reset_migration: 'yes' }]) {
      const again = await t.admin.post('/settings/migrations/start').send(body).expect(200);
      expect(figuresOf(again.body.current_status as object)).toEqual(figuresOf(done));
      expect(await figures()).toEqual(all);
      expect(figuresOf((await polled(t, 'affiliate_wp')) as object)).toEqual(figuresOf(done));
    }

    rows['visits']?.push({ id: '2', affiliate_id: '1', created_at: '2025-12-03 09:00:00' });
    const later = await startBeside(t, { migrators: [source(rows)] });
    expect(await figures(later)).toEqual({ ...all, visits: { total: 2, migrated: 1 } });
    await later.app.imports.wipe('WIPE ALL DATA');
    expect(await figures(later)).toMatchObject({
      affiliate_groups: { total: 1, migrated: 0 },
      affiliates: { total: 2, migrated: 0 },
      payouts: { total: 1, migrated: 0 },
    });
  });

  it('gives imported payouts a maker and a description', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    await t.admin.post('/settings/migrations/start').send({}).expect(200);
    await polled(t, 'affiliate_wp');
    const { payout } = (await t.admin.get('/payouts/1').expect(200)).body;
    expect(payout).toMatchObject({
      created_by: 1,
      creator: { full_name: 'Admin' },
      title: 'Payout of 2026-01-01',
      description: 'Imported from AffiliateWP',
    });
    const { transactions } = (await t.admin.get('/payouts/1/transactions').expect(200)).body;
    expect(transactions.data).toMatchObject([{ created_by: 1 }]);
  });

  it('makes the books: counters, payout, customer, visit and the paid commission without a payout', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    const [alice, nobody] = (await t.admin.get('/affiliates?order_type=ASC&order_by=id').expect(200)).body
      .affiliates.data;
    expect(alice).toMatchObject({
      user_id: 2,
      total_earnings: 15.11,
      unpaid_earnings: 5.1,
      referrals: 2,
      visits: 1,
    });
    expect(nobody).toMatchObject({
      user_id: null,
      total_earnings: 7,
      unpaid_earnings: 0,
      referrals: 1,
      rate_type: 'group',
    });
    // no response shows which commissions were paid outside a payout
    const elsewhere = await t.app.db('referrals').where({ paid_elsewhere: 1 }).pluck('source_key');
    expect(elsewhere).toEqual(['affiliate_wp:3']);
    const [paid] = await listed(t, '/referrals');
    expect(paid).toMatchObject({ payout_id: 1, visit_id: 1, customer_id: 1 });
    const report = await t.app.imports.report('affiliate_wp');
    expect(report?.noted).toEqual({ user_missing: 1, commission_of_another_affiliate: 1 });
    expect(report?.sums.find((sum) => sum.status === 'paid')).toMatchObject({
      found: 2,
      found_minor: 1701,
      stored_minor: 1701,
      rounding_e12: '-5000000000',
    });
    expect(report?.payments).toEqual({ USD: { stated_minor: 1001, matched_minor: 1001 } });
  });

  it.each([
    ['start', 'post', { migrator: 'nothing' }],
    ['status', 'get', { migrator: 'nothing' }],
    ['statistics', 'get', { migrator: 'nothing' }],
  ] as const)('refuses an unknown source in %s', async (path, verb, input) => {
    const t = await startApp({ migrators: [source(DATA)] });
    const url = `/settings/migrations/${path}`;
    const answer = await (
      verb === 'get' ? t.admin.get(`${url}?migrator=${input.migrator}`) : t.admin.post(url).send(input)
    ).expect(422);
    expect(answer.body.code).toBe('migrator_not_found');
  });

  it('refuses a stored stage it does not know', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    await t.app.imports.start('affiliate_wp');
    await t.app.db('import_runs').update({ stage: 'somewhere' }); // of a later version
    expect((await t.admin.get('/settings/migrations/status').expect(422)).body.code).toBe('invalid_stage');
  });

  it('needs an administrator', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    await t.as(2).get('/settings/migrations').expect(403);
    await t.as(2).post('/settings/migrations/wipe').send({ confirmation: 'WIPE ALL DATA' }).expect(403);
  });
});

describe('runs', () => {
  it('tries a batch again by itself, and stops when it has failed three times', async () => {
    let failures = 0;
    const good = source(DATA);
    const t = await startApp({
      migrators: [
        {
          ...good,
          migrate: (stage, cursor, limit) =>
            stage === 'customers' && failures++ < 2
              ? Promise.reject(new Error('The old site is away.'))
              : good.migrate(stage, cursor, limit),
        },
      ],
    });
    await t.app.imports.start('affiliate_wp');

    expect(await polled(t, 'affiliate_wp')).toMatchObject({ current_stage: 'completed', error: null });
    expect(t.log.filter(({ message }) => message === 'a batch of an import failed')).toHaveLength(2);
  });

  it('reports a failure, keeps what is imported and goes on after the next start', async () => {
    let broken = true;
    const good = source(DATA);
    const t = await startApp({
      migrators: [
        {
          ...good,
          migrate: (stage, cursor, limit) =>
            broken && stage === 'customers'
              ? Promise.reject(new Error('wp_secret'))
              : good.migrate(stage, cursor, limit),
        },
      ],
    });
    await t.app.imports.start('affiliate_wp');
    expect(await polled(t, 'affiliate_wp')).toMatchObject({
      current_stage: 'customers',
      migrated_referrals: 3,
      error: 'The import stopped. The cause has been logged.',
    });
    broken = false;
    expect(
      (await t.admin.post('/settings/migrations/start').send({ migrator: 'affiliate_wp' }).expect(200)).body
        .current_status,
    ).toMatchObject({ current_stage: 'customers', error: null });
    expect((await t.admin.get('/settings/migrations/status').expect(200)).body).toMatchObject({
      current_stage: 'completed',
      error: null,
    });
  });

  it('stops when it is cancelled and resumes where it stood', async () => {
    const many = {
      affiliates: [AFFILIATE],
      visits: Array.from({ length: 4500 }, (_, n) => ({
        id: String(n + 1),
        affiliate_id: '1',
        referral_ids: [],
        created_at: '2025-12-01 09:00:00',
      })),
    };
    const t = await startApp({ migrators: [source(many)] });
    await t.app.imports.start('affiliate_wp');
    const stop = new AbortController();
    await t.app.imports.run('affiliate_wp', {
      signal: stop.signal,
      onProgress: (run) => {
        if (run.stage === 'visits' && run.state.stages.visits.found > 0) stop.abort();
      },
    });
    await t.app.imports.cancel('affiliate_wp');
    expect((await t.admin.get('/settings/migrations/status').expect(200)).body).toMatchObject({
      current_stage: 'visits',
      cancelled: true,
      migrated_visits: 1000,
    });
    expect(await t.service.verify()).toEqual([]);
    await t.app.imports.start('affiliate_wp');
    expect(await t.app.imports.run('affiliate_wp')).toMatchObject({ stage: 'completed' });
    expect(await t.app.imports.dataCounts()).toMatchObject({ visits: 4500 });
  });

  it('lets two polls at once import each batch once', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    await t.app.imports.start('affiliate_wp');
    await Promise.all([1, 2, 3].map(() => t.admin.get('/settings/migrations/status').expect(200)));
    expect((await t.admin.get('/settings/migrations/status').expect(200)).body).toMatchObject({
      current_stage: 'completed',
      migrated_affiliates: 2,
      progress: { processed: 10 },
    });
  });

  it('creates users the host does not know when it may', async () => {
    const t = await startApp({ migrators: [source(DATA)], createImportedUsers: true });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    const user = await t.host.users.findByEmail('nobody@old.test');
    expect(user).toMatchObject({ login: 'nobody', full_name: 'No Body' });
    expect(await t.app.affiliates.findByUser(user?.id ?? 0)).toMatchObject({ status: 'active' });
  });

  it('picks up new rows of a finished run when it is started again', async () => {
    const rows = { affiliates: [AFFILIATE] as object[] };
    const t = await startApp({ migrators: [source(rows)] });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    rows.affiliates.push({ id: '2', user: null, status: 'pending' });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    expect(await t.app.imports.dataCounts()).toMatchObject({ affiliates: 2 });
    expect((await t.app.imports.report('affiliate_wp'))?.progress).toMatchObject({
      processed: 1,
      total: 1,
      remaining_seconds: 0,
    });
  });
});

describe('rows', () => {
  it('knows an imported order when the shop reports it again', async () => {
    const order = {
      affiliate_id: '1',
      status: 'unpaid',
      amount: '10',
      order_total: '100',
      provider: 'shop',
      provider_id: 'A1',
    };
    const t = await startApp({
      migrators: [
        source({
          affiliates: [AFFILIATE],
          referrals: [
            { id: '1', ...order },
            { id: '2', ...order, amount: '3' },
          ],
        }),
      ],
    });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    expect((await t.app.conversions.find('shop', 'A1'))?.id).toBe(1);
    await t.app.conversions.refund('shop', 'A1', { refunded_total: 50 });
    expect(await t.app.affiliates.get(1)).toMatchObject({ unpaid_earnings_minor: 800, referrals: 2 });
  });

  it('takes the first of two rows with one id and none without', async () => {
    const rows = {
      affiliates: [
        AFFILIATE,
        { ...AFFILIATE, user: null },
        { ...AFFILIATE, id: 'x'.repeat(101) },
        { ...AFFILIATE, id: '' },
      ],
      visits: [
        { id: '7', affiliate_id: '1', referral_ids: [] },
        { id: '7', affiliate_id: '1', referral_ids: [] },
      ],
    };
    const t = await startApp({ migrators: [source(rows)] });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    expect(await t.app.imports.dataCounts()).toMatchObject({ affiliates: 1, visits: 1 });
    expect((await t.app.imports.report('affiliate_wp'))?.skipped).toEqual({
      id_repeated: 2,
      id_unusable: 2,
    });
  });

  it('brings a deduction with its commission, and without one as a correction of the balance', async () => {
    const of = (id: string, amount: string, parent?: string): object => ({
      id,
      affiliate_id: '1',
      status: 'unpaid',
      amount,
      currency: 'USD',
      ...(parent && { parent_id: parent }),
    });
    const t = await startApp({
      migrators: [
        source({
          affiliates: [AFFILIATE],
          referrals: [of('1', '10'), of('2', '-4', '1'), of('3', '-4'), of('4', '-11', '1')],
        }),
      ],
    });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    expect(await t.app.affiliates.get(1)).toMatchObject({ unpaid_earnings_minor: -900, referrals: 1 });
    expect(await listed(t, '/referrals')).toMatchObject([
      { parent_id: null, type: 'sale' },
      { parent_id: expect.anything(), type: 'adjustment' },
      { parent_id: null, type: 'adjustment' },
      { parent_id: null, type: 'adjustment' },
    ]);
    const report = await t.app.imports.report('affiliate_wp');
    expect([report?.skipped, report?.noted]).toMatchObject([{}, { negative_as_correction: 2 }]);
  });

  // A commission of 10.00 on 100.00: what was taken back there, and what the shop reports here afterwards.
  it.each([
    { back: ['-3'], status: 'unpaid', left: [700, 700, 500, 0] },
    { back: ['-3', '-2'], status: 'unpaid', left: [500, 500, 500, 0] },
    { back: ['-10'], status: 'unpaid', left: [0, 0, 0, 0] },
    { back: ['-3', '-7'], status: 'unpaid', left: [0, 0, 0, 0] },
    { back: ['-3'], status: 'paid', left: [0, 0, -200, -700] },
    { back: ['-10'], status: 'paid', left: [0, 0, 0, 0] },
  ])(
    'takes nothing twice of what $back took of a commission that is $status',
    async ({ back, status, left }) => {
      const of = (id: number, amount: string): object => ({
        id: String(id),
        affiliate_id: '1',
        status,
        amount,
        order_total: '100',
        currency: 'USD',
        provider: 'shop',
        provider_id: 'A1',
      });
      const rows = [of(1, '10'), ...back.map((amount, at) => ({ ...of(at + 2, amount), parent_id: '1' }))];
      const t = await startApp({ migrators: [source({ affiliates: [AFFILIATE], referrals: rows })] });
      const unpaid = async (): Promise<number> => {
        await t.app.imports.start('affiliate_wp');
        await t.app.imports.run('affiliate_wp');
        expect(await t.app.ledger.verify()).toEqual([]);
        return (await t.app.affiliates.get(1)).unpaid_earnings_minor;
      };
      const seen = [await unpaid()];
      for (const refunded_total of ['30.00', '50.00', '100.00']) {
        await t.service.conversions.refund('shop', 'A1', { refunded_total });
        seen.push(await unpaid());
      }
      expect(seen).toEqual(left);
    },
  );

  it('counts a later refund beside what was taken back there', async () => {
    const order = {
      affiliate_id: '1',
      status: 'unpaid',
      order_total: '100',
      provider: 'shop',
      provider_id: 'A1',
    };
    const referrals = [
      { id: '1', amount: '10', ...order },
      { id: '2', amount: '-3', parent_id: '1', ...order },
    ];
    const t = await startApp({ migrators: [source({ affiliates: [AFFILIATE], referrals })] });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    await t.service.conversions.refund('shop', 'A1', { refund_id: 'r1', amount: '20.00' });
    expect(await t.app.affiliates.get(1)).toMatchObject({ unpaid_earnings_minor: 500 });
    expect(await t.app.ledger.verify()).toEqual([]);
  });
});

describe('settings of the old program', () => {
  const PROGRAM = {
    currency: 'USD',
    referral_variable: 'partner',
    cookie_duration: '45',
    rate: '12.5',
    rate_type: 'percentage',
    minimum_payout: '40.00',
  };
  const start = (t: TestApp, more: object): Promise<unknown> =>
    t.admin
      .post('/settings/migrations/start')
      .send({ migrator: 'affiliate_wp', ...more })
      .expect(200);
  const inForce = async ({ service }: TestApp): Promise<unknown[]> => {
    const { referral_variable, cookie_duration, rate_e4 } = await service.settings.referralConfig();
    return [referral_variable, cookie_duration, rate_e4, (await service.settings.rules()).minPayout];
  };

  it('are taken over on request only', async () => {
    const t = await startApp({ migrators: [source({}, { program: async () => PROGRAM })] });
    const before = await inForce(t);
    await start(t, {});
    expect(await inForce(t)).toEqual(before);
    await start(t, { apply_settings: 'yes', reset_migration: 'yes' });
    expect(await inForce(t)).toEqual(['partner', 45, 125_000, 40]);
  });

  it('leave a rule alone that the host has locked', async () => {
    const t = await startApp({
      migrators: [source({}, { program: async () => PROGRAM })],
      payouts: { minPayout: 5 },
      locked: ['minPayout'],
    });
    await start(t, { apply_settings: 'yes' });
    expect(await inForce(t)).toEqual(['partner', 45, 125_000, 5]);
  });
});

it('reports buyers whose bond has ended or will end', async () => {
  const buyer = (id: string, bound_until: number | null): object => ({
    id,
    email: `b${id}@old.test`,
    affiliate_id: '1',
    referral_ids: [],
    bound_until,
  });
  const customers = [buyer('1', Date.UTC(2025, 0, 1)), buyer('2', Date.UTC(2027, 0, 1)), buyer('3', null)];
  const t = await startApp({ migrators: [source({ affiliates: [AFFILIATE], customers })] });
  await t.app.imports.start('affiliate_wp');
  await t.app.imports.run('affiliate_wp');
  const bound = await listed(t, '/customers');
  expect(bound.map(({ by_affiliate_id: affiliate }) => affiliate !== null)).toEqual([false, true, true]);
  expect((await t.app.imports.report('affiliate_wp'))?.noted).toMatchObject({
    expired_link: 1,
    link_ends: 1,
  });
});

describe('wipe', () => {
  const wipe = (t: TestApp): Promise<Response> =>
    t.admin
      .post('/settings/migrations/wipe')
      .send({ confirmation: 'WIPE ALL DATA' })
      .then((answer) => answer);
  const closed = async (t: TestApp): Promise<void> => {
    while (!(await t.app.settings.isClosed())) await sleep(10);
  };

  it.each([undefined, '', 'wipe all data', 'WIPE ALL DATA ', true])(
    'refuses the confirmation %p',
    async (confirmation) => {
      const t = await startApp();
      await t.records.affiliate();
      expect(
        (await t.admin.post('/settings/migrations/wipe').send({ confirmation }).expect(422)).body.code,
      ).toBe('confirmation_required');
      expect(await t.app.imports.dataCounts()).toMatchObject({ affiliates: 1 });
    },
  );

  it('empties the program and keeps settings, managers and the audit', async () => {
    const t = await startApp({ migrators: [source(DATA)], rate: 15 });
    await t.app.imports.start('affiliate_wp');
    await t.app.imports.run('affiliate_wp');
    await t.admin
      .post('/settings/managers')
      .send({ user_id: 5, permissions: ['read_all_affiliates'] })
      .expect(200);
    const affiliate = await t.records.affiliate({ user_id: 3 });
    await t.records.referral({ affiliate_id: affiliate.id, amount: 20 });
    await t.records.payout();
    const actions: unknown[] = [];
    t.service.hooks.addAction('wipe_current_data', (...args) => {
      actions.push(args.length);
    });

    const { body } = await t.admin
      .post('/settings/migrations/wipe')
      .send({ confirmation: 'WIPE ALL DATA' })
      .expect(200);
    expect(body).toEqual({ message: expect.any(String) });
    expect(actions).toHaveLength(1);
    expect(await t.app.imports.dataCounts()).toEqual({
      affiliate_groups: 0,
      affiliates: 0,
      referrals: 0,
      visits: 0,
      payouts: 0,
      customers: 0,
      creatives: 0,
    });
    // tables without a list of their own
    for (const table of [
      'payout_items',
      'payout_transactions',
      'ledger_entries',
      'daily_stats',
      'import_runs',
      'import_rows',
    ] as const)
      expect([table, await t.app.db(table).select()]).toEqual([table, []]);
    expect((await t.admin.get('/settings/managers').expect(200)).body.managers).toHaveLength(1);
    expect((await t.app.settings.referralConfig()).rate_e4).toBe(150_000);
    expect(await auditOf(t, 'action=data.wiped')).toHaveLength(1);
    expect(await t.app.imports.report('affiliate_wp')).toBeNull();
  });

  it('refuses at once what would write meanwhile, and serves pages', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({ user_id: 3, status: 'active' });
    await t.records.referral({ affiliate_id: affiliate.id, amount: 20 });

    const wiped = wipe(t);
    await closed(t);
    const refused = await t.admin.post('/affiliates').send(FORM).expect(503);
    const order = t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'A-1',
      status: 'unpaid',
      order: { subtotal: '10.00' },
      affiliate: affiliate.id,
    });

    expect(refused.body.code).toBe('closed_for_wipe');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expect(order).rejects.toMatchObject({ code: 'closed_for_wipe' });
    await t.admin.get('/affiliates').expect(200);
    expect((await t.admin.get('/system/state').expect(200)).body.works).toMatchObject([{ kind: 'wipe' }]);
    expect((await wiped).status).toBe(200);
    await t.admin.post('/affiliates').send(FORM).expect(200);
    expect(await t.service.verify()).toEqual([]);
  });

  it('deletes the figures of days in slices, as a program has one for each affiliate and day', async () => {
    const t = await startApp();
    const days = Array.from({ length: 2500 }, (_, day) => ({ scope: 'a:1', day, visits: 1 }));
    for (let from = 0; from < days.length; from += 500)
      await t.app.db('daily_stats').insert(days.slice(from, from + 500));

    const wiped = wipe(t);
    await closed(t);

    const [work] = (await t.admin.get('/system/state').expect(200)).body.works;
    expect(work).toMatchObject({ kind: 'wipe', total: 2500 });
    expect((await wiped).status).toBe(200);
    expect(await t.app.db('daily_stats').select()).toEqual([]);
  });

  it('ends in another process when the one that began it is gone', async () => {
    const database = await testDatabase({ shared: true });
    const t = await startApp({ database, shared: true });
    const affiliate = await t.records.affiliate({ user_id: 3, status: 'active' });
    const parent = await t.records.referral({ affiliate_id: affiliate.id, amount: 20 });
    await t.records.referral({ affiliate_id: affiliate.id, amount: 20, parent_id: parent.id });
    const wiped = wipe(t);
    await closed(t);
    await t.app.operations.stop('wipe', 0);
    expect((await wiped).body.code).toBe('closed_for_wipe');

    await t.app.db('works').update({ state: 'running' }); // as a killed process leaves it

    await t.close();
    const later = await startApp({ keep: true, database });
    await later.app.operations.resume();

    expect(await later.app.imports.dataCounts()).toMatchObject({ affiliates: 0, referrals: 0 });
    await later.admin.post('/affiliates').send(FORM).expect(200);
  });

  it('waits for a running import, not for an abandoned one', async () => {
    const t = await startApp({ migrators: [source(DATA)] });
    await t.app.imports.start('affiliate_wp');
    expect((await wipe(t)).body.code).toBe('migration_running');
    t.clock.advance(10 * 60_000);
    expect((await wipe(t)).status).toBe(200);
  });
});
