// Runs inside a copy of the project whose affiliates have a column `nickname` more, and prints what it saw.
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createMemoryHost } from '../../adapters/index.js';
import { createAffiliateService, csvMigrator } from '../../src/index.js';

const [, , csv = ''] = process.argv;
writeFileSync(
  csv,
  'ID,Email,Status,Nickname\na1,alice@shop.test,active,Ally\na2,bob@shop.test,active,Bobby\n',
);

const host = createMemoryHost({
  site: { url: 'https://shop.test', name: 'Shop', timeZone: 'UTC', restPrefix: '/wp-json' },
  users: [
    { id: 1, login: 'admin', email: 'admin@shop.test', display_name: 'A', capabilities: ['manage_options'] },
    { id: 2, login: 'alice', email: 'alice@shop.test', display_name: 'Alice' },
    { id: 3, login: 'bob', email: 'bob@shop.test', display_name: 'Bob' },
    { id: 4, login: 'carol', email: 'carol@shop.test', display_name: 'Carol' },
  ],
});
const service = createAffiliateService(host, {
  database: { client: 'better-sqlite3', connection: { filename: ':memory:' } },
  secret: 'a secret that is long enough for the tests',
  jobs: false,
  migrators: [csvMigrator({ affiliates: { path: csv } })],
});
await service.ready();
const site = express();
site.use(service.basePath, service.router);
const server = site.listen(0);
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${service.basePath}`;

const signedIn = new Map<number, Record<string, string>>();
async function ask(userId: number, method: string, path: string, body?: object): Promise<unknown> {
  const known = signedIn.get(userId) ?? cookieOf(userId);
  signedIn.set(userId, known);
  const answer = await fetch(base + path, {
    method,
    headers: { ...known, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}
function cookieOf(userId: number): Record<string, string> {
  const { cookie, nonce } = host.signIn(userId);
  return { Cookie: cookie, 'X-WP-Nonce': nonce };
}

const admin = (method: string, path: string, body?: object): Promise<unknown> => ask(1, method, path, body);
interface Listed {
  readonly affiliates: { readonly data: readonly { readonly nickname?: unknown }[] };
}
const nicknames = async (query: string): Promise<unknown> =>
  ((await admin('GET', `/affiliates?${query}`)) as Listed).affiliates.data.map(({ nickname }) => nickname);

await service.imports.start('csv');
await service.imports.run('csv');
const form = { status: 'active', rate_type: 'default', payment_email: 'carol@shop.test' };
const created = await admin('POST', '/affiliates', { ...form, user_id: 4, nickname: ' Caro ' });
const refused = await admin('PATCH', '/affiliates/1', { nickname: 'x'.repeat(51) });
const patched = await admin('PATCH', '/affiliates/1', { nickname: 'Allie' });
const cleared = await admin('PATCH', '/affiliates/2', { nickname: '' });
process.stdout.write(
  JSON.stringify({
    created,
    refused,
    patched,
    cleared,
    sorted: await nicknames('order_by=nickname&order_type=ASC'),
    found: await nicknames('search=llie'),
    filtered: await nicknames('filters[nickname][operator]=%3D&filters[nickname][value]=caro'),
    exported: await admin('GET', '/affiliates/export?order_type=ASC'),
    portal: await ask(2, 'GET', '/portal/profile'),
    document: service.openapi(),
    audit: await admin('GET', '/audit?object_type=affiliate'),
  }),
);
server.closeAllConnections();
server.close();
await service.close();
