import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

// What the plugin's own apps show of this service, in the words of a site.

async function bootstrapIn(language: string): Promise<{ t: TestApp; body: Record<string, object> }> {
  const t = await startApp({ compat: 'fluent-affiliate' });
  const site = t.host.site();
  Object.assign(t.host, { site: () => ({ ...site, language }) });
  await t.records.affiliate({ user_id: 2, status: 'active' });
  const { body } = await t.as(2).get('/portal/bootstrap').expect(200);
  return { t, body };
}

it('gives the portal app the words of the language of the site', async () => {
  const { body } = await bootstrapIn('de-DE');
  expect(body['i18n']).toMatchObject({ Payouts: 'Auszahlungen', 'Promo Materials': 'Werbemittel' });
  expect(body['menu_items']).toMatchObject({ home: { title: 'Übersicht' }, visits: { title: 'Besuche' } });
  for (const language of ['es', 'fr', 'ar']) {
    const words: object = (await bootstrapIn(language)).body['i18n'] ?? {};
    expect(Object.keys(words)).toEqual(Object.keys(body['i18n'] ?? {}));
    expect(Object.values(words).filter((text) => text === '')).toEqual([]);
  }
  expect((await bootstrapIn('en')).body['i18n']).toEqual({});
});

it('names the fields in the message, which is all that the admin app shows', async () => {
  const t = await startApp({ compat: 'fluent-affiliate' });
  const config = { cookie_duration: 'x', rate: 'y' };
  const { body } = await t.admin
    .post('/settings/referral-config')
    .send({ referral_config: config })
    .expect(422);
  expect(body.message).toContain('The cookie duration: Use a whole number.');
  const unnamed = await t.admin.post('/affiliates').send({ user_id: 3 }).expect(422);
  expect(unnamed.body.message).toBe(
    'Choose the rate type. The payment e-mail is required. Choose the status.',
  );
  // the texts by field are the same as without the option
  expect(body.errors.cookie_duration).toEqual({ numeric: 'Use a whole number.' });
});
