import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';
import type { App } from '../../src/app/app.js';
import { clientAddress, isSecure } from '../../src/platform/http/client-address.js';
import { asList, parseForm, unflatten } from '../../src/platform/http/form.js';
import { RateLimiter } from '../../src/platform/http/rate-limit.js';
import { inMatchingOrder } from '../../src/platform/http/route-table.js';
import type { Route } from '../../src/platform/http/define-route.js';
import { flatten } from '../support/random-requests.js';
import { startHarness } from './harness.js';

const from = (
  remoteAddress: string,
  headers: Record<string, string> = {},
  encrypted = false,
): IncomingMessage => ({ socket: { remoteAddress, encrypted }, headers }) as unknown as IncomingMessage;

describe('forms', () => {
  it.each<[string, object]>([
    ['', {}],
    ['a=1&a=2', { a: '2' }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[1]=y&a[0]=x', { a: ['x', 'y'] }],
    ['a[7]=x&a[9]=y', { a: ['x', 'y'] }],
    ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
    ['a[0][x]=1&a[0][y]=2', { a: [{ x: '1', y: '2' }] }],
    ['a=1&a[b]=2', { a: { b: '2' } }],
    ['a+b=c+d%26', { 'a b': 'c d&' }],
    ['a', { a: '' }],
    ['a[=1&]b=2&[c]=3', { 'a[': '1', ']b': '2', '[c]': '3' }],
    ['x=%zz', { x: '%zz' }],
    ['1=a&2=b', { 1: 'a', 2: 'b' }],
    ['__proto__=1&a[__proto__][b]=1', { a: [] }],
  ])('%s', (text, expected) => {
    expect(parseForm(text)).toEqual(expected);
  });

  it('reads back whatever bracket notation wrote', () => {
    const word = fc.stringMatching(/^[a-z]\w{0,8}$/);
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.array(fc.string(), { minLength: 1, maxLength: 4 }),
        fc.dictionary(word, tie('tree'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(word, tree, { minKeys: 1, noNullPrototype: true }), (value) => {
        const text = flatten(value)
          .map((pair) => pair.map(encodeURIComponent).join('='))
          .join('&');
        expect(parseForm(text)).toEqual(value);
      }),
    );
  });

  it('rebuilds what a flat parser of the host left', () => {
    expect(unflatten({ 'a[b]': '1', 'ids[]': ['1', '2'], c: 'd' })).toEqual({
      a: { b: '1' },
      ids: ['1', '2'],
      c: 'd',
    });
    expect(asList({ 0: 'a', 1: 'b' })).toEqual(['a', 'b']);
    expect(asList({ 0: 'a', b: 'b' })).toEqual({ 0: 'a', b: 'b' });
  });
});

describe('the client address', () => {
  it.each<[string, string | undefined, false | string[], string | null]>([
    ['203.0.113.9', undefined, false, '203.0.113.9'],
    ['203.0.113.9', '1.2.3.4', false, '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, false, '203.0.113.9'],
    ['fe80::1%eth0', undefined, false, 'fe80::1'],
    ['::ffff:10.0.0.1', '::ffff:1.2.3.4', ['10.0.0.1'], '1.2.3.4'],
    ['10.0.0.1', '1.2.3.4', ['10.0.0.0/8'], '1.2.3.4'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', ['10.0.0.0/8'], '1.2.3.4'],
    ['203.0.113.9', '1.2.3.4', ['10.0.0.0/8'], '203.0.113.9'],
    ['10.0.0.1', '<script>', ['10.0.0.1'], null],
    ['10.0.0.1', undefined, ['10.0.0.1'], '10.0.0.1'],
    ['fe80::1', '2001:DB8::0:1', ['fe80::/10', 'nonsense'], '2001:db8::1'],
    ['', undefined, false, null],
  ])('socket %s, forwarded %s, trusted %j: %s', (socket, forwarded, trust, expected) => {
    expect(
      clientAddress(from(socket, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }), trust),
    ).toBe(expected);
  });

  it('believes a forwarded scheme from trusted proxies only', () => {
    const headers = { 'x-forwarded-proto': 'https' };
    expect([
      isSecure(from('1.2.3.4', headers), false),
      isSecure(from('1.2.3.4', headers), ['1.2.3.4']),
      isSecure(from('1.2.3.4', {}, true), false),
    ]).toEqual([false, true, true]);
  });
});

describe('rate limits of several processes', () => {
  const hit = async (limiter: RateLimiter, limit: Parameters<RateLimiter['take']>[0]): Promise<boolean> =>
    limiter.take(limit, 'one').then(
      () => true,
      () => false,
    );

  it('share single hits at once and batches with a small overshoot', async () => {
    const t = await startHarness([]);
    const app: App = t.app;
    const [first, second] = [new RateLimiter(app), new RateLimiter(app)];
    const single = { name: 'single', points: 10, windowMs: 60_000, batch: 1 };
    const passed: boolean[] = [];
    for (let i = 0; i < 10; i++) passed.push(await hit(first, single), await hit(second, single));
    expect(passed.filter(Boolean)).toHaveLength(10);
    const batched = { name: 'batched', points: 100, windowMs: 60_000, batch: 10 };
    let count = 0;
    for (let i = 0; i < 200; i++)
      count += Number(await hit(first, batched)) + Number(await hit(second, batched));
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(120);
    await t.close();
  });
});

it('puts literal segments before parameters, wherever they stand', () => {
  const route = (...paths: string[]): Route => ({ paths }) as unknown as Route;
  const order = inMatchingOrder([
    route('/a/:id'),
    route('/a/:id/b/:x', '/a/:id/b/bulk'),
    route('/a/export', '/:any/export'),
  ]).map(({ path }) => path);
  expect(order.indexOf('/a/export')).toBeLessThan(order.indexOf('/a/:id'));
  expect(order.indexOf('/a/:id/b/bulk')).toBeLessThan(order.indexOf('/a/:id/b/:x'));
  expect(order.indexOf('/a/:id')).toBeLessThan(order.indexOf('/:any/export'));
});
