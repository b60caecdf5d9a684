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
import { isBlank, readIdList, readRef } from '../values.js';
import { col, idOf, mapped, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const AFFILIATE_STATUS = { rejected: 'inactive' };
// Collections may also hold other objects than affiliates; earlier releases have no context.
const GROUPS = { column: 'object_context', values: ['affiliate'], optional: true };
const LINKS = ['slicewp_collection_object_relationships', 'slicewp_collection_relationships'];
const FLAT = new Set(['fixed_amount', 'fixed', 'flat']);

/** SliceWP (import-sources §3). */
export function sliceWp(db: SourceDb, timeZone = 'UTC'): Migrator {
  return tableMigrator(db, {
    slug: 'slicewp',
    name: 'SliceWP',
    timeZone,
    probe: 'slicewp_affiliates',
    stages: {
      affiliate_groups: {
        table: 'slicewp_collections',
        key: 'id',
        only: GROUPS,
        map: (rows) => groups(db, rows),
      },
      affiliates: { table: 'slicewp_affiliates', key: 'id', map: (rows) => affiliates(db, rows) },
      referrals: { table: 'slicewp_commissions', key: 'id', map: (rows) => commissions(rows) },
      customers: { table: 'slicewp_customers', key: 'id', map: (rows) => customers(db, rows) },
      payouts: { table: 'slicewp_payments', key: 'id', map: (rows) => payments(db, rows) },
      visits: { table: 'slicewp_visits', key: 'id', map: (rows) => visits(db, rows) },
      creatives: { table: 'slicewp_creatives', key: 'id', map: (rows) => creatives(rows) },
    },
  });
}

/** Meta rows of these objects: id → key → value. */
async function metaOf(
  db: SourceDb,
  table: string,
  column: string,
  ids: readonly unknown[],
): Promise<Map<string, Map<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  for (const row of await db.whereIn(table, column, ids.map(Number))) {
    const meta = found.get(String(row[column])) ?? new Map<string, string>();
    found.set(String(row[column]), meta.set(String(row['meta_key']), String(row['meta_value'] ?? '')));
  }
  return found;
}

async function groups(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceGroup[]> {
  const meta = await metaOf(
    db,
    'slicewp_collection_meta',
    'slicewp_collection_id',
    rows.map((row) => row['id']),
  );
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'name'),
    ...rateOf(meta.get(String(row['id']))),
    created_at: col(row, 'date_created'),
  }));
}

function rateOf(meta: ReadonlyMap<string, string> | undefined): { rate_type: string; rate: string | null } {
  const rate = meta?.get('commission_rate_sale') ?? meta?.get('commission_rate') ?? null;
  const type = meta?.get('commission_rate_type_sale') ?? meta?.get('commission_rate_type') ?? 'percentage';
  return isBlank(rate)
    ? { rate_type: 'default', rate: null }
    : { rate_type: FLAT.has(type) ? 'flat' : 'percentage', rate };
}

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const ids = rows.map((row) => row['id']);
  const users = await db.users(rows.map((row) => row['user_id']));
  const meta = await metaOf(db, 'slicewp_affiliate_meta', 'slicewp_affiliate_id', ids);
  const links = (
    await Promise.all(LINKS.map((table) => db.whereIn(table, 'object_id', ids.map(Number))))
  ).flat();
  const groupOf = new Map(
    links
      .filter((row) => (row['object_context'] ?? 'affiliate') === 'affiliate')
      .map((row) => [String(row['object_id']), col(row, 'collection_id')]),
  );
  return rows.map((row) => {
    const own = rateOf(meta.get(String(row['id'])));
    const group = groupOf.get(String(row['id']));
    return {
      id: idOf(row, 'id'),
      user: users.get(String(row['user_id'])) ?? null,
      status: mapped(AFFILIATE_STATUS, col(row, 'status')),
      group_id: group,
      ...own,
      rate_type: own.rate_type === 'default' && readRef(group) !== null ? 'group' : own.rate_type,
      custom_param: meta.get(String(row['id']))?.get('custom_slug'),
      payment_email: col(row, 'payment_email'),
      note: col(row, 'website'),
      created_at: col(row, 'date_created'),
    };
  });
}

const commissions = (rows: readonly SourceRecord[]): SourceReferral[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    parent_id: col(row, 'parent_id'),
    status: String(col(row, 'status') ?? ''),
    amount: col(row, 'amount'),
    order_total: col(row, 'reference_amount'),
    currency: col(row, 'currency'),
    provider: col(row, 'origin'),
    provider_id: col(row, 'reference'),
    type: mapped({ subscription: 'recurring_sale', lead: 'lead' }, col(row, 'type')),
    created_at: col(row, 'date_created'),
  }));

async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const users = await db.users(rows.map((row) => row['user_id']));
  const byCustomer = await db.idsBy(
    'slicewp_commissions',
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
    affiliate_id: col(row, 'affiliate_id'),
    referral_ids: byCustomer.get(String(row['id'])) ?? [],
    created_at: col(row, 'date_created'),
  }));
}

async function payments(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const byPayment = await db.idsBy(
    'slicewp_commissions',
    'payment_id',
    'id',
    rows.map((row) => row['id']),
  );
  const batches = new Map(
    (
      await db.whereIn(
        'slicewp_payouts',
        'id',
        rows.map((row) => Number(row['payout_id'] ?? 0)),
      )
    ).map((row) => [String(row['id']), row]),
  );
  return rows.map((row) => {
    const batch = batches.get(String(row['payout_id']));
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      amount: col(row, 'amount'),
      method: col(row, 'payout_method'),
      status: col(row, 'status') === 'paid' ? 'paid' : 'processing',
      created_at: col(row, 'date_created'),
      referral_ids: [
        ...new Set([...readIdList(col(row, 'commission_ids')), ...(byPayment.get(String(row['id'])) ?? [])]),
      ],
      batch:
        batch === undefined
          ? { id: `payment-${idOf(row, 'id')}`, created_at: col(row, 'date_created') }
          : { id: `payout-${idOf(batch, 'id')}`, created_at: col(batch, 'date_created') },
    };
  });
}

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const byVisit = await db.commissionsOf(rows, {
    table: 'slicewp_commissions',
    id: 'id',
    visit: 'visit_id',
    key: 'id',
    own: 'commission_id',
  });
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    referral_ids: byVisit.get(String(row['id'])) ?? [],
    url: col(row, 'landing_url'),
    referrer: col(row, 'referrer_url'),
    ip: col(row, 'ip_address'),
    created_at: col(row, 'date_created'),
  }));
}

const creatives = (rows: readonly SourceRecord[]): SourceCreative[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'name'),
    type: col(row, 'type'),
    description: col(row, 'description'),
    text: col(row, 'text') || col(row, 'alt_text'),
    url: col(row, 'landing_url'),
    image: col(row, 'image_url') || col(row, 'image'),
    status: col(row, 'status'),
    created_at: col(row, 'date_created'),
  }));
