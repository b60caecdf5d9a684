import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceAlias,
  SourceBalance,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { isBlank, readAmount, readEmailKey, readRef, readTime } from '../values.js';
import { foldWord } from '../words.js';
import { Settlements, type Settlement } from './settlements.js';
import {
  BalanceSums,
  col,
  groupRows,
  idOf,
  instant,
  mapped,
  paymentStatus,
  tableMigrator,
} from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const STATUS = {
  applied: 'pending',
  approved: 'pending',
  confirmed: 'pending',
  declined: 'inactive',
  blocked: 'inactive',
};
const COMMISSION_STATUS = { failed: 'rejected', '': 'confirmed' };
const AFFILIATE_WORDS = { ...STATUS, inactive: 'inactive' };
const PAYMENT_STATUS = { confirmed: 'paid', '': 'paid', pending: 'processing' };
const COMMISSIONS = { column: 'type', values: ['credit', 'refund', 'adjustment', 'payout'] };
const BOUGHT = { column: 'type', values: ['credit', 'refund'] };
const PAYMENTS = { column: 'type', values: ['payout'] };
const TRANSACTIONS = 'wpam_transactions';

/**
 * Affiliate Manager (docs/moving-in.md): no commission says whether it was paid,
 * the payments are spread over the oldest.
 */
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
        instants: true,
        map: (rows) => commissions(db, settlements, rows),
      },
      customers: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: BOUGHT,
        instants: true,
        distinct: { column: 'email', above: '' },
        map: (rows) => customers(rows),
      },
      payouts: {
        table: TRANSACTIONS,
        key: 'transactionId',
        only: PAYMENTS,
        instants: true,
        map: (rows) => payments(settlements, rows),
      },
      visits: { table: 'wpam_tracking_tokens', key: 'trackingTokenId', map: (rows) => visits(db, rows) },
      creatives: { table: 'wpam_creatives', key: 'creativeId', map: (rows) => creatives(rows) },
    },
    program: () => program(db),
    times: 'utc',
    links: () => ({
      variables: ['wpam_id', 'wpam_refkey'],
      cookies: [{ name: 'wpam_id' }, { name: 'wpam_refkey' }],
    }),
    statuses: [
      { stage: 'affiliates', table: 'wpam_affiliates', column: 'status', words: AFFILIATE_WORDS },
      {
        stage: 'referrals',
        table: TRANSACTIONS,
        column: 'status',
        only: { column: 'type', values: ['credit', 'refund', 'adjustment'] },
        words: { ...COMMISSION_STATUS, '': 'unpaid', confirmed: 'unpaid' },
      },
      { stage: 'payouts', table: TRANSACTIONS, column: 'status', only: PAYMENTS, words: PAYMENT_STATUS },
    ],
    beginnings: ['wpam_'],
    reads: READS,
    balances: (ids, currency) => balances(db, ids, currency),
  });
}

const READS = {
  wpam_affiliate_groups: ['id', 'name', 'groupName', 'bountyType', 'bountyAmount'],
  wpam_affiliates: [
    'affiliateId',
    'userId',
    'groupId',
    'firstName',
    'lastName',
    'email',
    'addressLine1',
    'addressLine2',
    'addressCity',
    'addressState',
    'addressZipCode',
    'addressCountry',
    'status',
    'dateCreated',
    'companyName',
    'websiteUrl',
    'uniqueRefKey',
    'nameOnCheck',
    'paypalEmail',
    'bankDetails',
    'paymentMethod',
    'bountyType',
    'bountyAmount',
    'phoneNumber',
  ],
  wpam_transactions: [
    'transactionId',
    'dateModified',
    'dateCreated',
    'affiliateId',
    'amount',
    'type',
    'description',
    'referenceId',
    'status',
    'email',
  ],
  wpam_tracking_tokens: [
    'trackingTokenId',
    'dateCreated',
    'sourceAffiliateId',
    'affiliate',
    'affiliateId',
    'trackingKey',
    'referer',
    'affiliateSubCode',
    'ipAddress',
    'customId',
  ],
  wpam_tracking_tokens_purchase_logs: ['trackingTokenPurchaseLogId', 'trackingTokenId', 'purchaseLogId'],
  wpam_creatives: [
    'creativeId',
    'type',
    'altText',
    'dateCreated',
    'status',
    'name',
    'linkText',
    'slug',
    'image',
  ],
  wpam_actions: ['actionId', 'name', 'description'],
};

async function program(db: SourceDb): Promise<ProgramSettings> {
  return {
    currency: (await db.text('wpam_affcurrency_code')) ?? null,
    rate_type: await db.text('wpam_affbounty_type'),
    rate: await db.text('wpam_affbounty_amount'),
    referral_variable: 'wpam_id',
    referral_format: 'id',
    cookie_duration: await db.text('wpam_cookie_life'),
    minimum_payout: await db.text('wpam_min_payout'),
    time_zone: await db.siteZone(),
    site_url: await db.siteUrl(),
  };
}

/** A creative names a page of the old site by its path. */
const creatives = (rows: readonly SourceRecord[]): SourceCreative[] =>
  rows.map((row) => ({
    id: idOf(row, 'creativeId'),
    name: col(row, 'name'),
    type: col(row, 'type'),
    text: col(row, 'linkText') || col(row, 'altText'),
    image: col(row, 'image'),
    url: col(row, 'slug'),
    status: col(row, 'status'),
    created_at: col(row, 'dateCreated'),
  }));

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
      bank_details: bankOf(row),
      aliases: tokenOf(row),
      custom_fields: fieldsOf(row),
      created_at: col(row, 'dateCreated'),
    };
  });
}

const bankOf = (row: SourceRecord): Raw =>
  [col(row, 'bankDetails'), isBlank(row['nameOnCheck']) ? null : `Check: ${String(col(row, 'nameOnCheck'))}`]
    .filter((part) => !isBlank(part))
    .join('\n');

/** Older cookies and links hold a key instead of the id. */
const tokenOf = (row: SourceRecord): SourceAlias[] => {
  const key = String(col(row, 'uniqueRefKey') ?? '');
  return key === '' || key === '<none>' ? [] : [{ kind: 'token', value: key }];
};

/** What people said of themselves and has no place of its own here. */
const fieldsOf = (row: SourceRecord): Record<string, Raw> => ({
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
});

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

async function payments(settlements: Settlements, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const { covers, carried } = await settlements.current();
  return rows.map((row) => {
    const id = idOf(row, 'transactionId');
    const at = readTime(instant(row, 'dateCreated'), 'UTC');
    const day = at === null ? 'unknown' : new Date(at).toISOString().slice(0, 10);
    return {
      id,
      affiliate_id: col(row, 'affiliateId'),
      amount: String(col(row, 'amount') ?? '').replace(/^-/u, ''),
      status: paymentStatus(mapped(PAYMENT_STATUS, col(row, 'status'))),
      referral_ids: [...(covers.get(id) ?? []), ...(carried.has(id) ? [`${id}-advance`] : [])],
      created_at: instant(row, 'dateCreated'),
      other_dates: [instant(row, 'dateModified')],
      batch: { id: `day-${day}`, created_at: instant(row, 'dateCreated') },
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
    campaign: col(row, 'customId') || col(row, 'affiliateSubCode'),
    ip: col(row, 'ipAddress'),
    created_at: col(row, 'dateCreated'),
    referral_ids: (logsOf.get(String(row['trackingTokenId'])) ?? []).flatMap((log) =>
      (commissionsOf.get(String(log['purchaseLogId'])) ?? []).map((order) => idOf(order, 'transactionId')),
    ),
  }));
}
