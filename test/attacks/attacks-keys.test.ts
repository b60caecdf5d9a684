import { describe, expect, it } from '@jest/globals';
import request, { type Test } from 'supertest';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { startApp, type TestApp, type TestOptions, type Verb } from '../support/app.js';

// What a person could do through an API key that the person, or the key, may not do. docs/attacks.md is the list.

const DAY = 86_400_000;
const EVERYTHING = ['manage_all_data', 'manage_settings', 'manage_portal'];

const withKey =
  (t: TestApp, key: string) =>
  (verb: Verb, path: string): Test =>
    request(t.server)
      [verb](t.service.basePath + path)
      .set('Authorization', `Bearer ${key}`);

const ownKey = async (t: TestApp, user = 1): Promise<{ id: number; key: string }> => {
  const { body } = await t
    .as(user)
    .post('/settings/api-keys')
    .send({ name: 'mine', rights: EVERYTHING })
    .expect(200);
  return { id: body.api_key.id, key: body.key };
};

/** Two administrators, 1 and 5, a limit of 100 that nobody can change, and money that is owed. */
async function program(
  options: TestOptions = {},
): Promise<{ readonly t: TestApp; readonly owed: (minor: number) => Promise<void> }> {
  const t = await startApp({ payouts: { approvalAbove: 100 }, locked: ['approvalAbove'], ...options });
  t.host.grant(5, 'manage_options');
  const { id } = await affiliate(t, 2);
  return {
    t,
    owed: async (minor) => {
      await earn(t, id, minor);
    },
  };
}
const bulk = (id: number): string => `/payouts/${id}/transactions/bulk-action`;
const made = async (answer: Test): Promise<number> =>
  (await answer.send({ config: FORM }).expect(200)).body.payout.id as number;

describe('the second person of a payment', () => {
  it('is no key that the maker made for somebody else', async () => {
    const { t } = await program();
    const asked = { name: 'x', rights: ['manage_all_data'], user_id: 5 };
    const { body } = await t.admin.post('/settings/api-keys').send(asked).expect(422);
    expect(body.code).toBe('api_key_of_other_user');
    expect((await t.admin.get('/settings/api-keys')).body.api_keys).toEqual([]);
    const { id } = await ownKey(t, 5);
    const changed = await t.admin.patch(`/settings/api-keys/${id}`).send({ rights: ['manage_all_data'] });
    expect([changed.status, changed.body.code]).toEqual([422, 'api_key_of_other_user']);
    await t.admin.delete(`/settings/api-keys/${id}`).expect(200);
  });

  it('is no key at all, whoever owns it', async () => {
    const { t, owed } = await program();
    await owed(15_000);
    const payout = await made(t.admin.post('/payouts/process-payout'));
    const { body } = await t.admin.get(`/payouts/${payout}/transactions`);
    for (const user of [1, 5]) {
      const call = withKey(t, (await ownKey(t, user)).key);
      await call('patch', bulk(payout))
        .send({})
        .expect(403, /approval_required/);
      await call('patch', `/payouts/${payout}/transactions/${body.transactions.data[0].id}`)
        .send({ status: 'paid', confirm: true })
        .expect(403, /approval_required/);
    }
    await t.as(5).patch(bulk(payout)).send({}).expect(200);
  });

  it('is neither owner nor maker of the key that made the payout', async () => {
    const { t, owed } = await program();
    await owed(15_000);
    // as it was possible once: a key of user 5 that user 1 made
    const { key } = await t.app.context.run(
      { user: (await t.host.users.find([1]))[0]!, requestId: 'x', source: 'rest' },
      () => t.service.apiKeys.create({ name: 'x', rights: EVERYTHING, user_id: 5 }),
    );
    const payout = await made(withKey(t, key)('post', '/payouts/process-payout'));
    for (const user of [1, 5])
      await t
        .as(user)
        .patch(bulk(payout))
        .send({})
        .expect(403, /approval_required/);
    t.host.grant(4, 'manage_options');
    await t.as(4).patch(bulk(payout)).send({}).expect(200);
  });

  it('is needed for what one person makes with and without keys together', async () => {
    const { t, owed } = await program();
    const { key } = await ownKey(t);
    await owed(6000);
    const first = await made(withKey(t, key)('post', '/payouts/process-payout'));
    await withKey(t, key)('patch', bulk(first)).send({}).expect(200); // below the limit a key may
    await owed(6000);
    const second = await made(t.admin.post('/payouts/process-payout'));
    await t.admin
      .patch(bulk(second))
      .send({})
      .expect(403, /approval_required/);
  });

  it('is needed within any 24 hours, also across midnight', async () => {
    const { t, owed } = await program();
    t.clock.time = Date.UTC(2026, 0, 20, 23, 50);
    await owed(6000);
    const late = await made(t.admin.post('/payouts/process-payout'));
    t.clock.time = Date.UTC(2026, 0, 21, 0, 5);
    await owed(5000);
    const early = await made(t.admin.post('/payouts/process-payout'));
    for (const payout of [late, early])
      await t.admin
        .patch(bulk(payout))
        .send({})
        .expect(403, /approval_required/);
    t.clock.time = Date.UTC(2026, 0, 22, 0, 5);
    await owed(9000);
    const later = await made(t.admin.post('/payouts/process-payout'));
    await t.admin.patch(bulk(later)).send({}).expect(200); // 24 hours after the last one
  });

  it('is needed for all currencies together, and for one without a rate by itself', async () => {
    const { t } = await program();
    t.host.exchangeRate = (from) => Promise.resolve(from === 'EUR' ? '1.5' : null);
    const { id } = (await t.app.affiliates.findByUser(2))!;
    const pay = async (minor: number, currency: string): Promise<number> => {
      await earn(t, id, minor, { currency });
      return (await t.records.payout({ ...FORM, currency })).id;
    };
    const [usd, eur] = [await pay(5000, 'USD'), await pay(4000, 'EUR')];
    await t.admin.patch(bulk(usd)).send({}).expect(403); // 50 + 40 × 1.5 = 110
    await t.admin.patch(bulk(eur)).send({}).expect(403);
    const [chf, more] = [await pay(9000, 'CHF'), await pay(2000, 'CHF')];
    await t.admin.patch(bulk(chf)).send({}).expect(403); // 90 + 20 CHF
    await t.admin.patch(bulk(more)).send({}).expect(403);
    t.clock.advance(DAY);
    await t.admin
      .patch(bulk(await pay(9000, 'CHF')))
      .send({})
      .expect(200);
  });

  it('is asked before the maker can take a file to pay by', async () => {
    const { t, owed } = await program();
    await owed(15_000);
    const payout = await made(t.admin.post('/payouts/process-payout'));
    const { key } = await ownKey(t, 5);
    for (const query of [
      '?method=paypal',
      '?method=paypal&status=processing',
      '?method=bank',
      '',
      '?format=json',
    ]) {
      const path = `/payouts/${payout}/transactions-export${query}`;
      await t.admin.get(path).expect(403, /approval_required/);
      await withKey(t, key)('get', path).expect(403, /approval_required/);
    }
    await t
      .as(5)
      .get(`/payouts/${payout}/transactions-export?method=paypal`)
      .expect(200, /pay2@shop\.test/);
    await t.as(5).patch(bulk(payout)).send({}).expect(200);
    await t.admin.get(`/payouts/${payout}/transactions-export?method=paypal&status=paid`).expect(200);
  });
});

describe('an API key', () => {
  it('dies with its maker and with its owner', async () => {
    const t = await startApp();
    t.host.grant(5, 'manage_options');
    const key = (user: number, owner: number): Promise<{ key: string }> =>
      t.host.users
        .find([user])
        .then(([maker]) =>
          t.app.context.run({ user: maker!, requestId: 'x', source: 'rest' }, () =>
            t.service.apiKeys.create({ name: 'x', rights: ['manage_all_data'], user_id: owner }),
          ),
        );
    const [ofOther, own] = [await key(5, 1), await key(5, 5)];
    for (const each of [ofOther, own]) await withKey(t, each.key)('get', '/affiliates').expect(200);

    t.host.removeUser(5); // the host has not told of it yet
    for (const each of [ofOther, own]) await withKey(t, each.key)('get', '/affiliates').expect(401);
    await t.service.users.deleted(5);
    expect((await t.admin.get('/settings/api-keys')).body.api_keys).toEqual([]);
  });

  it('is told to its owner by mail, when it is made and when it may do more', async () => {
    const t = await startApp();
    const { id } = await ownKey(t);
    t.clock.advance(1000);
    await t.admin.patch(`/settings/api-keys/${id}`).send({ name: 'other' }).expect(200); // nothing to fear
    await t.admin
      .patch(`/settings/api-keys/${id}`)
      .send({ rights: ['read_settings'] })
      .expect(200);
    await t.app.emails.deliverDue();
    expect(t.host.mailbox.map(({ to, subject }) => [to, subject])).toEqual([
      ['admin@shop.test', 'A new API key for your account at Shop'],
      ['admin@shop.test', 'Your API key at Shop was changed'],
    ]);
  });

  it('never reads or makes a secret, nor gives access, nor sends personal data out', async () => {
    const t = await startApp({ connectedSites: { allowHttp: true } });
    const hook = { url: 'https://evil.test/in', events: ['*'], payment_details: true, confirm: true };
    const { body } = await t.admin.post('/settings/webhooks').send(hook).expect(200);
    const call = withKey(t, (await ownKey(t)).key);
    const path = `/settings/webhooks/${body.webhook.id}`;

    await call('get', path).expect(200);
    const tries: readonly (readonly [Verb, string, object])[] = [
      ['get', `${path}/secret`, {}],
      ['post', `${path}/rotate`, {}],
      ['post', '/settings/webhooks', hook],
      ['patch', path, { url: 'https://evil.test/other' }],
      ['post', '/settings/connected-sites-config/issue', { site_url: 'https://evil.test' }],
      ['patch', '/settings/connected-sites-config', { status: 'yes' }],
      ['patch', '/settings/connected-sites-config/update', { site_id: 'x', data: {} }],
      ['post', '/settings/email-config', { settings: { admin_email: 'evil@evil.test' } }],
      ['patch', '/settings/email-config/emails', { email_key: 'new_sale_to_affiliate', data: {} }],
      ['post', '/settings/email-config/emails', { emails: [] }],
      ['post', '/settings/migrations/start', { migrator: 'csv' }],
      ['post', '/settings/migrations/files', {}],
      ['post', '/settings/program-rules', { approval_above: null }],
      ['post', '/settings/captcha', {}],
      ['post', '/settings/addons/install', { addon_keys: ['x'] }],
      ['post', '/settings/api-keys', { name: 'x', rights: EVERYTHING }],
      ['post', '/settings/managers', { user_id: 3, permissions: ['manage_all_data'] }],
    ];
    for (const [verb, where, sent] of tries) {
      const answer = await (verb === 'get' ? call(verb, where) : call(verb, where).send(sent));
      expect([verb, where, answer.status, answer.body.code]).toEqual([verb, where, 403, 'rest_forbidden']);
    }
    expect((await t.admin.get(`${path}/secret`).expect(200)).body.secret).toMatch(/^whsec_/);
  });

  it('leaves a list of what was made with it when it is revoked', async () => {
    const t = await startApp();
    const { id, key } = await ownKey(t);
    const group = { meta_key: 'Mine', rate_type: 'percentage', rate: 5, status: 'active' };
    await withKey(t, key)('post', '/settings/groups').send(group).expect(200);

    const { body } = await t.admin.delete(`/settings/api-keys/${id}`).expect(200);
    expect(body.made).toEqual([
      { object_type: 'affiliate_group', object_id: '1', created_at: expect.any(String) },
    ]);
    const log = await t.admin.get(`/audit?api_key_id=${id}`).expect(200);
    expect(log.body.entries.data).toHaveLength(1);
  });

  it('sends test mails to its owner only; people ten in five minutes, each noted', async () => {
    const t = await startApp();
    const { key } = await ownKey(t);
    const sent = { email_key: 'new_sale_to_affiliate', data: { subject: 'You won' } };
    const path = '/settings/email-config/test';
    const { body } = await withKey(t, key)('post', path)
      .send({ ...sent, to: 'victim@else.test' })
      .expect(422);
    expect(body.errors).toHaveProperty('to.in');
    await withKey(t, key)('post', path).send(sent).expect(200);
    for (let n = 0; n < 9; n++)
      await t.admin
        .post(path)
        .send({ ...sent, to: 'victim@else.test' })
        .expect(200);
    await t.admin
      .post(path)
      .send({ ...sent, to: 'victim@else.test' })
      .expect(429);
    await withKey(t, key)('post', path).send(sent).expect(429); // another key is no way around
    expect(t.host.mailbox).toHaveLength(10);
    const log = await t.admin.get('/audit?action=mail.test').expect(200);
    expect(log.body.entries.total).toBe(10);
    expect(log.body.entries.data[0].after).toMatchObject({ to: 'victim@else.test' });
    t.clock.advance(300_000);
    await t.admin.post(path).send(sent).expect(200);
  });
});
