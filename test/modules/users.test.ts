import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import type { App } from '../../src/app/app.js';
import { silentLogger, type AffiliateService } from '../../src/index.js';
import { openService } from '../../src/service/service.js';
import { startApp, type TestApp } from '../support/app.js';
import { emptyDatabase, testDatabase } from '../support/databases.js';
import { SmallCms } from '../support/small-cms.js';
import { auditOf, listed } from '../support/lists.js';
import { storedText } from '../support/rows.js';

const DAY = 86_400_000;

describe('service.users.deleted', () => {
  it('makes the affiliate inactive, removes what is personal, takes rights away and keeps the books', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({
      user_id: 2,
      payment_email: 'alice@bank.test',
      note: 'met in Rome',
    });
    await t.app.affiliates.changes.saveProfile(affiliate.id, {
      bank_details: 'IBAN 1',
      custom_fields: { phone: '123' },
    });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: '1',
      status: 'unpaid',
      affiliate: affiliate.id,
      order: { subtotal: '100.00' },
      customer: { user_id: 5, email: 'buyer@shop.test' },
    });
    await t.service.permissions.setPermissions(3, ['manage_all_data']);
    const statuses: string[] = [];
    t.service.hooks.addAction('affiliate_status_to_inactive', (row) => void statuses.push(row.status));

    t.host.removeUser(2);
    expect(await t.service.users.deleted(2)).toBe(true);

    const left = await t.service.affiliates.get(affiliate.id);
    expect(left).toMatchObject({
      user_id: null,
      status: 'inactive',
      payment_email: null,
      note: null,
      custom_param: null,
      custom_fields: {},
      referrals: affiliate.referrals + 1,
    });
    expect(left.settings.bank_details).toBe('');
    expect(left.unpaid_earnings_minor).toBeGreaterThan(0);
    expect(statuses).toEqual(['inactive']);
    const { body } = await t.admin.get(`/affiliates/${affiliate.id}`).expect(200);
    expect(JSON.stringify(body)).not.toMatch(/alice|Rome|IBAN|"123"/);

    expect(await t.service.users.deleted(5)).toBe(true);
    expect(await listed(t, '/customers')).toMatchObject([{ user_id: null, email: 'buyer@shop.test' }]);
    expect(await t.service.users.deleted(3)).toBe(true);
    expect(await t.service.permissions.all()).toEqual(new Map());
    expect([await t.service.users.deleted(2), await t.service.users.deleted(99)]).toEqual([false, false]);
  });

  it('lets nobody inherit the affiliate: a new user of the same id starts anew', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2 });
    await t.service.users.deleted('2');
    expect(await t.service.affiliates.findByUser(2)).toBeNull();
    expect(await t.service.affiliates.create({ user_id: 2, status: 'active' })).toMatchObject({ user_id: 2 });
  });
});

describe('API keys of deleted users', () => {
  const get = (t: TestApp, key: string): request.Test =>
    request(t.server).get(`${t.service.basePath}/affiliates`).set('Authorization', `Bearer ${key}`);

  it('are revoked, so that a new user of the same id does not inherit them', async () => {
    const t = await startApp();
    t.host.addUser({ id: 7, login: 'robot', capabilities: ['manage_options'] });
    const input = { name: 'Robot', user_id: 7, rights: ['read_all_affiliates'] };
    const { key } = await t.service.apiKeys.create(input);
    await get(t, key).expect(200);
    t.host.removeUser(7);
    expect(await t.service.users.deleted(7)).toBe(true);
    t.host.addUser({ id: 7, login: 'another', capabilities: ['manage_options'] });
    const { body } = await get(t, key).expect(401);
    expect(body.code).toBe('api_key_invalid');
    expect(await auditOf(t, 'action=api_key.deleted')).toMatchObject([{ object_type: 'api_key' }]);
  });

  it('are found by the nightly look, also when their owner is no affiliate', async () => {
    const t = await startApp();
    t.host.addUser({ id: 7, login: 'robot' });
    await t.service.apiKeys.create({ name: 'Robot', user_id: 7, rights: ['read_all_affiliates'] });
    t.host.removeUser(7);
    expect(await t.service.users.lookForDeleted()).toBe(0);
    t.clock.advance(DAY);
    expect(await t.service.users.lookForDeleted()).toBe(1);
    expect(await t.service.apiKeys.list()).toEqual([]);
  });
});

describe('the nightly look for deleted users', () => {
  const gone = (t: TestApp): Promise<number> => t.service.users.lookForDeleted();

  it('acts after the second check, and forgets users who came back', async () => {
    const t = await startApp();
    for (const user_id of [2, 3, 4]) await t.records.affiliate({ user_id });
    t.host.removeUser(2);
    const find = t.host.users.find;
    const hidden = new Set([3]);
    Object.assign(t.host.users, {
      find: async (ids: readonly number[]) => (await find(ids)).filter(({ id }) => !hidden.has(id)),
    });

    expect(await gone(t)).toBe(0);
    expect(await gone(t)).toBe(0); // the same night
    hidden.clear();
    t.clock.advance(DAY);
    expect(await gone(t)).toBe(1);

    expect(await t.service.affiliates.findByUser(2)).toBeNull();
    expect(await t.service.affiliates.findByUser(3)).toMatchObject({ status: 'active' });
    expect(await storedText(t, 'missing_users')).toBe('[[]]');
    expect(await gone(t)).toBe(0);
  });

  it('skips a host that suddenly finds no user', async () => {
    const t = await startApp();
    for (let user = 10; user < 25; user++) {
      t.host.addUser({ id: user, login: `user${user}` });
      await t.records.affiliate({ user_id: user });
    }
    Object.assign(t.host.users, { find: async () => [] });
    for (let night = 0; night < 3; night++) {
      expect(await gone(t)).toBe(0);
      t.clock.advance(DAY);
    }
    expect(await t.service.affiliates.findByUser(10)).toMatchObject({ status: 'active' });
    expect(t.log.filter(({ level }) => level === 'error')).toHaveLength(3);
  });
});

describe('GET /nonce', () => {
  it('returns the nonce of the signed-in user, to pages of the site only', async () => {
    const t = await startApp();
    const { Cookie } = t.headers(2);
    const get = (headers: Record<string, string>): request.Test =>
      request(t.server)
        .get(`${t.service.basePath}/nonce`)
        .set({ ...(Cookie !== undefined && { Cookie }), ...headers });

    const { body } = await get({ 'Sec-Fetch-Site': 'same-origin' })
      .expect(200)
      .expect('Cache-Control', /no-store/);
    await request(t.server)
      .get(`${t.service.basePath}/portal/stats`)
      .set({ Cookie: Cookie ?? '', 'X-WP-Nonce': String((body as { nonce: string }).nonce) })
      .expect((answer) => expect([401, 403]).not.toContain(answer.status));

    await get({}).expect(200);
    await get({ Origin: 'https://shop.test' }).expect(200);
    await get({ Origin: 'https://evil.test' }).expect(403);
    await get({ 'Sec-Fetch-Site': 'cross-site' }).expect(403);
    await get({ 'Sec-Fetch-Site': 'same-site' }).expect(403);
    await get({ Cookie: 'memory_session=nobody' }).expect(401);
    expect(await t.service.nonce({ headers: {} } as never)).toBeNull();
    expect(await t.service.nonce({ headers: { cookie: Cookie } } as never)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is what a 401 without nonce points to', async () => {
    const t = await startApp();
    const { body } = await t.anonymous.get('/affiliates').expect(401);
    expect(body).toMatchObject({
      code: 'rest_forbidden',
      message: expect.stringMatching(/X-WP-Nonce.*GET \/nonce/) as unknown as string,
    });
  });
});

describe('a host of defineHost with text ids', () => {
  const servers: Server[] = [];
  const services: AffiliateService[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    for (const service of services.splice(0)) {
      expect(await service.verify()).toEqual([]);
      await service.close();
    }
  });

  async function start(cms: SmallCms): Promise<{ service: AffiliateService; app: App; url: string }> {
    const { service, app } = openService(cms.host(), {
      database: await testDatabase(),
      secret: 'a secret that is long enough for the tests',
      jobs: false,
      logger: silentLogger,
    });
    services.push(service);
    await service.ready();
    await emptyDatabase(app.db.knex, app.options.tablePrefix);
    const site = express();
    service.mount(site);
    const server = createServer(site).listen(0);
    servers.push(server);
    await once(server, 'listening');
    return {
      service,
      app,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${service.basePath}`,
    };
  }

  it('lives by integers of its own, made on first use', async () => {
    const cms = new SmallCms();
    const { service, url } = await start(cms);
    expect(service.basePath).toBe('/api/affiliate-service/v2');
    expect(await service.users.idOf('usr-ben')).toBeNull();
    const cookie = cms.signIn('usr-anna');
    const { body } = await request(url).get('/nonce').set('Cookie', cookie).expect(200);
    const headers = { Cookie: cookie, 'X-WP-Nonce': (body as { nonce: string }).nonce };

    const found = await request(url).get('/settings/options/users?search=ben').set(headers).expect(200);
    const [{ ID }] = (found.body as { users: [{ ID: number }] }).users;
    expect(await service.users.idOf('usr-ben')).toBe(ID);
    const made = await request(url)
      .post('/affiliates')
      .set(headers)
      .send({ user_id: ID, status: 'active', rate_type: 'default', payment_email: 'ben@bank.test' })
      .expect(200);
    expect(made.body).toMatchObject({ affiliate: { user_id: ID } });
    const list = await request(url).get('/affiliates').set(headers).expect(200);
    expect(JSON.stringify(list.body)).toContain('https://shop.test/admin/users/usr-ben');

    const pages = await request(url).get('/settings/pages').set(headers).expect(200);
    expect(pages.body).toMatchObject({ pages: [{ id: 1, title: 'Home', link: 'https://shop.test/' }] });

    expect(await service.users.current({ headers: { cookie } } as never)).toMatchObject({
      login: 'Anna@shop.test',
    });
    expect([await service.users.deleted('usr-nobody'), await service.users.deleted('usr-ben')]).toEqual([
      false,
      true,
    ]);
    expect(await service.affiliates.findByUser(ID)).toBeNull();
  });

  it('lets requests with credentials of their own in without a nonce, and cookies not', async () => {
    const cms = new SmallCms();
    const { url } = await start(cms);
    await request(url).get('/affiliates').set('Authorization', 'Bearer usr-anna').expect(200);
    await request(url).get('/affiliates').set('Authorization', 'Bearer usr-ben').expect(403);
    await request(url).get('/affiliates').set('Authorization', 'Bearer nobody').expect(401);
    await request(url).get('/affiliates').set('Cookie', cms.signIn('usr-anna')).expect(401);
  });

  it('serves one service at a time', async () => {
    const cms = new SmallCms();
    const host = cms.host();
    const make = (): AffiliateService =>
      openService(host, {
        database: { client: 'better-sqlite3', connection: ':memory:' },
        secret: 'a secret that is long enough for the tests',
        jobs: false,
        logger: silentLogger,
      }).service;
    const first = make();
    expect(make).toThrow('another running service');
    await first.close();
    const second = make();
    await second.close();
  });
});
