import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceReward,
  SourceVisit,
} from '../types.js';
import { isBlank, readRef } from '../values.js';
import { foldWord } from '../words.js';
import { col, groupRows, idOf, mapOf, mapped, paymentStatus, scalar, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const AFFILIATE_STATUS = { rejected: 'inactive' };
const PAYMENT_STATUS = { unpaid: 'processing' };
const RATE = /^commission_rate_(?!type_)(\w+)$/u;
// Collections may also hold other objects than affiliates; earlier releases have no context.
const GROUPS = { column: 'object_context', values: ['affiliate'], optional: true };
const LINKS = ['slicewp_collection_object_relationships', 'slicewp_collection_relationships'];
const FLAT = new Set(['fixed_amount', 'fixed', 'flat']);

/** SliceWP (docs/moving-in.md). */
export function sliceWp(db: SourceDb, timeZone?: string): Migrator {
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
      referrals: { table: 'slicewp_commissions', key: 'id', map: (rows) => commissions(db, rows) },
      customers: { table: 'slicewp_customers', key: 'id', map: (rows) => customers(db, rows) },
      payouts: { table: 'slicewp_payments', key: 'id', map: (rows) => payments(db, rows) },
      visits: { table: 'slicewp_visits', key: 'id', map: (rows) => visits(db, rows) },
      creatives: { table: 'slicewp_creatives', key: 'id', map: (rows) => creatives(rows) },
    },
    program: () => program(db),
    times: 'utc',
    links: (settings) => ({
      variables: [String(settings?.referral_variable ?? '') || 'aff'],
      cookies: [{ name: 'slicewp_aff' }],
    }),
    statuses: [
      { stage: 'affiliates', table: 'slicewp_affiliates', column: 'status', words: AFFILIATE_STATUS },
      { stage: 'referrals', table: 'slicewp_commissions', column: 'status', words: {} },
      { stage: 'payouts', table: 'slicewp_payments', column: 'status', words: PAYMENT_STATUS },
    ],
    beginnings: ['slicewp_'],
    reads: READS,
    shops: { table: 'slicewp_commissions', column: 'origin' },
    books: {
      table: 'slicewp_commissions',
      affiliate: 'affiliate_id',
      amount: 'amount',
      currency: 'currency',
      counts: (rows) => countsOf(db, rows),
    },
  });
}

const DATES = ['date_created', 'date_modified'];
const READS = {
  slicewp_affiliates: ['id', 'user_id', ...DATES, 'payment_email', 'website', 'status', 'parent_id'],
  slicewp_affiliate_meta: ['meta_id', 'slicewp_affiliate_id', 'meta_key', 'meta_value'],
  slicewp_collections: ['id', 'object_context', 'type', 'name', ...DATES],
  slicewp_collection_meta: ['meta_id', 'slicewp_collection_id', 'meta_key', 'meta_value'],
  slicewp_collection_object_relationships: ['id', 'collection_id', 'object_id', 'object_context', ...DATES],
  slicewp_collection_relationships: ['id', 'collection_id', 'object_id', 'object_context', ...DATES],
  slicewp_commissions: [
    'id',
    'affiliate_id',
    'visit_id',
    ...DATES,
    'type',
    'status',
    'reference',
    'reference_amount',
    'customer_id',
    'origin',
    'amount',
    'parent_id',
    'payment_id',
    'currency',
  ],
  slicewp_customers: ['id', 'user_id', 'email', 'first_name', 'last_name', 'affiliate_id', ...DATES],
  slicewp_visits: [
    'id',
    'affiliate_id',
    ...DATES,
    'ip_address',
    'landing_url',
    'referrer_url',
    'commission_id',
  ],
  slicewp_payouts: ['id', 'admin_user_id', 'originator_user_id', ...DATES, 'amount'],
  slicewp_payments: [
    'id',
    'affiliate_id',
    'commission_ids',
    'amount',
    'currency',
    'originator_user_id',
    'payout_method',
    'status',
    'payout_id',
    ...DATES,
  ],
  slicewp_creatives: [
    'id',
    'name',
    'description',
    ...DATES,
    'type',
    'image_url',
    'image',
    'alt_text',
    'text',
    'landing_url',
    'status',
  ],
  slicewp_notes: ['id', 'object_context', 'object_id', 'user_id', 'date_created', 'note_content', 'content'],
};

async function program(db: SourceDb): Promise<ProgramSettings> {
  const reading = await db.option('slicewp_settings');
  const settings = mapOf(reading);
  return {
    currency: String(settings['active_currency'] ?? '') || (await db.onlyCurrency('slicewp_commissions')),
    rate_type: String(settings['commission_rate_type_sale'] ?? '') || null,
    rate: scalar(settings['commission_rate_sale']),
    referral_variable: String(settings['affiliate_keyword'] ?? '') || null,
    cookie_duration: scalar(settings['cookie_duration']),
    rewards: rewardsOf((name) => scalar(settings[name])),
    minimum_payout: scalar(settings['payments_minimum_amount']),
    time_zone: await db.siteZone(),
    site_url: await db.siteUrl(),
    ...(!reading.ok && { problem: reading.reason }),
  };
}

/** A payment on its way holds the commissions that name it. */
async function countsOf(
  db: SourceDb,
  rows: readonly SourceRecord[],
): Promise<('unpaid' | 'processing' | 'paid' | null)[]> {
  const ids = [...new Set(rows.map((row) => Number(row['payment_id'])))].filter((id) => id > 0);
  const payments = await db.whereIn('slicewp_payments', 'id', ids);
  const open = new Set(
    payments
      .filter((row) => mapped(PAYMENT_STATUS, col(row, 'status')) === 'processing')
      .map((row) => String(row['id'])),
  );
  return rows.map((row) => {
    const status = foldWord(row['status']);
    if (status !== 'unpaid' && status !== 'paid') return null;
    return open.has(String(row['payment_id'])) ? 'processing' : status;
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

/** The rates of subscriptions and leads, of the program or of an affiliate. */
function rewardsOf(read: (name: string) => Raw): SourceReward[] {
  const kinds = [
    ['renewal', 'subscription'],
    ['lead', 'lead'],
  ] as const;
  return kinds.flatMap(([kind, name]) => {
    const value = read(`commission_rate_${name}`);
    if (isBlank(value)) return [];
    const isFlat = FLAT.has(String(read(`commission_rate_type_${name}`) ?? 'percentage'));
    // a lead has no value that a percentage could be taken of
    if (kind === 'lead' && !isFlat) return [];
    return [{ kind, type: isFlat ? ('flat' as const) : ('percentage' as const), value }];
  });
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
  const notes = groupRows(
    (await db.whereIn('slicewp_notes', 'object_id', ids.map(Number))).filter(
      (row) => row['object_context'] === 'affiliate',
    ),
    (row) => String(row['object_id']),
  );
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
      note: (notes.get(String(row['id'])) ?? [])
        .map((note) => {
          const text = col(note, 'note_content') ?? col(note, 'content') ?? '';
          return `${String(col(note, 'date_created') ?? '')} ${String(text)}`.trim();
        })
        .join('\n'),
      custom_fields: fieldsOf(row, meta.get(String(row['id']))),
      rewards: rewardsOf((name) => meta.get(String(row['id']))?.get(name)),
      created_at: col(row, 'date_created'),
      other_dates: [col(row, 'date_modified')],
    };
  });
}

/** What has no place of its own: site, recruiter, way of payment, rates of other types than sales. */
function fieldsOf(row: SourceRecord, meta: ReadonlyMap<string, string> | undefined): Record<string, Raw> {
  const fields: Record<string, Raw> = { website: col(row, 'website') };
  if (readRef(row['parent_id']) !== null) fields['recruited_by_affiliate'] = String(row['parent_id']);
  for (const [key, value] of meta ?? []) {
    const type = RATE.exec(key)?.[1];
    if (type === 'sale' || key === 'custom_slug' || key.startsWith('commission_rate_type_')) continue;
    fields[key] =
      type === undefined ? value : `${value} ${meta?.get(`commission_rate_type_${type}`) ?? 'percentage'}`;
  }
  return fields;
}

async function commissions(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceReferral[]> {
  const parents = await db.whereIn(
    'slicewp_commissions',
    'id',
    rows.map((row) => Number(row['parent_id'])).filter((id) => id > 0),
  );
  const ownerOf = new Map(parents.map((row) => [String(row['id']), String(row['affiliate_id'])]));
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    ...parentOf(row, ownerOf),
    status: mapped({}, col(row, 'status')),
    other_dates: [col(row, 'date_modified')],
    amount: col(row, 'amount'),
    order_total: col(row, 'reference_amount'),
    currency: col(row, 'currency'),
    provider: col(row, 'origin'),
    provider_id: col(row, 'reference'),
    type: mapped({ subscription: 'recurring_sale', lead: 'lead' }, col(row, 'type')),
    created_at: col(row, 'date_created'),
  }));
}

/** A parent of another affiliate is a tier above it, kept as a note: it is no order of this one. */
function parentOf(
  row: SourceRecord,
  ownerOf: ReadonlyMap<string, string>,
): Pick<SourceReferral, 'parent_id' | 'settings'> {
  const parent = readRef(row['parent_id']);
  if (parent === null) return {};
  const owner = ownerOf.get(parent);
  return owner === undefined || owner === String(row['affiliate_id'])
    ? { parent_id: parent }
    : { settings: { tier_of_commission: parent, tier_of_affiliate: owner } };
}

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
      currency: col(row, 'currency'),
      status: paymentStatus(mapped(PAYMENT_STATUS, col(row, 'status'))),
      created_at: col(row, 'date_created'),
      other_dates: [col(row, 'date_modified')],
      // the list the payment keeps is not brought up to date; what the commissions say counts
      referral_ids: byPayment.get(String(row['id'])) ?? [],
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
