import { describe, expect, it } from '@jest/globals';
import { NO_SUB_IDS, SUB_IDS } from '../../src/core/sub-ids.js';
import { startApp } from '../support/app.js';
import { statementsOf } from '../support/statements.js';
import { earn } from '../support/payouts.js';

type Started = Awaited<ReturnType<typeof startApp>>;

async function started(
  options?: Parameters<typeof startApp>[0],
): Promise<Started & { affiliate: { id: number }; fired: string[] }> {
  const t = await startApp(options);
  const affiliate = await t.records.affiliate({ user_id: 2, status: 'active' });
  const fired: string[] = [];
  for (const status of ['unpaid', 'pending', 'rejected'] as const)
    t.service.hooks.addAction(`referral_marked_${status}`, () => {
      fired.push(`marked_${status}`);
    });
  t.service.hooks.addAction('referral_recorded', () => {
    fired.push('recorded');
  });
  t.service.hooks.addAction('referral_created', () => {
    fired.push('created');
  });
  t.service.hooks.addAction('referral_commission_updated', () => {
    fired.push('commission_updated');
  });
  t.service.hooks.addAction('referral_updated', () => {
    fired.push('updated');
  });
  t.service.hooks.addAction('referral/before_delete', () => {
    fired.push('before_delete');
  });
  t.service.hooks.addAction('referral/deleted', () => {
    fired.push('deleted');
  });
  return { ...t, affiliate: affiliate, fired };
}

const form = (affiliate: { id: number }, more: object = {}): object => ({
  affiliate_id: affiliate.id,
  type: 'sale',
  amount: '12.50',
  status: 'unpaid',
  ...more,
});
const money = async ({
  admin,
  affiliate,
}: {
  admin: Started['admin'];
  affiliate: { id: number };
}): Promise<number[]> => {
  const { body } = await admin.get(`/affiliates/${affiliate.id}`).expect(200);
  return [body.affiliate.total_earnings, body.affiliate.unpaid_earnings, body.affiliate.referrals];
};

describe('creating a referral by hand', () => {
  it('answers the whole record and counts it', async () => {
    const t = await started();

    const { body } = await t.admin
      .post('/referrals')
      .send(form(t.affiliate, { description: 'Phone <b>order</b>', currency: 'EUR', customer_id: 9 }))
      .expect(200);

    expect(body.referral).toEqual({
      affiliate: expect.objectContaining({ id: t.affiliate.id }),
      id: expect.any(Number),
      affiliate_id: t.affiliate.id,
      parent_id: null,
      customer_id: null,
      visit_id: null,
      description: 'Phone <b>order</b>',
      status: 'unpaid',
      amount: 12.5,
      state: 'payable',
      counted_amount: 12.5,
      would_have_been: null,
      order_total: null,
      currency: 'USD',
      utm_campaign: null,
      ...NO_SUB_IDS,
      provider: 'manual',
      provider_id: null,
      provider_sub_id: null,
      products: null,
      payout_transaction_id: null,
      payout_id: null,
      type: 'sale',
      settings: null,
      provider_url: '',
      payable_at: null,
      created_at: '2026-01-15T15:00:00+00:00',
      updated_at: '2026-01-15T15:00:00+00:00',
    });
    expect(body.message).toEqual(expect.any(String));
    expect(t.fired).toEqual(['recorded', 'marked_unpaid']);
    expect(await money(t)).toEqual([12.5, 12.5, 1]);
  });

  it.each([
    ['pending', ['recorded', 'created'], [0, 0, 1]],
    ['rejected', ['recorded', 'created'], [0, 0, 1]],
  ])('as %s calls the hooks of a new referral and earns nothing', async (status, hooks, figures) => {
    const t = await started();
    await t.admin.post('/referrals').send(form(t.affiliate, { status })).expect(200);
    expect(t.fired).toEqual(hooks);
    expect(await money(t)).toEqual(figures);
  });

  it.each([
    [
      'nothing',
      { affiliate_id: undefined, type: undefined, amount: undefined, status: undefined },
      { affiliate_id: 'required', type: 'required', amount: 'required', status: 'required' },
    ],
    ['an unknown affiliate', { affiliate_id: 999 }, { affiliate_id: 'exists' }],
    ['status paid', { status: 'paid' }, { status: 'in' }],
    ['a type of providers', { type: 'recurring_sale' }, { type: 'in' }],
    ['a negative amount', { amount: '-0.01' }, { amount: 'min' }],
    ['an amount that is no number', { amount: 'Infinity' }, { amount: 'numeric' }],
    ['an amount beyond all money', { amount: '1e400' }, { amount: 'max' }],
    ['just too much', { amount: '100000000000.00' }, { amount: 'max' }],
    ['an order number of 256 characters', { provider_id: 'x'.repeat(256) }, { provider_id: 'max' }],
    ['a list as order number', { provider_id: ['A-1'] }, { provider_id: 'string' }],
  ])('refuses %s', async (_what, wrong, rules) => {
    const t = await started();
    const { body } = await t.admin.post('/referrals').send(form(t.affiliate, wrong)).expect(422);
    expect(body.code).toBe('validation_failed');
    for (const [field, rule] of Object.entries(rules)) expect(body.errors[field]).toHaveProperty(rule);
  });

  it.each([
    ['1.005', 1.01],
    ['1e2', 100],
    [0, 0],
    ['0.004', 0],
    [19.99, 19.99],
    ['99999999999.99', 99_999_999_999.99],
  ])('reads the amount %p as %p', async (amount, expected) => {
    const t = await started();
    const { body } = await t.admin.post('/referrals').send(form(t.affiliate, { amount })).expect(200);
    expect(body.referral.amount).toBe(expected);
  });

  it('refuses an affiliate that is not active', async () => {
    const t = await started();
    const other = (await t.records.affiliate({ user_id: 3, status: 'inactive' })) as { id: number };
    await t.admin
      .post('/referrals')
      .send(form(other))
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('affiliate_inactive'));
  });
});

describe('changing a referral', () => {
  const create = async (
    t: Started & { affiliate: { id: number }; fired: string[] },
    more: object = {},
  ): Promise<number> => {
    const { body } = await t.admin.post('/referrals').send(form(t.affiliate, more)).expect(200);
    t.fired.length = 0;
    return body.referral.id;
  };

  it.each<
    [
      string,
      { status?: string; amount?: string | number; description?: string; type?: string },
      string[],
      number[],
    ]
  >([
    ['pending', { status: 'unpaid' }, ['marked_unpaid', 'updated'], [12.5, 12.5, 1]],
    ['unpaid', { status: 'rejected' }, ['marked_rejected', 'updated'], [0, 0, 1]],
    ['unpaid', { status: 'pending' }, ['marked_pending', 'updated'], [0, 0, 1]],
    ['rejected', { status: 'unpaid', amount: 3 }, ['marked_unpaid', 'updated'], [3, 3, 1]],
    ['unpaid', { amount: '20' }, ['commission_updated', 'updated'], [20, 20, 1]],
    ['unpaid', { description: 'x' }, ['updated'], [12.5, 12.5, 1]],
    ['unpaid', {}, [], [12.5, 12.5, 1]],
    ['unpaid', { amount: 12.5, status: 'unpaid', type: 'sale' }, [], [12.5, 12.5, 1]],
  ])('from %s by %p fires %p', async (status, patch, hooks, figures) => {
    const t = await started();
    const id = await create(t, { status });

    const { body } = await t.admin.patch(`/referrals/${id}`).send(patch).expect(200);

    expect(body.referral).toMatchObject(
      patch.amount === undefined ? patch : { ...patch, amount: Number(patch.amount) },
    );
    expect(t.fired).toEqual(hooks);
    expect(await money(t)).toEqual(figures);
  });

  it.each([
    [{ status: 'paid' }, { status: 'in' }],
    [{ status: 'cancelled' }, { status: 'in' }],
    [{ type: 'lead' }, { type: 'in' }],
    [{ amount: -1 }, { amount: 'min' }],
    [{ amount: [5] }, { amount: 'numeric' }],
  ])('refuses %p', async (patch, rules) => {
    const t = await started();
    const { body } = await t.admin
      .patch(`/referrals/${await create(t)}`)
      .send(patch)
      .expect(422);
    for (const [field, rule] of Object.entries(rules)) expect(body.errors[field]).toHaveProperty(rule);
  });

  it('keeps the type a provider gave', async () => {
    const t = await started();
    const { referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'L1',
      type: 'lead',
      affiliate: t.affiliate.id,
    });

    await t.admin.patch(`/referrals/${referral!.id}`).send({ type: 'lead', amount: 4 }).expect(200);
    await t.admin.patch(`/referrals/${referral!.id}`).send({ type: 'sale' }).expect(422);
  });

  it('lets the status of a canceled one be, and deletes it', async () => {
    const t = await started();
    const { id } = await earn(t, t.affiliate.id, 1000, { status: 'cancelled', source_key: 'old:1' });

    for (const status of ['unpaid', 'pending', 'rejected'])
      await t.admin
        .patch(`/referrals/${id}`)
        .send({ status })
        .expect(422)
        .expect(({ body }) => expect(body.errors.status).toHaveProperty('in'));
    const { body } = await t.admin
      .patch(`/referrals/${id}`)
      .send({ amount: '12.50', status: 'cancelled', type: 'sale', description: 'old order' })
      .expect(200);

    expect(body.referral).toMatchObject({ status: 'cancelled', description: 'old order' });
    expect(await money(t)).toEqual([0, 0, 1]);
    await t.admin.delete(`/referrals/${id}`).expect(200);
  });

  it('leaves a processing one of an import alone', async () => {
    const t = await started();
    const { id } = await earn(t, t.affiliate.id, 1000, { status: 'processing', source_key: 'old:1' });

    await t.admin
      .patch(`/referrals/${id}`)
      .send({ amount: 1 })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('referral_locked'));
    await t.admin
      .delete(`/referrals/${id}`)
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('referral_locked'));
  });

  it('leaves a paid one alone, whatever is sent', async () => {
    const t = await started();
    const id = await create(t);
    await t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'Run' } })
      .expect(200);

    await t.admin
      .patch(`/referrals/${id}`)
      .send({ status: 'nonsense' })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('referral_paid'));
    await t.admin
      .delete(`/referrals/${id}`)
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('referral_paid'));
  });

  it('lets one of many parallel changes win, and reports it once', async () => {
    const t = await started();
    const id = await create(t, { status: 'pending' });

    await Promise.all(
      Array.from({ length: 8 }, () =>
        t.admin.patch(`/referrals/${id}`).send({ status: 'unpaid' }).expect(200),
      ),
    );

    expect(t.fired).toEqual(['marked_unpaid', 'updated']);
    expect(await money(t)).toEqual([12.5, 12.5, 1]);
  });

  it('deletes, calls hooks before and after, and takes the figures back', async () => {
    const t = await started();
    const id = await create(t);

    await t.admin.delete(`/referrals/${id}`).expect(200);

    expect(t.fired).toEqual(['before_delete', 'deleted']);
    expect(await money(t)).toEqual([0, 0, 0]);
    await t.admin
      .get(`/referrals/${id}`)
      .expect(404)
      .expect(({ body }) => expect(body.code).toBe('referral_not_found'));
  });

  it('keeps a delegated manager off own commissions when a filter says so', async () => {
    const t = await started({ forbidSelfManagement: true });
    const id = await create(t);
    t.host.grant(2, 'fa_view_referrals');

    await t
      .as(2)
      .patch(`/referrals/${id}`)
      .send({ amount: 99 })
      .expect(403)
      .expect(({ body }) => expect(body.code).toBe('self_management_forbidden'));
    await t.as(2).delete(`/referrals/${id}`).expect(403);
    await t.as(2).post('/referrals').send(form(t.affiliate)).expect(403);
    await t.admin.patch(`/referrals/${id}`).send({ amount: 99 }).expect(200);
  });
});

describe('listing referrals', () => {
  async function shelf(): Promise<Awaited<ReturnType<typeof started>>> {
    const t = await started();
    const rows = [
      { amount: '12.50', description: 'Phone order', status: 'unpaid' },
      { amount: 5, description: '100% cotton', status: 'pending', provider: 'fair' },
      { amount: '112.53', description: 'Mug', status: 'rejected', type: 'opt_in', provider_id: 5512 },
    ];
    for (const row of rows) await t.admin.post('/referrals').send(form(t.affiliate, row)).expect(200);
    return t;
  }
  const found = async (t: Started, query: string): Promise<string[]> => {
    const { body } = await t.admin.get(`/referrals?${query}`).expect(200);
    return body.referrals.data.map((row: { description: string }) => row.description);
  };

  it.each([
    ['', ['Mug', '100% cotton', 'Phone order']],
    ['status=pending', ['100% cotton']],
    ['status=all', ['Mug', '100% cotton', 'Phone order']],
    ['status=nonsense', ['Mug', '100% cotton', 'Phone order']],
    ['status[]=pending&status[]=rejected', ['Mug', '100% cotton']],
    ['order_by=amount&order_type=ASC', ['100% cotton', 'Phone order', 'Mug']],
    ['order_by=password', ['Mug', '100% cotton', 'Phone order']],
    ['search=phone', ['Phone order']],
    ['search=100%25', ['100% cotton']],
    ['search=_', []],
    ['search=12.5', ['Mug', 'Phone order']],
    ['search=amount=12.5', ['Phone order']],
    ['search=amount=1e1', []],
    ['search=amount:2.50', ['Phone order']],
    ['search=amount=12.500', ['Phone order']],
    ['search=amount:2.5', ['Mug', 'Phone order']],
    ['search=amount:', []],
    ['search=order_total=5', []],
    ['search=id:3', ['Mug']],
    ['search=id=3', []],
    ['search=affiliate_id=1', ['Mug', '100% cotton', 'Phone order']],
    ['search=customer_id:1', []],
    ['search=status:pen', ['100% cotton']],
    ['search=currency=USD', ['Mug', '100% cotton', 'Phone order']],
    ['search=provider_sub_id:1', []],
    ['search=description:a:b', []],
    ['search=provider:FAI', ['100% cotton']],
    ['search=provider_id=5512', ['Mug']],
    ['search=type=opt_in', ['Mug']],
    ['search=password:x', []],
    ['per_page=1&page=2', ['100% cotton']],
    ['page=9', []],
  ])('%s', async (query, expected) => expect(await found(await shelf(), query)).toEqual(expected));

  it('asks the database as often for many rows as for one', async () => {
    const t = await started();
    const queries = async (): Promise<number> => {
      return (await statementsOf(t, () => t.admin.get('/referrals?per_page=100').expect(200))).length;
    };
    await t.admin.post('/referrals').send(form(t.affiliate)).expect(200);
    await queries();
    const one = await queries();
    const other = (await t.records.affiliate({ user_id: 3, status: 'active' })) as { id: number };
    for (let count = 0; count < 20; count += 1)
      await t.admin
        .post('/referrals')
        .send(form(count % 2 ? other : t.affiliate))
        .expect(200);

    expect(await queries()).toBe(one);
  });

  it("shows affiliate and the order's address", async () => {
    const t = await shelf();
    t.service.hooks.addFilter(
      'provider_reference_fair_url',
      (_url, { id }) => `https://fair.test/orders/${id}`,
    );

    const { body } = await t.admin.get('/referrals?search=cotton').expect(200);

    expect(body.referrals).toMatchObject({ current_page: 1, total: 1, from: 1, to: 1 });
    expect(body.referrals.data[0]).toMatchObject({
      provider: 'fair',
      provider_url: `https://fair.test/orders/${body.referrals.data[0].id}`,
      affiliate: { id: t.affiliate.id },
    });
    expect(body.referrals.data[0].affiliate.user_details.full_name).toEqual(expect.any(String));
  });

  it('shows visit, payout and customer of one', async () => {
    const t = await started();
    const visit = (await t.records.visit({
      affiliate_id: t.affiliate.id,
      url: 'https://shop.test/',
      utm_campaign: 'summer',
    })) as { id: number };
    const { referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 5,
      status: 'unpaid',
      order: { subtotal: 50 },
      visit_id: visit.id,
      customer: { email: 'jo@shop.test', first_name: 'Jo', last_name: 'Doe' },
    });
    await t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'January', description: 'Run' } })
      .expect(200);

    const { body } = await t.admin.get(`/referrals/${referral!.id}`).expect(200);

    expect(body.referral).toMatchObject({
      provider_id: 5,
      utm_campaign: 'summer',
      visit: { id: visit.id, utm_campaign: 'summer' },
      payout: { title: 'January' },
      customer: {
        email: 'jo@shop.test',
        full_name: 'Jo Doe',
        by_affiliate_id: t.affiliate.id,
        photo: expect.stringContaining('data:image/svg+xml'),
      },
    });
    expect(body.referral).not.toHaveProperty('affiliate');
  });

  it('exports JSON rows and guarded CSV', async () => {
    const t = await started();
    await t.admin
      .post('/referrals')
      .send(form(t.affiliate, { description: '=1+1, "x"' }))
      .expect(200);

    const { body } = await t.admin.get('/referrals/export?format=json').expect(200);
    expect(body).toMatchObject({ limited: false, total: 1 });
    expect(Object.keys(body.referrals[0])).toEqual([
      'id',
      'affiliate_name',
      'affiliate_email',
      'amount',
      'order_total',
      'currency',
      'description',
      'provider',
      'provider_id',
      'type',
      'status',
      'created_at',
      'affiliate_id',
      'parent_id',
      'provider_sub_id',
      'utm_campaign',
      'state',
      'counted_amount',
      'would_have_been',
      ...SUB_IDS,
    ]);
    expect(body.referrals[0]).toMatchObject({
      amount: 12.5,
      description: `"'=1+1, ""x"""`,
      created_at: expect.stringMatching(/^2026-01-15 \d\d:00:00$/),
    });

    const { text } = await t.admin.get('/referrals/export').expect(200);
    expect(text.split('\n')[0]).toContain('affiliate_name');
    expect(text).toContain("'=1+1");
  });
});
