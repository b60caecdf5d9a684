import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';

// Input is stored as it was sent, or refused with the allowed form; it is never mended without a word.

const HOSTILE = [
  'a@shop.test;b@shop.test',
  'Ann <ann@shop.test>',
  "o'hara@shop.test",
  'ann@shop.test, nonsense',
  'réf',
  'my ref',
  'ref1',
  'a--b',
  '5,6',
  '5;6',
];

const SETTINGS: readonly (readonly [path: string, key: string, field: string])[] = [
  ['/settings/email-config', 'settings', 'admin_email'],
  ['/settings/referral-config', 'referral_config', 'referral_variable'],
  ['/settings/referral-config', 'referral_config', 'excluded_products'],
  ['/settings/referral-config', 'referral_config', 'excluded_categories'],
];

it.each(SETTINGS)('in %s: %s.%s', async (path, key, field) => {
  const t = await startApp();
  const stored = async (): Promise<unknown> => {
    const { body } = await t.admin.get(path).expect(200);
    return (body.settings ?? body.referral_config ?? body.config)[field];
  };
  for (const value of HOSTILE) {
    const before = await stored();
    const answer = await t.admin.post(path).send({ [key]: { [field]: value } });
    const after = await stored();
    if (answer.status === 200) expect([value, ([] as unknown[]).concat(after)]).toEqual([value, [value]]);
    else {
      expect([value, answer.status, Object.keys(answer.body.errors)]).toEqual([value, 422, [field]]);
      expect(after).toEqual(before);
    }
  }
});

it('takes the addresses that browsers take', async () => {
  const t = await startApp();
  const sent = "o'hara@shop.test,ann@shop.test";
  const { body } = await t.admin
    .post('/settings/email-config')
    .send({ settings: { admin_email: sent } })
    .expect(200);
  expect(body.settings.admin_email).toBe(sent);
});

it.each(['anna.b', 'anna b', 'änna', 'anna-b', 'anna@b', 'a<b>nna'])(
  'does not shorten the login %j of an application',
  async (username) => {
    const t = await startApp();
    const { body } = await t.anonymous
      .post('/registration')
      .send({ full_name: 'Anna B', email: 'anna@else.test', username, password: 'x', conf_password: 'x' })
      .expect(422);
    expect(body.errors.username).toHaveProperty('format');
  },
);
