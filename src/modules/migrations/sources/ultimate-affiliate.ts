import type {
  Migrator,
  Raw,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { readStructure, type PhpReading } from '../php.js';
import { isBlank, readIdList, readRef } from '../values.js';
import { col, groupRows, idOf, refusals, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const PAYOUT_ID = 'payout_id';

/** Ultimate Affiliate (import-sources §6). */
export function ultimateAffiliate(db: SourceDb, timeZone?: string): Migrator {
  return tableMigrator(db, {
    slug: 'ultimate_affiliate',
    name: 'Ultimate Affiliate',
    timeZone,
    probe: 'uap_affiliates',
    stages: {
      affiliate_groups: { table: 'uap_ranks', key: 'id', map: (rows) => ranks(rows) },
      affiliates: { table: 'uap_affiliates', key: 'id', map: (rows) => affiliates(db, rows) },
      referrals: { table: 'uap_referrals', key: 'id', map: (rows) => referrals(db, rows) },
      customers: {
        table: 'uap_referrals',
        key: 'id',
        distinct: { column: 'refferal_wp_uid', above: 0 },
        map: (rows) => customers(db, rows),
      },
      payouts: { table: 'uap_payments', key: 'id', map: (rows) => payments(db, rows) },
      visits: { table: 'uap_visits', key: 'id', map: (rows) => visits(db, rows) },
      creatives: { table: 'uap_banners', key: 'id', map: (rows) => banners(rows) },
    },
    program: async () => ({ currency: await currencyOf(db) }),
  });
}

const ranks = (rows: readonly SourceRecord[]): SourceGroup[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'label'),
    rate_type: isBlank(row['amount_value'])
      ? 'default'
      : col(row, 'amount_type') === 'flat'
        ? 'flat'
        : 'percentage',
    rate: col(row, 'amount_value'),
    status: Number(row['status'] ?? 1) === 1 ? 'active' : 'inactive',
  }));

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const users = await db.users(rows.map((row) => row['uid']));
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    user: users.get(String(row['uid'])) ?? null,
    status: Number(row['status']) === 1 ? 'active' : 'inactive',
    group_id: col(row, 'rank_id'),
    rate_type: readRef(row['rank_id']) === null ? 'default' : 'group',
    created_at: col(row, 'start_data'),
  }));
}

function statusOf(row: SourceRecord): string {
  const status = Number(row['status']);
  if (status === 0) return 'rejected';
  if (status === 1) return 'pending';
  return status === 2 ? (Number(row['payment']) === 2 ? 'paid' : 'unpaid') : 'unknown';
}

async function currencyOf(db: SourceDb): Promise<string | null> {
  const reading = await db.option('uap_currency');
  return reading.ok && typeof reading.value === 'string' ? reading.value : null;
}

async function referrals(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceReferral[]> {
  const currency = await currencyOf(db);
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    parent_id: col(row, 'parent_referral_id'),
    status: statusOf(row),
    amount: col(row, 'amount'),
    currency: col(row, 'currency') || currency,
    description: col(row, 'description'),
    utm_campaign: col(row, 'campaign'),
    provider: col(row, 'source'),
    provider_id: col(row, 'reference'),
    created_at: col(row, 'date'),
  }));
}

/** Buyers are known by their account only. A page names the orders on it: one buyer may have any number. */
async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const orders = groupRows(
    rows.filter((row) => Number(row['refferal_wp_uid']) > 0),
    (row) => String(row['refferal_wp_uid']),
  );
  const users = await db.users([...orders.keys()]);
  return [...orders].map(([id, [first = {}, ...more]]) => {
    const user = users.get(id);
    return {
      id: `user-${id}`,
      email: user?.email,
      user,
      affiliate_id: col(first, 'affiliate_id'),
      referral_ids: [first, ...more].map((order) => idOf(order, 'id')),
      created_at: col(first, 'date'),
      problem: user === undefined ? 'user_deleted' : undefined,
    };
  });
}

async function payments(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const metaOf = groupRows(
    await db.whereIn(
      'uap_payments_meta',
      'payment_id',
      rows.map((row) => idOf(row, 'id')),
    ),
    (meta) => String(meta['payment_id']),
  );
  const payoutOf = new Map(
    rows.map((row) => [idOf(row, 'id'), payoutIdOf(row, metaOf.get(idOf(row, 'id')) ?? [])]),
  );
  const batches = new Map(
    (
      await db.whereIn(
        'uap_payouts',
        'id',
        [...payoutOf.values()].map(Number).filter((id) => id > 0),
      )
    ).map((row) => [String(row['id']), row]),
  );
  return rows.map((row) => {
    const lists = [
      col(row, 'referral_ids'),
      ...(metaOf.get(idOf(row, 'id')) ?? []).filter((meta) => meta['meta_name'] !== PAYOUT_ID).map(listedIn),
    ].map(readListed);
    const batch = batches.get(payoutOf.get(idOf(row, 'id')) ?? '');
    const day = String(col(row, 'create_date') ?? '').slice(0, 10);
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      amount: col(row, 'amount'),
      method: col(row, 'payment_type'),
      status: Number(row['status']) === 2 ? 'paid' : 'processing',
      created_at: col(row, 'create_date'),
      referral_ids: [...new Set(lists.flatMap(({ ids }) => ids))],
      notes: refusals(
        Object.fromEntries(
          lists
            .map(({ reading }) => ['referral_ids', reading])
            .filter(([, reading]) => !(reading as PhpReading).ok),
        ),
      ),
      batch:
        batch === undefined
          ? { id: `day-${day}`, created_at: col(row, 'create_date') }
          : {
              id: `payout-${idOf(batch, 'id')}`,
              title: col(batch, 'title'),
              created_at: col(batch, 'created_time') ?? col(batch, 'create_date'),
            },
    };
  });
}

/** A payment names its batch in its meta, earlier in a column. */
const payoutIdOf = (row: SourceRecord, metas: readonly SourceRecord[]): string =>
  String(
    readRef(metas.find((meta) => meta['meta_name'] === PAYOUT_ID)?.['meta_value']) ??
      readRef(row['payout_id']) ??
      '',
  );

const listedIn = (meta: SourceRecord): Raw =>
  col(meta, 'referral_id') ?? col(meta, 'referral_ids') ?? col(meta, 'meta_value') ?? col(meta, 'value');

/** Ids stand as one id, a comma list, or a serialized or JSON list. */
function readListed(stored: Raw): { readonly ids: string[]; readonly reading: PhpReading } {
  const reading = readStructure(typeof stored === 'number' ? String(stored) : stored);
  if (!reading.ok || reading.value === null) return { ids: [], reading };
  return {
    ids:
      typeof reading.value === 'object'
        ? Object.values(reading.value).flatMap(readIdList)
        : readIdList(reading.value),
    reading,
  };
}

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const byVisit = await db.commissionsOf(rows, {
    table: 'uap_referrals',
    id: 'id',
    visit: 'visit_id',
    key: 'id',
    own: 'referral_id',
  });
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    referral_ids: byVisit.get(String(row['id'])) ?? [],
    url: col(row, 'url'),
    referrer: col(row, 'ref_url'),
    campaign: col(row, 'campaign_name'),
    ip: col(row, 'ip'),
    created_at: col(row, 'visit_date'),
  }));
}

const banners = (rows: readonly SourceRecord[]): SourceCreative[] =>
  rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'name'),
    type: 'image',
    description: col(row, 'description'),
    url: col(row, 'url'),
    image: col(row, 'image'),
    status: Number(row['status']) === 1 ? 'active' : 'inactive',
    created_at: col(row, 'create_date') ?? col(row, 'DATE'),
  }));
