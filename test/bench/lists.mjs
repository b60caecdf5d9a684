// Every list and report on two programs of one engine: a deep page beside the first one,
// a million visits beside ten thousand.
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

/**
 * [path, rows per page, deep page]. Ten thousand where the list is that long, else its middle,
 * which is the furthest from both ends.
 */
const DEEP = [
  ...orders('/visits', VISIT_ORDERS).map((path) => [path, 10, 10_000]),
  ...orders('/visits', VISIT_ORDERS).map((path) => [path, 50, 10_000]),
  ...['converted', 'not_converted'].map((status) => [
    `/visits?convert_status=${status}`,
    10,
    status === 'converted' ? 5000 : 10_000,
  ]),
  ['/affiliates/1/visits', 10, 10_000],
  ['/portal/visits', 10, 10_000, OWNER],
  ['/referrals', 10, 10_000],
  ...orders('/referrals', REFERRAL_ORDERS).map((path) => [path, 10, 5000]),
  ...['paid', 'unpaid'].map((status) => [`/referrals?status=${status}`, 10, status === 'paid' ? 2500 : 1500]),
  ['/affiliates/1/referrals', 10, 1000],
  ['/portal/referrals', 10, 1000, OWNER],
  ...orders('/affiliates', AFFILIATE_ORDERS).map((path) => [path, 10, 100]),
  ['/payouts', 10, 25],
  ['/settings/creatives', 10, 25],
  ['/portal/creatives', 10, 25, OWNER],
  ['/affiliates/1/transactions', 10, 10],
  ['/portal/transactions', 10, 10, OWNER],
  ['/payouts/2/transactions', 10, 5],
  ['/payouts/2/referrals', 10, 5],
];

const GROWTH = [
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
 * `get(user, path)` answers with milliseconds.
 * Rows: { what, first, deep, met ratio } … best of `repeats`, the two sides in turn.
 */
export async function deepPages(get, { repeats = 9, only } = {}) {
  const rows = [];
  for (const [path, size, page, user = ADMIN] of DEEP.filter(([path]) => !only || only.test(path))) {
    const cold = await get(paged(path, size, page), user);
    const times = await inTurn(
      repeats,
      (at) => get(paged(path, size, 1 + (at % 2)), user),
      (at) => get(paged(path, size, page - 3 * at), user),
    );
    rows.push({ path, size, page, cold, base: times[0], value: times[1], ratio: times[1] / times[0] });
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
