import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import request, { type Test } from 'supertest';
import { consoleApp, portalApp } from '../../console/server/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { startCaptchaServer, type CaptchaServer } from '../support/captcha.js';

const MASK = '__FA_CAPTCHA_SECRET_KEY__';
const KEYS = { site_key: 'site', secret_key: 's3cret' };
const ON = { enabled: 'yes', active_provider: 'turnstile', providers: { turnstile: KEYS } };
const PROVIDERS = [
  { key: 'recaptcha', title: 'Google reCAPTCHA' },
  { key: 'hcaptcha', title: 'hCaptcha' },
  { key: 'turnstile', title: 'Cloudflare Turnstile' },
];
const GUEST = {
  full_name: 'Eve Stone',
  email: 'eve@shop.test',
  username: 'evestone',
  password: 'a password',
  conf_password: 'a password',
  note: 'On my blog',
  terms_condition: 'yes',
  payment_email: 'pay@eve.test',
};

let checks: CaptchaServer;
beforeAll(async () => {
  checks = await startCaptchaServer();
});
afterAll(() => checks.close());
beforeEach(() => void checks.asked.splice(0));

const start = ({ url } = checks, allowPrivateNetworks = true): Promise<TestApp> =>
  startApp({
    compat: 'fluent-affiliate',
    registration: { verifyEmail: false, captcha: { verifyUrl: url, allowPrivateNetworks } },
  });
const save = (t: TestApp, settings: object): Test => t.admin.post('/settings/captcha').send({ settings });
const apply = (t: TestApp, more: object = {}): Test =>
  t.anonymous.post('/registration').send({ ...GUEST, ...more });

describe('the settings of the check', () => {
  it('begin with none', async () => {
    const t = await start();
    const plain = { site_key: '', secret_key: '', error_message: '' };
    expect((await t.admin.get('/settings/captcha').expect(200)).body).toEqual({
      settings: {
        enabled: 'no',
        active_provider: 'recaptcha',
        providers: {
          recaptcha: {
            version: 'v2_visible',
            v2_site_key: '',
            v2_secret_key: '',
            v3_site_key: '',
            v3_secret_key: '',
            v3_score_threshold: 0.5,
            error_message: '',
          },
          hcaptcha: plain,
          turnstile: plain,
        },
      },
      providers: PROVIDERS,
      validated: false,
    });
  });

  it('are saved from a form, and the secret is neither returned nor stored in clear nor logged', async () => {
    const t = await start();
    const calls: unknown[] = [];
    t.service.hooks.addAction(
      'settings_updated',
      (section, next, previous) => void calls.push([section, next, previous]),
    );
    const form =
      'query_timestamp=1&settings[enabled]=yes&settings[active_provider]=recaptcha&settings[providers][recaptcha][version]=v2_visible' +
      '&settings[providers][recaptcha][v2_site_key]=site&settings[providers][recaptcha][v2_secret_key]=s3cret';
    const { body } = await t.admin.post('/settings/captcha').type('form').send(form).expect(200);
    expect(body).toMatchObject({
      settings: {
        enabled: 'yes',
        active_provider: 'recaptcha',
        providers: { recaptcha: { version: 'v2_visible', v2_site_key: 'site', v2_secret_key: MASK } },
      },
      validated: true,
    });
    const stored = await t.app.db('options').select('value');
    const audit = await t.app.db('audit');
    expect(JSON.stringify([stored, audit, calls, t.log])).not.toContain('s3cret');
  });

  it('keep a secret that comes back as its mask, and what is not sent', async () => {
    const t = await start();
    await save(t, ON).expect(200);
    await save(t, { providers: { turnstile: { site_key: 'other', secret_key: MASK } } }).expect(200);
    await apply(t, { 'cf-turnstile-response': 'right, masked' }).expect(200);
    expect(checks.asked).toEqual([{ secret: 's3cret', response: 'right, masked', sitekey: 'other' }]);
  });

  it.each<[string, object, string]>([
    ['without keys', { enabled: 'yes', active_provider: 'hcaptcha' }, 'settings.providers.hcaptcha'],
    [
      'without its secret',
      { enabled: 'yes', active_provider: 'turnstile', providers: { turnstile: { site_key: 'site' } } },
      'settings.providers.turnstile',
    ],
    ['for an unknown provider', { active_provider: 'other' }, 'settings.active_provider'],
    [
      'with a score that is none',
      { providers: { recaptcha: { v3_score_threshold: 2 } } },
      'settings.providers.recaptcha.v3_score_threshold',
    ],
  ])('are refused %s', async (_title, settings, field) => {
    const t = await start();
    const { body } = await save(t, settings).expect(422);
    expect(Object.keys(body.errors as object)).toEqual([field]);
    expect((await t.admin.get('/settings/captcha').expect(200)).body.settings.enabled).toBe('no');
  });
});

describe('keys', () => {
  const tryKeys = (t: TestApp, token: string, keys: object): Test =>
    t.admin
      .post('/settings/captcha/validate')
      .send({ provider: 'turnstile', settings: { providers: { turnstile: keys } }, token });

  it('are tried before they are saved, and saved ones with their mask', async () => {
    const t = await start();
    const { body } = await tryKeys(t, 'right, before', KEYS).expect(200);
    expect(body).toEqual({ valid: true, message: 'The keys work.' });
    expect((await t.admin.get('/settings/captcha')).body.validated).toBe(false);
    await save(t, ON).expect(200);
    const again = await tryKeys(t, 'right, saved', { site_key: 'site', secret_key: MASK }).expect(200);
    expect(again.body.valid).toBe(true);
    expect(checks.asked.at(-1)).toEqual({ secret: 's3cret', response: 'right, saved', sitekey: 'site' });
  });

  it('that the provider does not know, and wrong answers of its widget, are distinguished', async () => {
    const t = await start();
    const wrong = await tryKeys(t, 'right, other', { site_key: 'site', secret_key: 'other' }).expect(200);
    expect(wrong.body).toEqual({ valid: false, message: 'The provider does not accept these keys.' });
    const refused = await tryKeys(t, 'wrong', KEYS).expect(200);
    expect(refused.body).toMatchObject({ valid: false, message: expect.stringContaining('widget') });
    expect((await tryKeys(t, 'right', {}).expect(422)).body.errors).toBeDefined();
    expect((await t.as(2).post('/settings/captcha/validate').send({ token: 'x' })).status).toBe(403);
  });
});

describe('a sign-up', () => {
  it.each<[string, object, string]>([
    ['turnstile', KEYS, 'cf-turnstile-response'],
    ['hcaptcha', KEYS, 'h-captcha-response'],
    [
      'recaptcha',
      { version: 'v2_visible', v2_site_key: 'site', v2_secret_key: 's3cret' },
      'g-recaptcha-response',
    ],
  ])('is checked with %s', async (key, keys, field) => {
    const t = await start();
    await save(t, { enabled: 'yes', active_provider: key, providers: { [key]: keys } }).expect(200);
    const form = (await t.anonymous.get('/registration/form').expect(200)).body;
    expect(form.captcha).toEqual({ provider: key, site_key: 'site', invisible: false, field });

    for (const answer of [undefined, '', 'wrong', ['right'], 'x'.repeat(9000)])
      expect((await apply(t, { [field]: answer }).expect(422)).body.code).toBe('captcha_failed');
    expect(checks.asked).toHaveLength(1);
    expect(await t.app.db('affiliates')).toEqual([]);
    await apply(t, { [field]: `right, ${key}` }).expect(200);
    expect(checks.asked.at(-1)).toEqual({ secret: 's3cret', response: `right, ${key}`, sitekey: 'site' });
  });

  it('of a user is checked too, and an answer is good for one', async () => {
    const t = await start();
    await save(t, ON).expect(200);
    const sent = { ...GUEST, 'cf-turnstile-response': 'right, one user' };
    await t.as(2).post('/registration').send(sent).expect(200);
    const { body } = await t.as(3).post('/registration').send(sent).expect(422);
    expect(body.code).toBe('captcha_failed');
  });

  it('with an invisible check needs a score, for this form', async () => {
    const scored = await startCaptchaServer({ score: 0.6, action: 'affiliate_register' });
    const t = await start(scored);
    const keys = { version: 'v3_invisible', v3_site_key: 'site', v3_secret_key: 's3cret' };
    const settings = { enabled: 'yes', active_provider: 'recaptcha' };
    await save(t, { ...settings, providers: { recaptcha: { ...keys, v3_score_threshold: 0.7 } } });
    const { captcha } = (await t.anonymous.get('/registration/form').expect(200)).body;
    expect(captcha).toMatchObject({ invisible: true });
    await apply(t, { 'g-recaptcha-response': 'right, too low' }).expect(422);
    await save(t, { providers: { recaptcha: { v3_score_threshold: 0.6 } } }).expect(200);
    scored.answer(200, { success: true, score: 0.9, action: 'login' });
    await apply(t, { 'g-recaptcha-response': 'right, elsewhere' }).expect(422);
    scored.answer(200, { success: true, score: 0.6, action: 'affiliate_register' });
    await apply(t, { 'g-recaptcha-response': 'right' }).expect(200);
    await scored.close();
  });

  it('is refused with the words the program chose', async () => {
    const t = await start();
    await save(t, { ...ON, providers: { turnstile: { ...KEYS, error_message: 'Are you a robot?' } } });
    expect((await apply(t).expect(422)).body.message).toBe('Are you a robot?');
  });

  it.each<[string, number, unknown]>([
    ['fails', 503, { success: true }],
    ['answers no JSON', 200, '<html>'],
    ['answers something else', 200, [1]],
    ['refuses the keys', 200, { success: false, 'error-codes': ['invalid-input-secret'] }],
  ])('gets the error that the check could not be made when the provider %s', async (_title, status, body) => {
    const failing = await startCaptchaServer();
    failing.answer(status, body);
    const t = await start(failing);
    await save(t, ON).expect(200);
    const answer = await apply(t, { 'cf-turnstile-response': 'right' }).expect(502);
    expect(answer.body).toMatchObject({
      code: 'captcha_unavailable',
      message: expect.stringContaining('later'),
    });
    expect(t.log.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(JSON.stringify(t.log)).not.toContain('s3cret');
    expect(await t.app.db('affiliates')).toEqual([]);
    await failing.close();
  });

  it('is told the same when the provider cannot be reached; private addresses are not, unless allowed', async () => {
    const gone = await startCaptchaServer();
    await gone.close();
    for (const t of [await start(gone), await start(checks, false)]) {
      await save(t, ON).expect(200);
      await apply(t, { 'cf-turnstile-response': 'right' }).expect(502);
      await save(t, { enabled: 'no' }).expect(200);
      await apply(t).expect(200);
    }
    expect(checks.asked).toEqual([]);
  });
});

it('lets the portal, and no other page, hold what the provider shows', async () => {
  const t = await start();
  const site = express()
    .use('/admin', consoleApp(t.service) as never)
    .use('/partners', portalApp(t.service) as never);
  const policyOf = async (path: string): Promise<string> =>
    String((await request(site).get(path).set(t.headers(1)).expect(200)).headers['content-security-policy']);
  expect(await policyOf('/partners/')).not.toContain('https://challenges.cloudflare.com');
  await save(t, ON).expect(200);
  expect(await policyOf('/partners/')).toMatch(
    /script-src 'self' https:\/\/challenges\.cloudflare\.com 'nonce-.*frame-src 'self' https:\/\/challenges\.cloudflare\.com;/,
  );
  expect(await policyOf('/admin/')).not.toContain('https://challenges.cloudflare.com');
});
