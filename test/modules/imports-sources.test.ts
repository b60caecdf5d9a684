import { afterAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { ImportReport } from '../../src/channels/imports/types.js';
import { wordpressMigrators } from '../../src/index.js';
import { buildSite, mysqlReachable, type BuiltSite } from '../imports/old-site.js';
import { dump } from '../imports/dump.js';
import { SOURCES } from '../imports/sources.js';
import { startApp, type TestApp } from '../support/app.js';
import { rawRows } from '../support/databases.js';
import { listed } from '../support/lists.js';

// Every source is a SQLite file; where a MariaDB answers, the same rows stand in its real column types too.
const ENGINES = (await mysqlReachable()) ? (['sqlite', 'mysql'] as const) : (['sqlite'] as const);
const SIZE = { affiliates: 79, referrals: 600, visits: 700 };
const sites: BuiltSite[] = [];

afterAll(async () => {
  for (const site of sites) await site.drop();
});

const startWith = (knex: Knex): Promise<TestApp> =>
  startApp({ migrators: wordpressMigrators({ knex }), currency: 'USD' });

describe.each(SOURCES)('moving in from $slug', ({ slug, fill, expected, reasons }) => {
  it.each(ENGINES)('brings every row and cent of the %s database, once', async (engine) => {
    const site = await buildSite(engine, `jest_${slug}`, SIZE, fill);
    sites.push(site);
    const t = await startWith(site.knex);
    await t.app.imports.start(slug);
    const run = await t.app.imports.run(slug);
    expect(run).toMatchObject({ stage: 'completed' });
    const report = await reportOf(t, slug);
    expect(report.progress).toMatchObject({ remaining_seconds: 0 });
    expectNothingLost(report);

    // SQL over the source says the same
    const source = (await rawRows(site.knex, expected)).map((row): [string, { n: number; total: string }] => [
      `${String(row['status'])} ${String(row['currency'])}`,
      {
        n: Number(row['n']) + (report.noted['carried_by_payment'] ?? 0),
        total: Number(row['total']).toFixed(2),
      },
    ]);
    const imported = sumsOf(report.sums, slug === 'affiliate_manager');
    expect(
      new Map([...imported].map(([key, { n, total }]) => [key, { n, total: total.toFixed(2) }])),
    ).toEqual(new Map(source));

    const remarks = Object.keys({ ...report.skipped, ...report.noted });
    expect(remarks).toEqual(expect.arrayContaining([...reasons]));
    expect(await t.service.verify()).toEqual([]);

    // once more from the beginning: every row is known, nothing moves
    const before = await dump(t.app.db);
    await t.app.imports.start(slug, true);
    await t.app.imports.run(slug);
    const again = await reportOf(t, slug);
    expect(Object.values(again.stages).map((stage) => stage.imported)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(again.skipped).toEqual(report.skipped);
    expect(await dump(t.app.db)).toEqual(before);
  });
});

it.each([
  [
    'affiliate_wp',
    'affiliate_wp_',
    { affiliates: 'affiliate_id', referrals: 'referral_id', visits: 'visit_id' },
    'referrals',
    'referral_id',
  ],
  [
    'slicewp',
    'slicewp_',
    { affiliates: 'id', commissions: 'id', visits: 'id' },
    'commissions',
    'commission_id',
  ],
  [
    'ultimate_affiliate',
    'uap_',
    { affiliates: 'id', referrals: 'id', visits: 'id' },
    'referrals',
    'referral_id',
  ],
] as const)(
  'links a click of %s by its own word where the commission names none',
  async (slug, prefix, keys, commissions, own) => {
    const site = await buildSite(
      'sqlite',
      `links_${slug}`,
      { affiliates: 1, referrals: 3, visits: 3 },
      async (old) => {
        const add = async (
          table: string,
          columns: Record<string, 'int' | 'str'>,
          rows: Record<string, number | string>[],
        ): Promise<void> => {
          await old.table(prefix + table, {
            [(keys as Record<string, string>)[table] ?? 'id']: 'id',
            ...columns,
          });
          await old.insert(prefix + table, rows);
        };
        await add('affiliates', { user_id: 'int', status: 'str' }, [{ user_id: 0, status: 'active' }]);
        const commission = { affiliate_id: 1, status: 'unpaid', amount: '1', currency: 'USD' };
        await add(
          commissions,
          { affiliate_id: 'int', visit_id: 'int', status: 'str', amount: 'str', currency: 'str' },
          [
            { ...commission, visit_id: 0 },
            { ...commission, visit_id: 3 },
            { ...commission, visit_id: 0 },
          ],
        );
        await add('visits', { affiliate_id: 'int', [own]: 'int' }, [
          { affiliate_id: 1, [own]: 1 },
          { affiliate_id: 1, [own]: 2 },
          { affiliate_id: 1, [own]: 0 },
        ]);
      },
    );
    sites.push(site);
    const t = await startWith(site.knex);
    await t.app.imports.start(slug);
    await t.app.imports.run(slug);
    expect((await listed(t, '/referrals')).map((row) => row.visit_id)).toEqual([1, 3, null]);
  },
);

async function reportOf(t: TestApp, slug: string): Promise<ImportReport> {
  const report = await t.app.imports.report(slug);
  if (report === null) throw new Error(`no report of ${slug}`);
  return report;
}

/** Every row of the source stands in one of the counts, and every cent of them in one of the sums. */
function expectNothingLost({ stages, sums }: ImportReport): void {
  for (const tally of [...Object.values(stages), ...sums])
    expect(tally.found).toBe(tally.imported + tally.existing + tally.skipped);
  for (const sum of sums)
    expect([sum.stored, sum.stored_minor]).toEqual([
      sum.imported + sum.moved,
      sum.imported_minor + sum.moved_minor,
    ]);
}

function sumsOf(
  sums: readonly { status: string; currency: string; imported: number; imported_minor: number }[],
  all: boolean,
): Map<string, { n: number; total: number }> {
  const found = new Map<string, { n: number; total: number }>();
  for (const sum of sums.filter((each) => each.imported > 0)) {
    const key = all ? `all ${sum.currency}` : `${sum.status} ${sum.currency}`;
    const known = found.get(key) ?? { n: 0, total: 0 };
    found.set(key, {
      n: known.n + sum.imported,
      total: known.total + sum.imported_minor / (sum.currency === 'JPY' ? 1 : 100),
    });
  }
  return found;
}
