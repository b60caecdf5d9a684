import type {
  Migrator,
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
import { col, idOf, mapOf, refusals, scalar, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

/** FluentAffiliate's own tables (import-sources §1): the words are ours already. */
export function fluentAffiliate(db: SourceDb, timeZone?: string): Migrator {
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
      method: col(row, 'payout_method'),
      status: col(row, 'status') === 'paid' ? 'paid' : 'processing',
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
