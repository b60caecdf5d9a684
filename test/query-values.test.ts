import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRoutes } from '../src/app/routes.js';
import type { Schema } from '../src/platform/http/normalize.js';
import { startApp, type TestApp } from './support/app.js';
import { addressOf } from './support/route-cases.js';

// Every parameter of every list, report and detail with the values databases,
// calendars and number parsers trip over (docs/reliability.md §1).
const VALUES = ['a\0b', '1e400', '1.5', '9'.repeat(30), '9007199254740991', '9999-12-31', 'x'.repeat(3000)];

const parametersOf = (schema: unknown): string[] =>
  Object.keys((schema as Schema | undefined)?.properties ?? {});
const cases = allRoutes()
  .filter(
    ({ method, access, query }) =>
      method === 'get' && access.kind !== 'site' && parametersOf(query).length > 0,
  )
  .map((route) => [route.id, route] as const);

let t: TestApp;
beforeAll(async () => {
  t = await startApp({ shared: true, timeZone: 'America/New_York' });
  const affiliate = await t.records.affiliate({ user_id: 1 });
  await t.records.group();
  await t.records.visit({ affiliate_id: affiliate.id });
  await t.records.referral({ affiliate_id: affiliate.id });
  await t.records.payout();
});
afterAll(async () => {
  await t.close();
});

describe('no value of a query parameter fails the service', () => {
  it.each(cases)('%s', async (_id, route) => {
    const failed: string[] = [];
    for (const name of parametersOf(route.query)) {
      for (const value of VALUES) {
        t.clock.advance(60); // below the limit of requests per minute
        const { status } = await t.admin.get(
          `${addressOf(route.paths[0], 1)}?${name}=${encodeURIComponent(value)}`,
        );
        if (status >= 500) failed.push(`${name}=${JSON.stringify(value).slice(0, 40)}: ${status}`);
      }
    }
    expect(failed).toEqual([]);
  });
});
