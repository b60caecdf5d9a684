import { describe, expect, it } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { ApiError, createClient, OPERATIONS, type Client } from '../../client/index.js';
import { allRoutes } from '../../src/app/routes.js';
import { operationsText } from '../support/operations.js';
import { readText } from '../support/sources.js';
import { startApp, type TestApp } from '../support/app.js';

/** A client against a running service, as a script of a host would make it. */
function clientOf(t: TestApp, userId = 1, options: Partial<Parameters<typeof createClient>[0]> = {}): Client {
  const { Cookie, 'X-WP-Nonce': nonce } = t.headers(userId);
  const { port } = t.server.address() as AddressInfo;
  return createClient({
    baseUrl: `http://127.0.0.1:${port}${t.service.basePath}/`,
    headers: { Cookie: Cookie ?? '' },
    ...(nonce !== undefined && { nonce }),
    ...options,
  });
}

describe('the typed client', () => {
  it('is made from the declared routes', () => {
    expect(readText('client/operations.ts')).toBe(operationsText(allRoutes()));
    expect(Object.keys(OPERATIONS)).toHaveLength(allRoutes().length);
  });

  it('says that there is no such operation', async () => {
    const client = createClient({ baseUrl: 'https://shop.test' });
    await expect(client.call('affiliates.all' as 'affiliates.list')).rejects.toThrow(
      'no operation "affiliates.all"',
    );
  });

  it('reads, writes and fills paths', async () => {
    const t = await startApp();
    const client = clientOf(t);
    const { affiliate } = await client.call('affiliates.create', {
      body: { user_id: 2, status: 'active', rate_type: 'default', payment_email: 'alice@pay.test' },
    });
    const changed = await client.call('affiliates.update', {
      params: { id: affiliate.id },
      body: { note: 'met at the fair' },
    });
    expect(changed.affiliate.note).toBe('met at the fair');
    const read = await client.call('affiliates.get', { params: { id: affiliate.id } });
    expect(read.affiliate).toMatchObject({ id: affiliate.id, payment_email: 'alice@pay.test' });
    await expect(client.call('affiliates.get', { params: { id: '' } })).rejects.toThrow(/"id" is missing/);
  });

  it('takes the fresh nonce of each answer', async () => {
    const t = await startApp();
    const client = clientOf(t);
    const first = client.nonce();
    t.clock.advance(13 * 3_600_000);
    await client.call('affiliates.list');
    expect(client.nonce()).not.toBe(first);
  });

  it('turns refusals into errors with a code and the fields', async () => {
    const t = await startApp();
    const error = await clientOf(t)
      .call('affiliates.create', { body: { user_id: 99, status: 'active', rate_type: 'flat' } })
      .catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(ApiError);
    const problem = error as ApiError;
    expect(problem).toMatchObject({ code: 'validation_failed', status: 422 });
    expect(problem.field('user_id')).toBe('No such user.');
    expect(problem.field('status')).toBeUndefined();
    await expect(clientOf(t, 2).call('affiliates.list')).rejects.toMatchObject({
      code: 'rest_forbidden',
      status: 403,
    });
  });

  it('repeats a write that was not answered, with one effect', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({ user_id: 2 });
    let sent = 0;
    const cutOff: typeof fetch = async (...args) => {
      const answer = await fetch(...args);
      sent += 1;
      if (sent === 1) throw new TypeError('the connection broke after the server had saved');
      return answer;
    };
    await clientOf(t, 1, { fetch: cutOff }).call('referrals.create', {
      body: { affiliate_id: affiliate.id, amount: '12.50', status: 'unpaid', type: 'sale' },
    });
    expect(sent).toBe(2);
    const { referrals } = await clientOf(t).call('referrals.list');
    expect(referrals.total).toBe(1);
  });

  it('tells when the server cannot be reached, and does not repeat what has no key', async () => {
    let tries = 0;
    const offline: typeof fetch = () => {
      tries += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    const client = createClient({ baseUrl: 'http://nowhere.test', fetch: offline });
    await expect(client.call('affiliates.update', { params: { id: 1 } })).rejects.toMatchObject({
      code: 'offline',
      status: 0,
    });
    expect(tries).toBe(1);
    await expect(client.call('affiliates.list')).rejects.toMatchObject({ code: 'offline' });
    expect(tries).toBe(3);
  });

  it('walks lists to their end', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({ user_id: 2 });
    const client = clientOf(t);
    for (const amount of ['1.00', '2.00', '3.00'])
      await client.call('referrals.create', {
        body: { affiliate_id: affiliate.id, amount, status: 'unpaid', type: 'sale' },
      });
    const amounts: number[] = [];
    for await (const row of client.pages('referrals.list', { query: { per_page: 2, order_type: 'ASC' } }))
      amounts.push(row.amount);
    expect(amounts).toEqual([1, 2, 3]);
  });

  it('hands over files as they come', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2 });
    const answer = await clientOf(t).file('affiliates.export');
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(await answer.text()).toMatch(/^"?id"?,/);
  });
});
