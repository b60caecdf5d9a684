// Runs inside a copy of the project that has a module `greetings` more, and prints what it saw.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createMemoryHost } from '../../adapters/index.js';
import { createAffiliateService } from '../../src/index.js';

const host = createMemoryHost({
  site: { url: 'https://shop.test', name: 'Shop', timeZone: 'UTC', restPrefix: '/wp-json' },
  users: [
    { id: 1, login: 'admin', email: 'admin@shop.test', display_name: 'A', capabilities: ['manage_options'] },
    { id: 2, login: 'alice', email: 'alice@shop.test', display_name: 'Alice' },
  ],
});
const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: { filename: ':memory:' } },
  secret: 'a secret that is long enough for the tests',
  jobs: false,
});
await service.ready();
await service.affiliates.create({ user_id: 2, status: 'active', payment_email: 'alice@shop.test' });
const sent: unknown[] = [];
// The service of this project has neither the hooks nor the methods of the module.
const copy = service as unknown as {
  readonly hooks: Record<'addAction' | 'addFilter', (name: string, tap: (value: unknown) => unknown) => void>;
  readonly greetings: { greet(id: unknown): Promise<string> };
};
copy.hooks.addAction('greeting.sent', (count) => void sent.push(count));
copy.hooks.addFilter('greeting.text', (text) => `${String(text)}!`);
const reports = await service.jobs.runDue();
const server = express().use(service.basePath, service.router).listen(0);
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${service.basePath}`;
const get = async (path: string, userId?: number): Promise<readonly [number, unknown]> => {
  const { cookie, nonce } = userId === undefined ? { cookie: '', nonce: '' } : host.signIn(userId);
  const headers = userId === undefined ? {} : { Cookie: cookie, 'X-WP-Nonce': nonce };
  const response = await fetch(base + path, { headers });
  return [response.status, await response.json()];
};
process.stdout.write(
  JSON.stringify({
    greeted: await get('/greetings/1', 1),
    unknown: await get('/greetings/9', 1),
    anonymous: (await get('/greetings/1'))[0],
    called: await copy.greetings.greet('1'),
    calledForNobody: await copy.greetings.greet('x').catch((error: { code?: unknown }) => error.code),
    sent,
    ran: reports.find(({ name }) => name === 'send-greetings'),
    documented: Object.keys(service.openapi().paths as object).some((path) => path.includes('/greetings/')),
  }),
);
server.closeAllConnections();
server.close();
await service.close();
