// `AffiliatesModule` in applications of Nest's own testing module, on Express and Fastify: run in the folder of the
// site by sites.mjs.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Module } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { createAffiliateService } from 'affiliate-service';
import { createMemoryHost, standardProvider } from 'affiliate-service/adapters';
import { AFFILIATES, AffiliatesModule } from 'affiliate-service/nest';

const SECRET = Buffer.from('a secret that the till and we share').toString('base64');
const NAME = Symbol('name');

class NameModule {}
Module({ providers: [{ provide: NAME, useValue: 'Nested' }], exports: [NAME] })(NameModule);

/** The host trusts what the session middleware of main.ts has left on the request. */
const hostNamed = (name) => {
  const memory = createMemoryHost({
    site: { name, restPrefix: '/api' },
    users: [{ id: 1, login: 'admin', capabilities: ['manage_options'] }],
  });
  const admin = () => memory.users.find([1]).then(([user]) => user);
  return { ...memory, currentUser: async (req) => (req.session === 'of main.ts' ? admin() : null) };
};
const settings = (name) => ({
  host: hostNamed(name),
  options: {
    database: { client: 'better-sqlite3', connection: ':memory:' },
    providers: [standardProvider({ key: 'till', secrets: [`whsec_${SECRET}`], enabled: true })],
  },
});

async function drive(adapter, override) {
  const building = Test.createTestingModule({
    imports: [AffiliatesModule.forRootAsync({ imports: [NameModule], inject: [NAME], useFactory: settings })],
  });
  if (override !== undefined) building.overrideProvider(AFFILIATES).useValue(override);
  const app = (await building.compile()).createNestApplication(adapter);
  app.use((req, _res, next) => {
    req.session = 'of main.ts';
    next();
  });
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
  const service = app.get(AFFILIATES);
  assert.equal(service === override, override !== undefined);

  const nonce = await fetch(`${url}/api/affiliate-service/v2/nonce`, {
    headers: { Origin: url, Host: 'localhost' },
  });
  assert.equal(nonce.status, 200, await nonce.text());
  const page = await fetch(`${url}/affiliate-admin/`, { redirect: 'manual' });
  assert.equal(page.status, 200);
  assert.match(await page.text(), override === undefined ? /Nested/ : /Overridden/);

  // the signature covers the bytes, also those that JSON would write in another way
  const body = '{ "type": "order.created",  "timestamp": "2026-01-31T10:00:00Z", "data": {} }';
  const id = crypto.randomUUID();
  const time = String(Math.floor(Date.now() / 1000));
  const sign = (text) =>
    createHmac('sha256', Buffer.from(SECRET, 'base64')).update(`${id}.${time}.${text}`).digest('base64');
  const deliver = (signed) =>
    fetch(`${url}/api/affiliate-service/v2/webhooks/till`, {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${signed}`,
      },
    });
  assert.equal((await deliver(sign(body))).status, 422); // signed, and no event that counts
  assert.equal((await deliver(sign(JSON.stringify(JSON.parse(body))))).status, 400);

  await app.close();
  await assert.rejects(service.affiliates.list(), { code: 'service_closed' });
}

await drive(new ExpressAdapter());
await drive(new FastifyAdapter());
const { host, options } = settings('Overridden');
await drive(new ExpressAdapter(), createAffiliateService(host, options));
console.log('the module passes on Express and Fastify');
process.exit(0);
