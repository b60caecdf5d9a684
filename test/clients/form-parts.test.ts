import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

// Lists and maps a form holds: form encoding has no empty ones, so one that is left out of a form is empty;
// left out of JSON it stays.

const FIELDS = [
  {
    name: 'custom_where',
    type: 'multiselect',
    label: 'Where',
    options: ['Web', 'Mail', 'Print'],
    custom: 'yes',
  },
];
const SETTINGS = { ref_email_notification: 'yes', payment_email: 'alice@pay.test' };

async function affiliated(): Promise<{ t: TestApp; answers: () => Promise<unknown> }> {
  const t = await startApp();
  await t.admin.post('/settings/registration-fields').send({ fields: FIELDS }).expect(200);
  await t.records.affiliate({ user_id: 2 });
  const answers = async (): Promise<unknown> =>
    (await t.as(2).get('/portal/settings').expect(200)).body.settings.custom_where;
  return { t, answers };
}

describe('several choices in the portal', () => {
  it('are emptied by a form without them, and kept by JSON without them', async () => {
    const { t, answers } = await affiliated();
    const form = 'settings[ref_email_notification]=yes&settings[payment_email]=alice%40pay.test';
    const chosen = `${form}&settings[custom_where][]=Web&settings[custom_where][]=Print`;
    await t.as(2).post('/portal/settings').type('form').send(chosen).expect(200);
    expect(await answers()).toEqual(['Web', 'Print']);
    await t.as(2).post('/portal/settings').send({ settings: SETTINGS }).expect(200);
    expect(await answers()).toEqual(['Web', 'Print']);
    await t.as(2).post('/portal/settings').type('form').send(form).expect(200);
    expect(await answers()).toEqual([]);
  });
});

describe('settings of a feature', () => {
  const PATH = '/settings/features/affiliate_qr_code';
  const COLORS = { qr_color: '#112233', qr_bg_color: '#ffeedd' };

  it('are kept by JSON that only switches it, and emptied by a form without them', async () => {
    const t = await startApp();
    await t.admin.post(PATH).send({ is_enabled: 'yes', settings: COLORS }).expect(200);
    await t.admin.post(PATH).send({ is_enabled: 'no' }).expect(200);
    expect((await t.admin.get(PATH).expect(200)).body).toMatchObject({ is_enabled: 'no', settings: COLORS });
    await t.admin.post(PATH).type('form').send('is_enabled=yes').expect(200);
    expect((await t.admin.get(PATH).expect(200)).body).toMatchObject({
      is_enabled: 'yes',
      settings: { qr_color: '#000000', qr_bg_color: '#ffffff' },
    });
  });

  it('of networks to share on are kept too', async () => {
    const t = await startApp();
    const path = '/settings/features/social_media_share';
    const settings = [
      { key: 'email', enabled: 'yes' },
      { key: 'facebook', enabled: 'no' },
    ];
    await t.admin.post(path).send({ is_enabled: 'yes', settings }).expect(200);
    const { body } = await t.admin.get(path).expect(200);
    await t.admin.post(path).send({ is_enabled: 'yes' }).expect(200);
    expect((await t.admin.get(path).expect(200)).body).toEqual(body);
    expect(body.enabled_keys).toEqual(['email']);
  });
});
