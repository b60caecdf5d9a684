import { afterAll, describe, expect, it } from '@jest/globals';
import createKnex from 'knex';
import request from 'supertest';
import type { TableName } from '../../adapters/database/tables.js';
import { currencyDigits } from '../../src/core/currency.js';
import { wordpressMigrators } from '../../src/index.js';
import { loadDump, type DumpName } from '../imports/dumps.js';
import { mysqlReachable, type BuiltSite } from '../imports/old-site.js';
import { startApp, type TestApp } from '../support/app.js';
import { NAVIGATION } from '../support/tracker.js';
import { listed } from '../support/lists.js';
import { storedRows } from '../support/rows.js';

// Databases that the real systems wrote (test/imports/fixtures).
// Where a MariaDB answers, they are read in their own column types too.
const ENGINES = (await mysqlReachable()) ? (['sqlite', 'mysql'] as const) : (['sqlite'] as const);
const sites: BuiltSite[] = [];
afterAll(async () => {
  for (const site of sites) await site.drop();
});

interface Case {
  readonly dump: DumpName;
  readonly slug: string;
  readonly prefix?: string;
  readonly settings?: object;
  readonly currency: string;
  /** `status currency` → number and minor units of what is stored. */
  readonly sums: Readonly<Record<string, readonly [number, number]>>;
  /** Old affiliate → currency → owed, being paid, paid. */
  readonly balances: Readonly<Record<string, Readonly<Record<string, readonly [number, number, number]>>>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly unread: readonly string[];
  readonly remarks: readonly string[];
  /** Address or cookie → affiliate here. */
  readonly links: Readonly<Record<string, number>>;
  readonly cookies: Readonly<Record<string, number>>;
  /** Rows by source id: where, and what must be there. */
  readonly rows: readonly (readonly [table: string, id: string, is: object])[];
}

const WRITTEN = Date.UTC(2026, 10, 21, 23); // all but hand-made rows were written then

const CASES: readonly Case[] = [
  {
    dump: 'affiliates-manager-2026',
    slug: 'affiliate_manager',
    currency: 'EUR',
    sums: { 'paid EUR': [4, 1800], 'unpaid EUR': [8, 2500] },
    balances: { 1: { EUR: [1950, 0, 1000] }, 3: { EUR: [550, 0, 800] }, 4: {}, 5: {} },
    counts: { affiliates: 4, referrals: 12, customers: 4, payout_transactions: 2, visits: 2, creatives: 1 },
    unread: [],
    remarks: ['partly_covered_by_payments', 'carried_by_payment', 'user_missing'],
    links: {
      '/?wpam_id=1': 1,
      '/?wpam_id=3': 3,
      '/?wpam_refkey=816A52D727D04029E66D': 3,
      '/shop/wpam_id/3/': 3,
    },
    cookies: { 'wpam_id=3': 3, 'wpam_refkey=816a52d727d04029e66d': 3 },
    rows: [
      [
        'affiliates',
        '3',
        { payment_email: 'bob@x.test', rate_type: 'flat', rate_e4: 40_000, status: 'active' },
      ],
      ['affiliates', '5', { status: 'pending' }],
      ['referrals', '9', { type: 'adjustment', amount_minor: -300, status: 'unpaid', parent_id: null }],
      ['referrals', '10', { type: 'adjustment', amount_minor: 150 }],
      ['referrals', '8', { created_at: Date.UTC(2024, 1, 29, 12), status: 'paid' }],
      ['creatives', '1', { url: 'https://shop.test/shop', text: 'Buy now' }],
    ],
  },
  {
    dump: 'affiliatewp-1.8',
    slug: 'affiliate_wp',
    currency: 'USD',
    sums: { 'paid USD': [1, 500], 'unpaid USD': [1, 1500] },
    balances: { 1: { USD: [1500, 0, 500] } },
    counts: { affiliates: 1, referrals: 2, customers: 0, payout_transactions: 0, visits: 1, creatives: 0 },
    unread: [],
    remarks: ['percentage_below_one'],
    links: { '/?ref=1': 1, '/?ref=anna': 1 },
    cookies: { 'affwp_ref=1': 1 },
    rows: [
      ['affiliates', '1', { created_at: Date.UTC(2026, 10, 21, 23, 16, 24) }], // stored on the site's clock
      ['referrals', '1', { created_at: Date.UTC(2026, 10, 21, 23, 16, 24), provider: 'woo' }],
    ],
  },
  {
    dump: 'affiliatewp-2.8.2',
    slug: 'affiliate_wp',
    prefix: 'aw_',
    currency: 'EUR',
    sums: {
      'paid EUR': [4, 126_001],
      'unpaid EUR': [1, 500],
      'unpaid GBP': [1, 3000],
      'pending EUR': [1, 2000],
      'rejected EUR': [2, 2100],
    },
    balances: {
      1: { EUR: [0, 0, 1945] },
      3: { EUR: [500, 123_456, 0], GBP: [3000, 0, 0] },
      4: {},
      5: { EUR: [0, 0, 600] },
    },
    counts: { affiliates: 4, referrals: 9, customers: 2, payout_transactions: 2, visits: 2, creatives: 2 },
    unread: ['affiliate_wp_campaigns'],
    remarks: ['commission_never_completed', 'payment_failed', 'paid_by_failed_payment', 'user_deleted'],
    links: { '/?ref=1': 1, '/?ref=3': 3, '/?ref=BobSlug': 3, '/?ref=bob_b': 3, '/ref/anna/': 1 },
    cookies: { 'affwp_ref=3': 3 },
    rows: [
      ['affiliates', '1', { note: 'Good one', rate_e4: 150_000, rate_type: 'percentage' }],
      ['affiliates', '3', { custom_param: 'bobslug', rate_type: 'default' }],
      ['referrals', '7', { type: 'opt_in', currency: 'EUR' }],
      ['creatives', '1', { status: 'active', text: 'Tea' }],
    ],
  },
  {
    dump: 'fluent-affiliate-1.6.5',
    slug: 'fluent_affiliate',
    settings: { currency: 'USD' },
    currency: 'USD',
    sums: {
      'paid USD': [4, 5030],
      'unpaid USD': [4, 7600],
      'unpaid EUR': [1, 1200],
      'unpaid JPY': [1, 1500],
      'pending USD': [1, 500],
      'rejected USD': [1, 750],
      'cancelled USD': [1, 125],
      'processing USD': [1, 999],
    },
    balances: {
      1: { USD: [50, 0, 1031] },
      3: { EUR: [1200, 0, 0], JPY: [1500, 0, 0], USD: [440, 3333, 666] },
      4: {},
      6: { USD: [7110, 0, 0] },
      7: {},
    },
    counts: { affiliates: 5, referrals: 14, customers: 2, payout_transactions: 2, visits: 6, creatives: 0 },
    unread: ['fa_payouts.settings'],
    remarks: [
      'affiliate_missing',
      'date_unusable',
      'email_known_orders_joined',
      'manager_user_missing',
      'link_taken',
    ],
    links: { '/?ref=1': 1, '/?ref=AnnaStyle': 1, '/?ref=bob_b': 3, '/?ref=6': 6 },
    cookies: { 'f_aff=AnnaStyle%7C9': 1, 'f_aff=3|': 3 },
    rows: [
      ['affiliates', '1', { custom_param: 'annastyle', rate_type: 'group', created_at: WRITTEN + 635_000 }],
      // a time the clock skipped
      ['referrals', '12', { created_at: Date.UTC(2024, 2, 10, 7, 30), status: 'processing' }],
      ['referrals', '15', { created_at: Date.UTC(2024, 4, 5, 14), amount_minor: -250, type: 'adjustment' }],
      ['referrals', '11', { created_at: WRITTEN + 635_000 }],
      ['visits', '1', { created_at: WRITTEN + 635_000 }],
    ],
  },
  {
    dump: 'slicewp-1.2.10',
    slug: 'slicewp',
    currency: 'EUR',
    sums: {
      'paid EUR': [3, 21_185],
      'unpaid EUR': [2, 2252],
      'pending EUR': [1, 999],
      'rejected EUR': [1, 111],
    },
    balances: { 1: { EUR: [2252, 0, 2667] }, 3: { EUR: [0, 18_518, 0] }, 4: {} },
    counts: { affiliates: 3, referrals: 7, customers: 2, payout_transactions: 2, visits: 2, creatives: 3 },
    unread: ['slicewp_payment_meta'],
    remarks: ['payment_failed', 'unpaid_commissions_held_by_open_payment'],
    links: { '/?aff=1': 1, '/?aff=3': 3, '/?aff=bobs-deals': 3, '/aff/3/': 3, '/?aff=BOB_B': 3 },
    cookies: { 'slicewp_aff=3': 3 },
    rows: [
      ['affiliates', '1', { rate_e4: 200_000, note: expect.stringContaining('Paid late once') }],
      ['affiliates', '3', { rate_type: 'group', custom_param: 'bobs-deals' }],
      ['affiliates', '4', { status: 'inactive' }],
      ['referrals', '8', { parent_id: null, settings: expect.stringContaining('tier_of_commission') }],
      ['referrals', '3', { order_total_minor: 123_450 }],
      ['creatives', '2', { url: 'https://shop.test', type: 'text', text: 'Buy tea' }],
      ['creatives', '3', { text: 'Hello\nworld' }],
    ],
  },
  {
    dump: 'solid-affiliate',
    slug: 'solid_affiliate',
    currency: 'EUR',
    sums: { 'paid EUR': [1, 2500], 'unpaid EUR': [2, 3496], 'rejected EUR': [1, 710] },
    balances: { 1: { EUR: [1497, 0, 2500] }, 3: { EUR: [1999, 0, 0] }, 4: {} },
    counts: { affiliates: 3, referrals: 4, customers: 2, payout_transactions: 1, visits: 1, creatives: 1 },
    unread: [
      'solid_affiliates_bulk_payouts.date_range',
      'solid_affiliates_bulk_payouts.date_range_end',
      'solid_affiliates_bulk_payouts.date_range_start',
    ],
    remarks: ['commission_never_completed', 'payment_failed', 'user_deleted'],
    links: { '/?sld=1': 1, '/?sld=AnnaGold': 1, '/?sld=3': 3, '/?sld=bob_b': 3 },
    cookies: { 'solid_visit_id=1': 1 },
    rows: [
      ['affiliates', '1', { rate_type: 'group', note: 'hello', created_at: Date.UTC(2024, 0, 1, 10) }],
      ['affiliates', '3', { rate_type: 'flat', rate_e4: 71_000 }],
      ['referrals', '1', { products: expect.stringContaining('"product_id":7') }],
      ['referrals', '2', { type: 'recurring_sale', provider: 'woo' }],
      ['customers', '1', { email: 'life@x.test', by_affiliate_id: 1 }],
    ],
  },
  {
    dump: 'ultimate-affiliate',
    slug: 'ultimate_affiliate',
    currency: 'EUR',
    sums: {
      'paid EUR': [3, 6000],
      'unpaid EUR': [2, 300],
      'pending EUR': [1, 400],
      'rejected EUR': [1, 500],
    },
    balances: {
      1: { EUR: [200, 0, 3000] },
      4: { EUR: [0, 3000, 0] },
      5: {},
      9: { EUR: [100, 0, 0] },
    },
    counts: { affiliates: 4, referrals: 7, customers: 2, payout_transactions: 2, visits: 2, creatives: 1 },
    unread: [],
    remarks: ['payment_failed', 'date_unusable', 'unpaid_commissions_held_by_open_payment'],
    links: { '/?ref=1': 1, '/?ref=anna': 1, '/?ref=4': 4, '/?ref=Bob-Slug': 4 },
    cookies: {
      // before and since version 9.1
      [`uap_referral=${encodeURIComponent('a:2:{s:12:"affiliate_id";s:1:"4";s:8:"campaign";s:0:"";}')}`]: 4,
      [`uap_referral=${encodeURIComponent('a:1:{s:12:"affiliate_id";i:1;}')}`]: 1,
      [`uap_referral=${encodeURIComponent('{"affiliate_id":"4","visit_id":2,"site_referer":"https://g"}')}`]: 4,
    },
    rows: [
      ['affiliates', '1', { payment_email: 'paypal-anna@x.test', created_at: Date.UTC(2024, 0, 2, 3, 4, 5) }],
      ['affiliates', '4', { custom_param: 'bob-slug', settings: expect.stringContaining('IBAN DE77') }],
      ['referrals', '6', { currency: 'EUR' }],
      ['referrals', '7', { parent_id: null, settings: expect.stringContaining('tier_below') }],
      ['referrals', '1', { status: 'paid' }],
      ['customers', 'user-4', { by_affiliate_id: 1, email: 'carl@x.test' }],
    ],
  },
];

async function importDump(t: TestApp, { slug, settings = {} }: Case, reset = false): Promise<void> {
  await t.app.imports.start(slug, reset, settings);
  expect(await t.app.imports.run(slug)).toMatchObject({ stage: 'completed' });
}

describe.each(CASES)('the database of $dump', (each) => {
  it.each(ENGINES)('comes in whole from %s', async (engine) => {
    const site = await loadDump(engine, each.dump);
    sites.push(site);
    const migrators = wordpressMigrators({ knex: site.knex, tablePrefix: each.prefix ?? 'wp_' });
    const t = await startApp({ migrators, currency: 'CHF' });
    await importDump(t, each);

    // the old program's currency is this one's from now on
    expect((await t.app.settings.referralConfig()).currency).toBe(each.currency);
    expect(await sumsOf(t)).toEqual(each.sums);
    expect(await countsOf(t, Object.keys(each.counts))).toEqual(each.counts);

    const page = await t.app.imports.compareAffiliates(each.slug);
    const compared = page.rows.map(({ source_id: id, affiliate_id: here, balances, differs }) => {
      expect([here, differs]).toEqual([Number(id), false]); // ids are kept
      for (const { source, here: ours } of balances) expect(ours).toEqual(source);
      const figures = balances.map(({ currency, here: ours }) => [
        currency,
        [ours.unpaid_minor, ours.processing_minor, ours.paid_minor],
      ]);
      return [id, Object.fromEntries(figures)];
    });
    expect(Object.fromEntries(compared)).toEqual(each.balances);

    const report = await t.app.imports.report(each.slug);
    expect(report?.links).toMatchObject({ wrong: [] });
    expect(report?.links?.right).toBeGreaterThan(0);
    expect(
      report?.unread.map(({ table, column }) => (column === null ? table : `${table}.${column}`)).sort(),
    ).toEqual(each.unread);
    expect(Object.keys({ ...report?.skipped, ...report?.noted })).toEqual(
      expect.arrayContaining([...each.remarks]),
    );
    for (const remark of await t.app.imports.remarks(each.slug))
      expect(remark.sentence).toMatch(/^[A-Z].+\.$|"\.$/u);

    for (const [table, id, is] of each.rows)
      expect(await storedRow(t, table as TableName, `${each.slug}:${id}`)).toMatchObject(is);

    await activateAll(t);
    for (const [address, affiliate] of Object.entries(each.links))
      expect([address, await creditedBy(t, address, null)]).toEqual([address, affiliate]);
    for (const [cookie, affiliate] of Object.entries(each.cookies))
      expect([cookie, await creditedBy(t, '/', cookie)]).toEqual([cookie, affiliate]);
  });

  it('changes nothing when it is imported again', async () => {
    const site = await loadDump('sqlite', each.dump);
    sites.push(site);
    const migrators = wordpressMigrators({ knex: site.knex, tablePrefix: each.prefix ?? 'wp_' });
    const t = await startApp({ migrators, currency: each.currency });
    const tables = [
      ...Object.keys(each.counts),
      'ledger_entries',
      'import_rows',
      'affiliate_names',
      'coupons',
    ];
    await importDump(t, each);
    const before = [await sumsOf(t), await countsOf(t, tables)];
    await importDump(t, each, true);
    expect([await sumsOf(t), await countsOf(t, tables)]).toEqual(before);
  });
});

describe('rates for other orders than sales', () => {
  it('become a draft of reward rules, once', async () => {
    const site = await loadDump('sqlite', 'slicewp-1.2.10');
    sites.push(site);
    const slice = CASES.find(({ slug }) => slug === 'slicewp') as Case;
    const t = await startApp({ migrators: wordpressMigrators({ knex: site.knex }), currency: 'EUR' });
    await importDump(t, slice);
    const sets = async () => (await t.admin.get('/reward-rules').expect(200)).body.reward_rules.data;
    expect(await sets()).toMatchObject([
      {
        state: 'draft',
        note: expect.stringContaining('SliceWP'),
        rules: [
          {
            event: 'renewal',
            scope: 'affiliate',
            scope_ids: [1],
            reward: { kind: 'flat', value: '5' },
          },
          { event: 'renewal', scope: 'program', scope_ids: [], reward: { kind: 'percent', value: '20' } },
        ],
      },
    ]);
    await importDump(t, slice, true);
    expect(await sets()).toHaveLength(1);
    const [{ id }] = await sets();
    await t.admin.post(`/reward-rules/${id}/activate`).send({ without_simulation: true }).expect(200);
  });

  it('are those of ranks too', async () => {
    const site = await loadDump('sqlite', 'ultimate-affiliate');
    sites.push(site);
    const { connection: filename } = site.connection as { connection: string };
    const writer = createKnex({
      client: 'better-sqlite3',
      connection: { filename },
      useNullAsDefault: true,
    });
    await writer.raw(
      "update wp_uap_ranks set reccuring_amount_type = 'flat', reccuring_amount_value = 2.5, " +
        "lifetime_amount_type = 'percentage', lifetime_amount_value = 4, sign_up_amount_value = 1 where id = 2",
    );
    await writer.destroy();
    const t = await startApp({ migrators: wordpressMigrators({ knex: site.knex }), currency: 'EUR' });
    const uap = CASES.find(({ slug }) => slug === 'ultimate_affiliate') as Case;
    await importDump(t, uap);
    const { data } = (await t.admin.get('/reward-rules').expect(200)).body.reward_rules;
    const { data: groups } = (await t.admin.get('/groups/groups').expect(200)).body.groups;
    const pro = groups.find(({ name }: { name: string }) => name === 'Pro').id;
    const scope = { scope: 'group', scope_ids: [pro] };
    expect(data[0].rules).toMatchObject([
      { ...scope, event: 'renewal', reward: { kind: 'flat', value: '2.5' } },
      {
        ...scope,
        event: 'sale',
        when: { all: [{ fact: 'customer.is_new', op: 'eq', value: false }] },
        reward: { kind: 'percent', value: '4' },
      },
      { ...scope, event: 'lead', reward: { kind: 'flat', value: '1' } },
    ]);
    expect(data[0].levels).toBeNull();
  });

  it('come with the levels of ranks, unless one asks for what levels cannot say', async () => {
    const site = await loadDump('sqlite', 'ultimate-affiliate');
    sites.push(site);
    const { connection: filename } = site.connection as { connection: string };
    const writer = createKnex({
      client: 'better-sqlite3',
      connection: { filename },
      useNullAsDefault: true,
    });
    const uap = CASES.find(({ slug }) => slug === 'ultimate_affiliate') as Case;
    const asks = (id: number, conditions: object) =>
      writer('wp_uap_ranks')
        .where({ id })
        .update({ achieve: JSON.stringify(conditions) });
    await asks(2, { i: '1', type_1: 'referrals_number', value_1: '10' });
    await writer('wp_uap_ranks').insert({
      id: 3,
      slug: 'vip',
      label: 'VIP',
      amount_type: 'percentage',
      amount_value: 30,
      rank_order: 3,
      status: 1,
    });
    const levelled = async (): Promise<{ sets: { levels: object | null }[]; vip: string }> => {
      const t = await startApp({ migrators: wordpressMigrators({ knex: site.knex }), currency: 'EUR' });
      await importDump(t, uap);
      await importDump(t, uap, true);
      const { data: groups } = (await t.admin.get('/groups/groups').expect(200)).body.groups;
      const { data: sets } = (await t.admin.get('/reward-rules').expect(200)).body.reward_rules;
      const idOf = (name: string) => groups.find((group: { name: string }) => group.name === name).id;
      const note = groups.find((group: { name: string }) => group.name === 'VIP').notes;
      if (sets.length > 0) {
        const steps = [
          { at_least: '10', group: idOf('Pro') },
          { at_least: '50', group: idOf('VIP') },
        ];
        expect(sets).toMatchObject([{ state: 'draft', rules: [], levels: { steps } }]);
        await t.admin
          .post(`/reward-rules/${sets[0].id}/activate`)
          .send({ without_simulation: true })
          .expect(200);
      }
      return { sets, vip: note };
    };
    expect((await levelled()).sets).toEqual([]); // VIP is given by hand only
    await asks(3, { i: 1, type_1: 'total_amount', value_1: 500 });
    expect(await levelled()).toMatchObject({ sets: [], vip: 'reached with: total_amount 500' });
    await asks(3, { i: 1, type_1: 'referrals_number', value_1: 50 });
    expect((await levelled()).sets).toMatchObject([
      {
        note: 'Ranks of Ultimate Affiliate as levels. Pin affiliates who must keep their group. Check them, simulate, and activate.',
        levels: { metric: 'sales', window: 'all_time', down: false },
      },
    ]);
    await writer('wp_options').insert([
      { option_id: 900, option_name: 'uap_ranks_pro_enabled', option_value: '1' },
      { option_id: 901, option_name: 'uap_default_achieve_calculation', option_value: 'limited' },
    ]);
    expect((await levelled()).sets).toEqual([]);
    await writer.destroy();
  });
});

describe('a database that changed since the first run', () => {
  const SLICE = CASES.find(({ slug }) => slug === 'slicewp') as Case;

  async function imported(): Promise<{ t: TestApp; change: (sql: string) => Promise<void> }> {
    const site = await loadDump('sqlite', SLICE.dump);
    sites.push(site);
    const t = await startApp({ migrators: wordpressMigrators({ knex: site.knex }), currency: 'EUR' });
    await importDump(t, SLICE);
    const { connection: filename } = site.connection as { connection: string };
    return {
      t,
      change: async (sql) => {
        const writer = createKnex({
          client: 'better-sqlite3',
          connection: { filename },
          useNullAsDefault: true,
        });
        await writer.raw(sql);
        await writer.destroy();
      },
    };
  }
  const referral = (t: TestApp, id: number): Promise<Record<string, unknown>> =>
    storedRow(t, 'referrals', `slicewp:${id}`);
  const noted = async (t: TestApp): Promise<Readonly<Record<string, number>> | undefined> =>
    (await t.app.imports.report('slicewp'))?.noted;

  it('brings new rows, and amounts, words and addresses that nobody touched here', async () => {
    const { t, change } = await imported();
    await change("update wp_slicewp_commissions set amount = '5.50' where id = 7");
    await change("update wp_slicewp_commissions set status = 'unpaid' where id = 4");
    await change("update wp_slicewp_affiliates set payment_email = 'new@anna.test' where id = 1");
    await change("update wp_slicewp_payments set status = 'paid' where id = 2");
    await change("update wp_slicewp_commissions set status = 'paid' where id = 3");
    await change(
      'insert into wp_slicewp_commissions (id, affiliate_id, visit_id, date_created, type, status, reference, ' +
        'reference_amount, customer_id, origin, amount, parent_id, payment_id, currency) ' +
        "values (20, 3, 0, '2026-11-22 10:00:00', 'sale', 'unpaid', '520', '', 0, 'woo', '1.00', 0, 0, 'EUR')",
    );
    await importDump(t, SLICE, true);
    expect(await referral(t, 7)).toMatchObject({ amount_minor: 550, status: 'unpaid' });
    expect(await referral(t, 4)).toMatchObject({ status: 'unpaid' });
    expect(await referral(t, 20)).toMatchObject({ amount_minor: 100 });
    expect(await t.app.affiliates.get(1)).toMatchObject({ payment_email: 'new@anna.test' });
    expect(await storedRow(t, 'payout_transactions', 'slicewp:2:EUR')).toMatchObject({ status: 'paid' });
    expect(await noted(t)).toMatchObject({ changed_there: 4 });
    const { rows } = await t.app.imports.compareAffiliates('slicewp');
    expect(rows.map((row) => row.differs)).toEqual([false, false, false]);
  });

  it('leaves what was changed here, and reports it', async () => {
    const { t, change } = await imported();
    const { id } = await referral(t, 7);
    await t.admin
      .patch(`/referrals/${String(id)}`)
      .send({ amount: '9.00' })
      .expect(200);
    await t.admin.patch('/affiliates/1').send({ payment_email: 'here@anna.test' }).expect(200);
    await change("update wp_slicewp_commissions set amount = '5.50' where id = 7");
    await change("update wp_slicewp_affiliates set payment_email = 'new@anna.test' where id = 1");
    await importDump(t, SLICE, true);
    expect(await referral(t, 7)).toMatchObject({ amount_minor: 900 });
    expect(await t.app.affiliates.get(1)).toMatchObject({ payment_email: 'here@anna.test' });
    expect(await noted(t)).toMatchObject({ changed_here: 2 });
    const { rows } = await t.app.imports.compareAffiliates('slicewp');
    expect(rows.map((row) => row.differs)).toEqual([true, false, false]);
  });

  it('refunds an order of before the move', async () => {
    const solid = CASES.find(({ slug }) => slug === 'solid_affiliate') as Case;
    const site = await loadDump('sqlite', solid.dump);
    sites.push(site);
    const t = await startApp({ migrators: wordpressMigrators({ knex: site.knex }), currency: 'EUR' });
    await importDump(t, solid);
    const order = { reference: '802' };
    await t.app.conversions.refund('woo', order, { refunded_total: '29.95' });
    expect(await t.service.conversions.find('woo', order)).toMatchObject({ amount: 7.49, status: 'unpaid' });
    await t.app.conversions.refund('woo', order, { refunded_total: '59.90' });
    expect((await t.app.conversions.find('woo', order))?.status).toBe('rejected');
  });
});

async function activateAll(t: TestApp): Promise<void> {
  for (const { id, status } of await listed(t, '/affiliates'))
    if (status !== 'active')
      await t.admin.patch(`/affiliates/${id}/status`).send({ status: 'active' }).expect(200);
}

/** The row of an old row; no response shows the number it had in the old system. */
async function storedRow(t: TestApp, table: TableName, sourceKey: string): Promise<Record<string, unknown>> {
  return (await storedRows(t, table)).find((row) => row.source_key === sourceKey);
}

/** Whom an order of a visitor is credited to, who came by this address or with this cookie. */
async function creditedBy(t: TestApp, address: string, cookie: string | null): Promise<number | null> {
  const page = await request(t.server)
    .get(address)
    .set(NAVIGATION)
    .set(cookie === null ? {} : { Cookie: cookie });
  const set = ([] as string[]).concat(page.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]);
  const attribution = await t.app.tracking.attribution({
    headers: { cookie: cookie ?? set.join('; ') },
  } as never);
  return attribution?.affiliate.id ?? null;
}

async function sumsOf(t: TestApp): Promise<Record<string, [number, number]>> {
  const sums: Record<string, [number, number]> = {};
  for (const { status, currency, amount } of await listed(t, '/referrals')) {
    const [n, minor] = sums[`${status} ${currency}`] ?? [0, 0];
    sums[`${status} ${currency}`] = [n + 1, minor + Math.round(amount * 10 ** currencyDigits(currency))];
  }
  return sums;
}

async function countsOf(t: TestApp, tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  // Some of the tables have no list: ledger entries, remarks, names.
  for (const table of tables) {
    const rows = await t.app.db(table as TableName).select();
    counts[table] = rows.length;
  }
  return counts;
}
