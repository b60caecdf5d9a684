// The databases and files of old systems, in the sizes asked for.
// The fixtures are the tests' own (test/imports), in MariaDB where one answers.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import '../support/ts-loader.mjs';

export const SYSTEMS = [
  'affiliate_wp',
  'slicewp',
  'solid_affiliate',
  'affiliate_manager',
  'ultimate_affiliate',
  'fluent_affiliate',
  'csv',
];

/**
 * `source` for the worker, `expected`: `status currency` → rows and minor units its
 * commissions must bring, `drop()`.
 */
export async function buildSystem(slug, size) {
  if (slug === 'csv') return buildFiles(size);
  const { buildSite, mysqlReachable } = await import('../imports/old-site.ts');
  const { SOURCES } = await import('../imports/sources.ts');
  const { fill, expected } = SOURCES.find((source) => source.slug === slug);
  const engine = (await mysqlReachable()) ? 'mysql' : 'sqlite';
  const site = await buildSite(engine, `release_${process.pid}`, size, fill);
  const [rows] = engine === 'mysql' ? await site.knex.raw(expected) : [await site.knex.raw(expected)];
  const sums = new Map(
    rows.map((row) => [
      `${row.status} ${row.currency}`,
      { n: Number(row.n), minor: Math.round(Number(row.total) * (row.currency === 'JPY' ? 1 : 100)) },
    ]),
  );
  return {
    engine: engine === 'mysql' ? 'MariaDB' : 'SQLite',
    source: site.connection,
    expected: sums,
    drop: () => site.drop(),
  };
}

const day = (n) =>
  new Date(Date.UTC(2023, 0, 1) + n * 1_234_567).toISOString().slice(0, 19).replace('T', ' ');
const STATUSES = ['paid', 'unpaid', 'pending', 'rejected'];
const CURRENCIES = ['USD', 'EUR', ''];

/**
 * Quotes, line breaks, thousands separators, decimal commas, noise, zero dates,
 * unknown affiliates and amounts that are none.
 */
async function buildFiles({ affiliates, referrals, visits }) {
  const folder = mkdtempSync(join(tmpdir(), 'release-csv-'));
  const expected = new Map();
  const cents = (n) => (n * 7919) % 500_000;
  const text = (n) => {
    const plain = `${Math.floor(cents(n) / 100)}.${String(cents(n) % 100).padStart(2, '0')}`;
    if (n % 5 === 1) return `"${plain.replace(/\B(?=(?:\d{3})+\.)/g, ',')}"`;
    if (n % 5 === 2) return `"${plain.replace('.', ',')}"`;
    return n % 5 === 3 ? `${plain}0000000004` : plain;
  };
  await write(
    join(folder, 'affiliates.csv'),
    affiliates,
    'id,E-Mail,login,status,rate',
    (n) =>
      `${n},${n % 9 ? `user${n}@old.test` : 'ALICE@shop.test'},user${n},${n % 3 ? 'active' : 'pending'},${n % 4 ? '12.5' : ''}`,
  );
  await write(
    join(folder, 'referrals.csv'),
    referrals,
    'id,affiliate_id,State,Commission,currency,description,created_at',
    (n) => {
      const affiliate = n % 50 === 0 ? 999_999 : 1 + (n % affiliates);
      const [status, currency] = [STATUSES[n % 4], CURRENCIES[n % 3]];
      if (n % 97 !== 0 && affiliate !== 999_999) {
        const key = `${status} ${currency || 'USD'}`;
        const sum = expected.get(key) ?? { n: 0, minor: 0 };
        expected.set(key, { n: sum.n + 1, minor: sum.minor + cents(n) });
      }
      return `${n},${affiliate},${status},${n % 97 ? text(n) : 'abc'},${currency},"Order ${n}, ""quoted""\nand more",${n % 17 ? day(n) : '0000-00-00 00:00:00'}`;
    },
  );
  await write(
    join(folder, 'visits.csv'),
    visits,
    'id,affiliate_id,url,referral_id,created_at',
    (n) =>
      `${n},${n % 50 ? 1 + (n % affiliates) : 999_999},https://shop.test/p/${n},${n % 10 ? '' : n},${day(n)}`,
  );
  const file = (name, columns = {}) => ({ path: join(folder, `${name}.csv`), columns });
  return {
    engine: 'CSV files',
    source: {
      files: {
        affiliates: file('affiliates', { email: 'E-Mail' }),
        referrals: file('referrals', { status: 'State', amount: 'Commission' }),
        visits: file('visits'),
      },
    },
    expected,
    drop: async () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function write(path, count, header, line) {
  const file = createWriteStream(path);
  file.write(`${header}\r\n`);
  for (let n = 1; n <= count; n += 1) if (!file.write(`${line(n)}\r\n`)) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
}
