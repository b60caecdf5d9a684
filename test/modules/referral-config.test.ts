import { describe, expect, it } from '@jest/globals';
import { createAffiliateService } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { testDatabase } from '../support/databases.js';

const DEFAULTS = {
  referral_variable: 'ref',
  rate_type: 'percentage',
  rate: 20,
  cookie_duration: 30,
  referral_format: 'id',
  payout_method: 'paypal',
  number_format: 'comma_separated',
  currency: 'USD',
  currency_symbol_position: 'left',
  credit_last_referrer: 'yes',
  exclude_shipping: 'yes',
  exclude_tax: 'yes',
  exclude_discount: 'yes',
  self_referral_disabled: 'yes',
  dashboard_page_id: '',
  enabled_integrations: [],
  enable_subscription_renewal: 'no',
  renewal_rate_type: 'percentage',
  renewal_rate: 0,
  max_renewal_count: 0,
  enable_lifetime_commission: 'no',
  lifetime_rate_type: 'percentage',
  lifetime_rate: 0,
  lifetime_expiry_days: '',
  hold_days: 0,
  renewal_max_months: '',
  excluded_products: [],
  excluded_categories: [],
  rate_rules: 'first',
  commission_cap_amount: 0,
  commission_cap_days: 0,
  lead_amount: 0,
  payout_rhythm: 'none',
  payout_day: 1,
  ask_invoice_details: 'no',
  show_products: 'yes',
};
const PATH = '/settings/referral-config';

describe('referral-config (docs/settings.md §6)', () => {
  it('starts with the documented defaults', async () => {
    const { admin } = await startApp();
    expect((await admin.get(PATH).expect(200)).body).toEqual({ config: DEFAULTS });
  });

  it.each([
    [{ rate: 12.5 }, { rate: 12.5 }],
    [{ rate: '7.5' }, { rate: 7.5 }],
    [
      { rate_type: 'flat', rate: '250' },
      { rate_type: 'fixed', rate: 250 },
    ],
    [{ referral_variable: ' my-ref_x ' }, { referral_variable: 'my-ref_x' }],
    [{ referral_format: 'username' }, { referral_format: 'username' }],
    [{ currency: 'eur' }, { currency: 'EUR' }],
    [{ cookie_duration: '90' }, { cookie_duration: 90 }],
    [{ exclude_tax: false }, { exclude_tax: 'no' }],
    [{ dashboard_page_id: 0 }, { dashboard_page_id: '' }],
    [{ lifetime_expiry_days: '30' }, { lifetime_expiry_days: 30 }],
    [{ enabled_integrations: ['nothing', 'nothing'] }, { enabled_integrations: [] }],
    [{ unknown: 'key', rate: 5 }, { rate: 5 }],
    [{}, {}],
  ])('saves %j and leaves the rest', async (sent, changed) => {
    const { admin } = await startApp();
    const { body } = await admin.post(PATH).send({ referral_config: sent, general_config: {} }).expect(200);
    expect(body).toEqual({ config: { ...DEFAULTS, ...changed }, message: expect.any(String) });
    expect((await admin.get(PATH)).body.config).toEqual(body.config);
  });

  it.each([
    [{ rate: 100.1 }, 'rate', 'max'],
    [{ rate: -1 }, 'rate', 'numeric'],
    [{ rate: 1.23456 }, 'rate', 'numeric'],
    [{ rate: 'much' }, 'rate', 'numeric'],
    [{ rate_type: 'double' }, 'rate_type', 'in'],
    [{ referral_variable: '123' }, 'referral_variable', 'format'],
    [{ referral_variable: 'my--ref' }, 'referral_variable', 'format'],
    [{ referral_variable: '' }, 'referral_variable', 'required'],
    [{ cookie_duration: 0 }, 'cookie_duration', 'min'],
    [{ cookie_duration: 3651 }, 'cookie_duration', 'max'],
    [{ currency: 'XXQ' }, 'currency', 'in'],
    [{ credit_last_referrer: 'perhaps' }, 'credit_last_referrer', 'in'],
    [{ referral_format: 'rot13' }, 'referral_format', 'in'],
    [{ dashboard_page_id: 77 }, 'dashboard_page_id', 'exists'],
    [{ max_renewal_count: -1 }, 'max_renewal_count', 'min'],
  ])('refuses %j', async (sent, field, rule) => {
    const { admin } = await startApp();
    const { body } = await admin.post(PATH).send({ referral_config: sent }).expect(422);
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: { [field]: { [rule]: expect.any(String) } },
    });
    expect((await admin.get(PATH)).body.config).toEqual(DEFAULTS);
  });

  it('refuses settings that are not inside of referral_config, because they would change nothing', async () => {
    const { admin } = await startApp();
    for (const [path, name, body] of [
      [PATH, 'referral_config', { cookie_duration: 7 }],
      ['/settings/email-config', 'settings', { send_from_name: 'Shop' }],
      ['/settings/captcha', 'settings', { enabled: 'yes' }],
    ] as const) {
      const { body: refused } = await admin.post(path).send(body).expect(422);
      expect(refused.errors[name].required).toContain(`inside of ${name}`);
    }
    await admin.post(PATH).send({}).expect(200);
  });

  it('validates the merged pair of type and rate', async () => {
    const { admin } = await startApp();
    await admin
      .post(PATH)
      .send({ referral_config: { rate_type: 'fixed', rate: 500 } })
      .expect(200);
    const { body } = await admin
      .post(PATH)
      .send({ referral_config: { rate_type: 'percentage' } })
      .expect(422);
    expect(body.errors).toEqual({ rate: { max: expect.any(String) } });
  });

  it('takes the form encoding of the admin app', async () => {
    const { admin } = await startApp();
    const { body } = await admin
      .post(PATH)
      .type('form')
      .send('referral_config[rate]=15&referral_config[exclude_tax]=no')
      .expect(200);
    expect(body.config).toEqual({ ...DEFAULTS, rate: 15, exclude_tax: 'no' });
  });

  it('lets extensions add keys, change values and hear of a save', async () => {
    const { admin, service } = await startApp();
    const heard: unknown[] = [];
    service.hooks.addFilter('default_referral_settings', (defaults) => ({ ...defaults, tier: 'one' }));
    service.hooks.addFilter('update_referral_config', (config) => ({ ...config, rate: 11 }));
    service.hooks.addAction('settings_updated', (section, next) => void heard.push([section, next]));

    const { body } = await admin
      .post(PATH)
      .send({ referral_config: { tier: 'two', rate: 10 } })
      .expect(200);

    expect(body.config).toMatchObject({ tier: 'two', rate: 11 });
    expect(heard).toEqual([['referral_config', { tier: 'two', rate: 11 }]]);
  });

  it('takes effect at once here and within a second in another service on the same database', async () => {
    const t = await startApp({ database: await testDatabase({ shared: true }) });
    const other = createAffiliateService(t.host, { ...t.app.options, logger: t.app.log, jobs: false });
    try {
      await other.ready();
      expect((await other.settings.referralConfig()).rate_e4).toBe(200_000);
      await t.admin
        .post(PATH)
        .send({ referral_config: { rate: 33 } })
        .expect(200);
      expect((await t.app.settings.referralConfig()).rate_e4).toBe(330_000);
      expect((await other.settings.referralConfig()).rate_e4).toBe(200_000);
      t.clock.advance(1000);
      expect((await other.settings.referralConfig()).rate_e4).toBe(330_000);
    } finally {
      await other.close();
    }
  });
});
