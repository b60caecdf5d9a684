import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { siteKey, siteSignature } from '../../src/core/site-signature.js';
import { isReachable } from '../../src/channels/connected-sites/reachability.js';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild, plain, signed, TRUSTED, type Child, type Forgery } from '../support/sites.js';
import { referralsOf } from '../support/lists.js';
import { storedText } from '../support/rows.js';

const HANDSHAKE = '/connected-sites/handshake';
const VISITS = '/connected-sites/visits';
const NONCE = 'n'.repeat(16);

describe('the signature', () => {
  it('is the one of the contract', () => {
    const key = createHash('sha256').update('fa-connected-site:v1\n841920\naBcDeF123456').digest();
    const body = createHash('sha256').update('{"a":1}').digest('hex');
    const text = `v1\nPOST\n/connected-sites/visits?x=1\n1768489200\n${NONCE}\n${body}`;
    expect(siteKey('841920', 'aBcDeF123456')).toEqual(key);
    expect(
      siteSignature(key, {
        method: 'POST',
        path: '/connected-sites/visits?x=1',
        timestamp: '1768489200',
        nonce: NONCE,
        body: '{"a":1}',
      }),
    ).toBe(`v1=${createHmac('sha256', key).update(text).digest('hex')}`);
  });

  it('has fixed test vectors for other languages', () => {
    const key = siteKey('841920', 'aBcDeF123456');
    expect(key.toString('hex')).toBe('d9febcbe9cc97d7adc56b0e4bf60258f708794c4dec71a242971e9a86e1c72db');
    expect(
      siteSignature(key, { method: 'GET', path: HANDSHAKE, timestamp: '1768489200', nonce: NONCE, body: '' }),
    ).toBe('v1=f490951cc51024a453bc1fa952d603c8fa73234a267cd72f6ce50c1e0bd217e4');
    expect(
      siteSignature(key, {
        method: 'POST',
        path: VISITS,
        timestamp: '1768489200',
        nonce: NONCE,
        body: '{"a":"\u00e9"}',
      }),
    ).toBe('v1=3ec54b68ae489a4b05b0fa35387a578d2fc6dfdcdb39512fc04c29cd24ccbf2c');
  });
});

describe('signed requests', () => {
  let t: TestApp;
  let child: Child;
  let other: Child;
  beforeAll(async () => {
    t = await startApp({ shared: true });
    child = await connectChild(t);
    other = await connectChild(t, 'https://other.test');
  });
  afterAll(() => t.close());
  const send = (forged: Forgery = {}, path = HANDSHAKE) => {
    t.clock.advance(300_000); // failures count for five minutes
    return signed(t, child, 'get', path, undefined, forged);
  };

  it.each([
    ['as they are', {}, HANDSHAKE],
    ['300 seconds old', { skew: -300 }, HANDSHAKE],
    ['300 seconds ahead', { skew: 300 }, HANDSHAKE],
    ['with a query', {}, `${HANDSHAKE}?x=%C3%A9&x=+`],
    ['with the longest nonce', { nonce: 'aA0-_'.repeat(12).slice(0, 60) + 'abcd' }, HANDSHAKE],
  ])('pass %s', async (_name, forged, path) => {
    expect((await send(forged, path)).status).toBe(200);
  });

  const headers = (name: string, value: string | undefined): Forgery => ({ headers: { [name]: value } });
  it.each([
    ['another path', { path: '/connected-sites/affiliates/1' }],
    ['the whole path', { path: `/wp-json/affiliate-service/v2${HANDSHAKE}` }],
    ['another method', { method: 'POST' }],
    ['a lower-case method', { method: 'get' }],
    ['another body', { body: '{}' }],
    ['another token', { token: 'abcdef123456' }],
    ['an unknown site', { siteId: '999999' }],
    ['no site', headers('X-FA-Site-Id', undefined)],
    ['no time', headers('X-FA-Timestamp', undefined)],
    ['no nonce', headers('X-FA-Nonce', undefined)],
    ['no signature', headers('X-FA-Signature', undefined)],
    ['another version', headers('X-FA-Signature', `v2=${'a'.repeat(64)}`)],
    ['an upper-case signature', headers('X-FA-Signature', `v1=${'A'.repeat(64)}`)],
    ['a short signature', headers('X-FA-Signature', 'v1=abc')],
    ['several signatures', headers('X-FA-Signature', `v1=${'a'.repeat(64)}, v1=${'b'.repeat(64)}`)],
    ['another nonce', headers('X-FA-Nonce', 'm'.repeat(16))],
    ['a short nonce', { nonce: 'n'.repeat(15) }],
    ['a long nonce', { nonce: 'n'.repeat(65) }],
    ['a nonce of other letters', { nonce: `${'n'.repeat(16)}=` }],
    ['another time', headers('X-FA-Timestamp', '1768489201')],
    ['milliseconds', { timestamp: '1768489200000' }],
    ['a time that is none', { timestamp: '1e9' }],
    ['a site that is none', headers('X-FA-Site-Id', '84192x')],
  ])('fail with %s, all with one text', async (_name, forged: Forgery) => {
    const { status, body } = await send(forged);
    const reference = await send({ token: 'wrongwrong12' });
    if (body.code === 'signature_expired') expect([status, typeof body.server_time]).toEqual([401, 'number']);
    else expect([status, body]).toEqual([401, reference.body]);
  });

  it('cover the query', async () => {
    expect((await send({ path: HANDSHAKE }, `${HANDSHAKE}?x=1`)).body.code).toBe('site_auth_failed');
    expect((await send({ path: `${HANDSHAKE}?x=1` })).body.code).toBe('site_auth_failed');
  });

  it('of one site are not valid for another site', async () => {
    t.clock.advance(300_000);
    expect(
      (await signed(t, child, 'get', HANDSHAKE, undefined, { headers: { 'X-FA-Site-Id': other.site_id } }))
        .body.code,
    ).toBe('site_auth_failed');
  });

  it.each([-301, 301])('are too far away at %i seconds', async (skew) => {
    const { status, body } = await send({ skew });
    expect([status, body]).toEqual([
      401,
      {
        code: 'signature_expired',
        message: expect.any(String),
        data: { status: 401 },
        server_time: Math.floor(t.clock.now() / 1000),
      },
    ]);
  });

  it('count once, also when other fields differ', async () => {
    const nonce = 'once-and-never-again';
    expect((await send({ nonce })).status).toBe(200);
    expect((await signed(t, child, 'get', HANDSHAKE, undefined, { nonce })).body.code).toBe(
      'signature_replayed',
    );
    expect((await signed(t, child, 'get', `${HANDSHAKE}?x=1`, undefined, { nonce })).body.code).toBe(
      'signature_replayed',
    );
    expect((await signed(t, other, 'get', HANDSHAKE, undefined, { nonce })).status).toBe(200);
  });

  it('count once when sent at the same moment', async () => {
    t.clock.advance(300_000);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        signed(t, child, 'get', HANDSHAKE, undefined, { nonce: 'eight-times-at-once' }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(7).fill(401),
    ]);
  });

  it('have their body checked byte by byte', async () => {
    t.clock.advance(300_000);
    const body = { affiliate_param: '1', url: 'https://store.test/' };
    expect((await signed(t, child, 'post', VISITS, body, { body: `${JSON.stringify(body)} ` })).status).toBe(
      401,
    );
    expect((await signed(t, child, 'post', VISITS, body)).body.code).toBe('affiliate_not_found');
  });

  it('are checked by their effective verb', async () => {
    t.clock.advance(300_000);
    const path = '/connected-sites/referrals/x';
    const tunnelled = (method: string) =>
      signed(
        t,
        child,
        'post',
        path,
        { status: 'unpaid' },
        { method, headers: { 'X-HTTP-Method-Override': 'PATCH' } },
      );
    expect((await tunnelled('PATCH')).body.code).toBe('referral_not_found');
    expect((await tunnelled('POST')).body.code).toBe('site_auth_failed');
  });

  it('are not opened by a signed-in administrator', async () => {
    expect((await t.admin.get(HANDSHAKE)).body.code).toBe('site_auth_failed');
    expect((await t.anonymous.get(HANDSHAKE)).body.code).toBe('site_auth_failed');
  });

  it('are valid for the site routes only', async () => {
    t.clock.advance(300_000);
    for (const path of ['/affiliates', '/settings/connected-sites-config', '/portal/stats']) {
      expect([401, 404]).toContain((await signed(t, child, 'get', path)).status);
    }
  });
});

it('refuses the old token after a rotation, and any after a disconnect', async () => {
  const t = await startApp();
  const child = await connectChild(t);
  const fresh = await connectChild(t);
  expect((await signed(t, child, 'get', HANDSHAKE)).body.code).toBe('site_auth_failed');
  expect((await signed(t, fresh, 'get', HANDSHAKE)).status).toBe(200);
  await t.admin
    .post('/settings/connected-sites-config/disconnect')
    .send({ site_id: child.site_id })
    .expect(200);
  expect((await signed(t, fresh, 'get', HANDSHAKE)).body.code).toBe('site_auth_failed');
});

it('refuses a key that was moved to another row or sealed with another secret', async () => {
  const t = await startApp();
  const [child, other] = [await connectChild(t), await connectChild(t, 'https://other.test')];
  // Only a person with access to the database can do this.
  const [secret] = await t.app.db('connected_sites').where({ site_id: child.site_id }).pluck('secret');
  await t.app.db('connected_sites').where({ site_id: other.site_id }).update({ secret });
  expect(await t.app.connectedSites.getSite(other.site_id, other.server_token)).toBeNull();
  expect(await t.app.connectedSites.getSite(other.site_id, child.server_token)).toBeNull();
  await t.app
    .db('connected_sites')
    .where({ site_id: child.site_id })
    .update({ secret: `s1:${'A'.repeat(120)}` });
  expect(await t.app.connectedSites.getSite(child.site_id, child.server_token)).toBeNull();
});

describe('what only a site with good credentials learns', () => {
  it.each([
    ['multi_site_disabled', 'no', 'active'],
    ['site_inactive', 'yes', 'inactive'],
  ])('%s', async (code, on, status) => {
    const t = await startApp();
    const child = await connectChild(t, 'https://store.test', { status });
    await t.admin.patch('/settings/connected-sites-config').send({ status: on }).expect(200);
    const { status: answered, body } = await signed(t, child, 'get', HANDSHAKE);
    expect([answered, body.code]).toEqual([403, code]);
    expect((await signed(t, child, 'get', HANDSHAKE, undefined, { token: 'wrongwrong12' })).body.code).toBe(
      'site_auth_failed',
    );
  });
});

describe('the five operations', () => {
  const order = { reference: 'A-1', affiliate_param: 'alice', order: { subtotal: 50 } };
  const OPERATIONS = [
    ['get', HANDSHAKE, undefined, { currency: 'USD' }],
    ['get', '/connected-sites/affiliates/alice', undefined, { affiliate: { status: 'active' } }],
    ['post', VISITS, { affiliate_param: 'alice', url: 'https://store.test/' }, { message: 'success' }],
    ['post', '/connected-sites/referrals', order, { created: true }],
    ['patch', '/connected-sites/referrals/A-1', { status: 'unpaid' }, { referral: { status: 'unpaid' } }],
  ] as const;

  it.each(['signed', 'plain'] as const)(
    'answer the %s form, and a site that left under neither',
    async (form) => {
      const t = await startApp(TRUSTED);
      const child = await connectChild(t);
      await t.records.affiliate();
      const send = (at: number) => {
        const [method, path, body] = OPERATIONS[at]!;
        return form === 'signed'
          ? signed(t, child, method, path, body)
          : plain(t, child, method, path).send(body);
      };
      for (const [at, [, , , expected]] of OPERATIONS.entries())
        expect((await send(at).expect(200)).body).toMatchObject(expected);
      await t.admin
        .post('/settings/connected-sites-config/disconnect')
        .send({ site_id: child.site_id })
        .expect(200);
      for (const at of OPERATIONS.keys())
        expect((await send(at).expect(401)).body.code).toBe('site_auth_failed');
      const referrals = await referralsOf(t);
      expect(referrals).toHaveLength(1);
      expect(await t.service.referrals.find(referrals[0].id)).toMatchObject({ site_id: child.site_id });
    },
  );
});

describe('the plain form', () => {
  it.each([
    ['good', {}, {}, 200, undefined],
    ['a wrong token', {}, { token: 'wrongwrong12' }, 401, 'site_auth_failed'],
    ['an unknown site', {}, { siteId: '999999' }, 401, 'site_auth_failed'],
    ['over http', {}, { secure: false }, 403, 'signed_request_required'],
    ['switched off', { connectedSites: { auth: 'signed' } }, {}, 403, 'signed_request_required'],
  ] as const)('%s', async (_name, options, sent, status, code) => {
    const t = await startApp({ ...TRUSTED, ...options });
    const child = await connectChild(t);
    const answer = await plain(t, child, 'get', HANDSHAKE, sent);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('may be in the body, never in the query', async () => {
    const t = await startApp(TRUSTED);
    const { site_id, server_token } = await connectChild(t);
    const visit = { affiliate_param: '1', url: 'https://store.test/' };
    const send = (path: string, body: object) =>
      request(t.server)
        .post(t.service.basePath + path)
        .set('X-Forwarded-Proto', 'https')
        .send(body);
    expect((await send(VISITS, { ...visit, site_id, server_token })).body.code).toBe('affiliate_not_found');
    expect((await send(`${VISITS}?site_id=${site_id}&server_token=${server_token}`, visit)).body.code).toBe(
      'site_auth_failed',
    );
  });
});

describe('signed bodies behind a parser of the host', () => {
  const send = async (
    parser: Parameters<typeof express.json>[0],
  ): Promise<{ code: string; message: string }> => {
    const t = await startApp();
    const child = await connectChild(t);
    const site = express().use(express.json(parser)).use(t.service.basePath, t.service.router);
    const server = site.listen(0);
    const { body } = await signed({ ...t, server }, child, 'post', VISITS, {
      affiliate_param: 'nobody',
      url: 'https://store.test/',
    });
    server.close();
    return body;
  };

  it('pass when the host keeps the bytes', async () => {
    const { code } = await send({
      verify: (req, _res, bytes) => {
        (req as { rawBody?: Buffer }).rawBody = bytes;
      },
    });
    expect(code).toBe('affiliate_not_found');
  });

  it('learn what is wrong when it does not', async () => {
    const { code, message } = await send({});
    expect(code).toBe('webhook_raw_body_missing');
    expect(message).toMatch(/Mount the router before body parsers/);
  });
});

describe('limits', () => {
  const wrong = { token: 'wrongwrong12' };

  it('stop failures of an IP address after twenty in five minutes, and never valid requests', async () => {
    const t = await startApp();
    const child = await connectChild(t);
    const fails = async (n: number) =>
      signed(t, child, 'get', HANDSHAKE, undefined, { ...wrong, siteId: String(200_000 + n) });
    const failed: number[] = [];
    for (let n = 0; n < 21; n++) failed.push((await fails(n)).status);
    expect(failed).toEqual([...Array(20).fill(401), 429]);
    const refused = await fails(22);
    expect([refused.status, refused.body.code, Number(refused.headers['retry-after'])]).toEqual([
      429,
      'too_many_attempts',
      300,
    ]);
    expect((await signed(t, child, 'get', HANDSHAKE)).status).toBe(200);
    t.clock.advance(300_000);
    expect((await fails(23)).status).toBe(401);
  });

  it('do not let a stranger block the sites of an IP address, or one site by its ID', async () => {
    const t = await startApp(TRUSTED);
    const child = await connectChild(t);
    const from = (n: number, token: string) =>
      plain(t, child, 'get', HANDSHAKE, { token }).set('X-Forwarded-For', `203.0.113.${n}`);
    const failed: number[] = [];
    for (let n = 0; n < 21; n++) failed.push((await from(n, 'wrongwrong12')).status);
    expect(failed).toEqual([...Array(20).fill(401), 429]);
    for (let n = 0; n < 21; n++)
      await t.anonymous
        .get(HANDSHAKE)
        .set('X-Forwarded-For', '203.0.113.40')
        .ok(() => true);
    expect((await from(40, child.server_token)).status).toBe(200);
    expect((await signed(t, child, 'get', HANDSHAKE)).status).toBe(200);
  });

  it('limit a site that sends too many requests', async () => {
    const t = await startApp({ connectedSites: { requestsPerMinute: 5 } });
    const child = await connectChild(t);
    const answers: number[] = [];
    for (let n = 0; n < 6; n++) answers.push((await signed(t, child, 'get', HANDSHAKE)).status);
    expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
    t.clock.advance(60_000);
    expect((await signed(t, child, 'get', HANDSHAKE)).status).toBe(200);
  });
});

describe('the token', () => {
  it('appears exactly once: in the response that issued it', async () => {
    const t = await startApp(TRUSTED);
    const heard: unknown[] = [];
    for (const name of [
      'connected_site_connected',
      'connected_site_updated',
      'connected_site_disconnected',
      'settings_updated',
    ] as const) {
      t.service.hooks.addAction(name, (...args: unknown[]) => {
        heard.push(args.slice(0, -1));
      });
    }
    const { body: issued } = await t.admin
      .post('/settings/connected-sites-config/issue')
      .send({ site_url: 'https://store.test' })
      .expect(200);
    const child: Child = {
      site_id: issued.site_id,
      server_token: issued.server_token,
      site_url: 'https://store.test',
    };
    const answers = [
      await t.admin.patch('/settings/connected-sites-config').send({ status: 'yes' }),
      await t.admin.get('/settings/connected-sites-config'),
      await plain(t, child, 'get', HANDSHAKE),
      await signed(t, child, 'get', HANDSHAKE),
      await plain(t, child, 'get', HANDSHAKE, { secure: false }),
      await signed(t, child, 'get', HANDSHAKE, undefined, { skew: 1000 }),
      await plain(t, child, 'post', VISITS).send({ server_token: child.server_token }),
      await t.admin
        .patch('/settings/connected-sites-config/update')
        .send({ site_id: child.site_id, data: { server_token: child.server_token, status: 'inactive' } }),
      await t.admin.post('/settings/connected-sites-config/disconnect').send({ site_id: child.site_id }),
    ];
    const tables = await storedText(
      t,
      'audit',
      'options',
      'connected_sites',
      'idempotency_keys',
      'rate_limits',
      'site_nonces',
      'outbox',
    );
    const seen = JSON.stringify([
      answers.map(({ body, headers }) => [body, headers]),
      tables,
      heard,
      t.log.map(({ message, fields }) => [message, String(fields?.['error']), fields]),
    ]);
    expect(seen).not.toContain(child.server_token);
    expect(JSON.stringify({ ...issued, connect_config: '' }).split(child.server_token)).toHaveLength(2);
  });
});

describe('the check whether a site answers', () => {
  it.each([
    ['https://one.test', ['10.0.0.1']],
    ['https://mixed.test', ['93.184.216.34', '127.0.0.1']],
    ['https://none.test', []],
    ['https://0x7f000001', ['93.184.216.34']],
  ])('%s is not asked', async (url, addresses) => {
    const asked: string[] = [];
    expect(
      await isReachable(url, {
        resolve: async (host) => {
          asked.push(host);
          return addresses;
        },
      }),
    ).toBe(false);
    expect(asked.length).toBeLessThanOrEqual(1);
  });
});
