import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { order, shopProvider } from './shop-provider.js';

const config = async (t: TestApp): Promise<Record<string, unknown>> =>
  (await t.admin.get('/settings/referral-config').expect(200)).body.config;
const switchTo = (t: TestApp, integration: string, is_enabled: 'yes' | 'no'): Promise<unknown> =>
  t.admin
    .post('/settings/integration/update-status')
    .type('form')
    .send(`integration=${integration}&is_enabled=${is_enabled}`)
    .expect(200);
const deliver = (t: TestApp, id: string): Promise<{ result: string; reason?: string }> =>
  t.service.commerce
    .intake('woo')
    .accept({ type: 'order.paid', at: t.clock.now(), account: '', order: order(t.clock.now(), id) });

describe('which integrations are on', () => {
  it('is not changed by a page of the settings that was opened earlier', async () => {
    const t = await startApp({ providers: [shopProvider('woo'), shopProvider('edd')] });
    const opened = await config(t);
    expect(opened['enabled_integrations']).toEqual([]);
    await switchTo(t, 'woo', 'yes');

    // The page was read before the switch and posts all it knows, its empty list included.
    await t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { ...opened, cookie_duration: 45 } })
      .expect(200);

    expect(await config(t)).toMatchObject({ enabled_integrations: ['woo'], cookie_duration: 45 });
    const { body } = await t.admin.get('/settings/integrations').expect(200);
    expect(body.integrations.woo.config.is_enabled).toBe('yes');
    expect(await deliver(t, '1')).not.toMatchObject({ reason: 'provider_disabled' });
  });

  it('is added to by the first step of the onboarding and nothing else', async () => {
    const t = await startApp({ providers: [shopProvider('woo'), shopProvider('edd')] });
    await switchTo(t, 'woo', 'yes');
    const { body } = await t.admin
      .post('/settings/referral-config')
      .type('form')
      .send('referral_config[enabled_integrations][]=edd&general_config[x]=1')
      .expect(200);
    expect(body.config.enabled_integrations).toEqual(['woo', 'edd']);
    await switchTo(t, 'woo', 'no');
    expect((await config(t))['enabled_integrations']).toEqual(['edd']);
    expect(await t.service.settings.referralConfig()).toMatchObject({ enabled_integrations: ['edd'] });
  });

  it('follows the stored switches, whatever the program’s settings say', async () => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    await switchTo(t, 'woo', 'yes');
    // As an earlier version left it: the list lost what the screen shows as on.
    await t.app.transaction((trx, afterCommit) =>
      t.app.settings.write(trx, afterCommit, 'referral_config', { enabled_integrations: [] }),
    );
    expect((await config(t))['enabled_integrations']).toEqual(['woo']);
    expect(await deliver(t, '1')).not.toMatchObject({ reason: 'provider_disabled' });
  });

  it('keeps both of two changes that are saved at once', async () => {
    const t = await startApp({ providers: [shopProvider('woo'), shopProvider('edd')] });
    await Promise.all([
      switchTo(t, 'woo', 'yes'),
      t.admin
        .post('/settings/referral-config')
        .send({ referral_config: { cookie_duration: 9 } })
        .expect(200),
      switchTo(t, 'edd', 'yes'),
      t.admin
        .post('/settings/referral-config')
        .send({ referral_config: { rate: 11 } })
        .expect(200),
    ]);
    expect(await config(t)).toMatchObject({
      enabled_integrations: ['woo', 'edd'],
      cookie_duration: 9,
      rate: 11,
    });
  });
});

describe('deliveries that were ignored because the shop is off', () => {
  it('are told in the list of integrations and on the dashboard until it is on', async () => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    expect((await t.admin.get('/reports/dashboard-stats')).body.notices).toEqual([]);
    expect(await deliver(t, '1')).toMatchObject({ result: 'ignored', reason: 'provider_disabled' });
    t.clock.advance(60_000);
    await deliver(t, '2');

    const { body } = await t.admin.get('/settings/integrations').expect(200);
    expect(body.integrations.woo.ignored_deliveries).toEqual({
      count: 2,
      last_at: '2026-01-15T15:01:00+00:00',
    });
    const notices = (await t.admin.get('/reports/dashboard-stats').expect(200)).body.notices;
    expect(notices).toEqual([
      {
        code: 'deliveries_ignored',
        integration: 'woo',
        count: 2,
        last_at: '2026-01-15T15:01:00+00:00',
        message: '2 deliveries of woo were ignored because this integration is switched off.',
      },
    ]);
    // Settings of integrations are the administrators'.
    await t.records.affiliate({ user_id: 2 });
    expect((await t.as(2).get('/reports/dashboard-stats').expect(200)).body.notices).toEqual([]);

    await switchTo(t, 'woo', 'yes');
    expect((await t.admin.get('/reports/dashboard-stats')).body.notices).toEqual([]);
    expect((await t.admin.get('/settings/integrations')).body.integrations.woo.ignored_deliveries).toEqual({
      count: 2,
      last_at: '2026-01-15T15:01:00+00:00',
    });
  });
});

describe('lists of a form', () => {
  const RATES =
    'config[custom_affiliate_rates][0][object_type]=product&config[custom_affiliate_rates][0][object_ids][]=5&config[custom_affiliate_rates][0][rate]=10&config[custom_affiliate_rates][0][rate_type]=percentage';
  const save = (t: TestApp, body: string, status = 200): Promise<{ body: Record<string, unknown> }> =>
    t.admin.post('/settings/integration/config').type('form').send(`integration=woo&${body}`).expect(status);
  const rates = async (t: TestApp): Promise<unknown> =>
    (await t.admin.get('/settings/integration/config?integration=woo').expect(200)).body.config
      .custom_affiliate_rates;

  it('lose their last row', async () => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    await save(t, `config[is_enabled]=yes&config[custom_affiliate_rate]=yes&${RATES}`);
    expect(await rates(t)).toHaveLength(1);
    await save(t, 'config[is_enabled]=yes&config[custom_affiliate_rate]=yes');
    expect(await rates(t)).toEqual([]);
  });

  it('stay where the form does not hold them, and in JSON', async () => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    await save(t, `config[custom_affiliate_rate]=yes&${RATES}`);
    await save(t, 'config[disable_on_upgrades]=no');
    expect(await rates(t)).toHaveLength(1);
    await t.admin
      .post('/settings/integration/config')
      .send({ integration: 'woo', config: { custom_affiliate_rate: 'yes' } })
      .expect(200);
    expect(await rates(t)).toHaveLength(1);
  });

  it('refuse a rate for no product', async () => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    const { body } = await save(
      t,
      'config[custom_affiliate_rate]=yes&config[custom_affiliate_rates][0][object_type]=product&config[custom_affiliate_rates][0][rate]=10',
      422,
    );
    expect(body['errors']).toHaveProperty(['custom_affiliate_rates.0.object_ids', 'required']);
  });

  it.each(['/settings/referral-config', '/settings/email-config'])(
    '%s without its map changes nothing',
    async (path) => {
      const t = await startApp();
      const before = (await t.admin.get(path).expect(200)).body;
      for (const send of [
        () => t.admin.post(path).type('form').send('query_timestamp=1768489200000'),
        () => t.admin.post(path).send({}),
      ])
        expect((await send().expect(200)).body).toMatchObject(before);
      expect((await t.admin.get(path)).body).toEqual(before);
    },
  );
});
