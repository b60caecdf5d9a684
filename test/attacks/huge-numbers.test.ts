import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Schema } from '../../src/platform/http/normalize.js';
import { allRoutes } from '../../src/app/routes.js';
import { startApp, type TestApp } from '../support/app.js';
import { addressOf, smallestBody } from '../support/route-cases.js';

// Numbers that no column holds, in every field that takes a number: an answer, and never a failure of the database.

const HUGE = [1e308, -1e308, 2 ** 63, Number.MAX_SAFE_INTEGER, 0.1];

let t: TestApp;
beforeAll(async () => {
  t = await startApp({ shared: true });
  const affiliate = await t.records.affiliate();
  await t.records.referral({ affiliate_id: affiliate.id });
  await t.records.payout();
  await t.records.group();
});
afterAll(() => t.close());

/** The paths of all numbers in a schema: `items.0.item_id`. */
function numbersIn(schema: Schema, path: readonly string[] = []): string[] {
  const here = schema.shape ?? schema;
  const types = [here.type ?? []].flat();
  const inner = [
    ...Object.entries(here.properties ?? {}).flatMap(([name, of]) => numbersIn(of, [...path, name])),
    ...(here.items ? numbersIn(here.items, [...path, '0']) : []),
    ...(here.anyOf ?? []).flatMap((branch) => numbersIn(branch, path)),
  ];
  return [
    ...new Set([...inner, ...(types.some((type) => /integer|number/.test(type)) ? [path.join('.')] : [])]),
  ];
}

function withNumber(body: unknown, [key, ...rest]: readonly string[], value: number): unknown {
  if (key === undefined) return value;
  if (/^\d+$/.test(key)) return [withNumber((body as unknown[] | undefined)?.[0], rest, value)];
  const map = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return { ...map, [key]: withNumber(map[key], rest, value) };
}

const written = allRoutes().filter(
  ({ body, access }) => body !== undefined && access.kind !== 'site' && numbersIn(body as Schema).length > 0,
);
const listed = allRoutes().filter(
  ({ query }) => query !== undefined && numbersIn(query as Schema).length > 0,
);

it('finds the routes that take numbers', () => {
  expect([written.length > 30, listed.length > 20]).toEqual([true, true]);
});

it.each(written.map((route) => [route.id, route] as const))(
  '%s answers huge numbers in its body',
  async (_id, route) => {
    const failed: string[] = [];
    for (const field of numbersIn(route.body as Schema))
      for (const value of HUGE) {
        t.clock.advance(30_000);
        const body = withNumber(smallestBody(route.body!), field.split('.'), value);
        const { status } = await t.admin[route.method](addressOf(route.paths[0], 1)).send(body as object);
        if (status >= 500) failed.push(`${field} ${value}: ${status}`);
      }
    expect(failed).toEqual([]);
  },
);

it.each(listed.map((route) => [route.id, route] as const))(
  '%s answers huge numbers in its query',
  async (_id, route) => {
    const failed: string[] = [];
    for (const field of numbersIn(route.query as Schema))
      for (const value of HUGE) {
        t.clock.advance(30_000);
        const { status } = await t.admin[route.method](addressOf(route.paths[0], 1)).query({
          [field.split('.')[0]!]: value,
        });
        if (status >= 500) failed.push(`${field} ${value}: ${status}`);
      }
    expect(failed).toEqual([]);
  },
);
