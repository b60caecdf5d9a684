import type { Migrator, SourceAffiliate, SourceCreative, SourceCustomer, SourceGroup, SourcePayment, SourceReferral, SourceVisit } from '../types.js';
import { readStructure } from '../php.js';
import { isBlank, readIdList, readRef } from '../values.js';
import { col, groupRows, idOf, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

/** Ultimate Affiliate (import-sources §6). */
export function ultimateAffiliate(db: SourceDb, timeZone?: string): Migrator {
  return tableMigrator(db, {
    slug: 'ultimate_affiliate', name: 'Ultimate Affiliate', timeZone, probe: 'uap_affiliates',
    stages: {
      affiliate_groups: { table: 'uap_ranks', key: 'id', map: (rows) => ranks(rows) },
      affiliates: { table: 'uap_affiliates', key: 'id', map: (rows) => affiliates(db, rows) },
      referrals: { table: 'uap_referrals', key: 'id', map: (rows) => referrals(db, rows) },
      customers: { table: 'uap_referrals', key: 'id', distinct: { column: 'refferal_wp_uid', above: 0 }, map: (rows) => customers(db, rows) },
      payouts: { table: 'uap_payments', key: 'id', map: (rows) => payments(db, rows) },
      visits: { table: 'uap_visits', key: 'id', map: (rows) => visits(db, rows) },
      creatives: { table: 'uap_banners', key: 'id', map: (rows) => banners(rows) },
    },
  });
}

const ranks = (rows: readonly SourceRecord[]): SourceGroup[] => rows.map((row) => ({
  id: idOf(row, 'id'), name: col(row, 'label'), rate_type: isBlank(row['amount_value']) ? 'default' : col(row, 'amount_type') === 'flat' ? 'flat' : 'percentage',
  rate: col(row, 'amount_value'), status: Number(row['status'] ?? 1) === 1 ? 'active' : 'inactive',
}));

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const users = await db.users(rows.map((row) => row['uid']));
  return rows.map((row) => ({
    id: idOf(row, 'id'), user: users.get(String(row['uid'])) ?? null, status: Number(row['status']) === 1 ? 'active' : 'inactive',
    group_id: col(row, 'rank_id'), rate_type: readRef(row['rank_id']) === null ? 'default' : 'group', created_at: col(row, 'start_data'),
  }));
}

function statusOf(row: SourceRecord): string {
  const status = Number(row['status']);
  if (status === 0) return 'rejected';
  if (status === 1) return 'pending';
  return status === 2 ? (Number(row['payment']) === 2 ? 'paid' : 'unpaid') : 'unknown';
}

async function referrals(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceReferral[]> {
  const currency = await db.option('uap_currency');
  return rows.map((row) => ({
    id: idOf(row, 'id'), affiliate_id: col(row, 'affiliate_id'), parent_id: col(row, 'parent_referral_id'), status: statusOf(row), amount: col(row, 'amount'),
    currency: col(row, 'currency') || (typeof currency === 'string' ? currency : null), description: col(row, 'description'), utm_campaign: col(row, 'campaign'),
    provider: col(row, 'source'), provider_id: col(row, 'reference'), created_at: col(row, 'date'),
  }));
}

/** Buyers are known by their account only. A page names the orders on it: one buyer may have any number. */
async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const orders = groupRows(rows.filter((row) => Number(row['refferal_wp_uid']) > 0), (row) => String(row['refferal_wp_uid']));
  const users = await db.users([...orders.keys()]);
  return [...orders].map(([id, [first = {}, ...more]]) => {
    const user = users.get(id);
    return {
      id: `user-${id}`, email: user?.email, user, affiliate_id: col(first, 'affiliate_id'), referral_ids: [first, ...more].map((order) => idOf(order, 'id')),
      created_at: col(first, 'date'), problem: user === undefined ? 'user_deleted' : undefined,
    };
  });
}

async function payments(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const ids = rows.map((row) => Number(row['id']));
  const referralsOf = new Map<string, string[]>();
  for (const meta of await db.whereIn('uap_payments_meta', 'payment_id', ids)) {
    const key = String(meta['payment_id']);
    referralsOf.set(key, [...(referralsOf.get(key) ?? []), ...listed(meta)]);
  }
  const batches = new Map((await db.whereIn('uap_payouts', 'id', rows.map((row) => Number(row['payout_id'] ?? 0)))).map((row) => [String(row['id']), row]));
  return rows.map((row) => {
    const batch = batches.get(String(row['payout_id']));
    const day = String(col(row, 'create_date') ?? '').slice(0, 10);
    return {
      id: idOf(row, 'id'), affiliate_id: col(row, 'affiliate_id'), amount: col(row, 'amount'), method: col(row, 'payment_type'),
      status: Number(row['status']) === 2 ? 'paid' : 'processing', created_at: col(row, 'create_date'), referral_ids: [...new Set(referralsOf.get(idOf(row, 'id')) ?? [])],
      batch: batch === undefined ? { id: `day-${day}`, created_at: col(row, 'create_date') } : { id: `payout-${idOf(batch, 'id')}`, title: col(batch, 'title'), created_at: col(batch, 'create_date') },
    };
  });
}

/** The ids stand in one column or another, as one id, a comma list or a serialized list. */
function listed(meta: SourceRecord): string[] {
  const stored = col(meta, 'referral_id') ?? col(meta, 'referral_ids') ?? col(meta, 'meta_value') ?? col(meta, 'value');
  const reading = readStructure(typeof stored === 'number' ? String(stored) : stored);
  if (!reading.ok || reading.value === null) return [];
  return typeof reading.value === 'object' ? Object.values(reading.value).flatMap(readIdList) : readIdList(reading.value);
}

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const byVisit = await db.idsBy('uap_referrals', 'visit_id', 'id', rows.map((row) => row['id']));
  return rows.map((row) => ({
    id: idOf(row, 'id'), affiliate_id: col(row, 'affiliate_id'), referral_ids: byVisit.get(String(row['id'])) ?? [], url: col(row, 'url'), referrer: col(row, 'ref_url'),
    campaign: col(row, 'campaign_name'), ip: col(row, 'ip'), created_at: col(row, 'visit_date'),
  }));
}

const banners = (rows: readonly SourceRecord[]): SourceCreative[] => rows.map((row) => ({
  id: idOf(row, 'id'), name: col(row, 'name'), type: 'image', description: col(row, 'description'), url: col(row, 'url'), image: col(row, 'image'),
  status: Number(row['status']) === 1 ? 'active' : 'inactive', created_at: col(row, 'create_date') ?? col(row, 'DATE'),
}));
