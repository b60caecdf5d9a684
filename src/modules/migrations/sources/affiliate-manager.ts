import type {
  Migrator,
  SourceAffiliate,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { isBlank, readEmailKey, readRef } from '../values.js';
import { Settlements } from './settlements.js';
import { col, groupRows, idOf, mapped, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const STATUS = {
  applied: 'pending',
  approved: 'pending',
  confirmed: 'pending',
  declined: 'inactive',
  blocked: 'inactive',
};
const COMMISSION_STATUS = { failed: 'rejected', '': 'confirmed' };
const COMMISSIONS = { column: 'type', values: ['credit', 'refund', 'adjustment'] };
const PAYMENTS = { column: 'type', values: ['payout'] };
const TRANSACTIONS = 'wpam_transactions';

/** Affiliate Manager (import-sources §5): no commission says whether it was paid, the payments are spread over the oldest. */
export function affiliateManager(db: SourceDb, timeZone?: string): Migrator {
  const settlements = new Settlements(db);
  return tableMigrator(db, {
    slug: 'affiliate_manager',
    name: 'Affiliate Manager',
    timeZone,
    probe: 'wpam_affiliates',
    stages: {
      affiliate_groups: { table: 'wpam_affiliate_groups', key: 'id', map: (rows) => groups(rows) },
      affiliates: { table: 'wpam_affiliates', key: 'affiliateId', map: (rows) => affiliates(db, rows) },
      referrals: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: COMMISSIONS,
        map: (rows) => commissions(db, settlements, rows),
      },
      customers: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: COMMISSIONS,
        distinct: { column: 'email', above: '' },
        map: (rows) => customers(rows),
      },
      payouts: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: PAYMENTS,
        map: (rows) => payments(settlements, rows),
      },
      visits: { table: 'wpam_tracking_tokens', key: 'trackingTokenId', map: (rows) => visits(db, rows) },
    },
  });
}

const groups = (rows: readonly SourceRecord[]): SourceGroup[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'name') ?? col(row, 'groupName'),
    rate_type: rateType(row),
    rate: col(row, 'bountyAmount'),
  }));

const rateType = (row: SourceRecord): string => {
  if (isBlank(row['bountyAmount'])) return 'default';
  return col(row, 'bountyType') === 'fixed' ? 'flat' : 'percentage';
};

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const users = await db.users(rows.map((row) => row['userId']));
  return rows.map((row) => {
    const own = {
      email: col(row, 'email'),
      first_name: col(row, 'firstName'),
      last_name: col(row, 'lastName'),
    };
    return {
      id: idOf(row, 'affiliateId'),
      user: users.get(String(row['userId'])) ?? (isBlank(own.email) ? null : own),
      status: mapped(STATUS, col(row, 'status')),
      group_id: col(row, 'groupId'),
      rate_type: rateType(row),
      rate: col(row, 'bountyAmount'),
      payment_email: col(row, 'paypalEmail') || own.email,
      created_at: col(row, 'dateCreated'),
    };
  });
}

async function commissions(
  db: SourceDb,
  settlements: Settlements,
  rows: readonly SourceRecord[],
): Promise<SourceReferral[]> {
  const { paidBy, partly, open } = await settlements.current();
  const parents = await parentsOf(db, rows);
  return rows.map((row) => {
    const id = idOf(row, 'transactionId');
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
      notes: partly.has(id) ? ['partly_covered_by_payments'] : undefined,
      created_at: col(row, 'dateCreated'),
    };
  });
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
    created_at: col(first, 'dateCreated'),
    referral_ids: [first, ...more].map((order) => idOf(order, 'transactionId')),
  }));
}

async function payments(settlements: Settlements, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const { covers, open } = await settlements.current();
  return rows.map((row) => {
    const id = idOf(row, 'transactionId');
    const day = String(col(row, 'dateCreated') ?? '').slice(0, 10);
    return {
      id,
      affiliate_id: col(row, 'affiliateId'),
      amount: String(col(row, 'amount') ?? '').replace(/^-/u, ''),
      status: open.has(id) ? ('processing' as const) : ('paid' as const),
      referral_ids: covers.get(id) ?? [],
      problem: row['status'] === 'failed' ? 'payment_failed' : undefined,
      created_at: col(row, 'dateCreated'),
      batch: { id: `day-${day}`, created_at: col(row, 'dateCreated') },
    };
  });
}

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const logs = await db.whereIn(
    'wpam_tracking_tokens_purchase_logs',
    'trackingTokenId',
    rows.map((row) => Number(row['trackingTokenId'])),
  );
  const orders = await db.whereIn(TRANSACTIONS, 'referenceId', [
    ...new Set(logs.map((log) => String(log['purchaseLogId']))),
  ]);
  const commissionsOf = groupRows(
    orders.filter((row) => row['type'] === 'credit'),
    (row) => String(row['referenceId']),
  );
  const logsOf = groupRows(logs, (log) => String(log['trackingTokenId']));
  return rows.map((row) => ({
    id: idOf(row, 'trackingTokenId'),
    affiliate_id: readRef(row['affiliate'] ?? row['sourceAffiliateId'] ?? row['affiliateId']),
    referrer: col(row, 'referer'),
    ip: col(row, 'ipAddress'),
    created_at: col(row, 'dateCreated'),
    referral_ids: (logsOf.get(String(row['trackingTokenId'])) ?? []).flatMap((log) =>
      (commissionsOf.get(String(log['purchaseLogId'])) ?? []).map((order) => idOf(order, 'transactionId')),
    ),
  }));
}
