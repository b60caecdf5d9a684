import { NO_SUB_IDS } from '../../src/core/sub-ids.js';
import { describe, expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { statementsOf } from '../support/statements.js';
import { earn } from '../support/payouts.js';

const PAIRS = [
  ['stats', '/portalstats', '/portal/stats'],
  ['referrals', '/portalreferrals', '/portal/referrals'],
  ['transactions', '/portaltransactions', '/portal/transactions'],
  ['visits', '/portalvisits', '/portal/visits'],
  ['settings', '/portalsettings', '/portal/settings'],
  ['bootstrap', '/portal/bootstrap', '/portal/bootstrap'],
  ['links', '/portal/links', '/portal/links'],
  ['qr code', '/portal/qr-code', '/portal/qr-code'],
] as const;
const ROUTES = PAIRS.flatMap(([, listed, slash]) => (listed === slash ? [listed] : [listed, slash]));
const MAIL = { ref_email_notification: 'yes', payment_email: 'new@example.test' };

describe('who sees the portal', () => {
  it.each(ROUTES)('%s: signed-in affiliates only', async (path) => {
    const t = await startApp();
    await t.anonymous.get(path).expect(401);
    for (const user of [1, 2])
      await t
        .as(user)
        .get(path)
        .expect(422)
        .expect(({ body }) => expect(body.code).toBe('affiliate_not_found'));
    await t
      .as(2)
      .post('/portal/settings')
      .send({ settings: MAIL })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('affiliate_not_found'));
    await t.records.affiliate();
    const { headers } = await t.as(2).get(`${path}?layout=x&query_timestamp=1`).expect(200);
    expect(headers['cache-control']).toBe('no-store, private');
  });

  it.each(['pending', 'inactive'])(
    'an affiliate that is %s reads its rows, but gets no links',
    async (status) => {
      const t = await startApp();
      await t.records.affiliate({ status });
      for (const path of ROUTES)
        await t
          .as(2)
          .get(path)
          .expect(/bootstrap|links|qr/.test(path) ? 422 : 200);
      await t.as(2).post('/portal/settings').send({ settings: MAIL }).expect(200);
    },
  );

  it('shows own rows whatever ids are sent', async () => {
    const { t, bob } = await shop();
    const { body } = await t.as(2).get(`/portal/referrals?affiliate_id=${bob.id}&user_id=3`).expect(200);
    const mine = await t.as(2).get('/portal/referrals').expect(200);
    expect(body.referrals.data).toEqual(mine.body.referrals.data);
    await t
      .as(2)
      .post('/portal/settings')
      .send({ affiliate_id: bob.id, settings: { ...MAIL, user_id: 3 } })
      .expect(200);
    expect((await t.app.affiliates.get(bob.id)).payment_email).toBe('pay@example.test');
  });
});

/** Alice with a visit that brought two referrals, and Bob with one of his own. */
async function shop(
  timeZone = 'America/New_York',
): Promise<{ t: TestApp; alice: { id: number }; bob: { id: number } }> {
  const t = await startApp({ timeZone });
  const alice = await t.records.affiliate({ user_id: 2 });
  const bob = await t.records.affiliate({ user_id: 3 });
  const visit = await t.records.visit({
    affiliate_id: alice.id,
    url: 'https://shop.test/a',
    utm_campaign: 'summer',
    referrer: '',
  });
  await t.records.visit({ affiliate_id: alice.id, url: 'https://shop.test/b' });
  await t.records.visit({ affiliate_id: bob.id });
  const add = (affiliate: { id: number }, body: object): Promise<{ id: number }> =>
    t.records.referral({ affiliate_id: affiliate.id, ...body });
  const byHand = { provider: 'manual', visit_id: visit.id };
  await earn(t, alice.id, 10, { ...byHand, description: 'Order & one' });
  await earn(t, alice.id, 20, { ...byHand, status: 'rejected' });
  await add(alice, { amount: 5, status: 'pending' });
  await add(bob, { amount: 7 });
  return { t, alice, bob };
}

describe('figures and lists', () => {
  it.each([['/portalstats'], ['/portal/stats']])('%s: cards, newest referrals, notice', async (path) => {
    const { t } = await shop();
    t.service.hooks.addFilter(
      'portal_notice_html',
      (html, affiliate) => `${html}<b onclick="x()">Hi ${affiliate?.id ?? ''}</b><script>1</script>`,
    );
    const { body } = await t.as(2).get(path).expect(200);

    expect(Object.keys(body.stats)).toEqual([
      'total_paid',
      'total_unpaid',
      'total_referrals',
      'conversion_rate',
    ]);
    expect(body.stats).toEqual({
      total_paid: { title: 'Total Paid', amount: 0, is_currency: true, icon: 'MoneyPaid' },
      total_unpaid: { title: 'Total Unpaid', amount: 0.1, is_currency: true, icon: 'MoneyUnPaid' },
      total_referrals: {
        title: 'Total Referrals',
        amount: expect.any(Number),
        is_currency: false,
        is_number: true,
        icon: 'LinkReferal',
      },
      conversion_rate: {
        title: 'Conversion Rate',
        amount: expect.stringMatching(/^\d+\.\d\d%$/),
        is_currency: false,
        is_number: false,
        icon: 'PercentIcon',
      },
    });
    expect(body.recent_referrals).toHaveLength(2);
    expect(body.recent_referrals[1]).toEqual({
      description: 'Order &amp; one',
      created_at: '2026-01-15T15:00:00+00:00',
      status: 'unpaid',
      amount: 0.1,
      human_date: '15 Jan 2026, 10:00',
    });
    expect(body.portal_notice_html).toMatch(/^<b>Hi \d+<\/b>$/);
  });

  it('shows paid money exactly and a rate of nothing', async () => {
    const { t, alice } = await shop();
    await t.records.affiliate({ user_id: 4 });
    const payout = await t.records.payout();
    const { body: transactions } = await t.admin.get(`/payouts/${payout.id}/transactions`).expect(200);
    const own = transactions.transactions.data.find(
      (each: { affiliate_id: number }) => each.affiliate_id === alice.id,
    );
    await t.admin.patch(`/payouts/${payout.id}/transactions/${own.id}`).send({ status: 'paid' }).expect(200);
    const { body } = await t.as(2).get('/portal/stats').expect(200);
    const empty = await t.as(4).get('/portal/stats').expect(200);
    const list = await t.as(2).get('/portaltransactions?per_page=0&page=-3').expect(200);

    expect([body.stats.total_paid.amount, body.stats.total_unpaid.amount]).toEqual([0.1, 0]);
    expect(empty.body.stats.conversion_rate.amount).toBe('0.00%');
    expect(list.body.transactions).toEqual({
      data: [{ human_date: '15 Jan 2026, 10:00', amount: 0.1, status: 'paid', description: 'January' }],
      total: 1,
      per_page: 1,
      current_page: 1,
    });
  });

  it.each([['/portalreferrals'], ['/portal/referrals']])(
    '%s: exactly the keys of the contract',
    async (path) => {
      const { t } = await shop();
      const { body } = await t.as(2).get(`${path}?per_page=1&page=2&search=zzz&status=paid`).expect(200);
      expect(body.referrals).toMatchObject({ total: 2, per_page: 1, current_page: 2, last_page: 2 });
      expect(body.referrals.data).toEqual([
        {
          description: 'Order &amp; one',
          status: 'unpaid',
          amount: 0.1,
          currency: 'USD',
          utm_campaign: null,
          ...NO_SUB_IDS,
          type: 'sale',
          created_at: '2026-01-15T15:00:00+00:00',
          updated_at: '2026-01-15T15:00:00+00:00',
          human_date: '15 Jan 2026, 10:00',
        },
      ]);
    },
  );

  it.each([['/portalvisits'], ['/portal/visits']])('%s: exact sums per visit', async (path) => {
    const { t } = await shop();
    const { body } = await t.as(2).get(path).expect(200);
    expect(body.visits).toMatchObject({ total: 2, per_page: 15 });
    expect(body.visits.data.map((visit: { is_converted: boolean }) => visit.is_converted)).toEqual([
      false,
      true,
    ]);
    expect(body.visits.data[1]).toEqual({
      url: 'https://shop.test/a',
      referrer: '',
      utm_campaign: 'summer',
      utm_medium: null,
      utm_source: null,
      ...NO_SUB_IDS,
      created_at: '2026-01-15T15:00:00+00:00',
      human_date: '15 Jan 2026, 10:00',
      total_referral_amount: 0.3,
      is_converted: true,
    });
  });

  it('counts visits without looking at them, also after old ones were removed', async () => {
    const { t } = await shop();
    t.clock.advance(400 * 86_400_000);
    await t.app.tracking.purge();
    const { body } = await t.as(2).get('/portal/visits').expect(200);
    expect(body.visits).toMatchObject({ total: 0, data: [] });
  });

  it('asks the same number of queries however many rows', async () => {
    const { t, alice } = await shop();
    const count = async (path: string): Promise<number> => {
      return (await statementsOf(t, () => t.as(2).get(path).expect(200))).length;
    };
    const paths = ['/portal/visits', '/portal/referrals', '/portal/stats'];
    for (const path of paths) await count(path);
    const baseline = [];
    for (const path of paths) baseline.push(await count(path));
    for (let at = 0; at < 8; at += 1) {
      await t.records.visit({ affiliate_id: alice.id });
      await t.records.referral({ affiliate_id: alice.id });
    }
    const many = [];
    for (const path of paths) many.push(await count(path));
    expect(many).toEqual(baseline);
  });
});

describe('settings of an affiliate', () => {
  it.each([['/portalsettings'], ['/portal/settings']])('%s: form and values for PayPal', async (path) => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const changed: unknown[] = [];
    t.service.hooks.addAction('portal/settings_updated', (affiliate, keys) => {
      changed.push([affiliate.id, keys]);
    });
    const { body } = await t.as(2).get(path).expect(200);
    const saved = await t
      .as(2)
      .post(path)
      .type('form')
      .send(
        'settings[ref_email_notification]=no&settings[payment_email]=new@example.test&settings[bank_details]=x&settings[note]=y',
      )
      .expect(200);
    const after = await t.as(2).get(path).expect(200);

    expect(body.settings).toEqual({ ref_email_notification: 'yes', payment_email: 'pay@example.test' });
    expect(Object.keys(body.form_fields)).toEqual(['payment_email', 'ref_email_notification']);
    expect(body.form_fields.payment_email).toMatchObject({
      type: 'text',
      data_type: 'email',
      atts: { size: 'large' },
    });
    expect(body.form_fields.ref_email_notification).toMatchObject({
      type: 'inline_checkbox',
      true_value: 'yes',
      false_value: 'no',
    });
    expect(Object.keys(saved.body)).toEqual(['message']);
    expect(after.body.settings).toEqual({ ref_email_notification: 'no', payment_email: 'new@example.test' });
    expect(await t.app.affiliates.get(id)).toMatchObject({
      settings: { bank_details: '', disable_new_ref_email: 'yes' },
      note: null,
    });
    expect(changed).toEqual([[id, ['payment_email', 'ref_email_notification']]]);
  });

  it('asks for bank details when the program pays by bank', async () => {
    const t = await startApp();
    await t.records.affiliate();
    await t.app.settings.saveReferralConfig({ payout_method: 'bank_transfer' });
    const { body } = await t.as(2).get('/portal/settings').expect(200);
    await t
      .as(2)
      .post('/portal/settings')
      .send({
        settings: { ref_email_notification: 'yes', bank_details: 'IBAN <b>1</b>\nBank', payment_email: 'no' },
      })
      .expect(200);
    const after = await t.as(2).get('/portal/settings').expect(200);

    expect(body.settings).toEqual({ ref_email_notification: 'yes', bank_details: '' });
    expect(body.form_fields.bank_details).toMatchObject({
      type: 'textarea',
      atts: { size: 'large', rows: 3 },
    });
    expect(after.body.settings.bank_details).toBe('IBAN <b>1</b>\nBank');
    await t
      .as(2)
      .post('/portal/settings')
      .send({ settings: { ref_email_notification: 'yes', bank_details: 'x'.repeat(5001) } })
      .expect(422);
  });

  it.each([
    ['nothing', {}, { ref_email_notification: 'required', payment_email: 'required' }],
    ['no map', 'x', { ref_email_notification: 'required', payment_email: 'required' }],
    ['a wrong flag', { ...MAIL, ref_email_notification: 'maybe' }, { ref_email_notification: 'in' }],
    ['no address', { ...MAIL, payment_email: 'nobody' }, { payment_email: 'email' }],
    ['a list as address', { ...MAIL, payment_email: ['a@b.test'] }, { payment_email: 'required' }],
  ])('refuses %s', async (_, settings, rules) => {
    const t = await startApp();
    await t.records.affiliate();
    const { body } = await t.as(2).post('/portal/settings').send({ settings }).expect(422);
    expect(body.code).toBe('validation_failed');
    for (const [field, rule] of Object.entries(rules)) expect(body.errors[field]).toHaveProperty(rule);
  });

  it('lets extensions shape the form', async () => {
    const t = await startApp();
    await t.records.affiliate();
    t.service.hooks.addFilter('portal/settings_data', (data) => ({
      ...data,
      form_fields: { only: { type: 'text' } },
    }));
    const { body } = await t.as(2).get('/portal/settings').expect(200);
    expect(body).toMatchObject({
      form_fields: { only: { type: 'text' } },
      settings: { ref_email_notification: 'yes' },
    });
  });
});

describe('custom fields', () => {
  const FIELDS = [
    {
      type: 'select',
      label: 'Audience',
      options: ['small', 'big'],
      required: 'yes',
      enabled: 'yes',
      custom: 'yes',
      name: 'custom_audience',
    },
    {
      type: 'multiselect',
      label: 'Channels',
      options: ['mail', 'web'],
      enabled: 'yes',
      custom: 'yes',
      name: 'custom_channels',
    },
    { type: 'number', label: 'Reach', enabled: 'yes', custom: 'yes', name: 'custom_reach' },
    { type: 'text', label: 'Old', enabled: 'no', custom: 'yes', name: 'custom_old' },
  ];
  const start = async (): Promise<TestApp & { affiliate: number }> => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    await t.app.transaction((trx, afterCommit) =>
      t.app.settings.write(trx, afterCommit, '_registration_fields', FIELDS),
    );
    return { ...t, affiliate: id };
  };

  it('are part of the form and stored', async () => {
    const t = await start();
    await t
      .as(2)
      .post('/portal/settings')
      .send({
        settings: {
          ...MAIL,
          custom_audience: 'big',
          custom_channels: ['web'],
          custom_reach: '12.5',
          custom_old: 'x',
          other: 1,
        },
      })
      .expect(200);
    const { body } = await t.as(2).get('/portal/settings').expect(200);

    expect(Object.keys(body.form_fields)).toEqual([
      'payment_email',
      'ref_email_notification',
      'custom_audience',
      'custom_channels',
      'custom_reach',
    ]);
    expect(body.form_fields.custom_channels).toMatchObject({
      type: 'select',
      is_multiple: true,
      options: [
        { label: 'mail', value: 'mail' },
        { label: 'web', value: 'web' },
      ],
    });
    expect(body.form_fields.custom_reach).toMatchObject({ type: 'text', data_type: 'number' });
    expect(body.settings).toMatchObject({
      custom_audience: 'big',
      custom_channels: ['web'],
      custom_reach: 12.5,
    });
    expect((await t.app.affiliates.get(t.affiliate)).custom_fields).toEqual({
      custom_audience: 'big',
      custom_channels: ['web'],
      custom_reach: 12.5,
    });
    await t
      .as(2)
      .post('/portal/settings')
      .send({ settings: { ...MAIL, custom_audience: 'small' } })
      .expect(200);
    expect((await t.app.affiliates.get(t.affiliate)).custom_fields).toEqual({
      custom_audience: 'small',
      custom_channels: ['web'],
      custom_reach: 12.5,
    });
  });

  it.each([
    ['a missing answer', {}, 'custom_audience'],
    ['another option', { custom_audience: 'huge' }, 'custom_audience'],
    ['no number', { custom_audience: 'big', custom_reach: 'many' }, 'custom_reach'],
  ])('refuse %s and store nothing', async (_, answers, field) => {
    const t = await start();
    const { body } = await t
      .as(2)
      .post('/portal/settings')
      .send({ settings: { ...MAIL, ...answers } })
      .expect(422);
    expect(body.errors).toHaveProperty(field);
    expect((await t.app.affiliates.get(t.affiliate)).payment_email).toBe('pay@example.test');
  });

  it('pass a filter that sees enabled fields only and may refuse', async () => {
    const t = await start();
    const seen: unknown[] = [];
    t.service.hooks.addFilter('auth/custom_field_values', (values, _fields, submitted) => {
      seen.push(submitted);
      if (submitted['custom_audience'] === 'small') throw new HookVeto('Too small.');
      return values;
    });
    await t
      .as(2)
      .post('/portal/settings')
      .send({ settings: { ...MAIL, custom_audience: 'big', custom_old: 'x', other: 1 } })
      .expect(200);
    const { body } = await t
      .as(2)
      .post('/portal/settings')
      .send({ settings: { ...MAIL, custom_audience: 'small' } })
      .expect(422);
    expect(seen[0]).toEqual({ custom_audience: 'big' });
    expect(body).toMatchObject({ code: 'custom_field_invalid', message: 'Too small.' });
  });
});
