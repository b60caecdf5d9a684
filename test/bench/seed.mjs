// A program of any size in a few statements per table, the same rows on every engine:
// counters, ledger and day figures agree (`verify()` is empty).
import { addUp, numbers, power } from '../release/books.mjs';
import { rowsOf } from '../release/engines.mjs';

const VISITS = Number(process.env.BENCH_VISITS ?? 1_000_000);

export const LARGE = {
  affiliates: 2000,
  visits: VISITS,
  referrals: VISITS / 10,
  payouts: 500,
  creatives: 500,
};
/** A hundredth of the traffic of as many affiliates. */
export const SMALL = { ...LARGE, visits: VISITS / 100, referrals: VISITS / 1000 };

const DAY = 86_400_000;
const DAYS = 100;
const FIRST_DAY = 20_400;
const START = FIRST_DAY * DAY;
const PART = 100_000;
const SHARDS = 16; // of daily_stats
const CURRENCY = 'USD';

/** Every fifth visit is affiliate 1's, so that one affiliate's own list is deep too. */
const ownerOf = (visit, { affiliates }) =>
  `case when ${visit} % 5 = 0 then 1 else 1 + ${visit} % ${affiliates} end`;

/** Fills an empty, up-to-date schema. `engine` is sqlite, postgres or mysql. */
export async function seed(knex, engine, size) {
  const div = (a, b) => (engine === 'mysql' ? `(${a} div ${b})` : `(${a} / ${b})`);
  const step = Math.floor((DAYS * DAY) / size.visits);
  const timeOf = (visit) =>
    `${START} + ${engine === 'postgres' ? `cast(${visit} as bigint)` : visit} * ${step}`;
  for (const fill of [
    affiliates,
    visits,
    creatives,
    customers,
    payouts,
    referrals,
    transactions,
    marks,
    counters,
    totals,
    dayFigures,
  ]) {
    await knex.transaction((trx) => fill({ run: (sql) => trx.raw(sql), div, timeOf, engine, ...size }));
  }
  for (const sql of finish(engine)) await knex.raw(sql);
}

const rows = (count) => `from ${numbers(power(count))} where n < ${count}`;

async function affiliates({ run, affiliates: count }) {
  await run(
    'insert into fa_affiliates (id, user_id, rate_type, status, settings, payment_email, created_at, updated_at) ' +
      "select n + 1, n + 1, 'default', case when n % 20 = 19 then 'pending' " +
      `else 'active' end, '{"bank_details":""}', concat('pay', n, '@shop.test'), ${START} + n, ` +
      `${START} + n ${rows(count)}`,
  );
}

async function visits({ run, timeOf, visits: count, ...size }) {
  const text = (prefix, kinds) => `case when n % 10 = 9 then null else concat('${prefix}', n % ${kinds}) end`;
  for (let from = 0; from < count; from += PART) {
    await run(
      'insert into fa_visits (id, affiliate_id, url, referrer, utm_campaign, utm_medium, utm_source, ip, ' +
        'visitor_key, created_at, updated_at) ' +
        `select n + 1, ${ownerOf('n', size)}, concat('https://shop.example.test/products/', n % 20011, '?size=', ` +
        "n % 13), concat('https://blog.example.test/post/', n % 5003), " +
        `${text('campaign-', 997)}, ${text('medium-', 7)}, ${text('source-', 23)}, '203.0.113.0', ` +
        `'0123456789abcdef0123456789abcdef', ${timeOf('n')}, ${timeOf('n')} ` +
        `from (select n + ${from} as n ${rows(Math.min(PART, count - from))}) part`,
    );
  }
}

async function creatives({ run, creatives: count }) {
  await run(
    'insert into fa_creatives (id, name, type, text, url, privacy, status, meta, created_at, updated_at) ' +
      "select n + 1, concat('Banner ', n), 'text', 'Sale', 'https://shop.example.test/', 'public', 'active', " +
      `'{}', ${START} + n, ${START} + n ${rows(count)}`,
  );
}

async function customers({ run, referrals: count, affiliates: owners }) {
  await run(
    'insert into fa_customers (id, by_affiliate_id, email, email_key, first_name, created_at, updated_at) ' +
      `select n + 1, 1 + n % ${owners}, concat('c', n, '@mail.test'), concat('c', n, '@mail.test'), 'Jo', ` +
      `${START} + n, ${START} + n ${rows(count / 10)}`,
  );
}

async function payouts({ run, payouts: count }) {
  await run(
    'insert into fa_payouts (id, payout_method, status, currency, title, settings, created_at, updated_at) ' +
      `select n + 1, 'manual', 'paid', '${CURRENCY}', concat('Payout ', n), '{}', ${START} + n, ` +
      `${START} + n ${rows(count)}`,
  );
}

/** One for every ten visits; the older half is paid. */
async function referrals({
  run,
  div,
  timeOf,
  referrals: count,
  visits: clicks,
  payouts: runs,
  affiliates: owners,
}) {
  const each = clicks / count;
  const visit = `(n * ${each} + ${div('n', 200)} % ${each})`;
  const paid = `n < ${count / 2}`;
  const status =
    `case when ${paid} then 'paid' when n % 7 < 5 then 'unpaid' when n % 7 = 5 then 'pending' ` +
    "else 'rejected' end";
  await run(
    'insert into fa_referrals (id, affiliate_id, visit_id, customer_id, description, status, amount_minor, ' +
      'order_total_minor, currency, provider, provider_id, type, payout_id, created_at, updated_at) ' +
      `select n + 1, ${ownerOf(visit, { affiliates: owners })}, ${visit} + 1, 1 + n % ${count / 10}, ` +
      `concat('Order ', n), ${status}, 1 + (n * 37) % 9000, 10 * (1 + (n * 37) % 9000), '${CURRENCY}', ` +
      "case when n % 3 = 0 then 'woo' else 'edd' end, concat('o', n), 'sale', case " +
      `when ${paid} then 1 + ${div('n', count / 2 / runs)} else null end, ` +
      `${timeOf(visit)}, ${START} + n ${rows(count)}`,
  );
}

async function transactions({ run }) {
  await run(
    'insert into fa_payout_transactions (affiliate_id, payout_id, total_amount_minor, payout_method, status, ' +
      'currency, created_at, updated_at) ' +
      `select affiliate_id, payout_id, sum(amount_minor), 'manual', 'paid', '${CURRENCY}', ${START} + payout_id, ` +
      `${START} + payout_id from fa_referrals where status = 'paid' ` +
      'group by payout_id, affiliate_id order by payout_id, affiliate_id',
  );
  await run(
    'update fa_referrals set payout_transaction_id = ' +
      '(select t.id from fa_payout_transactions t where t.payout_id = fa_referrals.payout_id ' +
      "and t.affiliate_id = fa_referrals.affiliate_id) where status = 'paid'",
  );
  await run(
    'insert into fa_payout_items (referral_id, transaction_id, affiliate_id, amount_minor, currency) ' +
      "select id, payout_transaction_id, affiliate_id, amount_minor, currency from fa_referrals where status = 'paid'",
  );
  await run(
    'update fa_payouts set total_amount_minor = (select coalesce(sum(t.total_amount_minor), 0) ' +
      'from fa_payout_transactions t where t.payout_id = fa_payouts.id)',
  );
}

async function marks({ run }) {
  await run('update fa_visits set converted = 1 where id in (select visit_id from fa_referrals)');
}

async function counters({ run }) {
  const sum = (...statuses) =>
    '(select coalesce(sum(r.amount_minor), 0) from fa_referrals r where r.affiliate_id = fa_affiliates.id ' +
    `and r.status in (${statuses.map((status) => `'${status}'`).join(', ')}))`;
  await run(
    `update fa_affiliates set total_earnings_minor = ${sum('paid', 'unpaid')}, ` +
      `unpaid_earnings_minor = ${sum('unpaid')}, ` +
      'referrals = (select count(*) from fa_referrals r where r.affiliate_id = fa_affiliates.id), ' +
      'visits = (select count(*) from fa_visits v where v.affiliate_id = fa_affiliates.id)',
  );
  await run(
    'insert into fa_ledger_entries (affiliate_id, kind, currency, total_delta_minor, unpaid_delta_minor, created_at) ' +
      `select id, 'earned', '${CURRENCY}', total_earnings_minor, unpaid_earnings_minor, ${START} ` +
      'from fa_affiliates where total_earnings_minor <> 0',
  );
}

const totals = ({ run }) => addUp({ raw: run });

async function dayFigures({ run, div, engine }) {
  const day = div('created_at', DAY);
  const key = { sqlite: 'text', postgres: 'varchar(32)', mysql: 'char(32)' }[engine];
  const count = (table, column, id = 'affiliate_id') => {
    const counts = ['visits', 'referrals', 'affiliates'].map(
      (each) => `${each === column ? 'count(*)' : '0'} as ${each}`,
    );
    return `select ${id} as a, ${day} as d, ${counts.join(', ')} from ${table} group by ${id}, ${day}`;
  };
  const counted = ['visits', 'referrals']
    .map((table) => count(`fa_${table}`, table))
    .concat(count('fa_affiliates', 'affiliates', 'id'))
    .join(' union all ');
  for (const scope of ["concat('a:', a)", `concat('all:', a % ${SHARDS})`]) {
    await run(
      'insert into fa_daily_stats (scope, day, visits, referrals, affiliates) ' +
        `select cast(${scope} as ${key}) as s, d, sum(visits), sum(referrals), sum(affiliates) ` +
        `from (${counted}) counted group by s, d`,
    );
  }
}

/** Sequences behind the ids we chose, and fresh statistics. */
function finish(engine) {
  const tables = ['affiliates', 'visits', 'creatives', 'customers', 'payouts', 'referrals'].map(
    (table) => `fa_${table}`,
  );
  if (engine === 'sqlite') return ['analyze'];
  if (engine === 'mysql')
    return [`analyze table ${tables.join(', ')}, fa_payout_transactions, fa_daily_stats, fa_referral_totals`];
  return [
    ...tables.map(
      (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`,
    ),
    'vacuum analyze',
  ];
}

export const countOf = async (knex, table) =>
  Number(rowsOf(await knex.raw(`select count(*) as n from fa_${table}`))[0].n);
