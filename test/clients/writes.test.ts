import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';
import { order, shopProvider } from './shop-provider.js';

describe('what a write answers', () => {
  it('is the whole referral, with its affiliate', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    const made = await t.admin
      .post('/referrals')
      .send({ affiliate_id: id, amount: 10, status: 'pending', type: 'sale' })
      .expect(200);
    const whole = {
      id,
      user_details: { full_name: 'Alice Doe' },
      user: { ID: 2, user_email: 'alice@shop.test' },
    };
    expect(made.body.referral.affiliate).toMatchObject(whole);
    const path = `/referrals/${made.body.referral.id}`;
    const changed = await t.admin.patch(path).send({ amount: 11 }).expect(200);
    expect(changed.body.referral.affiliate).toMatchObject(whole);
  });

  it('is the whole transaction, with its affiliate', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    await t.records.referral({ affiliate_id: id });
    const payout = await t.records.payout();
    const { body } = await t.admin
      .patch(`/payouts/${payout.id}/transactions/1`)
      .send({ status: 'paid' })
      .expect(200);
    expect(body.transaction.affiliate).toMatchObject({
      id,
      user_details: { full_name: 'Alice Doe', email: 'alice@shop.test' },
      user: { ID: 2 },
    });
  });
});

describe('order numbers', () => {
  it('entered by hand are any text up to 255 characters', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    for (const [given, stored] of [
      ['INV-2026/17', 'INV-2026/17'],
      ['x'.repeat(255), 'x'.repeat(255)],
      ['5512', 5512],
      [0, null],
      ['', null],
    ])
      expect((await t.records.referral({ affiliate_id: id, provider_id: given })).provider_id).toBe(stored);
  });

  it('lead to the order in the shop it was made in', async () => {
    const shop = shopProvider('woo', {
      trustAffiliateId: true,
      orderUrl: ({ account, id }) => `https://${account}/orders/${id}`,
    });
    const t = await startApp({ providers: [shop] });
    const { id } = await t.records.affiliate({ user_id: 2 });
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'woo', is_enabled: 'yes' })
      .expect(200);
    for (const account of ['one.shop.test', 'two.shop.test'])
      await t.service.commerce.intake('woo').accept({
        type: 'order.paid',
        at: t.clock.now(),
        account,
        order: { ...order(t.clock.now(), '7'), attribution: { affiliate_id: id } },
      });
    const rows: Wire[] = (await t.admin.get('/referrals?order_by=id&order_type=ASC').expect(200)).body
      .referrals.data;
    expect(rows.map(({ provider_url }) => provider_url as string)).toEqual([
      'https://one.shop.test/orders/7',
      'https://two.shop.test/orders/7',
    ]);
    expect((await t.admin.get(`/referrals/${rows[1].id}`)).body.referral.provider_url).toBe(
      'https://two.shop.test/orders/7',
    );
  });
});

describe('the search of payments', () => {
  it('finds any part of day and time on the site’s clock, over a change of the clocks', async () => {
    const t = await startApp({ timeZone: 'Europe/Berlin' });
    const { id } = await t.records.affiliate({ user_id: 2 });
    const bob = await t.records.affiliate({ user_id: 3 });
    for (const affiliate_id of [id, bob.id]) await t.records.referral({ affiliate_id });
    const { id: payout } = await t.records.payout();
    for (const [at, when] of [Date.UTC(2026, 0, 15, 13, 30, 5), Date.UTC(2026, 6, 1, 12, 45)].entries())
      await t.app
        .db('payout_transactions')
        .where({ id: at + 1 })
        .update({ created_at: when });
    const found = async (search: string): Promise<number[]> =>
      (
        await t.admin
          .get(`/payouts/${payout}/transactions?order_type=ASC&search=${encodeURIComponent(search)}`)
          .expect(200)
      ).body.transactions.data.map((each: Wire) => each.id as number);

    expect(await found('14:30:05')).toEqual([1]); // winter: UTC + 1
    expect(await found('14:45')).toEqual([2]); // summer: UTC + 2
    expect(await found('2026-01')).toEqual([1]);
    expect(await found('01-15 14')).toEqual([1]);
    expect(await found('2026')).toEqual([1, 2]);
    expect(await found('created_at:07-01')).toEqual([2]);
    expect(await found('13:30')).toEqual([]);
    expect(await found('15T14')).toEqual([]);
  });
});

/** Two extensions: one fails, one answers nonsense. */
function breakFilter(t: TestApp, name: string): void {
  const add = t.service.hooks.addFilter.bind(t.service.hooks) as unknown as (
    hook: string,
    fn: () => unknown,
    more: object,
  ) => void;
  add(
    name,
    () => {
      throw new Error('the extension is broken');
    },
    { name: 'broken' },
  );
  add(name, () => 7, { name: 'odd' });
}

describe('filters of extensions', () => {
  it('keep neither the browser script nor a sign-up from anybody', async () => {
    const t = await startApp({ registration: { verifyEmail: false } });
    const script = async (): Promise<string> =>
      (await request(t.server).get(t.app.options.tracking.scriptPath).expect(200)).text;
    const before = await script();
    breakFilter(t, 'tracker_vars');
    breakFilter(t, 'auth/after_signup_redirect_url');
    expect(await script()).toBe(before);
    const sent = {
      full_name: 'Alice Doe',
      note: 'My blog',
      terms_condition: 'yes',
      payment_email: 'a@b.test',
    };
    const { body } = await t.as(2).post('/registration').send(sent).expect(200);
    expect(body.redirect_url).toBe('https://shop.test/');
  });

  it('may answer widgets by key', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    t.service.hooks.addFilter('affiliate_widgets', () => ({
      crm: { title: 'CRM', content: '<p>x</p>' },
      odd: 'no widget',
    }));
    const { body } = await t.admin.get(`/affiliates/${id}`).expect(200);
    expect(body.affiliate.widgets).toEqual([{ title: 'CRM', content: '<p>x</p>' }]);
  });

  it.each([
    ['affiliate_widgets', '/affiliates/1', 'affiliate'],
    ['affiliate_attached_coupons', '/affiliates/1', 'affiliate'],
    ['affiliate_view_data', '/affiliates/1', 'affiliate'],
    ['default_share_url', '/affiliates/1', 'affiliate'],
    ['affiliate_customers_response', '/affiliates/1/customers', 'customers'],
    ['get_integrations', '/settings/integrations', 'integrations'],
    ['registered_features', '/settings/features', 'features'],
    ['advanced_report_providers', '/reports/advanced-providers', 'providers'],
  ] as const)('%s that fail or answer nonsense are logged and left out', async (name, path, key) => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    await t.records.affiliate({ user_id: 2 });
    const before = (await t.admin.get(path).expect(200)).body;
    breakFilter(t, name);
    expect((await t.admin.get(path).expect(200)).body[key]).toEqual(before[key]);
    expect(t.log.filter(({ level }) => level === 'error').map(({ fields }) => fields?.['tap'])).toEqual(
      expect.arrayContaining(['broken', 'odd']),
    );
  });
});

describe('a payment e-mail that is sent empty', () => {
  it('fails both of its rules; one that is not sent only the first', async () => {
    const t = await startApp();
    const form = { user_id: 2, status: 'active', rate_type: 'default' };
    const rules = async (path: string, body: object): Promise<string[]> =>
      Object.keys((await t.admin.post(path).send(body).expect(422)).body.payment_email as object);
    expect(await rules('/affiliates', { ...form, payment_email: '' })).toEqual(['required', 'email']);
    expect(await rules('/affiliates', form)).toEqual(['required']);
    await t.records.affiliate({ user_id: 2 });
    const save = (settings: object): Promise<{ body: { payment_email: object } }> =>
      t
        .as(2)
        .post('/portal/settings')
        .send({ settings: { ref_email_notification: 'yes', ...settings } })
        .expect(422);
    expect(Object.keys((await save({ payment_email: '' })).body.payment_email)).toEqual([
      'required',
      'email',
    ]);
    expect(Object.keys((await save({})).body.payment_email)).toEqual(['required']);
  });
});

describe('the page of creatives', () => {
  it('holds 15 rows', async () => {
    const t = await startApp();
    for (const path of ['/settings/creatives', '/creatives/creatives'])
      expect((await t.admin.get(path).expect(200)).body.creatives.per_page).toBe(15);
    await t.records.affiliate({ user_id: 2 });
    expect((await t.as(2).get('/portal/creatives').expect(200)).body.creatives.per_page).toBe(15);
  });
});
