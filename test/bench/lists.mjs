// Every list and report on two programs of one engine: a deep page beside the same page
// read by hand, a million visits beside ten thousand.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { LARGE } from './seed.mjs';

const ADMIN = undefined;
const OWNER = 'owner'; // the host user of affiliate 1, whose own lists are the longest

const orders = (list, columns, rest = '') =>
  columns.flatMap((column) =>
    ['DESC', 'ASC'].map((type) => `${list}?order_by=${column}&order_type=${type}${rest}`),
  );
const VISIT_ORDERS = ['id', 'created_at', 'affiliate_id', 'utm_campaign', 'utm_medium', 'utm_source', 'url'];
const REFERRAL_ORDERS = [
  'created_at',
  'id',
  'updated_at',
  'amount',
  'order_total',
  'status',
  'type',
  'provider',
  'provider_id',
  'affiliate_id',
];
const AFFILIATE_ORDERS = [
  'id',
  'total_earnings',
  'unpaid_earnings',
  'referrals',
  'visits',
  'created_at',
  'updated_at',
  'status',
  'rate',
  'payment_email',
];

const GROWING = ['visits', 'referrals', 'payout_transactions'];
const COLUMNS = {
  amount: 'amount_minor',
  order_total: 'order_total_minor',
  total_earnings: 'total_earnings_minor',
  unpaid_earnings: 'unpaid_earnings_minor',
  rate: 'rate_e4',
};

/**
 * [path, rows per page, deep page of a million visits, where and by what it is read by hand, who asks].
 * Ten thousand where the list is that long, else its middle, which is the furthest from both ends.
 */
const DEEP = [
  ...orders('/visits', VISIT_ORDERS).map((path) => [path, 10, 10_000, sortedBy('visits', path)]),
  ...orders('/visits', VISIT_ORDERS).map((path) => [path, 50, 10_000, sortedBy('visits', path)]),
  ['/visits?convert_status=converted', 10, 5000, newest('visits', 'converted = 1')],
  ['/visits?convert_status=not_converted', 10, 10_000, newest('visits', 'converted = 0')],
  ['/affiliates/1/visits', 10, 10_000, newest('visits', 'affiliate_id = 1')],
  ['/portal/visits', 10, 10_000, newest('visits', 'affiliate_id = 1'), OWNER],
  ['/referrals', 10, 5000, newest('referrals')],
  ...orders('/referrals', REFERRAL_ORDERS).map((path) => [path, 10, 5000, sortedBy('referrals', path)]),
  ['/referrals?status=paid', 10, 2500, newest('referrals', "status = 'paid'")],
  ['/referrals?status=unpaid', 10, 1500, newest('referrals', "status = 'unpaid'")],
  ['/affiliates/1/referrals', 10, 1000, newest('referrals', 'affiliate_id = 1')],
  ['/portal/referrals', 10, 1000, newest('referrals', 'affiliate_id = 1'), OWNER],
  ...orders('/affiliates', AFFILIATE_ORDERS).map((path) => [path, 10, 100, sortedBy('affiliates', path)]),
  ['/payouts', 10, 25, newest('payouts')],
  ['/settings/creatives', 10, 25, newest('creatives')],
  ['/portal/creatives', 10, 25, newest('creatives'), OWNER],
  ['/affiliates/1/transactions', 10, 10, newest('payout_transactions', 'affiliate_id = 1')],
  ['/portal/transactions', 10, 10, newest('payout_transactions', 'affiliate_id = 1'), OWNER],
  ['/payouts/45/transactions', 10, 5, newest('payout_transactions', 'payout_id = 45')],
  ['/payouts/45/referrals', 10, 5, newest('referrals', 'payout_id = 45')],
];

function newest(table, where = '1 = 1') {
  return { table, where, by: 'id desc' };
}

/** As the address orders: by the column behind the field, then by id. */
function sortedBy(table, path) {
  const { order_by: field, order_type: type } = Object.fromEntries(new URL(path, 'http://list').searchParams);
  const column = COLUMNS[field] ?? field;
  return { table, where: '1 = 1', by: column === 'id' ? `id ${type}` : `${column} ${type}, id ${type}` };
}

/**
 * A list read by hand in two steps, with the count of its rows, behind a bare server.
 * `get(list, size, page)` answers milliseconds.
 */
export async function listsByHand(knex) {
  const rows = async (sql) => {
    const answer = await knex.raw(sql);
    return answer.rows ?? (Array.isArray(answer[0]) ? answer[0] : answer);
  };
  const server = createServer(async (req, res) => {
    const { table, where, by, size, page } = Object.fromEntries(new URL(req.url, 'http://list').searchParams);
    const [{ n }] = await rows(`select count(*) as n from fa_${table} where ${where}`);
    const ids = await rows(
      `select id from fa_${table} where ${where} order by ${by} limit ${size} offset ${(page - 1) * size}`,
    );
    const found = await rows(`select * from fa_${table} where id in (${ids.map(({ id }) => id).join(', ')})`);
    const places = new Map(ids.map(({ id }, at) => [Number(id), at]));
    found.sort((a, b) => places.get(Number(a.id)) - places.get(Number(b.id)));
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ total: Number(n), rows: found }));
  });
  server.keepAliveTimeout = 0; // other parts take longer than connections are kept
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  return {
    async get(list, size, page) {
      const query = new URLSearchParams({ ...list, size, page });
      const began = performance.now();
      const answer = await fetch(`${url}?${query}`);
      const { rows: found } = await answer.json();
      if (found.length === 0) throw new Error(`${query}: no rows by hand`);
      return performance.now() - began;
    },
    close: () => server.close(),
  };
}

export const GROWTH = [
  ...orders('/visits', VISIT_ORDERS),
  '/visits?convert_status=converted',
  '/visits?convert_status=not_converted',
  '/visits?search=affiliate_id=7',
  '/visits?search=utm_campaign=campaign-7',
  ...orders('/referrals', REFERRAL_ORDERS),
  ...['paid', 'unpaid', 'pending', 'rejected'].map((status) => `/referrals?status=${status}`),
  '/referrals?search=provider_id=o77',
  '/referrals/77',
  ...orders('/affiliates', AFFILIATE_ORDERS),
  '/affiliates?status=active',
  '/affiliates/7',
  ...['visits', 'referrals', 'transactions', 'customers', 'stats', 'statistics'].map(
    (part) => `/affiliates/7/${part}?per_page=5`,
  ),
  '/affiliates/1/visits',
  '/affiliates/1/stats',
  '/affiliates/1/statistics',
  '/payouts',
  '/payouts/2',
  '/payouts/2/transactions?per_page=1',
  '/payouts/2/referrals?per_page=1',
  '/settings/creatives',
  '/reports/dashboard-stats',
  '/reports/dashboard-chart-stats',
  '/reports/advanced-providers',
  '/reports/commerce-reports/fla',
  '/reports/commerce-reports/woo',
  ...['stats', 'visits', 'referrals', 'transactions', 'creatives', 'settings', 'bootstrap'].map((part) => [
    `/portal/${part}`,
    OWNER,
  ]),
].map((entry) => (Array.isArray(entry) ? entry : [entry, ADMIN]));

const paged = (path, size, page) => `${path}${path.includes('?') ? '&' : '?'}per_page=${size}&page=${page}`;

/**
 * `get(path, user)` answers with milliseconds, `hand` likewise, without it the base is the first page.
 * Rows: { path, size, page, base, value, ratio }, best of `repeats`, the two sides in turn.
 */
export async function deepPages(get, { repeats = 9, only, hand } = {}) {
  const rows = [];
  for (const [path, size, deepest, list, user = ADMIN] of DEEP.filter(([path]) => !only || only.test(path))) {
    const page = GROWING.includes(list.table) ? Math.ceil((deepest * LARGE.visits) / 1_000_000) : deepest;
    const at = (turn) => Math.max(1, page - 3 * turn);
    const times = await inTurn(
      repeats,
      (turn) => (hand ? hand.get(list, size, at(turn)) : get(paged(path, size, 1 + (turn % 2)), user)),
      (turn) => get(paged(path, size, at(turn)), user),
    );
    rows.push({ path, size, page, base: times[0], value: times[1], ratio: times[1] / times[0] });
  }
  return rows;
}

export async function growth(large, small, { repeats = 9, only } = {}) {
  const rows = [];
  for (const [path, user] of GROWTH.filter(([path]) => !only || only.test(path))) {
    const times = await inTurn(
      repeats,
      () => small(path, user),
      () => large(path, user),
    );
    rows.push({ path, base: times[0], value: times[1], ratio: times[1] / times[0] });
  }
  return rows;
}

/**
 * The best of each, because others use the machine too; measured in turn, so that both meet the same others.
 */
async function inTurn(repeats, one, other) {
  const best = [Infinity, Infinity];
  for (let at = 0; at < repeats; at += 1) {
    best[0] = Math.min(best[0], await one(at));
    best[1] = Math.min(best[1], await other(at));
  }
  return best;
}
