import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { testEngine } from '../support/databases.js';
import { affiliate, earn } from '../support/payouts.js';
import { statementsOf } from '../support/statements.js';

// The pages together are the list, nulls last.

async function pagesOf(
  t: TestApp,
  list: 'visits' | 'referrals',
  query: string,
): Promise<{ whole: number[]; paged: number[] }> {
  const ids = async (page: string): Promise<number[]> =>
    (await t.admin.get(`/${list}?${query}&${page}`).expect(200)).body[list].data.map(
      (row: { id: number }) => row.id,
    );
  const whole = await ids('per_page=200');
  const paged: number[] = [];
  for (let page = 1; page <= Math.ceil(whole.length / 3); page++)
    paged.push(...(await ids(`per_page=3&page=${page}`)));
  return { whole, paged };
}

it('shows every visit on exactly one page', async () => {
  const t = await startApp();
  const { id } = await affiliate(t, 2);
  for (let at = 0; at < 10; at++)
    await t.records.visit({
      affiliate_id: id,
      utm_campaign: at % 3 === 0 ? null : `c${at % 2}`,
      url: `https://shop.test/${at % 4}`,
    });

  for (const column of ['id', 'created_at', 'affiliate_id', 'utm_campaign', 'utm_source', 'url']) {
    for (const type of ['ASC', 'DESC']) {
      const { whole, paged } = await pagesOf(t, 'visits', `order_by=${column}&order_type=${type}`);
      expect(whole).toHaveLength(10);
      expect(paged).toEqual(whole);
    }
  }
  const { whole } = await pagesOf(t, 'visits', 'order_by=utm_campaign&order_type=DESC');
  expect(whole.slice(-4)).toEqual([10, 7, 4, 1]);
});

it('shows every referral on exactly one page', async () => {
  const t = await startApp();
  const { id } = await affiliate(t, 2);
  for (let at = 0; at < 10; at++)
    await earn(t, id, 100 + (at % 3), at % 2 === 0 ? { provider: 'shop', provider_id: String(at % 4) } : {});

  for (const column of [
    'id',
    'created_at',
    'amount',
    'order_total',
    'status',
    'provider',
    'provider_id',
    'affiliate_id',
  ]) {
    for (const type of ['ASC', 'DESC']) {
      const { whole, paged } = await pagesOf(t, 'referrals', `order_by=${column}&order_type=${type}`);
      expect(whole).toHaveLength(10);
      expect(paged).toEqual(whole);
    }
  }
});

it('counts no rows where the first page contains all of them', async () => {
  const t = await startApp();
  const { id } = await affiliate(t, 2);
  for (let at = 0; at < 5; at++)
    await t.records.visit({ affiliate_id: id, utm_campaign: at < 2 ? 'c' : null });
  const seen: unknown[] = [];
  for (const page of [
    'per_page=10',
    'per_page=2',
    'per_page=2&page=3',
    'per_page=2&page=9',
    'page=99999999',
  ]) {
    const shown: number[] = [];
    const statements = await statementsOf(t, async () => {
      const { visits } = (await t.admin.get(`/visits?${page}`).expect(200)).body;
      shown.push(visits.total, visits.data.length);
    });
    seen.push([...shown, statements.filter((sql) => /\bcount\(/.test(sql)).length]);
  }
  expect(seen).toEqual([
    [5, 5, 0],
    [5, 2, 1],
    [5, 1, 1],
    [5, 0, 1],
    [5, 0, 1],
  ]);
  const { visits } = (await t.admin.get('/visits?search=nothing').expect(200)).body;
  expect(visits).toMatchObject({ total: 0, data: [], from: null, last_page: 1 });
  const beyond = (await t.admin.get('/visits?order_by=utm_campaign&per_page=2&page=9').expect(200)).body
    .visits;
  expect(beyond).toMatchObject({ total: 5, data: [] });
});

// The id is the order of the rows themselves. A plan is asked for where it does not depend on how many rows
// there are just now: on SQLite. What is asked daily has an index;
// a click pays for every one, so rare orders and searches read the table.

const both = (list: string, columns: readonly string[], rest = ''): string[] =>
  columns.flatMap((column) =>
    ['ASC', 'DESC'].map((type) => `${list}?order_by=${column}&order_type=${type}${rest}`),
  );
const equal = (list: string, columns: readonly string[], value = 'x'): string[] =>
  columns.map((column) => `${list}?search=${encodeURIComponent(`${column}=${value}`)}`);

const STATUSES = ['unpaid', 'pending', 'rejected'];
const LISTS = [
  ...both('/visits', ['created_at', 'affiliate_id', 'utm_campaign']),
  ...both('/visits', ['id'], '&affiliate_id=1'),
  ...equal('/visits', ['affiliate_id'], '7'),
  ...equal('/visits', ['utm_campaign']),
  '/visits?order_by=created_at&date_from=2026-01-01&date_to=2026-01-31',
  ...both('/referrals', ['created_at']),
  ...both('/referrals', ['id'], '&affiliate_id=1'),
  ...equal('/referrals', ['affiliate_id', 'parent_id', 'customer_id', 'visit_id', 'payout_id'], '7').map(
    (path) => `${path}&order_by=id`,
  ),
  ...STATUSES.map((status) => `/referrals?status=${status}`),
  ...both('/affiliates', ['created_at', 'payment_email']),
  '/affiliates?status=active',
];

/** A click and a commission of every kind, so that no list is known to be empty before it is asked for. */
async function program(): Promise<TestApp> {
  const t = await startApp();
  const { id } = await t.records.affiliate({ user_id: 2 });
  await t.records.visit({ affiliate_id: id });
  const { id: visit } = await t.records.visit({ affiliate_id: id });
  for (const status of STATUSES)
    await earn(t, id, 0, {
      status: status as 'unpaid',
      provider: 'shop',
      dedup_key: status,
      visit_id: visit,
    });
  return t;
}

/** The steps that pass every row or sort them, in the plans of a list's page and its number of rows. */
async function slowSteps(t: TestApp, path: string): Promise<string[]> {
  const table = `fa_${path.slice(1).split('?')[0]}`;
  const asked: { readonly sql: string; readonly bindings?: readonly never[] }[] = [];
  const listen = (query: (typeof asked)[number]): void => {
    asked.push(query);
  };
  t.app.db.knex.on('query', listen);
  await t.admin.get(path).expect(200);
  t.app.db.knex.removeListener('query', listen);
  const reads = asked.filter(
    ({ sql }) => sql.startsWith('select') && sql.includes(table) && /\blimit\b|\bcount\(/.test(sql),
  );
  expect(reads).not.toEqual([]);
  const plans = await Promise.all(
    reads.map(({ sql, bindings = [] }) => t.app.db.knex.raw(`explain query plan ${sql}`, bindings)),
  );
  const steps = (plans as unknown as { readonly detail: string }[][]).flat().map(({ detail }) => detail);
  return steps.filter((step) => new RegExp(`^SCAN ${table}(?! USING)|TEMP B-TREE`).test(step));
}

if (testEngine() === 'sqlite') {
  it('finds what is asked daily by an index', async () => {
    const t = await program();
    const slow: [string, string[]][] = [];
    for (const path of LISTS) {
      const steps = await slowSteps(t, path);
      if (steps.length > 0) slow.push([path, steps]);
    }
    expect(slow).toEqual([]);
  });
}
