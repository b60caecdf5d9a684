import { BalanceSums } from '../../src/core/imports/balance-sums.js';
import { isBlank, readAmount, readEmailKey, readRef, readTime } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAlias,
  SourceBalance,
  SourceCustomer,
  SourcePayment,
  SourceReferral,
  SourceUser,
} from '../imports.js';
import {
  col,
  columnList,
  firstOf,
  fromTable,
  idOf,
  instant,
  instantOf,
  mapped,
  paymentStatusOf,
  wordOf,
} from './fields.js';
import { Settlements, type Settlement } from './settlements.js';
import { tableMigrator } from './source.js';
import { groupRows, valuesOf, type SourceDb, type SourceRecord } from './source-queries.js';

const STATUS = {
  applied: 'pending',
  approved: 'pending',
  confirmed: 'pending',
  declined: 'inactive',
  blocked: 'inactive',
};
const COMMISSION_STATUS = { failed: 'rejected', '': 'confirmed' };
const COMMISSIONS = { column: 'type', values: ['credit', 'refund', 'adjustment', 'payout'] };
const BOUGHT = { column: 'type', values: ['credit', 'refund'] };
const PAYMENTS = { column: 'type', values: ['payout'] };
const TRANSACTIONS = 'wpam_transactions';
const TRANSACTION = columnList(
  'transactionId dateModified dateCreated affiliateId amount type description referenceId status email',
);

/**
 * Affiliate Manager (docs/moving-in.md): commissions do not show whether they were paid, so payments are
 * spread over the oldest.
 */
export function affiliateManager(db: SourceDb, timeZone?: string): Migrator {
  const settlements = new Settlements(db);
  return tableMigrator(db, {
    slug: 'affiliate_manager',
    name: 'Affiliate Manager',
    timeZone,
    probe: 'wpam_affiliates',
    program: () => program(db),
    times: 'utc',
    links: {
      variable: 'wpam_id',
      older: ['wpam_refkey'],
      cookies: [{ name: 'wpam_id' }, { name: 'wpam_refkey' }],
    },
    beginnings: ['wpam_'],
    balances: (ids, currency) => balances(db, ids, currency),
    stages: {
      affiliate_groups: fromTable({
        table: 'wpam_affiliate_groups',
        key: 'id',
        fields: {
          name: (row) => col(row, 'name') ?? col(row, 'groupName'),
          rate_type: rateType,
          rate: 'bountyAmount',
        },
        reads: 'name groupName bountyType',
      }),
      affiliates: fromTable({
        table: 'wpam_affiliates',
        key: 'affiliateId',
        find: (rows) => db.users(valuesOf(rows, 'userId')),
        fields: {
          user: (row, users) => users.get(String(row['userId'])) ?? personOf(row),
          status: wordOf('status', STATUS),
          group_id: 'groupId',
          rate_type: rateType,
          rate: 'bountyAmount',
          payment_email: firstOf('paypalEmail', 'email'),
          bank_details: bankOf,
          aliases: tokenOf,
          custom_fields: fieldsOf,
          created_at: 'dateCreated',
        },
        reads: `userId firstName lastName companyName websiteUrl phoneNumber addressLine1 addressLine2 addressCity
          addressState addressZipCode addressCountry uniqueRefKey nameOnCheck bankDetails paymentMethod bountyType`,
      }),
      referrals: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: COMMISSIONS,
        instants: true,
        columns: TRANSACTION,
        status: {
          column: 'status',
          only: { column: 'type', values: ['credit', 'refund', 'adjustment'] },
          words: { ...COMMISSION_STATUS, '': 'unpaid', confirmed: 'unpaid' },
        },
        map: (rows) => commissions(db, settlements, rows),
      },
      customers: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: BOUGHT,
        instants: true,
        distinct: { column: 'email', above: '' },
        columns: TRANSACTION,
        map: customers,
      },
      payouts: fromTable({
        table: TRANSACTIONS,
        key: 'transactionId',
        only: PAYMENTS,
        instants: true,
        find: () => settlements.current(),
        fields: {
          affiliate_id: 'affiliateId',
          amount: (row) => String(col(row, 'amount') ?? '').replace(/^-/u, ''),
          status: paymentStatusOf('status', { confirmed: 'paid', '': 'paid', pending: 'processing' }),
          referral_ids: (row, { covers, carried }) => {
            const id = idOf(row, 'transactionId');
            return [...(covers.get(id) ?? []), ...(carried.has(id) ? [`${id}-advance`] : [])];
          },
          created_at: instantOf('dateCreated'),
          other_dates: (row) => [instant(row, 'dateModified')],
          batch: batchOf,
        },
      }),
      visits: fromTable({
        table: 'wpam_tracking_tokens',
        key: 'trackingTokenId',
        find: (rows) => findForVisits(db, rows),
        fields: {
          affiliate_id: (row) => readRef(row['affiliate'] ?? row['sourceAffiliateId'] ?? row['affiliateId']),
          referrer: 'referer',
          campaign: firstOf('customId', 'affiliateSubCode'),
          ip: 'ipAddress',
          created_at: 'dateCreated',
          referral_ids: (row, { logsOf, orderOf }) =>
            (logsOf.get(idOf(row, 'trackingTokenId')) ?? []).flatMap((log) =>
              (orderOf.get(String(log['purchaseLogId'])) ?? []).map((order) => idOf(order, 'transactionId')),
            ),
        },
        reads: 'sourceAffiliateId affiliate affiliateId trackingKey',
      }),
      creatives: fromTable({
        table: 'wpam_creatives',
        key: 'creativeId',
        fields: {
          name: 'name',
          type: 'type',
          text: firstOf('linkText', 'altText'),
          image: 'image',
          // a page of the old site by its path
          url: 'slug',
          status: 'status',
          created_at: 'dateCreated',
        },
      }),
    },
    reads: {
      wpam_tracking_tokens_purchase_logs: 'trackingTokenPurchaseLogId trackingTokenId purchaseLogId',
      wpam_actions: 'actionId name description',
    },
  });
}

async function program(db: SourceDb): Promise<ProgramSettings> {
  return {
    currency: (await db.text('wpam_affcurrency_code')) ?? null,
    rate_type: await db.text('wpam_affbounty_type'),
    rate: await db.text('wpam_affbounty_amount'),
    referral_variable: 'wpam_id',
    referral_format: 'id',
    cookie_duration: await db.text('wpam_cookie_life'),
    minimum_payout: await db.text('wpam_min_payout'),
  };
}

/** The system's own balance: everything confirmed, less what was paid. */
async function balances(db: SourceDb, ids: readonly string[], currency: string): Promise<SourceBalance[]> {
  const rows = await db.whereIn(TRANSACTIONS, 'affiliateId', ids.map(Number).filter(Number.isSafeInteger));
  const sums = new BalanceSums();
  for (const row of rows) {
    const amount = readAmount(col(row, 'amount'), currency) ?? 0;
    const status = foldWord(row['status']);
    const id = idOf(row, 'affiliateId');
    if (foldWord(row['type']) !== 'payout') {
      if (status !== 'pending' && status !== 'failed') sums.add(id, currency, 'unpaid', amount);
      continue;
    }
    if (status === 'failed') continue;
    sums.add(id, currency, 'unpaid', -Math.abs(amount));
    sums.add(id, currency, status === 'pending' ? 'processing' : 'paid', Math.abs(amount));
  }
  return sums.list();
}

function rateType(row: SourceRecord): string {
  if (isBlank(row['bountyAmount'])) return 'default';
  return col(row, 'bountyType') === 'fixed' ? 'flat' : 'percentage';
}

/** A person without an account, as the row names them. */
function personOf(row: SourceRecord): SourceUser | null {
  const email = col(row, 'email');
  return isBlank(email)
    ? null
    : { email, first_name: col(row, 'firstName'), last_name: col(row, 'lastName') };
}

function bankOf(row: SourceRecord): Raw {
  return [
    col(row, 'bankDetails'),
    isBlank(row['nameOnCheck']) ? null : `Check: ${String(col(row, 'nameOnCheck'))}`,
  ]
    .filter((part) => !isBlank(part))
    .join('\n');
}

/** Older cookies and links hold a key instead of the id. */
function tokenOf(row: SourceRecord): SourceAlias[] {
  const key = String(col(row, 'uniqueRefKey') ?? '');
  return key === '' || key === '<none>' ? [] : [{ kind: 'token', value: key }];
}

/** Data that people entered about themselves and that has no column here. */
function fieldsOf(row: SourceRecord): Record<string, Raw> {
  return {
    name: `${String(col(row, 'firstName') ?? '')} ${String(col(row, 'lastName') ?? '')}`.trim(),
    company: col(row, 'companyName'),
    website: col(row, 'websiteUrl'),
    phone: col(row, 'phoneNumber'),
    payment_method: col(row, 'paymentMethod'),
    address: [
      col(row, 'addressLine1'),
      col(row, 'addressLine2'),
      [col(row, 'addressZipCode'), col(row, 'addressCity')].filter((part) => !isBlank(part)).join(' '),
      col(row, 'addressState'),
      col(row, 'addressCountry'),
    ]
      .filter((part) => !isBlank(part))
      .join('\n'),
  };
}

async function commissions(
  db: SourceDb,
  settlements: Settlements,
  rows: readonly SourceRecord[],
): Promise<SourceReferral[]> {
  const settlement = await settlements.current();
  const { paidBy, partly, open } = settlement;
  const parents = await parentsOf(db, rows);
  return rows.flatMap((row) => {
    const id = idOf(row, 'transactionId');
    if (col(row, 'type') === 'payout') return carriedBy(row, settlement);
    const payment = paidBy.get(id);
    const settled = payment === undefined || open.has(payment) ? 'unpaid' : 'paid';
    const word = mapped(COMMISSION_STATUS, col(row, 'status') ?? 'confirmed');
    return {
      id,
      affiliate_id: col(row, 'affiliateId'),
      parent_id: parents.get(id),
      status: word === 'confirmed' ? settled : word,
      amount: col(row, 'amount'),
      description: col(row, 'description'),
      provider: isBlank(row['referenceId']) ? null : 'affiliate_manager',
      provider_id: col(row, 'referenceId'),
      type: col(row, 'type') === 'adjustment' ? 'adjustment' : 'sale',
      notes: partly.has(id) ? ['partly_covered_by_payments'] : undefined,
      created_at: instant(row, 'dateCreated'),
      other_dates: [instant(row, 'dateModified')],
    };
  });
}

/**
 * What a payment paid beyond whole commissions: paid with it, and taken off what is owed.
 * Together they are nothing.
 */
function carriedBy(row: SourceRecord, { carried, open }: Settlement): SourceReferral[] {
  const id = idOf(row, 'transactionId');
  const cents = carried.get(id)?.cents ?? 0n;
  if (cents === 0n) return [];
  const text = (value: bigint): string => {
    const digits = String(value < 0n ? -value : value).padStart(3, '0');
    return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };
  const own = {
    affiliate_id: col(row, 'affiliateId'),
    type: 'adjustment',
    created_at: instant(row, 'dateCreated'),
    other_dates: [instant(row, 'dateModified')],
    notes: ['carried_by_payment'],
  };
  return [
    {
      ...own,
      id: `${id}-advance`,
      amount: text(cents),
      status: open.has(id) ? 'unpaid' : 'paid',
      description: `Part of payment ${id} beyond whole commissions`,
    },
    {
      ...own,
      id: `${id}-carried`,
      amount: text(-cents),
      status: 'unpaid',
      description: `Paid already with payment ${id}`,
    },
  ];
}

/** A refund belongs to the credit of the same order and affiliate. */
async function parentsOf(db: SourceDb, rows: readonly SourceRecord[]): Promise<Map<string, string>> {
  const refunds = rows.filter((row) => Number(row['amount']) < 0 && !isBlank(row['referenceId']));
  const orders = await db.whereIn(TRANSACTIONS, 'referenceId', [
    ...new Set(refunds.map((row) => String(row['referenceId']))),
  ]);
  const credits = orders.filter((row) => row['type'] === 'credit' && Number(row['amount']) > 0);
  const orderOf = (row: SourceRecord): string =>
    `${String(row['affiliateId'])} ${String(row['referenceId'])}`;
  const creditOf = new Map(credits.map((row) => [orderOf(row), idOf(row, 'transactionId')]));
  const pairs = refunds.map((row) => [idOf(row, 'transactionId'), creditOf.get(orderOf(row))] as const);
  return new Map(pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** Buyers are known by their address only. A page names the orders on it: one buyer may have any number. */
function customers(rows: readonly SourceRecord[]): SourceCustomer[] {
  const orders = groupRows(
    rows.filter((row) => readEmailKey(col(row, 'email')) !== null),
    (row) => readEmailKey(col(row, 'email')) ?? '',
  );
  return [...orders].map(([email, [first = {}, ...more]]) => ({
    id: `email-${email}`.slice(0, 100),
    email: col(first, 'email'),
    affiliate_id: col(first, 'affiliateId'),
    created_at: instant(first, 'dateCreated'),
    referral_ids: [first, ...more].map((order) => idOf(order, 'transactionId')),
  }));
}

function batchOf(row: SourceRecord): SourcePayment['batch'] {
  const at = readTime(instant(row, 'dateCreated'), 'UTC');
  const day = at === null ? 'unknown' : new Date(at).toISOString().slice(0, 10);
  return { id: `day-${day}`, created_at: instant(row, 'dateCreated') };
}

async function findForVisits(db: SourceDb, rows: readonly SourceRecord[]) {
  const logs = await db.whereIn(
    'wpam_tracking_tokens_purchase_logs',
    'trackingTokenId',
    rows.map((row) => Number(row['trackingTokenId'])),
  );
  const orders = await db.whereIn(TRANSACTIONS, 'referenceId', [
    ...new Set(logs.map((log) => String(log['purchaseLogId']))),
  ]);
  const orderOf = groupRows(
    orders.filter((row) => row['type'] === 'credit'),
    (row) => String(row['referenceId']),
  );
  const logsOf = groupRows(logs, (log) => String(log['trackingTokenId']));
  return { logsOf, orderOf };
}
