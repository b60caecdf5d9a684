import { describe, expect, it } from '@jest/globals';
import request, { type Test } from 'supertest';
import { startApp, type TestApp, type Verb } from '../support/app.js';
import { auditOf } from '../support/lists.js';
import { storedText } from '../support/rows.js';

const DAY = 86_400_000;

const withKey =
  (t: TestApp, key: string) =>
  (verb: Verb, path: string): Test =>
    request(t.server)
      [verb](t.service.basePath + path)
      .set('Authorization', `Bearer ${key}`);

async function made(t: TestApp, body: object = {}): Promise<{ id: number; key: string; body: unknown }> {
  const answer = await t.admin
    .post('/settings/api-keys')
    .send({ name: 'Warehouse', rights: ['read_all_affiliates', 'manage_all_referrals'], ...body })
    .expect(200);
  return { id: answer.body.api_key.id, key: answer.body.key, body: answer.body };
}

describe('creating API keys', () => {
  it('shows the key once and stores only a hash of it', async () => {
    const t = await startApp();
    const { key, body } = await made(t);

    expect(key).toMatch(/^fak_[A-Za-z0-9]{8}_[A-Za-z0-9]{40}$/);
    expect(body).toMatchObject({
      message: 'API key created.',
      api_key: {
        key_id: key.slice(4, 12),
        name: 'Warehouse',
        rights: ['read_all_affiliates', 'manage_all_referrals'],
        user_id: 1,
        user_name: 'Admin',
        created_by: 1,
        expires_at: null,
        last_used_at: null,
      },
    });
    const secret = key.slice(13);
    const list = await t.admin.get('/settings/api-keys').expect(200);
    const stored =
      (await storedText(t, 'api_keys', 'audit', 'idempotency_keys')) + JSON.stringify([list.body, t.log]);
    expect(stored).toContain(key.slice(4, 12));
    expect(stored).not.toContain(secret);
  });

  it('refuses unknown rights, no rights, no name, past days and unknown users', async () => {
    const t = await startApp();
    const errors = async (body: object): Promise<unknown> => {
      const answer = await t.admin
        .post('/settings/api-keys')
        .send({ name: 'x', rights: ['read_portal'], ...body });
      return [answer.status, answer.body.errors ?? answer.body.code];
    };

    expect(await errors({ rights: ['read_everything'] })).toEqual([
      422,
      { rights: { in: expect.any(String) } },
    ]);
    expect(await errors({ rights: [] })).toEqual([
      422,
      { rights: { required: 'Choose at least one right.' } },
    ]);
    expect(await errors({ name: ' ' })).toMatchObject([422, { name: expect.anything() }]);
    expect(await errors({ expires_at: '2026-01-14' })).toMatchObject([
      422,
      { expires_at: { future: expect.any(String) } },
    ]);
    expect(await errors({ expires_at: 'soon' })).toMatchObject([422, { expires_at: expect.anything() }]);
    expect(await errors({ user_id: 77 })).toEqual([422, 'api_key_of_other_user']);
    expect((await t.admin.get('/settings/api-keys')).body.api_keys).toEqual([]);
  });

  it('keeps at most 200', async () => {
    const t = await startApp();
    for (let n = 0; n < 200; n++)
      await t.service.apiKeys.create({ name: `key ${n}`, rights: ['read_portal'], user_id: 1 });

    await t.admin
      .post('/settings/api-keys')
      .send({ name: 'one more', rights: ['read_portal'] })
      .expect(422, /too_many_api_keys/);
  });

  it('records who created, changed and revoked a key in the audit log', async () => {
    const t = await startApp();
    const { id } = await made(t);
    await t.admin
      .patch(`/settings/api-keys/${id}`)
      .send({ rights: ['read_settings'] })
      .expect(200);
    await t.admin.delete(`/settings/api-keys/${id}`).expect(200);

    const rows = await auditOf(t);
    expect(rows.map(({ action, actor_id, object_id }) => [action, actor_id, object_id])).toEqual(
      ['created', 'updated', 'deleted'].map((word) => [`api_key.${word}`, 1, String(id)]),
    );
  });

  it('returns 404 for an unknown key', async () => {
    const t = await startApp();
    await t.admin
      .patch('/settings/api-keys/9')
      .send({ name: 'x' })
      .expect(404, /api_key_not_found/);
    await t.admin.delete('/settings/api-keys/9').expect(404, /api_key_not_found/);
  });
});

describe('requests with an API key', () => {
  it('need no cookie and no nonce, and get no nonce', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 3 });
    const { key } = await made(t);

    const answer = await withKey(t, key)('get', '/affiliates').expect(200);
    expect(answer.body.affiliates.total).toBe(1);
    expect(answer.headers).not.toHaveProperty('x-wp-nonce');
    expect(answer.headers).toMatchObject({
      'ratelimit-limit': '600',
      'ratelimit-remaining': '599',
      'ratelimit-reset': '60',
    });
  });

  it('act as the owner of the key, also when another user is signed in', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 3, status: 'active' });
    const { key } = await t.service.apiKeys.create({ name: 'x', user_id: 3, rights: ['read_portal'] });

    const answer = await withKey(t, key)('get', '/portal/stats').set(t.headers(1));
    expect(answer.status).toBe(200);
    await withKey(t, key)('get', '/affiliates').set(t.headers(1)).expect(403);
  });

  it('lose the rights that the owner loses at the next request', async () => {
    const t = await startApp();
    await t.service.permissions.setPermissions(3, ['read_all_affiliates']);
    const { key } = await t.service.apiKeys.create({
      name: 'x',
      user_id: 3,
      rights: ['read_all_affiliates', 'manage_all_referrals'],
    });
    const call = withKey(t, key);

    await call('get', '/affiliates').expect(200);
    await t.service.permissions.setPermissions(3, ['read_all_visits']);
    await call('get', '/affiliates').expect(403, /rest_forbidden/);
    await t.service.permissions.setPermissions(3, ['manage_all_affiliates']);
    await call('get', '/affiliates').expect(200);
    await call('post', '/affiliates').send({ user_id: 4 }).expect(403); // the key only reads them
  });

  it.each(['unknown', 'wrong', 'revoked', 'expired', 'malformed'])(
    'are refused when the key is %s',
    async (kind) => {
      const t = await startApp();
      const { id, key } = await made(t, { expires_at: '2026-01-20' });
      const end = key.slice(-1) === 'a' ? 'b' : 'a';
      if (kind === 'revoked') await t.admin.delete(`/settings/api-keys/${id}`).expect(200);
      if (kind === 'expired') t.clock.advance(6 * DAY);
      const sent: Record<string, string> = {
        unknown: `fak_aaaaaaaa_${key.slice(13)}`,
        wrong: key.slice(0, -1) + end,
        malformed: `${key}x`,
      };

      const answer = await withKey(t, sent[kind] ?? key)('get', '/affiliates');
      expect([answer.status, answer.body.code]).toEqual([401, 'api_key_invalid']);
      // also beside a session that would be good enough
      await withKey(t, sent[kind] ?? key)('get', '/affiliates')
        .set(t.headers(1))
        .expect(401);
    },
  );

  it('are good until the end of the last day', async () => {
    const t = await startApp({ timeZone: 'America/New_York' });
    const { key } = await made(t, { expires_at: '2026-01-16' });
    t.clock.time = Date.UTC(2026, 0, 17, 4, 59, 59);
    await withKey(t, key)('get', '/affiliates').expect(200);
    t.clock.time += 1000;
    await withKey(t, key)('get', '/affiliates').expect(401);
  });

  it('are refused when the host no longer knows the owner', async () => {
    const t = await startApp();
    const { key } = await t.service.apiKeys.create({ name: 'x', rights: ['read_portal'], user_id: 5 });
    t.host.removeUser(5);
    await withKey(t, key)('get', '/portal/stats').expect(401, /api_key_invalid/);
  });

  it('are limited after 20 wrong keys a minute from one IP address', async () => {
    const t = await startApp();
    const { key } = await made(t);
    const guess = withKey(t, `fak_aaaaaaaa_${'a'.repeat(40)}`);
    for (let n = 0; n < 20; n++) await guess('get', '/affiliates').expect(401);

    const answer = await guess('get', '/affiliates').expect(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await withKey(t, key)('get', '/affiliates').expect(200); // a good key from there still works
    t.clock.advance(60_000);
    await guess('get', '/affiliates').expect(401);
  });

  it('are counted: 600 a minute for each key', async () => {
    const t = await startApp();
    const [busy, quiet] = [await made(t), await made(t)];
    // 599 requests that other processes have counted.
    await t.app.db('rate_limits').insert({
      limit_key: `key:${busy.id}:${Math.floor(t.clock.time / 60_000)}`,
      points: 599,
      expires_at: t.clock.time + 60_000,
    });
    const answers = [];
    for (let n = 0; n < 50; n++)
      answers.push((await withKey(t, busy.key)('get', '/affiliates?per_page=1')).status);

    expect(answers.at(-1)).toBe(429); // shared with other processes every 50 requests
    await withKey(t, quiet.key)('get', '/affiliates').expect(200);
  });

  it('are recorded to the minute', async () => {
    const t = await startApp();
    const { key } = await made(t);
    t.clock.advance(90_500);
    await withKey(t, key)('get', '/affiliates').expect(200);

    const { body } = await t.admin.get('/settings/api-keys');
    expect(body.api_keys[0].last_used_at).toBe('2026-01-15T15:01:00+00:00');
  });

  it('are named in the audit and in the context of hooks', async () => {
    const t = await startApp();
    const { id, key } = await made(t, { rights: ['manage_all_affiliates'] });
    const seen: unknown[] = [];
    t.service.hooks.addAction('affiliate_created', (_affiliate, _user, ctx) => {
      seen.push(ctx.apiKey);
    });
    await withKey(t, key)('post', '/affiliates')
      .send({
        user_id: 4,
        status: 'active',
        payment_email: 'carol@shop.test',
        rate_type: 'percentage',
        rate: 15,
      })
      .expect(200);

    expect(seen).toEqual([{ id, name: 'Warehouse', created_by: 1 }]);
    const rows = await auditOf(t, 'object_type=affiliate');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect([row.api_key_id, row.actor_id]).toEqual([id, 1]);
  });

  it('never create keys or managers', async () => {
    const t = await startApp();
    const { key } = await made(t, { rights: ['manage_all_data', 'manage_settings', 'manage_portal'] });
    const call = withKey(t, key);

    await call('post', '/settings/api-keys')
      .send({ name: 'x', rights: ['read_portal'] })
      .expect(403);
    await call('get', '/settings/api-keys').expect(403);
    await call('post', '/settings/managers')
      .send({ user_id: 3, permissions: ['manage_all_data'] })
      .expect(403);
  });
});
