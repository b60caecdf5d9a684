import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from '../../src/platform/http/define-route.js';
import type { Schema } from '../../src/platform/http/normalize.js';
import { allRoutes } from '../../src/app/routes.js';
import { startApp, type TestApp } from '../support/app.js';
import { addressOf, smallestBody } from '../support/route-cases.js';
import { connectChild, signed, type Child } from '../support/sites.js';

// SQL through values, sorting, filters, searches by column and objects as values (docs/reliability.md §5):
// whatever is sent, the service sends its database no statement that ordinary input does not lead to,
// and nothing of what was sent stands in its text.

const MARK = 'zq5evil';
const ORDINARY = ['a b', 'id', '1', 'yes', 'active', '2026-01-15', 'a@b.test'];
const EVIL: readonly unknown[] = [
  `\\' or 1=1; drop table fa_visits; --${MARK}`,
  `id desc, (select "${MARK}")`,
  `${MARK}:1) or ($1 = ?`,
];
const ODD: readonly unknown[] = [{ $gt: MARK, toString: MARK }, [MARK, { operator: '<>', value: MARK }]];
const routes = allRoutes();

let t: TestApp;
let child: Child;
let shapes: Set<string>;
let texts: string[];
const listen = ({ sql }: { sql: string }): void => {
  texts.push(sql);
};

beforeAll(async () => {
  t = await startApp({ shared: true, payouts: { approvalAbove: 1_000_000 } });
  const affiliate = await t.records.affiliate();
  await t.records.visit({ affiliate_id: affiliate.id });
  await t.records.referral({ affiliate_id: affiliate.id });
  await t.records.payout();
  await t.records.group();
  await t.admin.post('/settings/links').send({ slug: 'summer', affiliate_id: affiliate.id }).expect(200);
  await t.service.conversions.bindCoupon('shop', 'SUMMER', affiliate.id);
  await t.admin.post('/messages').send({ subject: 'News', body: 'Lamps.', audience: {} }).expect(200);
  const rule = {
    key: 'all',
    title: 'All',
    event: 'sale',
    scope: 'program',
    reward: { kind: 'percent', value: '10' },
  };
  await t.admin
    .post('/reward-rules')
    .send({ rules: [rule] })
    .expect(200);
  child = await connectChild(t);
  t.app.db.knex.on('query', listen);
  shapes = new Set();
  texts = [];
  for (const route of routes) {
    for (const value of ORDINARY) await askAll(route, value);
    await ask(route, { query: {}, body: route.body ? smallestBody(route.body) : {} });
  }
  shapes = new Set(texts.map(shapeOf));
  texts = [];
}, 300_000);
afterAll(() => t.close());

/**
 * A statement without what differs between two calls of one: numbers of placeholders in lists, and of rows.
 */
function shapeOf(sql: string): string {
  return sql
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/\b\d{13}\b/g, '<time>')
    .replaceAll(/\(\s*\?(?:\s*,\s*\?)*\s*\)/g, '(…)')
    .replaceAll(/(\(…\))(?:\s*,\s*\(…\))+/g, '$1');
}

const fieldsOf = (schema: unknown): string[] => Object.keys((schema as Schema | undefined)?.properties ?? {});

interface Sent {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The value in each field of the route, one after the other. */
async function askAll(route: Route, value: unknown): Promise<void> {
  const body = route.body ? smallestBody(route.body) : {};
  for (const field of [...fieldsOf(route.query), 'filters', 'sort'])
    await ask(route, { query: { [field]: value }, body });
  for (const field of fieldsOf(route.body))
    await ask(route, { query: {}, body: { ...body, [field]: value } });
}

async function ask(route: Route, { query, body }: Sent): Promise<void> {
  t.clock.advance(400); // below the limits
  const address = `${addressOf(route.paths[0], route.method === 'get' ? 1 : 999_999)}?${encoded(query)}`;
  if (route.access.kind === 'site') {
    await signed(t, child, route.method as 'get', address, route.method === 'get' ? undefined : body).ok(
      () => true,
    );
    return;
  }
  const call = t.admin[route.method](address).ok(() => true);
  await (route.method === 'get' ? call : call.send(body));
}

const encoded = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => pairs(name, value))
    .join('&');
const pairs = (name: string, value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        pairs(`${name}[${Array.isArray(value) ? '' : key}]`, inner),
      )
    : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`];

describe('what is sent as text or as an object', () => {
  it('has ordinary input to be compared with', () => {
    expect(shapes.size).toBeGreaterThan(100);
  });

  it.each(routes.map((route) => [route.id, route] as const))(
    'becomes no part of a statement: %s',
    async (_id, route) => {
      texts = [];
      for (const value of [...EVIL, ...ODD]) await askAll(route, value);

      expect(texts.filter((sql) => sql.toLowerCase().includes(MARK))).toEqual([]);
      expect([...new Set(texts.map(shapeOf))].filter((shape) => !shapes.has(shape))).toEqual([]);
    },
    60_000,
  );
});
