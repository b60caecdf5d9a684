import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';
import { listed } from '../support/lists.js';
import { statementsOf } from '../support/statements.js';
import { storedRows } from '../support/rows.js';

const DAY = 86_400_000;
const PAIRS = [
  ['/reportsadvanced-providers', '/reports/advanced-providers'],
  ['/reportscommerce-reports/fla', '/reports/commerce-reports/fla'],
  ['/reportsdashboard-stats', '/reports/dashboard-stats'],
  ['/reportsdashboard-chart-stats', '/reports/dashboard-chart-stats'],
] as const;

interface Shop {
  readonly t: TestApp;
  readonly affiliates: readonly { id: number }[];
}

/**
 * Three affiliates over some days in a site west of Greenwich; referrals in two currencies, one payout paid.
 */
async function shop(options: object = {}): Promise<Shop> {
  const t = await startApp({ timeZone: 'America/New_York', ...options });
  const affiliates = [
    await t.records.affiliate({ user_id: 2 }),
    await t.records.affiliate({ user_id: 3 }),
    await t.records.affiliate({ user_id: 4, status: 'pending' }),
  ];
  for (let day = 0; day < 4; day += 1) {
    for (const { id } of affiliates.slice(0, 2)) {
      for (let n = 0; n <= day; n += 1) await t.records.visit({ affiliate_id: id });
      await t.records.referral({
        affiliate_id: id,
        amount: `${day + 1}.10`,
        provider: day % 2 ? 'woo' : 'edd',
        status: day === 3 ? 'pending' : 'unpaid',
      });
    }
    t.clock.advance(DAY);
  }
  const euro = (id: number | undefined) => ({
    affiliate_id: id ?? 0,
    status: 'unpaid' as const,
    amount_minor: 333 as never,
    order_total_minor: 1000 as never,
    currency: 'EUR',
    type: 'sale' as const,
    provider: 'woo',
  });
  await t.app.transaction(async (trx) => {
    await t.app.referrals.writer.insert(trx, euro(affiliates[0]?.id), { kind: 'earned' });
  });
  const payout = await t.records.payout({ affiliate_ids: [affiliates[0]?.id] });
  await t.app.payouts.changes.markAllPaid(payout.id);
  return { t, affiliates };
}

const sum = (rows: readonly Wire[], column: string): number =>
  rows.reduce((total, row) => total + Number(row[column] ?? 0), 0) / 100;
const allow = (t: TestApp, ...sections: readonly string[]): void => {
  for (const section of sections)
    t.service.hooks.addFilter(`has_all_${section.slice(0, -1)}_access` as 'has_all_visit_access', () => true);
};

describe('access to reports', () => {
  it.each(PAIRS.flat())('%s is open to every signed-in user and empty without a section', async (path) => {
    const { t } = await shop();
    await t.anonymous.get(path).expect(401);
    const { body } = await t.as(5).get(path).expect(200);
    expect(body).toEqual(
      path.includes('providers')
        ? { providers: {} }
        : path.includes('chart')
          ? { xAxisData: [], series: [] }
          : path.includes('commerce')
            ? { report: { enabled: true, title: 'Affiliate Service - Advanced Reports', widgets: {} } }
            : {
                stats: {},
                recent_referrals: [],
                top_affiliates: [],
                recent_visits: [],
                recent_payouts: [],
                notices: [],
              },
    );
    expect(JSON.stringify(body)).not.toMatch(/@|1\.1/);
  });

  it.each([
    [
      'affiliates',
      ['active_affiliates', 'pending_affiliates'],
      'top_affiliates',
      ['affiliates', 'pending'],
      'Affiliates',
    ],
    [
      'referrals',
      ['total_referrals', 'total_order_value'],
      'recent_referrals',
      ['paid', 'unpaid'],
      'Referrals',
    ],
    ['visits', ['total_visits'], 'recent_visits', ['visits'], 'Visits'],
    [
      'payouts',
      ['total_paid', 'total_unpaid'],
      'recent_payouts',
      ['paid_transactions', 'pending_payout'],
      null,
    ],
  ] as const)('%s alone opens its own figures', async (section, cards, list, widgets, series) => {
    const { t } = await shop();
    allow(t, section);
    const dashboard = (await t.as(5).get('/reports/dashboard-stats').expect(200)).body;
    const report = (await t.as(5).get('/reports/commerce-reports/fla').expect(200)).body.report;
    const woo = (await t.as(5).get('/reports/commerce-reports/woo').expect(200)).body.report;
    const chart = (await t.as(5).get('/reports/dashboard-chart-stats').expect(200)).body;

    expect(Object.keys(dashboard.stats)).toEqual(cards);
    for (const name of ['recent_referrals', 'top_affiliates', 'recent_visits', 'recent_payouts'])
      expect(dashboard[name].length > 0).toBe(name === list);
    expect(Object.keys(report.widgets)).toEqual(widgets);
    expect(Object.keys(woo.widgets)).toEqual(
      section === 'referrals' ? ['total_revenue', 'total_orders'] : [],
    );
    expect(chart.series.map(({ name }: { name: string }) => name)).toEqual(series === null ? [] : [series]);
    if (section !== 'affiliates') expect(JSON.stringify(dashboard)).not.toContain('@');
  });

  it('shows the conversion rate to readers of both sections', async () => {
    const { t } = await shop();
    allow(t, 'visits', 'referrals');
    const { body } = await t.as(5).get('/reports/dashboard-stats').expect(200);
    expect(body.stats.conversion_rate).toEqual({
      title: 'Conversion Rate',
      amount: '45.00%',
      is_currency: false,
      is_number: false,
      icon: 'PercentIcon',
    });
  });
});

describe.each([0, 1] as const)('dashboard, form %s', (form) => {
  const path = PAIRS[2][form];

  it('equals a recount of the rows', async () => {
    const { t } = await shop();
    const [referrals, payouts, affiliates] = [
      await storedRows(t, 'referrals'),
      await storedRows(t, 'payouts'),
      await storedRows(t, 'affiliates'),
    ];
    const own = referrals.filter(({ currency }) => currency !== 'EUR');
    const active = affiliates.filter(({ status }) => status === 'active');
    const { body } = await t.admin.get(path).expect(200);
    const figures = Object.fromEntries(
      Object.entries(body.stats as Record<string, Wire>).map(([key, card]) => [key, card.amount]),
    );

    expect(Object.keys(body.stats)).toEqual([
      'total_paid',
      'total_unpaid',
      'active_affiliates',
      'total_visits',
      'total_referrals',
      'conversion_rate',
      'pending_affiliates',
      'total_order_value',
    ]);
    expect(figures).toEqual({
      total_paid: sum(
        payouts.filter(({ status }) => status === 'paid'),
        'total_amount_minor',
      ),
      total_unpaid: sum(
        own.filter(({ status }) => status === 'unpaid'),
        'amount_minor',
      ),
      active_affiliates: active.length,
      pending_affiliates: 1,
      total_visits: active.reduce((total, { visits }) => total + Number(visits), 0),
      total_referrals: referrals.length,
      conversion_rate: '45.00%',
      total_order_value: sum(
        own.filter(({ status }) => status === 'paid' || status === 'unpaid'),
        'order_total_minor',
      ),
    });
    expect(figures['total_paid']).toBe(6.3);
    expect(body.by_currency).toEqual({ EUR: { total_unpaid: 3.33, total_order_value: 10 } });
  });

  it('lists the newest rows with an owner the client can read', async () => {
    const { t, affiliates } = await shop();
    const { body } = await t.admin.get(path).expect(200);

    expect(body.recent_referrals).toHaveLength(5);
    expect(body.recent_referrals[0]).toMatchObject({
      amount: 3.33,
      currency: 'EUR',
      affiliate: { id: affiliates[0]?.id, user: { full_name: 'Alice Doe', user_email: 'alice@shop.test' } },
    });
    expect(Object.keys(body.recent_referrals[0].affiliate.user).toSorted()).toEqual([
      'ID',
      'display_name',
      'full_name',
      'photo',
      'user_email',
      'user_login',
      'user_url',
    ]);
    expect(body.top_affiliates.map(({ id }: { id: number }) => id)).toEqual([
      affiliates[1]?.id,
      affiliates[0]?.id,
    ]); // equal earnings: the newer first
    expect(body.top_affiliates[1].user).toMatchObject({ display_name: 'Alice Doe' });
    expect(body.recent_visits).toHaveLength(5);
    expect(body.recent_visits[0]).toMatchObject({
      url: 'https://shop.test/',
      affiliate: { user: { ID: 3 } },
      referrals: [],
    });
    expect(body.recent_payouts).toEqual([
      expect.objectContaining({ title: 'January', status: 'paid', total_amount: 6.3 }),
    ]);
  });

  it('asks a fixed number of queries and never scans visits', async () => {
    const { t, affiliates } = await shop();
    let queries: string[] = [];
    await t.admin.get(path).expect(200);
    const run = async (): Promise<number> => {
      queries = await statementsOf(t, () => t.admin.get(path).expect(200));
      return queries.length;
    };
    const baseline = await run();
    for (let n = 0; n < 12; n += 1) await t.records.visit({ affiliate_id: affiliates[n % 2]?.id ?? 0 });
    expect(await run()).toBe(baseline);
    expect(baseline).toBeLessThanOrEqual(25);
    expect(
      queries.filter(
        (sql) => /count|sum/.test(sql) && /visits[`"] (?:where|group)|from [`"]\w*visits[`"]$/.test(sql),
      ),
    ).toEqual([]);
  });
});

describe.each([0, 1] as const)('chart, form %s', (form) => {
  const path = PAIRS[3][form];

  it('counts rows of site days', async () => {
    const { t } = await shop();
    const { body } = await t.admin.get(`${path}?start_date=2026-01-14&end_date=2026-01-18`).expect(200);
    expect(body).toEqual({
      xAxisData: ['2026-01-14', '2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18'],
      series: [
        { name: 'Referrals', data: [0, 2, 2, 2, 2] },
        { name: 'Visits', data: [0, 2, 4, 6, 8] },
        { name: 'Affiliates', data: [0, 3, 0, 0, 0] },
      ],
    });
  });

  it('puts midnight in the right day and equals a recount of any range', async () => {
    const { t, affiliates } = await shop();
    await t.records.visit({ affiliate_id: affiliates[0]?.id ?? 0, created_at: Date.UTC(2026, 0, 16, 5) });
    await t.records.visit({ affiliate_id: affiliates[0]?.id ?? 0, created_at: Date.UTC(2026, 0, 16, 5) - 1 });
    const { body } = await t.admin.get(`${path}?start_date=2025-06-01&end_date=2026-02-01`).expect(200);
    const day = (await t.admin.get(`${path}?start_date=2026-01-15&end_date=2026-01-15`).expect(200)).body;
    const total = (at: number): number => body.series[at].data.reduce((all: number, n: number) => all + n, 0);

    expect(body.xAxisData).toEqual([
      '2025-06-01',
      '2025-07-01',
      '2025-08-01',
      '2025-09-01',
      '2025-10-01',
      '2025-11-01',
      '2025-12-01',
      '2026-01-01',
      '2026-02-01',
    ]);
    expect([total(0), total(1), total(2)]).toEqual([9, 22, 3]);
    expect(day.series[1].data).toEqual([3]);
  });

  it('has thirty-one days by default, weeks beyond two months', async () => {
    const t = await startApp();
    const usual = (await t.admin.get(`${path}?start_date=&end_date=`).expect(200)).body;
    const weeks = (await t.admin.get(`${path}?start_date=2025-11-15&end_date=2026-01-20`).expect(200)).body;
    expect([usual.xAxisData.length, usual.xAxisData.at(-1)]).toEqual([31, '2026-01-15']);
    expect(weeks.xAxisData.slice(0, 2)).toEqual(['2025-11-10', '2025-11-17']);
    expect(weeks.series.map(({ data }: { data: unknown[] }) => data.length)).toEqual([11, 11, 11]);
    expect(weeks.xAxisData).toHaveLength(11);
  });

  it.each([
    ['start_date=yesterday', 'validation_failed'],
    ['start_date=2026-02-01&end_date=2026-01-01', 'invalid_date_range'],
    ['start_date=2000-01-01&end_date=2026-01-01', 'invalid_date_range'],
  ])('refuses %s', async (query, code) => {
    const t = await startApp();
    const { body } = await t.admin.get(`${path}?${query}`).expect(422);
    expect(body.code).toBe(code);
  });
});

describe('reports of providers', () => {
  it('lists the service, shops and connected sites, through the filter', async () => {
    const t = await startApp({ brandName: 'Partners' });
    await t.admin
      .post('/settings/connected-sites-config/issue')
      .send({ site_url: 'https://store2.test', site_title: 'Store 2' })
      .expect(200);
    await t.admin.patch('/settings/connected-sites-config').send({ status: 'yes' }).expect(200);
    t.service.hooks.addFilter('get_integrations', (map) => ({
      ...map,
      mine: { title: 'Mine', type: 'commerce' },
      crm: { title: 'CRM', type: 'crm' },
    }));
    t.service.hooks.addFilter('advanced_report_providers', (map) => ({
      ...(map as object),
      extra: { title: '<b>Extra</b>' },
      'bad key': { title: 'x' },
    }));
    for (const integration of ['mine', 'crm'])
      await t.admin
        .post('/settings/integration/update-status')
        .send({ integration, is_enabled: 'yes' })
        .expect(200);
    const { body } = await t.admin.get('/reportsadvanced-providers').expect(200);

    expect(Object.keys(body.providers).slice(0, 3)).toEqual(['fla', 'edd', 'woo']);
    expect(body.providers.fla).toEqual({ title: 'Partners' });
    expect(Object.values(body.providers)).toContainEqual({ title: 'Store 2' });
    expect(body.providers.extra).toEqual({ title: 'Extra' });
    expect(Object.keys(body.providers)).not.toContain('bad key');
    expect(body.providers.mine).toEqual({ title: 'Mine' });
    expect(body.providers).not.toHaveProperty('crm');
  });

  it.each([0, 1] as const)('adds up the rows, form %s', async (form) => {
    const { t } = await shop();
    await t.records.visit({ affiliate_id: null });
    const get = async (provider: string): Promise<Wire> =>
      (await t.admin.get(PAIRS[1][form].replace('fla', provider)).expect(200)).body.report;
    const [own, woo] = [await get('fla'), await get('woo')];
    const visits = await listed(t, '/visits');

    expect(own.title).toBe('Affiliate Service - Advanced Reports');
    expect(
      Object.fromEntries(
        Object.entries(own.widgets as Record<string, Wire>).map(([key, { value }]) => [key, value]),
      ),
    ).toEqual({
      affiliates: 2,
      pending: 1,
      paid: 6.3,
      unpaid: 6.3,
      visits: visits.length,
      paid_transactions: 6.3,
      pending_payout: 0,
    });
    expect(own.widgets.paid).toEqual({ is_money: true, label: 'Paid', value: 6.3 });
    expect(own.by_currency).toEqual({ EUR: { unpaid: 3.33 } });
    expect(woo).toEqual({
      enabled: true,
      title: 'WooCommerce - Advanced Reports',
      widgets: {
        total_revenue: { is_money: true, label: 'Total Revenue', value: 2.1 },
        total_orders: { is_money: false, label: 'Total Orders', value: 5 },
      },
    });
    expect((await get('edd')).widgets.total_revenue.value).toBe(4.2);
  });

  it('knows providers by their referrals, and no others', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await t.admin
      .get('/reports/commerce-reports/tickets')
      .expect(404)
      .expect(({ body }) => expect(body.code).toBe('provider_not_found'));
    await t.records.referral({ affiliate_id: id, provider: 'tickets' });
    const { body } = await t.admin.get('/reports/commerce-reports/tickets').expect(200);
    expect(body.report).toMatchObject({
      title: 'tickets - Advanced Reports',
      widgets: { total_orders: { value: 1 } },
    });
    await t.admin
      .get('/reports/commerce-reports/a.b')
      .expect(404)
      .expect(({ body: answer }) => expect(answer.code).toBe('rest_no_route'));
    await t.admin.get('/reports/commerce-reports/__proto__').expect(404);
  });

  it('lets filters change widgets, but not bring back hidden ones', async () => {
    const { t } = await shop();
    allow(t, 'visits');
    t.service.hooks.addFilter('dashboard_stats', (widgets) => ({
      ...widgets,
      paid: { title: 'Paid', count: 1, is_money: true },
      mine: { title: '<i>Mine</i>', count: '2', is_money: false },
    }));
    t.service.hooks.addFilter('dashboard_woo_stats', (widgets) => ({
      ...widgets,
      refunds: { title: 'Refunds', count: 3, is_money: true },
    }));
    const { body } = await t.as(5).get('/reports/commerce-reports/fla').expect(200);
    const woo = await t.admin.get('/reports/commerce-reports/woo').expect(200);
    expect(Object.keys(body.report.widgets)).toEqual(['visits', 'mine']);
    expect(body.report.widgets.mine).toEqual({ is_money: false, label: 'Mine', value: 2 });
    expect(woo.body.report.widgets.refunds).toEqual({ is_money: true, label: 'Refunds', value: 3 });
  });

  it('can be had as files', async () => {
    const { t } = await shop();
    const report = await t.admin
      .get('/reports/commerce-reports/woo?format=csv')
      .expect(200)
      .expect('Content-Type', /text\/csv/);
    const chart = await t.admin
      .get('/reports/dashboard-chart-stats?format=csv&start_date=2026-01-15&end_date=2026-01-16')
      .expect(200);
    expect(report.text).toBe(
      'key,label,value\ntotal_revenue,Total Revenue,2.1\ntotal_orders,Total Orders,5\n',
    );
    expect(chart.text).toBe('date,Referrals,Visits,Affiliates\n2026-01-15,2,2,3\n2026-01-16,2,4,0\n');
    expect(chart.headers['content-disposition']).toContain('dashboard_chart.csv');
  });
});

describe('where the money comes from', () => {
  it('is reported per campaign and per day, to those who may see it', async () => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ user_id: 2, status: 'active' });
    const spring = await t.records.visit({ affiliate_id: id, utm_campaign: 'spring' });
    await t.records.visit({ affiliate_id: id, utm_campaign: 'spring' });
    await t.records.visit({ affiliate_id: id });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '1',
      status: 'unpaid',
      order: { subtotal: '45.00' },
      visit_id: Number(spring.id),
    });
    await t.records.referral({ affiliate_id: id, amount: 3, status: 'pending' });
    const { rows } = (await t.admin.get('/reports/breakdown?by=campaigns').expect(200)).body;
    expect(rows).toMatchObject([
      { key: 'spring', name: 'spring', clicks: 2, orders: 1, earnings: 4.5, order_total: 45 },
      { key: '(none)', name: '', clicks: 1, orders: 0, earnings: 0 },
    ]);
    const { body } = await t.admin.get('/reports/earnings').expect(200);
    expect(body).toMatchObject({ currency: 'USD', total: 4.5 });
    expect(body.earnings.at(-1)).toBe(4.5);
    expect(body).toMatchObject({ order_total: 45 });
    expect(body.order_totals.at(-1)).toBe(45);
    expect(body.labels).toHaveLength(body.earnings.length);
    await t.admin.get('/reports/earnings?start_date=2026-02-30').expect(422);

    // clicks and orders without a campaign are one row
    const other = await t.records.visit({ affiliate_id: id });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '2',
      status: 'unpaid',
      order: { subtotal: '20.00' },
      visit_id: Number(other.id),
    });
    expect((await t.admin.get('/reports/breakdown?by=campaigns').expect(200)).body.rows).toMatchObject([
      { key: 'spring', clicks: 2, orders: 1 },
      { key: '(none)', name: '', clicks: 2, orders: 1, earnings: 2, order_total: 20 },
    ]);
    const alone = await t.admin.get('/reports/breakdown?by=campaigns&of=(none)').expect(200);
    expect([alone.body.course.orders.at(-1), alone.body.course.clicks.at(-1)]).toEqual([1, 2]);

    const alice = t.as(2);
    for (const by of ['campaigns', 'shops', 'affiliates', 'groups'])
      expect((await alice.get(`/reports/breakdown?by=${by}`).expect(200)).body).toMatchObject({ rows: [] });
    expect((await alice.get('/reports/earnings').expect(200)).body).toMatchObject({ earnings: [], total: 0 });
  });

  it('is reported per shop, affiliate and group, with the days of one of them', async () => {
    const { t, affiliates } = await shop();
    const [alice, bob] = affiliates.map(({ id }) => id);
    const { body: gold } = await t.admin
      .post('/groups/groups')
      .send({ meta_key: 'Gold', rate_type: 'percentage', rate: 20 })
      .expect(200);
    await t.admin.patch(`/affiliates/${alice}`).send({ group_id: gold.data.id }).expect(200);
    const days = 'start_date=2026-01-15&end_date=2026-01-18';
    const of = async (by: string, key?: string | number): Promise<Wire> =>
      (
        await t.admin
          .get(`/reports/breakdown?by=${by}&${days}${key === undefined ? '' : `&of=${key}`}`)
          .expect(200)
      ).body;

    // 1.10 and 3.10 of edd and 2.10 of woo, each twice; 4.10 of woo waits; the euro is no dollar.
    const shops = await of('shops', 'woo');
    expect(shops).toMatchObject({
      currency: 'USD',
      rows: [
        { key: 'edd', clicks: null, orders: 4, earnings: 8.4 },
        { key: 'woo', name: 'WooCommerce', orders: 4, earnings: 4.2 },
      ],
      course: {
        labels: ['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18'],
        earnings: [0, 4.2, 0, 0],
        orders: [0, 2, 0, 2],
        clicks: null,
      },
    });
    const people = await of('affiliates', bob);
    expect(people['rows']).toMatchObject([
      { key: String(alice), clicks: 10, orders: 4, earnings: 6.3 },
      { key: String(bob), clicks: 10, orders: 4, earnings: 6.3 },
    ]);
    expect(people['course']).toMatchObject({ earnings: [1.1, 2.1, 3.1, 0], clicks: [1, 2, 3, 4] });
    const groups = await of('groups', gold.data.id);
    expect(groups['rows']).toMatchObject([
      { key: String(gold.data.id), name: 'Gold', clicks: 10, earnings: 6.3 },
      { key: '(none)', name: '', clicks: 10, earnings: 6.3 },
    ]);
    expect(groups['course']).toMatchObject({ earnings: [1.1, 2.1, 3.1, 0], clicks: [1, 2, 3, 4] });
    expect((await of('groups', '(none)'))['course']).toMatchObject({ clicks: [1, 2, 3, 4] });

    const { text } = await t.admin.get(`/reports/breakdown?by=shops&${days}&format=csv`).expect(200);
    expect(text).toBe(
      'name,clicks,orders,order_total,earnings,currency\n' +
        'Easy Digital Downloads,,4,0,8.4,USD\nWooCommerce,,4,0,4.2,USD\n',
    );
    await t.admin.get('/reports/breakdown?by=moons').expect(422);
  });

  it('lists affiliates and groups whose visitors bought nothing after those that earned', async () => {
    const { t, affiliates } = await shop();
    const [alice, bob, carol] = affiliates.map(({ id }) => id);
    const { body: gold } = await t.admin
      .post('/groups/groups')
      .send({ meta_key: 'Gold', rate_type: 'percentage', rate: 20 })
      .expect(200);
    t.host.addUser({ id: 6, login: 'erin', display_name: 'Erin' });
    const dave = await t.records.affiliate({ user_id: 5, group_id: gold.data.id });
    const erin = await t.records.affiliate({ user_id: 6, group_id: gold.data.id });
    await t.records.visit({ affiliate_id: erin.id });
    for (let n = 0; n < 3; n += 1) await t.records.visit({ affiliate_id: dave.id });
    await t.records.referral({ affiliate_id: erin.id, amount: 9, status: 'rejected' });
    const ask = async (by: string, days: string): Promise<Wire> =>
      (await t.admin.get(`/reports/breakdown?by=${by}&${days}`).expect(200)).body;
    const days = 'start_date=2026-01-15&end_date=2026-01-19';

    expect((await ask('affiliates', days))['rows']).toMatchObject([
      { key: String(alice), clicks: 10, orders: 5, earnings: 6.3 },
      { key: String(bob), clicks: 10, orders: 4, earnings: 6.3 },
      { key: String(erin.id), name: 'Erin', clicks: 1, orders: 1, earnings: 0, order_total: 0 },
      { key: String(dave.id), name: 'Dave', clicks: 3, orders: 0, earnings: 0 },
    ]);
    expect((await ask('groups', days))['rows']).toMatchObject([
      { key: '(none)', clicks: 20, orders: 9 },
      { key: String(gold.data.id), name: 'Gold', clicks: 4, orders: 1, earnings: 0 },
    ]);
    // clicks of other days do not count, nor affiliates without any
    expect((await ask('affiliates', 'start_date=2026-01-15&end_date=2026-01-18'))['rows']).toHaveLength(2);
    expect(JSON.stringify(await ask('affiliates', days))).not.toContain(`"key":"${carol}"`);

    // without the right to see clicks, nobody is listed for them
    const user = t.as(4);
    allow(t, 'affiliates', 'referrals');
    const hidden = (await user.get(`/reports/breakdown?by=affiliates&${days}`).expect(200)).body;
    expect(hidden.rows).toMatchObject([{ clicks: null }, { clicks: null }, { clicks: null }]);
  });

  it('shows what an affiliate earned who is listed for clicks only, below a hundred that earned more', async () => {
    const t = await startApp();
    const ids: number[] = [];
    for (let n = 0; n < 103; n += 1) {
      t.host.addUser({ id: 1000 + n, login: `seller-${n}`, email: `seller-${n}@shop.test` });
      const { id } = await t.records.affiliate({ user_id: 1000 + n });
      ids.push(id);
      if (n < 102) await t.records.referral({ affiliate_id: id, amount: 200 - n, status: 'unpaid' });
    }
    const [small, idle] = ids.slice(-2);
    await t.records.visit({ affiliate_id: small! });
    await t.records.visit({ affiliate_id: idle! });
    await t.records.visit({ affiliate_id: idle! });

    const { rows } = (await t.admin.get('/reports/breakdown?by=affiliates').expect(200)).body;
    expect(rows).toHaveLength(102);
    expect(rows.slice(100)).toMatchObject([
      { key: String(idle), clicks: 2, orders: 0, earnings: 0 },
      { key: String(small), clicks: 1, orders: 1, earnings: 99 },
    ]);
  });

  it('shows what each listed campaign earned, also below or beside a hundred others', async () => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ user_id: 2, status: 'active' });
    const sell = async (campaign: string, clicks: number, amount: number): Promise<void> => {
      const visits = [];
      for (let n = 0; n < clicks; n += 1)
        visits.push(await t.records.visit({ affiliate_id: id, utm_campaign: campaign }));
      await t.service.conversions.record(null, {
        provider: 'shop',
        reference: campaign,
        status: 'unpaid',
        order: { subtotal: `${amount * 10}.00` },
        visit_id: Number(visits[0]!.id),
      });
    };
    await sell('dear', 1, 500); // earned most of all, and was clicked least
    for (let n = 0; n < 101; n += 1) await sell(`many-${n}`, 2, 200 - n);

    const { rows } = (await t.admin.get('/reports/breakdown?by=campaigns').expect(200)).body;
    expect(rows[0]).toMatchObject({ key: 'dear', clicks: 1, orders: 1, earnings: 500 });
    expect(rows.slice(99)).toMatchObject([
      { key: 'many-98', clicks: 2, earnings: 102 },
      { key: 'many-100', clicks: 2, earnings: 100 },
      { key: 'many-99', clicks: 2, earnings: 101 },
    ]);
  });

  it('is shown per entry of an affiliate, with the balance after each', async () => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ user_id: 2, status: 'active' });
    await t.records.referral({ affiliate_id: id, amount: 4.5, status: 'unpaid' });
    await t.admin
      .post(`/affiliates/${id}/balance-corrections`)
      .send({ amount: '-1.25', reason: 'Paid by hand' })
      .expect(200);
    const { statement, balance } = (await t.admin.get(`/affiliates/${id}/statement`).expect(200)).body;
    expect(statement.data).toMatchObject([
      { amount: -1.25, balance: 3.25 },
      { amount: 4.5, balance: 4.5 },
    ]);
    expect(balance).toMatchObject({ opening: 0, closing: 3.25 });
    await t.admin.get('/affiliates/999/statement').expect(404);
  });
});
