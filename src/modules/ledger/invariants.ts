import { CURRENCY_CODES, currencyDigits } from '../../core/money.js';
import type { Db, Row } from '../../database/db.js';
import type { TableName } from '../../database/tables.js';
import { unbalanced, wrongMarks, type BookPair } from './repository.js';
import { wrongTotals } from './totals-queries.js';
import type { Violation } from './types.js';

const LIMIT = 100;
const MAX_MINOR = 999_999_999_999_999;
const MAX_HUNDREDTHS = 9_999_999_999_999; // 99,999,999,999.99

interface Check {
  readonly invariant: string;
  readonly table: TableName;
  readonly detail: string;
  /** Selects the ids that break the rule. */
  readonly sql: string;
  readonly bindings?: readonly string[];
}

/** All checks, one bounded set query each. */
export async function findViolations(db: Db, currency: string): Promise<Violation[]> {
  const found = (await unbalanced(db, currency, LIMIT)).flatMap(bookViolations);
  found.push(
    ...(await wrongTotals(db, LIMIT)).map(({ affiliate_id: id, rows }): Violation => ({
      invariant: 'I3',
      table: 'referral_totals',
      id,
      detail: `${rows} rows are not what the affiliate's referrals add up to`,
    })),
  );
  for (const check of [
    ...affiliateChecks(db, currency),
    ...payoutChecks(db),
    ...referenceChecks(db),
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

function bookViolations({ stored, counted, ledger }: BookPair): Violation[] {
  const rules = [
    ['I1', 'total_earnings', stored.total_earnings_minor, counted.total_earnings_minor],
    ['I2', 'unpaid_earnings', stored.unpaid_earnings_minor, counted.unpaid_earnings_minor],
    ['I3', 'referrals', stored.referrals, counted.referrals],
    ['I3', 'visits', stored.visits, counted.visits],
    ['I14', 'ledger total', ledger.total, stored.total_earnings_minor],
    ['I14', 'ledger unpaid', ledger.unpaid, stored.unpaid_earnings_minor],
  ] as const;
  return rules
    .filter(([, , is, should]) => is !== should)
    .map(([invariant, name, is, should]) => ({
      invariant,
      table: 'affiliates',
      id: stored.affiliate_id,
      detail: `${name} is ${is}, should be ${should}`,
    }));
}

function affiliateChecks(db: Db, currency: string): Check[] {
  const referrals = db.name('referrals');
  return [
    {
      invariant: 'I2',
      table: 'affiliates',
      detail: 'unpaid earnings are not between 0 and total earnings',
      sql:
        `select a.id from ${db.name('affiliates')} a where (a.unpaid_earnings_minor < 0 or a.unpaid_earnings_minor > a.total_earnings_minor) ` +
        `and not exists (select 1 from ${referrals} r where r.affiliate_id = a.id and r.amount_minor < 0)`,
    },
    ...wrongMarks(db).map(({ detail, sql }): Check => ({ invariant: 'I3', table: 'visits', detail, sql })),
    {
      invariant: 'I10',
      table: 'referrals',
      detail: 'status processing outside an import',
      sql: `select id from ${referrals} where status = 'processing' and source_key is null`,
    },
    {
      invariant: 'I14',
      table: 'ledger_entries',
      detail: 'an entry that changes nothing',
      sql: `select id from ${db.name('ledger_entries')} where total_delta_minor = 0 and unpaid_delta_minor = 0`,
    },
    {
      invariant: 'I13',
      table: 'referrals',
      detail: 'an adjustment below minus the amount of its parent',
      sql:
        `select r.id from ${referrals} r left join ${referrals} p on p.id = r.parent_id where r.amount_minor < 0 ` +
        "and r.type <> 'adjustment' " + // a correction of the balance, or I15
        'and (p.id is null or r.amount_minor < -p.amount_minor or coalesce(r.currency, ?) <> coalesce(p.currency, ?))',
      bindings: [currency, currency],
    },
    {
      invariant: 'I5',
      table: 'payout_items',
      detail: 'amount or currency differ from the referral',
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
      detail: 'the transaction is missing or of another affiliate',
      sql:
        `select i.referral_id as id from ${items} i left join ${transactions} t on t.id = i.transaction_id ` +
        'where t.id is null or t.affiliate_id is null or t.affiliate_id <> i.affiliate_id',
    },
    {
      invariant: 'I5',
      table: 'referrals',
      detail: 'paid, but not part of a payout in every place',
      sql:
        `select r.id from ${referrals} r left join ${items} i on i.referral_id = r.id where ${paid} and r.paid_elsewhere = 0 ` +
        'and (r.payout_transaction_id is null or r.payout_id is null or i.referral_id is null)',
    },
    {
      invariant: 'I5',
      table: 'referrals',
      detail: 'not paid by a payout, but still part of one',
      sql:
        `select r.id from ${referrals} r left join ${items} i on i.referral_id = r.id where (r.status <> 'paid' or r.paid_elsewhere <> 0) ` +
        'and (r.payout_transaction_id is not null or r.payout_id is not null or i.referral_id is not null)',
    },
    {
      invariant: 'I5',
      table: 'referrals',
      detail: 'item, transaction and referral disagree',
      sql:
        `select r.id from ${referrals} r join ${items} i on i.referral_id = r.id join ${transactions} t on t.id = i.transaction_id ` +
        `where ${paid} and (r.payout_transaction_id <> t.id or r.payout_id <> t.payout_id or t.affiliate_id <> r.affiliate_id)`,
    },
    {
      invariant: 'I6',
      table: 'payout_transactions',
      detail: 'the total is not the sum of its items, or not above 0',
      sql:
        `select t.id from ${transactions} t left join (select transaction_id, sum(amount_minor) as total from ${items} group by transaction_id) s ` +
        'on s.transaction_id = t.id where t.total_amount_minor <> coalesce(s.total, 0) or t.total_amount_minor <= 0',
    },
    {
      invariant: 'I6',
      table: 'payout_transactions',
      detail: 'two transactions of one affiliate in a payout',
      sql: `select min(id) as id from ${transactions} where affiliate_id is not null group by payout_id, affiliate_id having count(*) > 1`,
    },
    {
      invariant: 'I7',
      table: 'payouts',
      detail: 'total or status do not follow from the transactions',
      sql:
        'select p.id from ' +
        payouts +
        ' p left join (select payout_id, sum(total_amount_minor) as total, ' +
        `sum(case when status = 'processing' then 1 else 0 end) as running from ${transactions} group by payout_id) s on s.payout_id = p.id ` +
        "where p.total_amount_minor <> coalesce(s.total, 0) or p.status not in ('processing', 'paid') " +
        "or (s.payout_id is not null and p.status <> case when s.running > 0 then 'processing' else 'paid' end)",
    },
    {
      invariant: 'I8',
      table: 'payouts',
      detail: 'payouts, transactions, items and paid referrals do not add up',
      sql:
        `select null as id from (select 1 as one) d where (select coalesce(sum(amount_minor), 0) from ${items}) <> (select coalesce(sum(total_amount_minor), 0) from ${transactions}) ` +
        `or (select coalesce(sum(total_amount_minor), 0) from ${transactions}) <> (select coalesce(sum(total_amount_minor), 0) from ${payouts}) ` +
        `or (select coalesce(sum(amount_minor), 0) from ${items}) <> ` +
        `(select coalesce(sum(r.amount_minor), 0) from ${referrals} r where ${paid} and r.paid_elsewhere = 0) + ` +
        `(select coalesce(sum(i.amount_minor), 0) from ${items} i where not exists (select 1 from ${referrals} r where r.id = i.referral_id))`,
    },
    {
      invariant: 'I9',
      table: 'payout_items',
      detail: 'currencies of item and transaction differ',
      sql: `select i.referral_id as id from ${items} i join ${transactions} t on t.id = i.transaction_id where t.currency is null or t.currency <> i.currency`,
    },
    {
      invariant: 'I9',
      table: 'payout_transactions',
      detail: 'currencies of transaction and payout differ',
      sql: `select t.id from ${transactions} t join ${payouts} p on p.id = t.payout_id where p.currency is null or t.currency is null or p.currency <> t.currency`,
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
];
// The creative links have a composite key, so the creative stands for the row.
const LINKS: readonly (readonly [table: TableName, column: string, target: TableName])[] = [
  ['creative_affiliates', 'affiliate_id', 'affiliates'],
  ['creative_affiliates', 'creative_id', 'creatives'],
  ['creative_groups', 'group_id', 'meta'],
  ['creative_groups', 'creative_id', 'creatives'],
];

function referenceChecks(db: Db): Check[] {
  const dangling =
    (id: string) =>
    ([table, column, target]: readonly [TableName, string, TableName]): Check => ({
      invariant: 'I11',
      table,
      detail: `${column} names no row of ${target}`,
      sql: `select x.${id} as id from ${db.name(table)} x left join ${db.name(target)} y on y.id = x.${column} where x.${column} is not null and y.id is null`,
    });
  return [
    ...REFERENCES.map(dangling('id')),
    ...LINKS.map(dangling('creative_id')),
    {
      invariant: 'I11',
      table: 'referrals',
      detail: 'the visit belongs to another affiliate',
      sql:
        `select r.id from ${db.name('referrals')} r join ${db.name('visits')} v on v.id = r.visit_id ` +
        'where v.affiliate_id is null or r.affiliate_id is null or v.affiliate_id <> r.affiliate_id',
    },
  ];
}

const UNIQUE: readonly (readonly [table: TableName, ...columns: string[]])[] = [
  ['affiliates', 'user_id'],
  ['referrals', 'dedup_key'],
  ['customers', 'email_key'],
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
    detail: `${columns.join(', ')} is not unique`,
    sql:
      `select ${table === 'idempotency_keys' ? 'null' : 'min(id)'} as id from ${db.name(table)} ` +
      `where ${columns.map((column) => `${column} is not null`).join(' and ')} group by ${columns.join(', ')} having count(*) > 1`,
  }));
}

function amountChecks(db: Db, currency: string): Check[] {
  const beyond = (table: TableName, column: string, limit: number): Check => ({
    invariant: 'I13',
    table,
    detail: `${column} has too many digits`,
    sql: `select ${table === 'payout_items' ? 'referral_id' : 'id'} as id from ${db.name(table)} where ${column} > ${limit} or ${column} < -${limit}`,
  });
  return [
    ...limits().map(({ limit, codes, others }): Check => ({
      invariant: 'I13',
      table: 'referrals',
      detail: 'amount beyond 99,999,999,999.99',
      sql: `select id from ${db.name('referrals')} where abs(amount_minor) > ${limit} and coalesce(currency, ?) ${others ? 'not in' : 'in'} (${codes.map(() => '?').join(', ')})`,
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

/**
 * The largest amount in minor units, by number of decimals;
 * two decimals stand for every code that is not listed.
 */
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
