import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const CONFIG = '/settings/email-config';
const EMAILS = `${CONFIG}/emails`;
const KEY = 'account_approved_to_affiliate';
const GERMAN = { subject: 'Hallo bei {{site.name}}', email_body: '<p>Servus {{user.first_name}}</p>' };
const FOR_ALL = { subject: 'Hi', is_default_body: 'no', email_body: '<p>For all</p>' };

const save = (t: TestApp, data: object, email_key = KEY) => t.admin.patch(EMAILS).send({ email_key, data });
const settingsOf = async (t: TestApp) =>
  (await t.admin.get(EMAILS).expect(200)).body.emails.find(
    ({ email_key }: { email_key: string }) => email_key === KEY,
  ).settings;

/** The mails that affiliates with users of these languages get for their approval: subject and first line. */
async function sentTo(t: TestApp, ...languages: readonly (string | undefined)[]): Promise<string[]> {
  const base = 100 + t.host.mailbox.length * 10;
  for (const [at, language] of languages.entries()) {
    const login = `reader${base + at}`;
    const more = language === undefined ? {} : { language };
    t.host.addUser({ id: base + at, login, email: `${login}@shop.test`, first_name: 'Rita', ...more });
    await t.records.affiliate({ user_id: base + at });
  }
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  return languages.map((_, at) => {
    const mail = t.host.mailbox.find(({ to }) => to === `reader${base + at}@shop.test`);
    return `${mail?.subject}: ${mail?.text.split('\n')[0]}`;
  });
}

describe('the own text of a mail', () => {
  it('is that of the reader’s language, else that for all languages, else the built-in text of the language', async () => {
    const t = await startApp();
    await save(t, { texts: { de: GERMAN } }).expect(200);
    expect(await sentTo(t, 'de-CH', 'es', undefined, 'it')).toEqual([
      'Hallo bei Shop: Servus Rita',
      'Le damos la bienvenida al programa de afiliados de Shop: Hola, Rita:',
      'Welcome to the affiliate program of Shop: Hello Rita,',
      'Welcome to the affiliate program of Shop: Hello Rita,',
    ]);

    await save(t, FOR_ALL).expect(200);
    expect(await sentTo(t, 'de', 'es', undefined)).toEqual([
      'Hallo bei Shop: Servus Rita',
      'Hi: For all',
      'Hi: For all',
    ]);
  });

  it('has dates, amounts and the frame in the language of its reader; mails to administrators do not change', async () => {
    const t = await startApp({ rate: 10 });
    await t.admin
      .post(CONFIG)
      .send({ settings: { admin_email: 'boss@shop.test' } })
      .expect(200);
    t.host.addUser({ id: 50, login: 'greta', email: 'greta@shop.test', language: 'de' });
    const { id } = await t.records.affiliate({ user_id: 50 });
    await t.records.referral({ affiliate_id: id, amount: 20 });
    const payout = await t.records.payout();
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
    t.clock.advance(600_000);
    await t.service.emails.deliverDue();
    const mail = t.host.mailbox.find(({ subject }) => subject === 'Ihre Auszahlung von Shop');
    expect(mail?.text).toContain('15.01.2026');
    expect(mail?.html).toContain('<html lang="de">');
    expect(mail?.html).not.toMatch(/Hello|affiliate program|Payment/u);
    expect(t.host.mailbox.filter(({ to }) => to === 'boss@shop.test').map(({ subject }) => subject)).toEqual([
      'New affiliate on Shop',
      'New affiliate sale: $ 20.00',
    ]);
  });

  it('counts for all languages where only today’s fields are stored, and its stored standard subject for none', async () => {
    const t = await startApp();
    await save(t, { active: 'no' }).expect(200);
    await save(t, { active: 'yes' }).expect(200);
    expect((await settingsOf(t)).subject).toBe('Welcome to the affiliate program of {{site.name}}');
    expect(await sentTo(t, 'de')).toEqual(['Willkommen im Partnerprogramm von Shop: Guten Tag, Rita,']);
    await save(t, FOR_ALL).expect(200);
    expect(await settingsOf(t)).toEqual({ active: 'yes', ...FOR_ALL });
    expect(await sentTo(t, 'de', 'ar')).toEqual(['Hi: For all', 'Hi: For all']);
  });

  it('changes alone: other languages and the text for all stay, and null or empty parts fall back', async () => {
    const t = await startApp();
    await save(t, FOR_ALL).expect(200);
    await save(t, { texts: { de: GERMAN } }).expect(200);
    const spanish = { subject: 'Hola', email_body: '<p>Hola</p>' };
    await save(t, { texts: { es: spanish } }).expect(200);
    expect(await settingsOf(t)).toEqual({
      active: 'yes',
      ...FOR_ALL,
      texts: { de: GERMAN, es: spanish },
    });

    await save(t, { texts: { es: { email_body: '' } } }).expect(200);
    expect(await sentTo(t, 'es')).toEqual(['Hola: For all']);
    await save(t, { texts: { es: { subject: null } } }).expect(200);
    expect((await settingsOf(t)).texts).toEqual({ de: GERMAN });
    await save(t, { texts: { de: null } }).expect(200);
    expect(await settingsOf(t)).toEqual({ active: 'yes', ...FOR_ALL });
    expect(await sentTo(t, 'de')).toEqual(['Hi: For all']);
  });

  it('is cleaned, checked and searched for unknown codes in each language', async () => {
    const t = await startApp();
    const { body } = await save(t, {
      texts: { de: { subject: '{{site.nam}}', email_body: '<p>{{order}}<script>x</script></p>' } },
    }).expect(200);
    expect(body.unknown_codes).toEqual(['{{site.nam}}', '{{order}}']);
    expect(body.settings.texts.de.email_body).toBe('<p>{{order}}</p>');

    const refused = await save(t, { texts: { fr: { subject: 'a'.repeat(256) }, it: GERMAN } }).expect(422);
    expect(refused.body.data.errors ?? refused.body.errors).toEqual({
      'texts.fr.subject': { max: 'Use at most 255 characters.' },
      'texts.it': { in: 'Language must be one of: en, de, es, fr, ar.' },
    });
    expect((await save(t, { texts: 'no' }).expect(422)).body.code).toBe('validation_failed');
    expect(Object.keys((await settingsOf(t)).texts)).toEqual(['de']);
  });

  it('is previewed and sent as a test in a chosen language', async () => {
    const t = await startApp();
    const draft = { email_key: KEY, data: { texts: { de: GERMAN } } };
    const preview = async (language?: string) =>
      (
        await t.admin
          .post(`${CONFIG}/preview`)
          .send({ ...draft, language })
          .expect(200)
      ).body;
    expect(await preview('de')).toMatchObject({
      subject: 'Hallo bei Shop',
      html: expect.stringContaining('<html lang="de">'),
    });
    expect((await preview('fr')).subject).toBe('Bienvenue dans le programme d’affiliation de Shop');
    expect((await preview()).subject).toBe('Welcome to the affiliate program of Shop');
    t.host.mailbox.length = 0;
    await t.admin
      .post(`${CONFIG}/test`)
      .send({ ...draft, language: 'de' })
      .expect(200);
    expect(t.host.mailbox.map(({ subject }) => subject)).toEqual(['Hallo bei Shop']);
    for (const path of ['preview', 'test']) {
      const { body } = await t.admin
        .post(`${CONFIG}/${path}`)
        .send({ ...draft, language: 'it' })
        .expect(422);
      expect(JSON.stringify(body)).toContain('Language must be one of: en, de, es, fr, ar.');
    }
    expect(await settingsOf(t)).not.toHaveProperty('texts');
  });

  it('of a required mail still gets what its reader needs, in the language of the text', async () => {
    const t = await startApp();
    await save(t, { texts: { de: { email_body: '<p>Nur so.</p>' } } }, 'payment_details_changed').expect(200);
    t.host.addUser({ id: 50, login: 'greta', email: 'greta@shop.test', language: 'de' });
    const { id } = await t.records.affiliate({ user_id: 50, payment_email: 'old@shop.test' });
    await t.service.emails.deliverDue();
    t.host.mailbox.length = 0;
    await t.admin.patch(`/affiliates/${id}`).send({ payment_email: 'new@shop.test' }).expect(200);
    await t.service.emails.deliverDue();
    const mail = t.host.mailbox.find(({ to }) => to === 'greta@shop.test');
    expect(mail?.subject).toBe('Ihre Zahlungsdaten bei Shop wurden geändert');
    expect(mail?.text).toContain('Nur so.');
    expect(mail?.text).toMatch(/15\.01\.2026/u);
  });
});
