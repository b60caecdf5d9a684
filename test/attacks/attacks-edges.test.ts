import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { createAffiliateService } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { connectChild, signed } from '../support/sites.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('a connected site', () => {
  const REFERRALS = '/connected-sites/referrals';
  const VISITS = '/connected-sites/visits';

  it('cannot name the visit of another site', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const [one, two] = [await connectChild(t, 'https://one.test'), await connectChild(t, 'https://two.test')];
    const visit = await signed(t, one, 'post', VISITS, {
      affiliate_param: String(id),
      url: 'https://one.test/',
    });
    const order = { reference: 'A-1', visit_id: visit.body.visit_id, order: { subtotal: 10 } };

    const { body } = await signed(t, two, 'post', REFERRALS, order).expect(422);
    expect(body.code).toBe('visit_mismatch');
    await signed(t, one, 'post', REFERRALS, order).expect(200);
  });

  it.each([
    [{ ammount: 5 }, 'ammount'],
    [{ curency: 'EUR' }, 'curency'],
    [{ statuss: 'unpaid' }, 'statuss'],
    [{ customer: { mail: 'jo@example.test' } }, 'customer.mail'],
  ])('is told of the unknown key in %j', async (sent, field) => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const child = await connectChild(t);
    const order = { reference: 'A-1', affiliate_param: String(id), order: { subtotal: 10 } };
    const { body } = await signed(t, child, 'post', REFERRALS, { ...order, ...sent }).expect(422);
    expect(body.errors).toMatchObject({ [field]: { unknown_key: expect.any(String) } });
    expect(await t.app.db('orders')).toEqual([]);
  });
});

describe('people', () => {
  it('keep their address to themselves when their picture is shown', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({ user_id: 2 });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'A-1',
      affiliate: affiliate.id,
      order: { subtotal: 10 },
      customer: { email: 'jo@example.test', first_name: 'Jo', last_name: 'Buyer' },
    });
    const { text } = await t.admin.get('/customers').expect(200);
    expect(text).toContain('data:image/svg+xml');
    expect(text).not.toMatch(/gravatar|https?:\/\/(?!shop\.test)[^"]*avatar/);
  });

  it('cannot turn the direction of a file that others open', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2, note: 'x' });
    await t.host.users.update(2, { first_name: 'Ann\u202Excod.exe', last_name: '\u2066Doe' });
    const csv = await t.admin.get('/affiliates/export').set('Accept', 'text/csv').expect(200);
    const json = await t.admin.get('/affiliates/export?format=json').expect(200);
    for (const text of [csv.text, JSON.stringify(json.body)]) {
      expect(text).toContain('Annxcod.exe');
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
    }
  });
});

describe('a PostgreSQL server that refuses connections', () => {
  it.each(['55000', '28000', '53300'])('with %s is 503, to be tried again', async (code) => {
    const fields = `SFATAL\0VFATAL\0C${code}\0Mnot accepting connections\0\0`;
    const refusal = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(fields)]);
    refusal.writeInt32BE(refusal.length - 1, 1);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(refusal));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const service = createAffiliateService(
      createMemoryHost({ site: { url: 'https://shop.test', name: 'Shop' } }),
      {
        database: { client: 'pg', connection: `postgres://x@127.0.0.1:${port}/x` },
        jobs: false,
        logger: silent,
      },
    );
    const app = express().use(service.basePath, service.router);
    const { status, body, headers } = await request(app).get(`${service.basePath}/affiliates`);
    await service.close();
    server.close();
    expect([status, body.code]).toEqual([503, 'not_started']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});
