import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { KEY_RIGHTS } from '../../src/platform/access/key-rights.js';
import { PERMISSION_KEYS } from '../../src/platform/access/keys.js';
import { inMatchingOrder } from '../../src/platform/http/route-table.js';
import { allRoutes } from '../../src/app/routes.js';
import { startApp, type TestApp } from '../support/app.js';
import { addressOf, smallestBody } from '../support/route-cases.js';

// Every route × every right: what only readers of affiliates may see of an affiliate is in no other answer. A new
// route, a new right and a new text column of affiliates take part without a line here.

const PRIVATE = 'zqprivate';
const PAYMENT = 'zqpayment';
const MANAGER = 5;
const READERS = /_all_affiliates$|^manage_all_data$/;
const PAYERS = /_all_payouts$/;
const routes = inMatchingOrder(allRoutes());

async function filled(): Promise<TestApp> {
  const t = await startApp({ shared: true, rate: 10 });
  for (const [id, name] of [
    [21, 'Nora'],
    [22, 'Omar'],
  ] as const)
    t.host.addUser({
      id,
      login: `${PRIVATE}${id}`,
      email: `${PRIVATE}${id}@mail.test`,
      display_name: name,
      first_name: name,
      url: `https://${PRIVATE}.test`,
    });
  for (const user_id of [21, 22]) {
    const { id } = await t.records.affiliate({
      user_id,
      payment_email: `${PAYMENT}${user_id}@pay.test`,
      note: `${PRIVATE} note`,
      custom_param: `${PRIVATE}${user_id}`,
    });
    await t.app.affiliates.changes.saveProfile(id, {
      bank_details: `${PAYMENT} IBAN`,
      custom_fields: { phone: `${PRIVATE} answer` },
    });
    await t.records.visit({ affiliate_id: id });
    for (const reference of ['A', 'B', 'C'])
      await t.service.conversions.record(null, {
        provider: 'shop',
        reference: `${reference}${id}`,
        status: reference === 'C' ? 'pending' : 'unpaid',
        affiliate: id,
        order: { subtotal: '100.00' },
        customer: { email: `buyer${id}@mail.test` },
      });
    if (id === 1) await t.records.payout();
  }
  await t.app.db('affiliates').where({ id: 2 }).update({ user_id: null }); // has no name but its payment address
  const known = [
    'rate_type',
    'status',
    'settings',
    'custom_fields',
    'source_key',
    'source_hash',
    'payment_email',
    'counted_in', // a currency
  ];
  const info = await t.app.db.knex(t.app.db.name('affiliates')).columnInfo();
  for (const [name, { type }] of Object.entries(info))
    if (/char|text/i.test(type) && !known.includes(name))
      await t.app
        .db('affiliates')
        .where({ id: 1 })
        .update({ [name]: `${PRIVATE}1` });
  await t.service.webhooks.lineUp();
  return t;
}

type Get = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string) => request.Test;

/** What stands in answers and must not, for one right. */
async function leaks(right: string, send: Get, list: typeof routes): Promise<string[]> {
  const found: string[] = [];
  for (const { route, path } of list) {
    if (route.access.kind === 'public' || route.access.kind === 'site') continue;
    const call = send(route.method, addressOf(path, 1));
    const { text, status } = await (route.method === 'get'
      ? call
      : call.send(route.body ? smallestBody(route.body) : {}));
    const words = PAYERS.test(right) ? [PRIVATE] : [PRIVATE, PAYMENT];
    for (const word of words)
      if (text.toLowerCase().includes(word)) found.push(`${route.method} ${path} (${status}): ${word}`);
    if (status >= 500) found.push(`${route.method} ${path}: ${status}`);
  }
  return found;
}

const GETS = routes.filter(({ route }) => route.method === 'get');
const WRITES = routes.filter(
  ({ route }) => route.method !== 'get' && route.accepts?.stream !== true && route.accepts?.raw !== true,
);

describe.each([
  ['reads', GETS],
  ['writes', WRITES],
] as const)('%s of every route', (_title, list) => {
  let t: TestApp;
  beforeAll(async () => {
    t = await filled();
  });
  afterAll(() => t.close());

  it.each([...PERMISSION_KEYS])('show a manager with %s no more than this right allows', async (right) => {
    t.clock.advance(600_000); // below the limits of requests
    await t.service.permissions.setPermissions(MANAGER, [right]);
    const found = await leaks(right, (method, path) => t.as(MANAGER)[method](path), list);
    if (!READERS.test(right)) expect(found).toEqual([]);
    else if (list === GETS) expect(found.join()).toContain(PRIVATE);
  });

  it.each([...KEY_RIGHTS])(
    "show an administrator's key with %s no more than this right allows",
    async (right) => {
      const { key } = await t.service.apiKeys.create({
        name: right,
        user_id: 1,
        rights: [right],
      });
      const send: Get = (method, path) =>
        request(t.server)
          [method](t.service.basePath + path)
          .set('Authorization', `Bearer ${key}`);
      const found = await leaks(right, send, list);
      if (!READERS.test(right)) expect(found).toEqual([]);
    },
  );
});
