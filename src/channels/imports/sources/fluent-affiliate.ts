import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourceManager,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { readStructure, type PhpReading } from '../php.js';
import { readRef } from '../values.js';
import { foldWord } from '../words.js';
import { col, idOf, mapOf, mapped, paymentStatus, refusals, scalar, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

/** FluentAffiliate's own tables (docs/moving-in.md): the words are ours already. */
export function fluentAffiliate(db: SourceDb, timeZone?: string): Migrator {
  const words = {};
  return tableMigrator(db, {
    slug: 'fluent_affiliate',
    name: 'FluentAffiliate',
    timeZone,
    probe: 'fa_affiliates',
    stages: {
      affiliate_groups: {
        table: 'fa_meta',
        key: 'id',
        only: { column: 'object_type', values: ['affiliate_group'] },
        map: (rows) => groups(rows),
      },
      affiliates: { table: 'fa_affiliates', key: 'id', map: (rows) => affiliates(db, rows) },
      referrals: { table: 'fa_referrals', key: 'id', map: (rows) => referrals(rows) },
      customers: { table: 'fa_customers', key: 'id', map: (rows) => customers(db, rows) },
      payouts: { table: 'fa_payout_transactions', key: 'id', map: (rows) => payments(db, rows) },
      visits: { table: 'fa_visits', key: 'id', map: (rows) => visits(db, rows) },
      creatives: { table: 'fa_creatives', key: 'id', map: (rows) => creatives(rows) },
    },
    managers: () => managers(db),
    program: () => program(db),
    times: 'local',
    links: (settings) => ({
      variables: [String(settings?.referral_variable ?? '') || 'ref'],
      cookies: [{ name: 'f_aff', separator: '|' }],
    }),
    statuses: [
      { stage: 'affiliates', table: 'fa_affiliates', column: 'status', words },
      { stage: 'referrals', table: 'fa_referrals', column: 'status', words },
      { stage: 'payouts', table: 'fa_payout_transactions', column: 'status', words },
    ],
    beginnings: ['fa_'],
    reads: READS,
    shops: { table: 'fa_referrals', column: 'provider' },
    books: {
      table: 'fa_referrals',
      affiliate: 'affiliate_id',
      amount: 'amount',
      currency: 'currency',
      counts: (rows) => countsOf(db, rows),
    },
  });
}

const READS = {
  fa_meta: ['id', 'object_type', 'object_id', 'meta_key', 'value', 'created_at', 'updated_at'],
  fa_affiliates: [
    'id',
    'contact_id',
    'user_id',
    'group_id',
    'rate',
    'total_earnings',
    'unpaid_earnings',
    'referrals',
    'visits',
    'lead_counts',
    'rate_type',
    'custom_param',
    'payment_email',
    'status',
    'settings',
    'custom_fields',
    'note',
    'created_at',
    'updated_at',
  ],
  fa_referrals: [
    'id',
    'affiliate_id',
    'parent_id',
    'customer_id',
    'visit_id',
    'description',
    'status',
    'amount',
    'order_total',
    'currency',
    'utm_campaign',
    'provider',
    'provider_id',
    'provider_sub_id',
    'products',
    'payout_transaction_id',
    'payout_id',
    'type',
    'settings',
    'created_at',
    'updated_at',
  ],
  fa_customers: [
    'id',
    'user_id',
    'by_affiliate_id',
    'email',
    'first_name',
    'last_name',
    'ip',
    'created_at',
    'updated_at',
  ],
  fa_payouts: [
    'id',
    'created_by',
    'total_amount',
    'payout_method',
    'status',
    'currency',
    'title',
    'description',
    'created_at',
    'updated_at',
  ],
  fa_payout_transactions: [
    'id',
    'created_by',
    'affiliate_id',
    'payout_id',
    'total_amount',
    'payout_method',
    'status',
    'currency',
    'created_at',
    'updated_at',
  ],
  fa_visits: [
    'id',
    'affiliate_id',
    'user_id',
    'referral_id',
    'url',
    'referrer',
    'utm_campaign',
    'utm_medium',
    'utm_source',
    'ip',
    'created_at',
    'updated_at',
  ],
  fa_creatives: [
    'id',
    'name',
    'description',
    'type',
    'image',
    'text',
    'url',
    'privacy',
    'status',
    'affiliate_ids',
    'group_ids',
    'meta',
    'created_at',
    'updated_at',
  ],
};

/** The settings stand in the system's own meta table, in some releases among the site's options. */
async function program(db: SourceDb): Promise<ProgramSettings> {
  const [row] = await db.whereIn('fa_meta', 'meta_key', ['_fa_referral_settings'], ['value']);
  const reading = row ? readStructure(row['value']) : await db.option('_fa_referral_settings');
  const settings = mapOf(reading);
  return {
    currency: String(settings['currency'] ?? '') || null,
    rate_type: String(settings['rate_type'] ?? '') || null,
    rate: scalar(settings['rate']),
    referral_variable: String(settings['referral_variable'] ?? '') || null,
    referral_format: String(settings['referral_format'] ?? '') || null,
    cookie_duration: scalar(settings['cookie_duration']),
    time_zone: await db.siteZone(),
    site_url: await db.siteUrl(),
    ...(!reading.ok && { problem: reading.reason }),
  };
}

/** Commissions in a transaction on its way are `paid` already. */
async function countsOf(
  db: SourceDb,
  rows: readonly SourceRecord[],
): Promise<('unpaid' | 'processing' | 'paid' | null)[]> {
  const transactions = await db.whereIn(
    'fa_payout_transactions',
    'id',
    [...new Set(rows.map((row) => Number(row['payout_transaction_id'])))].filter((id) => id > 0),
  );
  const open = new Set(
    transactions.filter((row) => foldWord(row['status']) !== 'paid').map((row) => String(row['id'])),
  );
  return rows.map((row) => {
    const status = foldWord(row['status']);
    if (status === 'unpaid') return 'unpaid';
    if (status !== 'paid') return null;
    return open.has(String(row['payout_transaction_id'])) ? 'processing' : 'paid';
  });
}

const groups = (rows: readonly SourceRecord[]): SourceGroup[] =>
  rows.map((row) => {
    const reading = readStructure(col(row, 'value'));
    const value = mapOf(reading);
    const type = String(value['rate_type'] ?? 'default');
    return {
      id: idOf(row, 'id'),
      name: col(row, 'meta_key'),
      rate_type: type === 'fixed' ? 'flat' : type,
      rate: scalar(value['rate']),
      status: scalar(value['status']),
      note: scalar(value['notes']),
      notes: refusals({ value: reading }),
      created_at: col(row, 'created_at'),
    };
  });

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const users = await db.users(rows.map((row) => row['user_id']));
  return rows.map((row) => {
    const settings = readStructure(col(row, 'settings'));
    const type = String(col(row, 'rate_type') ?? 'default');
    return {
      id: idOf(row, 'id'),
      user: users.get(String(row['user_id'])) ?? null,
      contact_id: col(row, 'contact_id'),
      group_id: col(row, 'group_id'),
      status: col(row, 'status'),
      rate_type: type === 'fixed' ? 'flat' : type,
      rate: col(row, 'rate'),
      custom_param: col(row, 'custom_param'),
      payment_email: col(row, 'payment_email'),
      custom_fields: fieldsOf(row),
      other_dates: [col(row, 'updated_at')],
      note: col(row, 'note'),
      bank_details: scalar(mapOf(settings)['bank_details']),
      notes: refusals({ settings }),
      lead_counts: col(row, 'lead_counts'),
      disable_new_ref_email: scalar(mapOf(settings)['disable_new_ref_email']),
      total_earnings: col(row, 'total_earnings'),
      unpaid_earnings: col(row, 'unpaid_earnings'),
      created_at: col(row, 'created_at'),
    };
  });
}

const fieldsOf = (row: SourceRecord): Record<string, Raw> =>
  Object.fromEntries(
    Object.entries(mapOf(readStructure(col(row, 'custom_fields')))).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );

const referrals = (rows: readonly SourceRecord[]): SourceReferral[] =>
  rows.map((row) => {
    const products = readStructure(col(row, 'products'));
    const settings = readStructure(col(row, 'settings'));
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      parent_id: col(row, 'parent_id'),
      status: String(col(row, 'status') ?? ''),
      amount: col(row, 'amount'),
      order_total: col(row, 'order_total'),
      currency: col(row, 'currency'),
      description: col(row, 'description'),
      provider: col(row, 'provider'),
      provider_id: col(row, 'provider_id'),
      provider_sub_id: col(row, 'provider_sub_id'),
      utm_campaign: col(row, 'utm_campaign'),
      type: col(row, 'type'),
      products: products.ok ? products.value : null,
      settings: settings.ok ? settings.value : null,
      notes: refusals({ products, settings }),
      created_at: col(row, 'created_at'),
      other_dates: [col(row, 'updated_at')],
    };
  });

async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const users = await db.users(rows.map((row) => row['user_id']));
  const byCustomer = await db.idsBy(
    'fa_referrals',
    'customer_id',
    'id',
    rows.map((row) => row['id']),
  );
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    email: col(row, 'email'),
    user: users.get(String(row['user_id'])),
    first_name: col(row, 'first_name'),
    last_name: col(row, 'last_name'),
    ip: col(row, 'ip'),
    affiliate_id: col(row, 'by_affiliate_id'),
    referral_ids: byCustomer.get(idOf(row, 'id')) ?? [],
    created_at: col(row, 'created_at'),
  }));
}

async function payments(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const byTransaction = await db.idsBy(
    'fa_referrals',
    'payout_transaction_id',
    'id',
    rows.map((row) => row['id']),
  );
  const payouts = new Map(
    (
      await db.whereIn(
        'fa_payouts',
        'id',
        rows.map((row) => Number(row['payout_id'] ?? 0)),
      )
    ).map((row) => [String(row['id']), row]),
  );
  return rows.map((row) => {
    const payout = payouts.get(String(row['payout_id']));
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      amount: col(row, 'total_amount'),
      currency: col(row, 'currency'),
      method: col(row, 'payout_method'),
      status: paymentStatus(mapped({}, col(row, 'status'))),
      other_dates: [col(row, 'updated_at')],
      referral_ids: byTransaction.get(idOf(row, 'id')) ?? [],
      created_at: col(row, 'created_at'),
      batch: {
        id: `payout-${readRef(row['payout_id']) ?? `of-${idOf(row, 'id')}`}`,
        ...(payout && {
          title: col(payout, 'title'),
          description: col(payout, 'description'),
          created_at: col(payout, 'created_at'),
        }),
      },
    };
  });
}

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const byVisit = await db.commissionsOf(rows, {
    table: 'fa_referrals',
    id: 'id',
    visit: 'visit_id',
    key: 'id',
    own: 'referral_id',
  });
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    referral_ids: byVisit.get(idOf(row, 'id')) ?? [],
    url: col(row, 'url'),
    referrer: col(row, 'referrer'),
    campaign: col(row, 'utm_campaign'),
    medium: col(row, 'utm_medium'),
    source: col(row, 'utm_source'),
    ip: col(row, 'ip'),
    created_at: col(row, 'created_at'),
  }));
}

const idsIn = (reading: PhpReading): string[] =>
  reading.ok && reading.value !== null && typeof reading.value === 'object'
    ? Object.values(reading.value)
        .map((value) => readRef(value))
        .filter((id) => id !== null)
    : [];

const creatives = (rows: readonly SourceRecord[]): SourceCreative[] =>
  rows.map((row) => {
    const [affiliates, targets, meta] = [
      readStructure(col(row, 'affiliate_ids')),
      readStructure(col(row, 'group_ids')),
      readStructure(col(row, 'meta')),
    ];
    return {
      id: idOf(row, 'id'),
      name: col(row, 'name'),
      description: col(row, 'description'),
      type: col(row, 'type'),
      image: col(row, 'image'),
      text: col(row, 'text'),
      url: col(row, 'url'),
      privacy: col(row, 'privacy'),
      status: col(row, 'status'),
      affiliate_ids: idsIn(affiliates),
      group_ids: idsIn(targets),
      meta: mapOf(meta),
      notes: refusals({ affiliate_ids: affiliates, group_ids: targets, meta }),
      created_at: col(row, 'created_at'),
    };
  });

/** Everybody with delegated rights; there are few of them. */
async function managers(db: SourceDb): Promise<SourceManager[]> {
  const rows = await db.whereIn('fa_meta', 'meta_key', ['_fa_access_permissions']);
  const users = await db.users(rows.map((row) => row['object_id']));
  return rows
    .filter((row) => row['object_type'] === 'user_meta')
    .map((row) => {
      const reading = readStructure(col(row, 'value'));
      return {
        id: idOf(row, 'object_id'),
        user: users.get(String(row['object_id'])) ?? null,
        permissions:
          reading.ok && reading.value !== null && typeof reading.value === 'object'
            ? Object.values(reading.value)
            : [],
        problem: reading.ok ? undefined : `permissions_${reading.reason}`,
      };
    });
}
