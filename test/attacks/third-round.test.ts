import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import fastify from 'fastify';
import request from 'supertest';
import { consoleApp } from '../../console/server/index.js';
import { toFastify } from '../../frameworks/index.js';
import { standardProvider } from '../../adapters/index.js';
import { memorySource } from '../imports/memory-source.js';
import { startApp, type TestApp } from '../support/app.js';
import { SECRET } from '../support/commerce.js';
import { stopwatch } from '../support/cpu.js';
import { TRUSTED } from '../support/sites.js';
import { BROWSER, NAVIGATION } from '../support/tracker.js';

// The third round of attacks, each an attempt that must fail; docs/attacks.md is the list with outcomes.

const API = (t: TestApp): string => t.service.basePath;
const UNREADABLE = { toString: 1, valueOf: 1 };

describe.each(['__proto__', 'constructor', 'toString', 'valueOf'])(
  'a name that every object has: %s',
  (name) => {
    it('is no order of a list', async () => {
      const t = await startApp();
      const affiliate = await t.records.affiliate({ user_id: 2 });
      await t.records.referral({ affiliate_id: affiliate.id, amount: 5 });
      const payout = await t.records.payout();
      for (const path of [`/payouts/${payout.id}/items`, '/referrals', `/affiliates/${affiliate.id}/visits`])
        await t.admin.get(path).query({ order_by: name }).expect(200);
    });

    it('is no integration', async () => {
      const t = await startApp();
      const config = await t.admin
        .get('/settings/integration/config')
        .query({ integration: name })
        .expect(404);
      expect(config.body.code).toBe('integration_not_found');
      const { body } = await t.admin
        .post('/settings/integration/update-status')
        .send({ integration: name, is_enabled: 'yes' });
      expect(body.code).toBe('integration_unavailable');
      const { body: settings } = await t.admin.get('/settings/referral-config').expect(200);
      expect(JSON.stringify(settings)).not.toContain(name);
    });

    it('is no network to share in', async () => {
      const t = await startApp();
      await t.admin
        .post('/settings/features/social_media_share')
        .send({ is_enabled: 'yes', settings: [{ key: name, enabled: 'yes' }] });
      const { body } = await t.admin.get('/settings/features/social_media_share').expect(200);
      expect(JSON.stringify(body)).not.toContain(`"${name}"`);
    });

    it('is no word of an old program', async () => {
      const row = {
        id: '1',
        affiliate_id: '1',
        status: name,
        amount: '10',
        provider: name,
        provider_id: '7',
      };
      const rows = {
        affiliates: [{ id: '1', user: { email: 'alice@shop.test' }, status: 'active' }],
        referrals: [row],
      };
      const t = await startApp({ migrators: [memorySource(rows)] });
      await t.service.imports.start('affiliate_wp');
      await t.service.imports.run('affiliate_wp');
      const { rows: stored } = await t.service.referrals.list();
      expect(stored).toMatchObject([{ status: 'pending', provider: name, amount: 10 }]);
      expect((await t.service.imports.report('affiliate_wp'))?.noted).toMatchObject({ status_unknown: 1 });
    });
  },
);

describe('bodies', () => {
  it.each<[string, string, object]>([
    [
      'post',
      '/settings/email-config',
      { settings: { send_from_name: UNREADABLE, admin_email: [UNREADABLE] } },
    ],
    ['post', '/settings/referral-config', { referral_config: { number_format: UNREADABLE } }],
    ['post', '/settings/referral-config', { referral_config: { hold_days: [[UNREADABLE]] } }],
    ['post', '/settings/addons/install', { addon_keys: [UNREADABLE] }],
    ['post', '/registration', { email: UNREADABLE, username: [UNREADABLE], note: { valueOf: 'x' } }],
  ])('an object no text can be made of is input like any other: %s %s %j', async (verb, path, body) => {
    const t = await startApp();
    const answer = await t.admin[verb as 'post'](path)
      .send(body)
      .ok(() => true);
    expect(answer.status).toBeLessThan(500);
  });

  it('the same through forms, and behind a parser of the host that keeps such names', async () => {
    const t = await startApp();
    const site = express();
    site.use(express.urlencoded({ extended: true }));
    site.use(API(t), t.service.router);
    for (const server of [t.server, site]) {
      const answer = await request(server)
        .post(`${API(t)}/settings/email-config`)
        .set(t.headers(1))
        .type('form')
        .send('settings[send_from_name][toString]=x&settings[send_from_name][valueOf]=y&a[toString]=x&b[=1');
      expect(answer.status).toBeLessThan(500);
    }
  });
});

describe('forms', () => {
  it.each([
    ['/settings/referral-config', 'referral_config='],
    ['/settings/referral-config', 'referral_config'],
    ['/settings/referral-config', 'referral_config[]='],
    ['/settings/email-config', 'settings='],
    ['/settings/email-config/emails', 'emails='],
    ['/settings/email-config/preview', 'email_key=new_sale_to_admin&data='],
    ['/settings/integration/config', 'integration=shop&config='],
    ['/settings/features/recaptcha', 'settings='],
    ['/payouts/process-payout', 'config='],
    ['/creatives/creatives', 'meta='],
  ])('a map that is blank is input like any other: %s %s', async (path, body) => {
    const t = await startApp();
    const answer = await t.admin
      .post(path)
      .type('form')
      .send(body)
      .ok(() => true);
    expect(answer.status).toBeLessThan(500);
  });
});

describe('limits', () => {
  it('addresses inside one IPv6 /64 share the guesses at keys, nonces and signatures of shops', async () => {
    const t = await startApp({
      ...TRUSTED,
      providers: [standardProvider({ key: 'demo', secrets: [SECRET] })],
    });
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'demo', is_enabled: 'yes' })
      .expect(200);
    const from = (n: number) => ({ 'X-Forwarded-For': `2001:db8:1:2::${(n + 1).toString(16)}` });
    const last = async (times: number, send: (n: number) => request.Test): Promise<number> => {
      let status = 0;
      for (let n = 0; n < times; n++) ({ status } = await send(n).ok(() => true));
      return status;
    };
    const key = `Bearer fak_${'a'.repeat(8)}_${'b'.repeat(40)}`;
    const get = () => request(t.server).get(`${API(t)}/affiliates`);
    expect(await last(21, (n) => get().set({ ...from(n), Authorization: key }))).toBe(429);
    const { Cookie = '' } = t.headers(2);
    expect(await last(31, (n) => get().set({ ...from(n), Cookie, 'X-WP-Nonce': 'wrong' }))).toBe(429);
    const shop = () =>
      request(t.server)
        .post(`${API(t)}/webhooks/demo`)
        .type('json')
        .send('{}');
    expect(await last(61, (n) => shop().set(from(n)))).toBe(429);
  });

  it('what no shop has signed is not parsed', async () => {
    const demo = standardProvider({ key: 'demo', secrets: [SECRET] });
    const webhook = { ...demo.webhook!, maxBytes: 8_388_608 };
    const t = await startApp({ providers: [{ ...demo, webhook }] });
    await t.admin
      .post('/settings/integration/update-status')
      .send({ integration: 'demo', is_enabled: 'yes' })
      .expect(200);
    const nested = '['.repeat(4_000_000) + ']'.repeat(4_000_000);
    const flat = JSON.stringify('x'.repeat(8_000_000 - 2));
    const workOf = async (body: string): Promise<number> => {
      const ms = stopwatch();
      await request(t.server)
        .post(`${API(t)}/webhooks/demo`)
        .type('json')
        .send(body)
        .expect(400);
      return ms();
    };
    // The least of three: a collection of garbage may fall into one of them.
    const leastOf = async (body: string): Promise<number> =>
      Math.min(await workOf(body), await workOf(body), await workOf(body));
    // Parsed, the nested one takes a second or more.
    expect(await leastOf(nested)).toBeLessThan(2 * (await leastOf(flat)) + 500);
  });
});

describe('keys of requests', () => {
  it('a key is bound to the whole query, and outlives the nonce in it', async () => {
    const t = await startApp();
    const create = (query: string, { cookie, nonce } = t.host.signIn(1)) =>
      request(t.server)
        .post(`${API(t)}/affiliates?${query}&_wpnonce=${nonce}`)
        .set({ Cookie: cookie, 'Idempotency-Key': 'one' })
        .send({ user_id: 2, status: 'active', rate_type: 'default', payment_email: 'a@shop.test' })
        .ok(() => true);
    expect((await create('x=a?b=1')).status).toBeLessThan(300);
    expect((await create('x=a?b=1')).headers['idempotency-replayed']).toBe('true');
    expect((await create('x=a?b=2')).body.code).toBe('idempotency_key_reused');
  });
});

describe('outgoing events', () => {
  it.each([
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['a status nobody knows', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok'],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
  ])('%s is a failed delivery and stops no other', async (_name, answer) => {
    const t = await startApp({ events: { allowPrivateNetworks: true } });
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(answer));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const { port } = server.address() as AddressInfo;
      const { body } = await t.admin
        .post('/settings/webhooks')
        .send({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
        .expect(200);
      const ping = await t.admin.post(`/settings/webhooks/${body.webhook.id}/test`).send({}).expect(200);
      expect(ping.body).toMatchObject({ delivered: false, status: null, error: 'not reachable' });
      // An answer nobody reads would keep its connection.
      const open = await new Promise<number>((resolve) => {
        setTimeout(() => server.getConnections((_error, count) => resolve(count)), 50);
      });
      expect(open).toBe(0);
    } finally {
      server.close();
    }
  });
});

describe('pages', () => {
  it('a link of the path form is taken off by Fastify without leading to another site', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const site = fastify();
    await site.register(toFastify(t.service));
    await site.listen({ port: 0, host: '127.0.0.1' });
    const { port } = site.server.address() as AddressInfo;
    const headers = { ...NAVIGATION, 'User-Agent': BROWSER };
    for (const start of ['//', '/\\', '/\\/']) {
      const answer = await new Promise<IncomingMessage>((resolve) => {
        get({ port, host: '127.0.0.1', path: `${start}evil.test/ref/${id}`, headers }, resolve);
      });
      expect(answer.resume().headers.location).toBe('/evil.test');
    }
    await site.close();
  });

  it('the way back after a sign-in is a path of this site', async () => {
    const t = await startApp();
    const site = express();
    site.use(consoleApp(t.service, { loginUrl: '/login' }) as never);
    for (const path of ['//evil.test/x', '///evil.test/x'])
      expect((await request(site).get(path)).headers['location']).toBe(
        `/login?return_to=${encodeURIComponent('/evil.test/x')}`,
      );
  });
});
