import { describe, expect, it } from '@jest/globals';
import { percentage } from '../../src/core/percentage.js';
import { startApp } from '../support/app.js';
import { customersOf } from '../support/lists.js';
import { statementsOf } from '../support/statements.js';

describe('one affiliate', () => {
  it('comes with cards, coupons and the share link, filtered in order', async () => {
    const { admin, service, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    const seen: string[] = [];
    service.hooks.addFilter('affiliate_widgets', (list) => {
      seen.push('widgets');
      return [
        ...(list as readonly unknown[]),
        { title: 'T', content: '<p onclick="x()">C</p><script>1</script>' },
      ];
    });
    service.hooks.addFilter('affiliate_attached_coupons', (list, _affiliate, context) => {
      seen.push(context);
      return [...list, { code: 'X', edit_url: '' }];
    });
    service.hooks.addFilter('default_share_url', (url) => {
      seen.push('url');
      return `${url}join?a=1`;
    });
    service.hooks.addFilter('affiliate_view_data', (data) => {
      seen.push('view');
      return { ...data, tier: 'gold' };
    });

    const { body } = await admin.get(`/affiliates/${id}`).expect(200);

    expect(seen).toEqual(['widgets', 'edit', 'url', 'view']);
    expect(body.affiliate).toMatchObject({
      id,
      widgets: [{ title: 'T', content: '<p>C</p>' }],
      attached_coupons: [{ code: 'X' }],
      tier: 'gold',
    });
    expect(body.affiliate.share_url).toMatch(new RegExp(`/join\\?a=1&ref=${id}$`));
  });

  it('puts the login into the link when links carry names', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    await admin
      .post('/settings/referral-config')
      .send({ referral_config: { referral_format: 'username' } })
      .expect(200);
    const { body } = await admin.get(`/affiliates/${id}`).expect(200);
    expect(body.affiliate.share_url).toMatch(/\?ref=alice$/);
  });

  it('is not changed by a request for it', async () => {
    const { admin, clock, records, service } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    const before = await service.affiliates.get(id);
    clock.advance(60_000);
    await admin.get(`/affiliates/${id}`).expect(200);
    expect(await service.affiliates.get(id)).toEqual(before);
  });
});

describe('the rate of an affiliate', () => {
  it.each([
    [
      'own percentage',
      { rate_type: 'percentage', rate: 15 },
      null,
      { type: 'percentage', rate: 15, is_custom: 'yes', human_readable: '15% (custom)' },
    ],
    [
      'own flat',
      { rate_type: 'flat', rate: 1234.5 },
      null,
      { type: 'flat', rate: 1234.5, is_custom: 'yes', human_readable: '$ 1,234.50 (custom)' },
    ],
    [
      'own rate of 0 in a group',
      { rate_type: 'percentage', rate: 0 },
      { rate: 30 },
      { type: 'percentage', rate: 0, is_custom: 'yes', human_readable: '0% (custom)' },
    ],
    [
      'group by rate type',
      { rate_type: 'group' },
      { rate: 30 },
      { type: 'percentage', rate: 30, is_custom: 'no', human_readable: '30% (VIP)' },
    ],
    [
      'group beside default',
      { rate_type: 'default' },
      { rate_type: 'flat', rate: 5 },
      { type: 'flat', rate: 5, is_custom: 'no', human_readable: '$ 5.00 (VIP)' },
    ],
    [
      'inactive group',
      { rate_type: 'group' },
      { rate: 30, status: 'inactive' },
      { type: 'percentage', rate: 20, is_custom: 'no', is_default: 'yes', human_readable: '20% (default)' },
    ],
    [
      'group without a rate',
      { rate_type: 'group' },
      { rate_type: 'default' },
      { type: 'percentage', rate: 20, is_default: 'yes' },
    ],
    ['no group', { rate_type: 'default' }, null, { type: 'percentage', rate: 20, is_default: 'yes' }],
  ])('%s', async (_what, own, group, details) => {
    const { admin, app, records } = await startApp();
    const stored = group ? await records.group({ meta_key: 'VIP', ...group }) : null;
    const { id } = await records.affiliate({ user_id: 2, ...own, group_id: stored?.id ?? null });

    const { body } = await admin.get(`/affiliates/${id}`).expect(200);
    const rate = (await app.affiliates.rates([await app.affiliates.get(id)])).get(id);

    expect(body.affiliate.rate_details).toMatchObject(details);
    expect(rate).toMatchObject({ type: details.type, rate_e4: details.rate * 10_000 });
  });

  it('names a fixed rate of the program as it is stored', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    await admin
      .post('/settings/referral-config')
      .send({
        referral_config: {
          rate_type: 'fixed',
          rate: 7,
          currency_symbol_position: 'right',
          number_format: 'dot_separated',
        },
      })
      .expect(200);
    const { body } = await admin.get(`/affiliates/${id}`).expect(200);
    expect(body.affiliate.rate_details).toEqual({
      type: 'fixed',
      rate: 7,
      is_custom: 'no',
      is_default: 'yes',
      human_readable: '7,00 $ (default)',
    });
  });
});

describe('bank details', () => {
  it.each([
    ['an administrator', [], true],
    ['a reader of affiliates', ['read_all_affiliates'], false],
    ['a manager of affiliates', ['manage_all_affiliates'], true],
    ['a reader of affiliates and payouts', ['read_all_affiliates', 'read_all_payouts'], true],
  ])('are shown to %s: %s', async (_who, keys, shown) => {
    const t = await startApp();
    const { id } = await t.app.affiliates.changes.create({
      user_id: 2,
      status: 'active',
      bank_details: 'IBAN',
    });
    if (keys.length > 0) await t.service.permissions.setPermissions(5, keys);
    const caller = keys.length > 0 ? t.as(5) : t.admin;

    const { body: list } = await caller.get('/affiliates').expect(200);
    const { body: one } = await caller.get(`/affiliates/${id}`).expect(200);

    for (const row of [list.affiliates.data[0], one.affiliate]) {
      expect([row.bank_details, row.settings.bank_details]).toEqual(shown ? ['IBAN', 'IBAN'] : ['', '']);
    }
  });

  it('stay hidden in nested rows', async () => {
    const { admin, app, records } = await startApp();
    const { id } = await app.affiliates.changes.create({
      user_id: 2,
      status: 'active',
      bank_details: 'IBAN',
    });
    await records.visit({ affiliate_id: id });
    const { body } = await admin.get('/visits').expect(200);
    expect(body.visits.data[0].affiliate).toMatchObject({
      id,
      settings: { bank_details: '' },
      user_details: { user_name: 'alice' },
    });
  });
});

describe('managing oneself', () => {
  it('is refused to delegated managers when the option is on', async () => {
    const t = await startApp({ forbidSelfManagement: true });
    const own = await t.records.affiliate({ user_id: 5, status: 'pending' });
    const other = await t.records.affiliate({ user_id: 2, status: 'pending' });
    await t.service.permissions.setPermissions(5, ['manage_all_affiliates', 'manage_all_referrals']);
    const order = { provider: 'shop', reference: '1', status: 'unpaid', order: { subtotal: 10 } } as const;
    await t.service.conversions.record(null, {
      ...order,
      affiliate: (await t.records.affiliate({ user_id: 3, status: 'active' })).id,
      customer: { email: 'jo@buyer.test' },
    });
    const [{ id: customer_id }] = await customersOf(t);
    const manager = t.as(5);
    const form = { user_id: 5, status: 'active', rate_type: 'default', payment_email: 'a@b.test' };

    for (const call of [
      () => manager.patch(`/affiliates/${own.id}/status`).send({ status: 'active' }),
      () => manager.patch(`/affiliates/${own.id}`).send({ rate: 1 }),
      () => manager.delete(`/affiliates/${own.id}`),
      () => manager.post('/affiliates').send(form),
      () => manager.post(`/affiliates/${own.id}/customers/link`).send({ customer_id, transfer: true }),
      () => manager.delete(`/affiliates/${own.id}/customers/${customer_id}`),
    ])
      await call()
        .expect(403)
        .expect(({ body }) => expect(body.code).toBe('self_management_forbidden'));
    await manager.patch(`/affiliates/${other.id}/status`).send({ status: 'active' }).expect(200);
    const link = `/affiliates/${other.id}/customers/link`;
    await manager.post(link).send({ customer_id, transfer: true }).expect(200);
    await t.admin.patch(`/affiliates/${own.id}/status`).send({ status: 'active' }).expect(200);
  });

  it('is allowed by default', async () => {
    const t = await startApp();
    const own = await t.records.affiliate({ user_id: 5, status: 'pending' });
    await t.service.permissions.setPermissions(5, ['manage_all_affiliates']);
    await t.as(5).patch(`/affiliates/${own.id}/status`).send({ status: 'active' }).expect(200);
  });
});

describe('figures', () => {
  it.each([
    [
      'all sections',
      ['read_all_referrals', 'read_all_visits', 'read_all_payouts'],
      [
        'total_paid',
        'total_unpaid',
        'total_order_value',
        'conversion_rate',
        'total_visits',
        'total_referrals',
      ],
      ['Referrals', 'Visits'],
    ],
    ['visits only', ['read_all_visits'], ['total_visits'], ['Visits']],
    ['referrals only', ['read_all_referrals'], ['total_order_value', 'total_referrals'], ['Referrals']],
    ['no other section', [], [], []],
  ])('with %s', async (_what, keys, cards, series) => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    await t.service.permissions.setPermissions(5, ['read_all_affiliates', ...keys]);

    const { body: stats } = await t.as(5).get(`/affiliates/${id}/stats`).expect(200);
    const { body: chart } = await t.as(5).get(`/affiliates/${id}/statistics`).expect(200);

    expect(Object.keys(stats.stats)).toEqual(cards);
    expect(chart.series.map((line: { name: string }) => line.name)).toEqual(series);
  });

  it('come from the counters', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    for (const n of [1, 2, 3]) await records.visit({ affiliate_id: id, url: `https://shop.test/${n}` });
    await records.referral({ affiliate_id: id, amount: '12.50', status: 'unpaid' });

    const { body } = await admin.get(`/affiliates/${id}/stats`).expect(200);

    expect(body.stats).toMatchObject({
      total_paid: { title: 'Total Paid', amount: 0, is_currency: true, icon: 'MoneyPaid' },
      total_unpaid: { title: 'Total Unpaid', amount: 12.5, is_currency: true, icon: 'MoneyUnPaid' },
      conversion_rate: {
        title: 'Conversion Rate',
        amount: '33.33%',
        is_currency: false,
        is_number: false,
        icon: 'PercentIcon',
      },
      total_visits: { amount: 3, is_currency: false, is_number: true, icon: 'LinkClick' },
      total_referrals: { amount: 1, is_currency: false, is_number: true, icon: 'LinkReferal' },
    });
    expect(body.stats.total_paid).not.toHaveProperty('is_number');
  });

  it.each([
    ['start_date=2026-02-30', 'validation_failed'],
    ['end_date=tomorrow', 'validation_failed'],
    ['start_date=2026-01-02&end_date=2026-01-01', 'invalid_date_range'],
    ['start_date=1990-01-01&end_date=2026-01-01', 'invalid_date_range'],
  ])('refuse ?%s', async (query, code) => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    await admin
      .get(`/affiliates/${id}/statistics?${query}`)
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe(code));
  });

  it('cover the last 30 days and today by default', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    await records.visit({ affiliate_id: id });
    const { body } = await admin.get(`/affiliates/${id}/statistics`).expect(200);
    expect(body.xAxisData).toHaveLength(31);
    expect(body.series[1].data.at(-1)).toBe(1);
  });
});

describe('what belongs to an affiliate', () => {
  it.each(['referrals', 'visits', 'transactions', 'customers'])('lists its %s, ten a page', async (what) => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    const other = await records.affiliate({ user_id: 3 });
    for (const affiliate_id of [id, other.id]) {
      await records.visit({ affiliate_id });
      await records.referral({ affiliate_id, amount: '5', status: 'unpaid' });
    }

    const { body } = await admin.get(`/affiliates/${id}/${what}`).expect(200);

    expect(body[what]).toMatchObject({
      per_page: 10,
      current_page: 1,
      total: what === 'referrals' || what === 'visits' ? 1 : 0,
    });
    await admin
      .get(`/affiliates/999/${what}`)
      .expect(404)
      .expect(({ body: error }) => expect(error.code).toBe('affiliate_not_found'));
  });

  it('lets extensions change the customer list', async () => {
    const { admin, records, service } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    service.hooks.addFilter('affiliate_customers_query', (query, _request, affiliateId) => ({
      ...query,
      per_page: affiliateId === id ? 3 : 4,
    }));
    service.hooks.addFilter('affiliate_customers_response', (answer, affiliate) => ({
      ...answer,
      lifetime_expiry_days: affiliate.id,
    }));
    const { body } = await admin.get(`/affiliates/${id}/customers`).expect(200);
    expect(body).toMatchObject({ lifetime_expiry_days: id, customers: { per_page: 3 } });
  });
});

describe('deleting an affiliate', () => {
  it('takes visits and referrals along, keeps customers and audit, and corrects the day figures', async () => {
    const { admin, app, records, service } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    const other = await records.affiliate({ user_id: 3 });
    for (const affiliate_id of [id, other.id]) {
      await records.visit({ affiliate_id });
      await records.referral({ affiliate_id, amount: '5', status: 'unpaid' });
    }
    const linked = await app.transaction(async (trx) => {
      const buyer = { email: 'c@shop.test', user_id: null, first_name: 'C', last_name: 'C', ip: null };
      const kept = await app.customers.buyers.save(trx, buyer, { known: null, paid: true });
      await app.customers.bind(trx, kept!.customer.id, id, app.clock.now());
      return kept!.customer;
    });
    const seen: unknown[] = [];
    service.hooks.addAction('before_delete_affiliate', (affiliate, ctx) => {
      seen.push(['before', affiliate.id, ctx.counts]);
    });
    service.hooks.addAction('after_delete_affiliate', (affiliateId) => {
      seen.push(['after', affiliateId]);
    });

    await admin
      .delete(`/affiliates/${id}`)
      .expect(200)
      .expect(({ body }) => expect(Object.keys(body)).toEqual(['message']));

    expect(seen).toEqual([
      ['before', id, { visits: 1, referrals: 1 }],
      ['after', id],
    ]);
    await admin.get(`/affiliates/${id}`).expect(404);
    expect((await admin.get('/visits').expect(200)).body.visits.total).toBe(1);
    expect((await admin.get('/referrals').expect(200)).body.referrals.total).toBe(1);
    expect(await app.customers.find(linked?.id ?? 0)).toMatchObject({ by_affiliate_id: null });
    const chart = await app.rollups.chart('all', {}, ['referrals', 'visits', 'affiliates']);
    expect(chart.series.map((line) => line.data.at(-1))).toEqual([1, 1, 1]);
    expect(await app.db('daily_stats').where({ scope: `a:${id}` })).toEqual([]); // no screen shows this any more
    const { body } = await admin.get(`/audit?action=affiliate.deleted&object_id=${id}`).expect(200);
    expect(body.entries.data).toHaveLength(1);
  });

  it('keeps payouts, transactions and the paid commissions', async () => {
    const { admin, records } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    const referral = await records.referral({ affiliate_id: id, amount: '30', status: 'unpaid' });
    const {
      body: { payout },
    } = await admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'All' } })
      .expect(200);

    await admin.delete(`/affiliates/${id}`).expect(200);

    const { body } = await admin.get(`/payouts/${payout.id}/transactions`).expect(200);
    expect(body.transactions.data).toMatchObject([{ affiliate_id: id, total_amount: 30, affiliate: null }]);
    const { body: paid } = await admin.get(`/payouts/${payout.id}/items`).expect(200);
    expect(paid.items.data).toMatchObject([{ referral_id: referral.id, amount: 30 }]);
    expect((await admin.get('/referrals').expect(200)).body.referrals.total).toBe(0);
    await admin.patch(`/payouts/${payout.id}/transactions/bulk-action`).send({ status: 'paid' }).expect(200);
  });

  it('leaves everything in place when a before-action stops it', async () => {
    const { admin, records, service } = await startApp();
    const { id } = await records.affiliate({ user_id: 2 });
    service.hooks.addAction('before_delete_affiliate', () => {
      throw new Error('broken extension');
    });
    await admin
      .delete(`/affiliates/${id}`)
      .expect(500)
      .expect(({ body }) => expect(body.code).toBe('internal_error'));
    await admin.get(`/affiliates/${id}`).expect(200);
  });
});

describe('the number of queries of a page', () => {
  it('does not grow with its rows', async () => {
    const { admin, app, host, records } = await startApp();
    const group = await records.group({ meta_key: 'VIP', rate: 5 });
    const count = async (): Promise<number> =>
      (await statementsOf({ app }, () => admin.get('/affiliates?per_page=100').expect(200))).length;
    await records.affiliate({ user_id: 2, group_id: group.id });
    await count();
    const baseline = await count();
    for (let n = 0; n < 12; n++) {
      const user = host.addUser({
        id: 100 + n,
        login: `u${n}`,
        email: `u${n}@x.test`,
        display_name: `U ${n}`,
      });
      await records.affiliate({ user_id: user.id, group_id: group.id });
    }
    expect(await count()).toBe(baseline);
  });
});

describe('the conversion rate', () => {
  it.each([
    [0, 0, '0.00%'],
    [5, 0, '0.00%'],
    [1, 8, '12.50%'],
    [1, 3, '33.33%'],
    [2, 3, '66.67%'],
    [1, 200_000, '0.00%'],
    [2469, 200, '1,234.50%'],
    [5_000_000, 1, '500,000,000.00%'],
  ])('of %i referrals and %i visits is %s', (referrals, visits, text) => {
    expect(percentage(referrals, visits)).toBe(text);
  });
});
