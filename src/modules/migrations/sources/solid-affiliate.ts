import type {
  Migrator,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { readStructure } from '../php.js';
import { isBlank, readIdList, readRef } from '../values.js';
import { col, idOf, mapped, refusals, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const AFFILIATE_STATUS = { approved: 'active', rejected: 'inactive' };
const REFERRAL_STATUS = { draft: 'pending' };

/** Solid Affiliate (import-sources §4). */
export function solidAffiliate(db: SourceDb, timeZone = 'UTC'): Migrator {
  return tableMigrator(db, {
    slug: 'solid_affiliate',
    name: 'Solid Affiliate',
    timeZone,
    probe: 'solid_affiliate_affiliates',
    stages: {
      affiliate_groups: { table: 'solid_affiliate_affiliate_groups', key: 'id', map: (rows) => groups(rows) },
      affiliates: { table: 'solid_affiliate_affiliates', key: 'id', map: (rows) => affiliates(db, rows) },
      referrals: { table: 'solid_affiliate_referrals', key: 'id', map: (rows) => referrals(rows) },
      customers: {
        table: 'solid_affiliate_affiliate_customer_links',
        key: 'id',
        map: (rows) => customers(db, rows),
      },
      payouts: { table: 'solid_affiliate_payouts', key: 'id', map: (rows) => payments(db, rows) },
      visits: { table: 'solid_affiliate_visits', key: 'id', map: (rows) => visits(db, rows) },
      creatives: { table: 'solid_affiliate_creatives', key: 'id', map: (rows) => creatives(rows) },
    },
  });
}

const rateType = (row: SourceRecord): string => {
  const type = String(col(row, 'commission_type') ?? '');
  if (type === '' || type === 'site_default' || isBlank(row['commission_rate'])) return 'default';
  return type === 'percentage' ? 'percentage' : 'flat';
};

const groups = (rows: readonly SourceRecord[]): SourceGroup[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'name'),
    rate_type: rateType(row),
    rate: col(row, 'commission_rate'),
    created_at: col(row, 'created_at'),
  }));

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const users = await db.users(rows.map((row) => row['user_id']));
  return rows.map((row) => {
    const type = rateType(row);
    return {
      id: idOf(row, 'id'),
      user: users.get(String(row['user_id'])) ?? null,
      status: mapped(AFFILIATE_STATUS, col(row, 'status')),
      group_id: col(row, 'affiliate_group_id'),
      rate_type: type === 'default' && readRef(row['affiliate_group_id']) !== null ? 'group' : type,
      rate: col(row, 'commission_rate'),
      payment_email: col(row, 'payment_email'),
      note: col(row, 'registration_notes'),
      created_at: col(row, 'created_at'),
    };
  });
}

function referrals(rows: readonly SourceRecord[]): SourceReferral[] {
  return rows.map((row) => {
    const items = readStructure(col(row, 'serialized_item_commissions'));
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      status: mapped(REFERRAL_STATUS, col(row, 'status')),
      amount: col(row, 'commission_amount'),
      order_total: col(row, 'order_amount'),
      description: col(row, 'description'),
      provider: col(row, 'order_source'),
      provider_id: col(row, 'order_id'),
      products: items.ok ? items.value : null,
      notes: refusals({ products: items }),
      type: mapped({ purchase: 'sale', subscription_renewal: 'recurring_sale' }, col(row, 'referral_type')),
      created_at: col(row, 'created_at'),
    };
  });
}

/** Lifetime links stand for the customers; the shop's customer id is the user's. */
async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const users = await db.users(rows.map((row) => row['customer_id']));
  const byCustomer = await db.idsBy(
    'solid_affiliate_referrals',
    'customer_id',
    'id',
    rows.map((row) => row['customer_id']),
  );
  return rows.map((row) => {
    const user = users.get(String(row['customer_id']));
    return {
      id: idOf(row, 'id'),
      email: col(row, 'customer_email') || user?.email,
      user,
      affiliate_id: col(row, 'affiliate_id'),
      referral_ids: byCustomer.get(String(row['customer_id'])) ?? [],
      created_at: col(row, 'created_at'),
    };
  });
}

async function payments(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const byPayout = await db.idsBy(
    'solid_affiliate_referrals',
    'payout_id',
    'id',
    rows.map((row) => row['id']),
  );
  const bulk = new Map(
    (
      await db.whereIn(
        'solid_affiliates_bulk_payouts',
        'id',
        rows.map((row) => Number(row['bulk_payout_id'] ?? 0)),
      )
    ).map((row) => [String(row['id']), row]),
  );
  return rows.map((row) => {
    const batch = bulk.get(String(row['bulk_payout_id']));
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      amount: col(row, 'amount'),
      method: col(row, 'payout_method'),
      status: col(row, 'status') === 'paid' && !unpaidBatch(batch) ? 'paid' : 'processing',
      created_at: col(row, 'created_at'),
      referral_ids: [
        ...new Set([...readIdList(col(row, 'referral_ids')), ...(byPayout.get(String(row['id'])) ?? [])]),
      ],
      batch:
        batch === undefined
          ? { id: `payout-${idOf(row, 'id')}`, created_at: col(row, 'created_at') }
          : { id: `bulk-${idOf(batch, 'id')}`, created_at: col(batch, 'updated_at') },
    };
  });
}

const unpaidBatch = (batch: SourceRecord | undefined): boolean =>
  batch !== undefined && col(batch, 'status') !== 'success';

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const byVisit = await db.commissionsOf(rows, {
    table: 'solid_affiliate_referrals',
    id: 'id',
    visit: 'visit_id',
    key: 'id',
    own: 'referral_id',
  });
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    referral_ids: byVisit.get(String(row['id'])) ?? [],
    url: col(row, 'landing_url'),
    referrer: col(row, 'http_referrer'),
    ip: col(row, 'http_ip'),
    created_at: col(row, 'created_at'),
  }));
}

const creatives = (rows: readonly SourceRecord[]): SourceCreative[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'name'),
    text: col(row, 'creative_text'),
    description: col(row, 'description'),
    url: col(row, 'url'),
    image: col(row, 'creative_image_url'),
    status: col(row, 'status'),
    created_at: col(row, 'created_at'),
  }));
