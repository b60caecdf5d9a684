import { afterAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { wordpressMigrators } from '../../src/index.js';
import { buildSite, mysqlReachable, type BuiltSite } from '../migrations/old-site.js';
import { dump } from '../migrations/dump.js';
import { SOURCES } from '../migrations/sources.js';
import { startApp, type TestApp } from '../support/app.js';
import { rawRows } from '../support/databases.js';

// Every source is a SQLite file; where a MariaDB answers, the same rows stand in its real column types too.
const ENGINES = await mysqlReachable() ? (['sqlite', 'mysql'] as const) : (['sqlite'] as const);
const SIZE = { affiliates: 79, referrals: 600, visits: 700 };
const sites: BuiltSite[] = [];

afterAll(async () => { for (const site of sites) await site.drop(); });

const startWith = (knex: Knex): Promise<TestApp> => startApp({ migrators: wordpressMigrators({ knex }), currency: 'USD' });

describe.each(SOURCES)('moving in from $slug', ({ slug, fill, expected, reasons }) => {
  it.each(ENGINES)('brings every row and cent of the %s database, once', async (engine) => {
    const site = await buildSite(engine, `jest_${slug}`, SIZE, fill);
    sites.push(site);
    const t = await startWith(site.knex);
    await t.app.migrations.start(slug);
    const run = await t.app.migrations.run(slug);
    expect(run).toMatchObject({ stage: 'completed' });
    const report = await t.app.migrations.report(slug);
    expect(report?.progress).toMatchObject({ remaining_seconds: 0 });

    // nothing between source and report is lost
    for (const tally of [...Object.values(report?.stages ?? {}), ...report?.sums ?? []]) expect(tally.found).toBe(tally.imported + tally.existing + tally.skipped);
    for (const sum of report?.sums ?? []) expect([sum.stored, sum.stored_minor]).toEqual([sum.imported, sum.imported_minor]);

    // SQL over the source says the same
    const source = (await rawRows(site.knex, expected)).map((row) => [`${String(row['status'])} ${String(row['currency'])}`, Number(row['n']), Number(row['total'])] as const);
    const stored = sumsOf(report?.sums ?? [], slug === 'affiliate_manager');
    expect(stored.size).toBe(source.length);
    for (const [key, n, total] of source) expect([key, stored.get(key)?.n, stored.get(key)?.total.toFixed(2)]).toEqual([key, n, total.toFixed(2)]);

    const remarks = Object.keys({ ...report?.skipped, ...report?.noted });
    expect(remarks).toEqual(expect.arrayContaining([...reasons]));
    expect(await t.service.verify()).toEqual([]);

    // once more from the beginning: every row is known, nothing moves
    const before = await dump(t.app.db);
    await t.app.migrations.start(slug, true);
    await t.app.migrations.run(slug);
    const again = await t.app.migrations.report(slug);
    expect(Object.values(again?.stages ?? {}).map((stage) => stage.imported)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(again?.skipped).toEqual(report?.skipped);
    expect(await dump(t.app.db)).toEqual(before);
  });
});

function sumsOf(sums: readonly { status: string; currency: string; stored: number; stored_minor: number }[], all: boolean): Map<string, { n: number; total: number }> {
  const found = new Map<string, { n: number; total: number }>();
  for (const sum of sums.filter((each) => each.stored > 0)) {
    const key = all ? `all ${sum.currency}` : `${sum.status} ${sum.currency}`;
    const known = found.get(key) ?? { n: 0, total: 0 };
    found.set(key, { n: known.n + sum.stored, total: known.total + sum.stored_minor / (sum.currency === 'JPY' ? 1 : 100) });
  }
  return found;
}
