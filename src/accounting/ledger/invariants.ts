import { CURRENCY_CODES, currencyDigits } from '../../core/money.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { AffiliateMerge } from '../../program/affiliates/types.js';
import { unbalanced, wrongMarks, type BookPair } from './repository.js';
import { wrongTotals } from './totals-queries.js';
import type { Finding, Invariant } from './types.js';

const LIMIT = 100;
const MAX_MINOR = 999_999_999_999_999;
const MAX_HUNDREDTHS = 9_999_999_999_999; // 99,999,999,999.99

interface Check {
  readonly invariant: Invariant;
  readonly table: TableName;
  readonly detail: string;
  /** Selects the ids that break the rule. */
  readonly sql: string;
  readonly bindings?: readonly string[];
}

/** All checks, one bounded set query each. */
export async function findViolations(
  db: Db,
  currency: string,
  merging: readonly AffiliateMerge[],
): Promise<Finding[]> {
  const found = (await unbalanced(db, currency, LIMIT)).flatMap(bookViolations);
  found.push(
    ...(await wrongTotals(db, LIMIT)).map(({ affiliate_id: id, rows }): Finding => ({
      invariant: 'I3',
      table: 'referral_totals',
      id,
      detail: `Of the totals per provider and currency, ${rows} are not what the affiliate's referrals add up to.`,
    })),
  );
  for (const { detail, ids } of await wrongMarks(db, LIMIT))
    found.push(...ids.map((id): Finding => ({ invariant: 'I3', table: 'visits', id, detail })));
  for (const check of [
    ...affiliateChecks(db, currency),
    ...payoutChecks(db),
    ...referenceChecks(db, merging),
    ...uniqueChecks(db),
    ...amountChecks(db, currency),
  ]) {
    const rows: Row[] = await db.raw(`${check.sql} limit ${LIMIT}`, check.bindings ?? []);
    found.push(
      ...rows.map((row) => ({
        invariant: check.invariant,
        table: check.table,
        id: row.id === null ? null : Number(row.id),
        detail: check.detail,
      })),
    );
  }
  return found;
}

function bookViolations({ stored, counted, ledger }: BookPair): Finding[] {
  const rules = [
    ['I1', 'The stored total earnings are', stored.total_earnings_minor, counted.total_earnings_minor],
    ['I2', 'The stored unpaid earnings are', stored.unpaid_earnings_minor, counted.unpaid_earnings_minor],
    ['I3', 'The stored number of referrals is', stored.referrals, counted.referrals],
    ['I3', 'The stored number of visits is', stored.visits, counted.visits],
    ['I14', 'The stored total earnings are', stored.total_earnings_minor, ledger.total],
    ['I14', 'The stored unpaid earnings are', stored.unpaid_earnings_minor, ledger.unpaid],
  ] as const;
  return rules
    .filter(([, , is, should]) => is !== should)
    .map(([invariant, name, is, should]) => ({
      invariant,
      table: 'affiliates',
      id: stored.affiliate_id,
      detail: `${name} ${is}, but the rows come to ${should}.`,
    }));
}

function affiliateChecks(db: Db, currency: string): Check[] {
  const referrals = db.name('referrals');
  return [
    {
      invariant: 'I2',
      table: 'affiliates',
      detail: 'The unpaid earnings are not between 0 and the total earnings.',
      sql:
        `select a.id from ${db.name('affiliates')} a where (a.unpaid_earnings_minor < 0 ` +
        'or a.unpaid_earnings_minor > a.total_earnings_minor) ' +
        `and not exists (select 1 from ${referrals} r where r.affiliate_id = a.id and r.amount_minor < 0)`,
    },
    {
      invariant: 'I10',
      table: 'referrals',
      detail: 'The referral is processing, but was not imported.',
      sql: `select id from ${referrals} where status = 'processing' and source_key is null`,
    },
    {
      invariant: 'I14',
      table: 'ledger_entries',
      detail: 'The entry changes nothing.',
      sql: `select id from ${db.name('ledger_entries')} where total_delta_minor = 0 and unpaid_delta_minor = 0`,
    },
    {
      invariant: 'I13',
      table: 'referrals',
      detail: 'More is taken back than the referral came to.',
      sql:
        `select r.id from ${referrals} r left join ${referrals} p on p.id = r.parent_id where r.amount_minor < 0 ` +
        "and r.type <> 'adjustment' " + // a correction of the balance, or I15
        'and (p.id is null or r.amount_minor < -p.amount_minor ' +
        'or coalesce(r.currency, ?) <> coalesce(p.currency, ?))',
      bindings: [currency, currency],
    },
    {
      invariant: 'I5',
      table: 'payout_items',
      detail: 'The item has another amount or currency than its referral.',
      sql:
        `select i.referral_id as id from ${db.name('payout_items')} i join ${referrals} r on r.id = i.referral_id ` +
        'where i.amount_minor <> r.amount_minor or i.currency <> coalesce(r.currency, i.currency)',
    },
  ];
}

function payoutChecks(db: Db): Check[] {
  const [items, referrals, transactions, payouts] = [
    db.name('payout_items'),
    db.name('referrals'),
    db.name('payout_transactions'),
    db.name('payouts'),
  ];
  const paid = "r.status = 'paid'";
  return [
    {
      invariant: 'I4',
      table: 'payout_items',
      detail: 'The transaction of the item is missing or belongs to another affiliate.',
      sql:
        `select i.referral_id as id from ${items} i left join ${transactions} t on t.id = i.transaction_id ` +
        'where t.id is null or t.affiliate_id is null or t.affiliate_id <> i.affiliate_id',
    },
    {
      invariant: 'I5',
      table: 'referrals',
      detail: 'The referral is paid, but has no payout, transaction or item.',
      sql:
        `select r.id from ${referrals} r left join ${items} i on i.referral_id = r.id where ${paid} ` +
        'and r.paid_elsewhere = 0 ' +
        'and (r.payout_transaction_id is null or r.payout_id is null or i.referral_id is null)',
    },
    {
      invariant: 'I5',
      table: 'referrals',
      detail: 'The referral is not paid by a payout, but still names a payout, transaction or item.',
      sql:
        `select r.id from ${referrals} r left join ${items} i on i.referral_id = r.id ` +
        `where (r.status <> 'paid' or r.paid_elsewhere <> 0) ` +
        'and (r.payout_transaction_id is not null or r.payout_id is not null or i.referral_id is not null)',
    },
    {
      invariant: 'I5',
      table: 'referrals',
      detail: 'Item, transaction and referral name different payouts or affiliates.',
      sql:
        `select r.id from ${referrals} r join ${items} i on i.referral_id = r.id ` +
        `join ${transactions} t on t.id = i.transaction_id ` +
        `where ${paid} and (r.payout_transaction_id <> t.id or r.payout_id <> t.payout_id ` +
        'or t.affiliate_id <> r.affiliate_id)',
    },
    {
      invariant: 'I6',
      table: 'payout_transactions',
      detail: 'The total is not the sum of the items, or not above 0.',
      sql:
        `select t.id from ${transactions} t left join (select transaction_id, sum(amount_minor) as total ` +
        `from ${items} group by transaction_id) s ` +
        'on s.transaction_id = t.id where t.total_amount_minor <> coalesce(s.total, 0) or t.total_amount_minor <= 0',
    },
    {
      invariant: 'I6',
      table: 'payout_transactions',
      detail: 'The payout has a second transaction of the same affiliate.',
      sql:
        `select min(id) as id from ${transactions} where affiliate_id is not null ` +
        'group by payout_id, affiliate_id having count(*) > 1',
    },
    {
      invariant: 'I7',
      table: 'payouts',
      detail: 'Total or status do not follow from the transactions.',
      sql:
        'select p.id from ' +
        payouts +
        ' p left join (select payout_id, sum(total_amount_minor) as total, ' +
        `sum(case when status = 'processing' then 1 else 0 end) as running from ${transactions} ` +
        'group by payout_id) s on s.payout_id = p.id ' +
        "where p.total_amount_minor <> coalesce(s.total, 0) or p.status not in ('draft', 'processing', 'paid') " +
        "or (p.status = 'draft' and not exists (select 1 from " +
        `${db.name('works')} w where w.kind in ('payout', 'payout_undo') and w.object_id = p.id)) ` +
        "or (s.payout_id is not null and p.status <> 'draft' and p.status <> case when s.running > 0 then 'processing' else 'paid' end)",
    },
    {
      invariant: 'I8',
      table: 'payouts',
      detail: 'Payouts, transactions, items and paid referrals come to different sums.',
      sql:
        'select null as id from (select 1 as one) d where (select coalesce(sum(amount_minor), 0) ' +
        `from ${items}) <> (select coalesce(sum(total_amount_minor), 0) from ${transactions}) ` +
        'or (select coalesce(sum(total_amount_minor), 0) ' +
        `from ${transactions}) <> (select coalesce(sum(total_amount_minor), 0) from ${payouts}) ` +
        `or (select coalesce(sum(amount_minor), 0) from ${items}) <> ` +
        `(select coalesce(sum(r.amount_minor), 0) from ${referrals} r where ${paid} and r.paid_elsewhere = 0) + ` +
        `(select coalesce(sum(i.amount_minor), 0) from ${items} i where not exists (select 1 ` +
        `from ${referrals} r where r.id = i.referral_id))`,
    },
    {
      invariant: 'I9',
      table: 'payout_items',
      detail: 'The item has another currency than its transaction.',
      sql:
        `select i.referral_id as id from ${items} i join ${transactions} t on t.id = i.transaction_id ` +
        'where t.currency is null or t.currency <> i.currency',
    },
    {
      invariant: 'I9',
      table: 'payout_transactions',
      detail: 'The transaction has another currency than its payout.',
      sql:
        `select t.id from ${transactions} t join ${payouts} p on p.id = t.payout_id where p.currency is null ` +
        'or t.currency is null or p.currency <> t.currency',
    },
  ];
}

const REFERENCES: readonly (readonly [table: TableName, column: string, target: TableName])[] = [
  ['affiliates', 'group_id', 'meta'],
  ['referrals', 'affiliate_id', 'affiliates'],
  ['referrals', 'parent_id', 'referrals'],
  ['referrals', 'customer_id', 'customers'],
  ['referrals', 'visit_id', 'visits'],
  ['referrals', 'payout_transaction_id', 'payout_transactions'],
  ['referrals', 'payout_id', 'payouts'],
  ['visits', 'affiliate_id', 'affiliates'],
  ['visits', 'referral_id', 'referrals'],
  ['customers', 'by_affiliate_id', 'affiliates'],
  ['customer_names', 'customer_id', 'customers'],
  ['customers_apart', 'customer_id', 'customers'],
  ['customers_apart', 'other_id', 'customers'],
];
// These rows have a composite key, so the id of the creative is reported.
const LINKS: readonly (readonly [table: TableName, column: string, target: TableName])[] = [
  ['creative_affiliates', 'affiliate_id', 'affiliates'],
  ['creative_affiliates', 'creative_id', 'creatives'],
  ['creative_groups', 'group_id', 'meta'],
  ['creative_groups', 'creative_id', 'creatives'],
];

function referenceChecks(db: Db, merging: readonly AffiliateMerge[]): Check[] {
  const dangling =
    (id: string) =>
    ([table, column, target]: readonly [TableName, string, TableName]): Check => ({
      invariant: 'I11',
      table,
      detail: `${column} names no row of ${target}.`,
      sql:
        `select x.${id} as id from ${db.name(table)} x left join ${db.name(target)} y on y.id = x.${column} ` +
        `where x.${column} is not null and y.id is null`,
    });
  return [
    ...REFERENCES.map(dangling('id')),
    ...LINKS.map(dangling('creative_id')),
    {
      invariant: 'I11',
      table: 'referrals',
      detail: 'The visit belongs to another affiliate.',
      sql:
        `select r.id from ${db.name('referrals')} r join ${db.name('visits')} v on v.id = r.visit_id ` +
        'where (v.affiliate_id is null or r.affiliate_id is null or v.affiliate_id <> r.affiliate_id)' +
        merging.map(exceptBetween).join(''),
    },
  ];
}

/** While two accounts are merged, their visits and referrals move one after the other. */
const exceptBetween = ({ from, into }: AffiliateMerge): string => {
  const pair = [from, into].map(Number).join(', ');
  return ` and not (r.affiliate_id in (${pair}) and v.affiliate_id in (${pair}))`;
};

const UNIQUE: readonly (readonly [table: TableName, ...columns: string[]])[] = [
  ['affiliates', 'user_id'],
  ['referrals', 'dedup_key'],
  ['customers', 'email_key'],
  ['customer_names', 'name', 'kind'],
  ['customers_apart', 'customer_id', 'other_id'],
  ['provider_deliveries', 'provider', 'delivery_key'],
  ['meta', 'object_type', 'object_id', 'name_key'],
  ['connected_sites', 'site_id'],
  ['connected_sites', 'url_key'],
  ['visits', 'site_id', 'event_id'],
  ['outbox', 'event', 'recipient'],
  ['idempotency_keys', 'scope', 'idem_key'],
];

function uniqueChecks(db: Db): Check[] {
  return UNIQUE.map(([table, ...columns]) => ({
    invariant: 'I12',
    table,
    detail: `Another row has the same ${columns.join(', ')}.`,
    sql:
      `select ${table === 'idempotency_keys' ? 'null' : 'min(id)'} as id from ${db.name(table)} ` +
      `where ${columns.map((column) => `${column} is not null`).join(' and ')} ` +
      `group by ${columns.join(', ')} having count(*) > 1`,
  }));
}

function amountChecks(db: Db, currency: string): Check[] {
  const beyond = (table: TableName, column: string, limit: number): Check => ({
    invariant: 'I13',
    table,
    detail: `${column} has too many digits.`,
    sql:
      `select ${table === 'payout_items' ? 'referral_id' : 'id'} as id from ${db.name(table)} ` +
      `where ${column} > ${limit} or ${column} < -${limit}`,
  });
  return [
    ...limits().map(({ limit, codes, others }): Check => ({
      invariant: 'I13',
      table: 'referrals',
      detail: 'The amount is beyond 99,999,999,999.99.',
      sql:
        `select id from ${db.name('referrals')} where abs(amount_minor) > ${limit} ` +
        `and coalesce(currency, ?) ${others ? 'not in' : 'in'} (${codes.map(() => '?').join(', ')})`,
      bindings: [currency, ...codes],
    })),
    beyond('referrals', 'order_total_minor', MAX_MINOR),
    beyond('affiliates', 'total_earnings_minor', MAX_MINOR),
    beyond('affiliates', 'unpaid_earnings_minor', MAX_MINOR),
    beyond('payouts', 'total_amount_minor', MAX_MINOR),
    beyond('payout_transactions', 'total_amount_minor', MAX_MINOR),
    beyond('payout_items', 'amount_minor', MAX_MINOR),
  ];
}

/** The largest amount in minor units, by number of decimals; currencies that are not listed have two. */
function limits(): { limit: number; codes: string[]; others: boolean }[] {
  const special = CURRENCY_CODES.map((code) => ({ code, digits: currencyDigits(code) })).filter(
    ({ digits }) => digits !== 2,
  );
  const groups = [...new Set(special.map(({ digits }) => digits))].map((digits) => ({
    limit: Math.floor(MAX_HUNDREDTHS * 10 ** (digits - 2)),
    codes: special.filter((each) => each.digits === digits).map(({ code }) => code),
    others: false,
  }));
  return [...groups, { limit: MAX_HUNDREDTHS, codes: special.map(({ code }) => code), others: true }];
}
