import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { connectSite, MemoryQueue, type ConnectedSite } from '../../connected-site/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild } from '../support/sites.js';
import { referralsOf } from '../support/lists.js';

let t: TestApp;
let alice: { id: number };
let store: ConnectedSite;
/** What answers in the primary's place. */
let inBetween: (() => Response) | null;
let errors: unknown[];

beforeEach(async () => {
  t = await startApp({ rate: 10 });
  alice = await t.records.affiliate();
  inBetween = null;
  errors = [];
  const { site_id, server_token } = await connectChild(t);
  const { port } = t.server.address() as AddressInfo;
  store = connectSite(
    {
      site_id,
      server_token,
      primary_url: 'https://shop.test',
      api_url: `http://127.0.0.1:${port}${t.service.basePath}`,
      param_key: 'ref',
      cookie_duration: 30,
      credit_last_referrer: 'yes',
    },
    {
      fetch: async (input, init) => inBetween?.() ?? fetch(input, init),
      now: () => t.clock.now(),
      wait: async () => {},
      queue: new MemoryQueue(),
      onError: (error) => errors.push(error),
    },
  );
});

const html = (status: number) => (): Response =>
  new Response('<html><h1>Sorry</h1></html>', { status, headers: { 'Content-Type': 'text/html' } });
const json = (status: number, body: unknown) => (): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

const order = () => ({
  reference: 'A-1',
  status: 'unpaid' as const,
  affiliate_param: String(alice.id),
  order: { subtotal: '50.00' },
});

describe.each<[string, () => Response]>([
  ['404 HTML', html(404)],
  ['400 HTML of a proxy', html(400)],
  ['413 HTML of a proxy', html(413)],
  ['a maintenance page with 200', html(200)],
  ['405 HTML', html(405)],
  ['200 JSON of something else', json(200, { status: 'maintenance' })],
  ['204', () => new Response(null, { status: 204 })],
  ['404 JSON of something else', json(404, { code: 'no_such_app', message: 'no such app' })],
  [
    '404 JSON of another program at this address',
    json(404, { code: 'rest_no_route', data: { status: 404 } }),
  ],
  ['400 JSON of a host that spoils bodies', json(400, { code: 'body_already_read', data: { status: 400 } })],
  ['403 HTML of a firewall', html(403)],
])('while the address of the primary answers %s', (_name, answer) => {
  it('orders and refunds wait, and arrive afterwards', async () => {
    inBetween = answer;
    expect(await store.recordConversion(null, order())).toMatchObject({ queued: true });
    expect(await store.updateConversion('A-1', { refunded_total: '20.00' })).toMatchObject({ queued: true });
    await store.deliver();
    expect(await store.waiting()).toBe(2);
    expect(errors.length).toBeGreaterThan(0);

    inBetween = null;
    expect(await store.deliver()).toEqual({ delivered: 2, waiting: 0 });
    expect(await referralsOf(t)).toMatchObject([{ status: 'unpaid', amount: 3 }]);
  });
});

it('refusals of the primary itself still end a report', async () => {
  await expect(store.recordConversion(null, { ...order(), currency: 'NONE' })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  expect(await store.waiting()).toBe(0);
});

it('a page that another server returns does not decide about an affiliate', async () => {
  inBetween = html(404);
  await expect(store.affiliate('nobody')).rejects.toMatchObject({ status: 404, code: 'unexpected_answer' });
  inBetween = null;
  expect(await store.affiliate('nobody')).toBeNull();
});
