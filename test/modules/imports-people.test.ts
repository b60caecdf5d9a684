import { describe, expect, it } from '@jest/globals';
import { memorySource } from '../imports/memory-source.js';
import { startApp, type TestApp } from '../support/app.js';
import { auditOf } from '../support/lists.js';

const NEWCOMER = { email: 'new@old.test', login: 'newcomer', first_name: 'New', last_name: 'Comer' };
const AFFILIATES = [
  {
    id: '1',
    user: { email: 'ALICE@shop.test', login: 'alice' },
    status: 'active',
    total_earnings: '15.10',
    unpaid_earnings: '5.10',
  },
  { id: '2', user: NEWCOMER, status: 'active', paid_earnings: '4', unpaid_earnings: '1' },
  { id: '3', user: null, status: 'active' },
];
const REFERRALS = [
  { id: '1', affiliate_id: '1', status: 'paid', amount: '10' },
  { id: '2', affiliate_id: '1', status: 'unpaid', amount: '5.10' },
  { id: '3', affiliate_id: '2', status: 'paid', amount: '4' },
  { id: '4', affiliate_id: '2', status: 'unpaid', amount: '1' },
];

async function moveIn(t: TestApp, reset = false): Promise<void> {
  await t.app.imports.start('affiliate_wp', reset);
  await t.app.imports.run('affiliate_wp');
}

describe('affiliates of an import', () => {
  it('are listed beside what the old system says of them', async () => {
    const t = await startApp({ migrators: [memorySource({ affiliates: AFFILIATES, referrals: REFERRALS })] });
    await moveIn(t);

    const { body } = await t.admin.get('/settings/migrations/affiliates').expect(200);
    expect(body).toMatchObject({
      affiliates: [
        {
          source_id: '1',
          affiliate_id: 1,
          user_id: 2,
          stated_total_minor: 1510,
          stored_total_minor: 1510,
          stated_unpaid_minor: 510,
          differs: false,
        },
        {
          source_id: '2',
          affiliate_id: 2,
          user_id: null,
          login: 'newcomer',
          email: 'new@old.test',
          stated_total_minor: 500,
          stored_total_minor: 500,
          differs: false,
        },
        {
          source_id: '3',
          affiliate_id: 3,
          user_id: null,
          login: null,
          stated_total_minor: null,
          differs: false,
        },
      ],
      next_cursor: null,
    });
    await t.records.referral({ affiliate_id: 1, amount: 3 });
    expect(
      (await t.admin.get('/settings/migrations/affiliates').expect(200)).body.affiliates[0],
    ).toMatchObject({ stored_total_minor: 1810, differs: true });
  });

  it('get their login once the host knows them, and never that of another affiliate', async () => {
    const t = await startApp({
      migrators: [memorySource({ affiliates: [...AFFILIATES, { ...AFFILIATES[1], id: '4' }] })],
    });
    await moveIn(t);
    expect(await t.app.affiliates.get(2)).toMatchObject({ user_id: null });
    const user = await t.host.users.create?.({ ...NEWCOMER, password: 'a password of the host' });

    await moveIn(t, true);

    expect(
      [await t.app.affiliates.get(2), await t.app.affiliates.get(4)].map((affiliate) => affiliate.user_id),
    ).toEqual([user?.id, null]);
    expect((await t.app.imports.report('affiliate_wp'))?.noted).toMatchObject({ user_linked_later: 1 });
    expect(await auditOf(t, 'action=import.user_linked')).toMatchObject([{ object_id: '2' }]);
  });
});

describe('managers of an import', () => {
  const managers = async (): Promise<never[]> =>
    [
      {
        id: '7',
        user: { email: 'bob@shop.test' },
        permissions: ['read_all_visits', 'manage_all_payouts', 'read_all_payouts', 'unknown'],
      },
      { id: '8', user: { email: 'carol@shop.test' }, permissions: ['manage_all_data'] },
      { id: '9', user: { email: 'admin@shop.test' }, permissions: ['manage_all_data'] },
      { id: '10', user: { email: 'nobody@old.test' }, permissions: ['manage_all_data'] },
      { id: '11', user: { email: 'dave@shop.test' }, permissions: [] },
      { id: '12', user: null, permissions: [], problem: 'permissions_serialized_object_refused' },
    ] as never[];

  it('get the same rights here, unless they have others already', async () => {
    const t = await startApp({ migrators: [memorySource({ affiliates: AFFILIATES }, { managers })] });
    await t.admin
      .post('/settings/managers')
      .send({ user_id: 4, permissions: ['read_all_affiliates'] })
      .expect(200);
    const calls: unknown[] = [];
    t.service.hooks.addAction('manager_permissions_updated', (...args) => {
      calls.push(args.slice(0, 3));
    });

    await moveIn(t);
    await moveIn(t, true);

    const { body } = await t.admin.get('/settings/managers').expect(200);
    expect(body.managers).toMatchObject([
      { user_id: 3, permissions: ['read_all_visits', 'manage_all_payouts'] },
      { user_id: 4, permissions: ['read_all_affiliates'] },
    ]);
    expect(calls).toEqual([[3, ['read_all_visits', 'manage_all_payouts'], []]]);
    const { body: rows } = await t.admin.get('/settings/migrations/rows').expect(200);
    expect(rows.next_after).toBeNull();
    const reasons = new Map(
      (rows.rows as { source_id: string; outcome: string; reason: string }[]).map((row) => [
        row.source_id,
        `${row.outcome} ${row.reason}`,
      ]),
    );
    expect(Object.fromEntries([...reasons].filter(([id]) => id.startsWith('manager-')))).toEqual({
      'manager-7': 'noted manager_rights_given',
      'manager-8': 'skipped manager_has_other_rights',
      'manager-9': 'skipped manager_is_administrator',
      'manager-10': 'skipped manager_user_missing',
      'manager-11': 'skipped manager_without_known_rights',
      'manager-12': 'skipped permissions_serialized_object_refused',
    });
  });
});

describe('a run beside the requests', () => {
  const many = {
    affiliates: AFFILIATES,
    visits: Array.from({ length: 9000 }, (_, n) => ({
      id: String(n + 1),
      affiliate_id: '1',
      referral_ids: [],
      created_at: '2025-12-01 09:00:00',
    })),
  };

  it('is worked off where jobs run, while the poll only looks', async () => {
    const t = await startApp({ migrators: [memorySource(many)], jobs: true });
    await t.admin.post('/settings/migrations/start').send({}).expect(200);
    let body: { current_stage: string; progress: { processed: number; total: number } };
    do ({ body } = await t.admin.get('/settings/migrations/status').expect(200));
    while (body.current_stage !== 'completed');
    expect(body).toMatchObject({
      migrated_visits: 9000,
      cancelled: false,
      error: null,
      progress: { processed: 9003, total: 9003, remaining_seconds: 0 },
    });
    expect((await t.admin.get('/settings/migrations/report').expect(200)).body.report).toMatchObject({
      stage: 'completed',
      stages: { visits: { imported: 9000 } },
    });
  });

  it('left behind by another process is taken up by the job', async () => {
    const t = await startApp({ migrators: [memorySource(many)] });
    await t.app.imports.start('affiliate_wp');
    expect(await t.app.imports.isDue()).toBe(true);

    await t.service.jobs.runDue();
    while (
      (await t.app.imports.isDue()) ||
      (await t.app.imports.report('affiliate_wp'))?.stage !== 'completed'
    )
      await new Promise(setImmediate);

    expect(await t.app.imports.dataCounts()).toMatchObject({ visits: 9000 });
  });

  it('stops over REST after the batch at hand, and start goes on', async () => {
    const t = await startApp({ migrators: [memorySource(many)] });
    await t.admin.post('/settings/migrations/start').send({}).expect(200);
    const { body } = await t.admin
      .post('/settings/migrations/cancel')
      .send({ migrator: 'affiliate_wp' })
      .expect(200);
    expect(body.current_status).toMatchObject({ cancelled: true, current_stage: 'affiliate_groups' });
    expect((await t.admin.get('/settings/migrations/status').expect(200)).body).toMatchObject({
      cancelled: true,
      migrated_affiliates: 0,
    });
    expect(await t.app.imports.isDue()).toBe(false);
    expect(
      (await t.admin.post('/settings/migrations/start').send({}).expect(200)).body.current_status,
    ).toMatchObject({ cancelled: false });
    expect(await t.app.imports.run('affiliate_wp')).toMatchObject({ stage: 'completed' });
  });

  it('is distinguished from an unknown source', async () => {
    const t = await startApp({ migrators: [memorySource(many)] });
    expect((await t.admin.get('/settings/migrations/report').expect(200)).body).toEqual({ report: null });
    expect(
      (await t.admin.post('/settings/migrations/cancel').send({ migrator: 'nothing' }).expect(422)).body.code,
    ).toBe('migrator_not_found');
    expect(
      (await t.admin.get('/settings/migrations/affiliates?migrator=nothing').expect(422)).body.code,
    ).toBe('migrator_not_found');
    await t.admin.get('/settings/migrations/affiliates?cursor=1;drop').expect(422);
  });
});
