import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourceLevel,
  SourcePage,
  SourcePayment,
  SourceReferral,
  SourceReward,
  SourceVisit,
} from '../types.js';
import { isMap } from '../../../core/is-map.js';
import { readJson } from '../../../core/json.js';
import { rateText } from '../../../core/rate.js';
import { readStructure, type PhpReading } from '../php.js';
import { isBlank, readIdList, readRate, readRef, readTime } from '../values.js';
import {
  col,
  groupRows,
  idOf,
  instant,
  inTwoPasses,
  mapped,
  paymentStatus,
  refusals,
  tableMigrator,
} from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const PAYOUT_ID = 'payout_id';

/** Ultimate Affiliate (docs/moving-in.md). */
export function ultimateAffiliate(db: SourceDb, timeZone?: string): Migrator {
  const migrator = tableMigrator(db, {
    slug: 'ultimate_affiliate',
    name: 'Ultimate Affiliate',
    timeZone,
    probe: 'uap_affiliates',
    stages: {
      affiliate_groups: { table: 'uap_ranks', key: 'id', map: (rows) => ranks(db, rows) },
      affiliates: { table: 'uap_affiliates', key: 'id', instants: true, map: (rows) => affiliates(db, rows) },
      referrals: { table: 'uap_referrals', key: 'id', instants: true, map: (rows) => referrals(db, rows) },
      customers: {
        table: 'uap_referrals',
        key: 'id',
        instants: true,
        distinct: { column: 'refferal_wp_uid', above: 0 },
        map: (rows) => customers(db, rows),
      },
      payouts: { table: 'uap_payments', key: 'id', instants: true, map: (rows) => payments(db, rows) },
      visits: { table: 'uap_visits', key: 'id', instants: true, map: (rows) => visits(db, rows) },
      creatives: { table: 'uap_banners', key: 'id', instants: true, map: (rows) => banners(rows) },
    },
    program: () => program(db),
    times: 'utc',
    links: (settings) => ({
      variables: [String(settings?.referral_variable ?? '') || 'ref'],
      cookies: [{ name: 'uap_referral', member: 'affiliate_id' }],
    }),
    statuses: [
      { stage: 'affiliates', table: 'uap_affiliates', column: 'status', words: AFFILIATE_STATUS },
      { stage: 'referrals', table: 'uap_referrals', column: 'status', words: REFERRAL_STATUS },
      { stage: 'payouts', table: 'uap_payments', column: 'status', words: PAYMENT_STATUS },
    ],
    beginnings: ['uap_'],
    reads: READS,
    shops: { table: 'uap_referrals', column: 'source' },
    books: {
      table: 'uap_referrals',
      affiliate: 'affiliate_id',
      amount: 'amount',
      currency: 'currency',
      counts: async (rows) =>
        rows.map((row) => {
          if (Number(row['status']) !== 2) return null;
          return (['unpaid', 'processing', 'paid'] as const)[Number(row['payment'])] ?? 'unpaid';
        }),
    },
  });
  return {
    ...migrator,
    migrate: inTwoPasses(migrator.migrate.bind(migrator), (after, limit) => bound(db, after, limit)),
  };
}

/** Users bound to an affiliate who have not bought yet. */
async function bound(db: SourceDb, after: string | null, limit: number): Promise<SourcePage<SourceCustomer>> {
  const relations = await db.page('uap_affiliate_referral_users_relations', 'id', {
    after,
    limit,
    instants: true,
  });
  const ids = relations.map((row) => Number(row['referral_wp_uid'])).filter((id) => id > 0);
  const buyers = new Set(
    (await db.whereIn('uap_referrals', 'refferal_wp_uid', [...new Set(ids)])).map((row) =>
      String(row['refferal_wp_uid']),
    ),
  );
  const users = await db.users(ids);
  const seen = new Set(buyers);
  const rows = relations
    .filter((row) => {
      const id = String(row['referral_wp_uid'] ?? '');
      const isNew = readRef(id) !== null && !seen.has(id);
      seen.add(id);
      return isNew;
    })
    .map((row): SourceCustomer => {
      const user = users.get(String(row['referral_wp_uid']));
      return {
        id: `user-${String(row['referral_wp_uid'])}`,
        email: user?.email,
        user,
        affiliate_id: col(row, 'affiliate_id'),
        referral_ids: [],
        created_at: instant(row, 'DATE'),
        problem: user === undefined ? 'user_deleted' : undefined,
      };
    });
  return {
    rows,
    nextCursor: relations.length === 0 ? after : idOf(relations.at(-1) ?? {}, 'id'),
    done: relations.length < limit,
  };
}

const AFFILIATE_STATUS = { '0': 'inactive', '1': 'active' };
const REFERRAL_STATUS = { '0': 'rejected', '1': 'pending', '2': 'unpaid' };
const PAYMENT_STATUS = { '0': 'failed', '1': 'processing', '2': 'paid' };
const PAYPAL = 'uap_affiliate_paypal_email';
const PAYMENT_TYPE = 'uap_affiliate_payment_type';
const SLUG = 'uap_affiliate_custom_slug';
const BANK = 'uap_affiliate_bank_transfer_data';
const READS = {
  uap_affiliates: ['id', 'uid', 'rank_id', 'start_data', 'status'],
  uap_ranks: [
    'id',
    'slug',
    'label',
    'amount_type',
    'amount_value',
    'lifetime_amount_type',
    'lifetime_amount_value',
    'reccuring_amount_type',
    'reccuring_amount_value',
    'sign_up_amount_value',
    'bonus',
    'pay_per_click',
    'cpm_commission',
    'achieve',
    'status',
    'rank_order',
  ],
  uap_referrals: [
    'id',
    'refferal_wp_uid',
    'campaign',
    'affiliate_id',
    'visit_id',
    'description',
    'source',
    'reference',
    'reference_details',
    'parent_referral_id',
    'child_referral_id',
    'amount',
    'currency',
    'date',
    'status',
    'payment',
  ],
  uap_visits: [
    'id',
    'referral_id',
    'affiliate_id',
    'campaign_name',
    'ip',
    'url',
    'ref_url',
    'visit_date',
    'status',
  ],
  uap_payouts: [
    'id',
    'method',
    'amount',
    'currency',
    'title',
    'created_time',
    'create_date',
    'updated_time',
    'status',
  ],
  uap_payments: [
    'id',
    'payment_type',
    'transaction_id',
    'referral_ids',
    'affiliate_id',
    'amount',
    'currency',
    'payment_details',
    'create_date',
    'update_date',
    'payout_id',
    'status',
  ],
  uap_payments_meta: ['id', 'payment_id', 'meta_name', 'meta_value', 'referral_id', 'referral_ids', 'value'],
  uap_banners: ['id', 'name', 'description', 'url', 'image', 'status', 'DATE', 'create_date'],
  uap_coupons_code_affiliates: ['id', 'code', 'affiliate_id', 'type', 'status'],
  uap_affiliate_referral_users_relations: ['id', 'affiliate_id', 'referral_wp_uid', 'DATE'],
};

async function program(db: SourceDb): Promise<ProgramSettings> {
  return {
    currency: await currencyOf(db),
    referral_variable: await db.text('uap_referral_variable'),
    referral_format: await db.text('uap_default_ref_format'),
    cookie_duration: await db.text('uap_cookie_expire'),
    time_zone: await db.siteZone(),
    site_url: await db.siteUrl(),
  };
}

/** What a rank asks for, in the order it is asked: `[['referrals_number', '10']]`. */
function asked(row: SourceRecord): (readonly [type: string, value: string])[] {
  const said = readJson<unknown>(row['achieve'], null);
  if (!isMap(said)) return [];
  const count = Number(said['i']);
  return Array.from(
    { length: Number.isSafeInteger(count) && count > 0 ? Math.min(count, 20) : 0 },
    (_, at) => [String(said[`type_${at + 1}`] ?? ''), String(said[`value_${at + 1}`] ?? '')],
  );
}

/**
 * How a rank is reached. A sum of commissions, several conditions, and the last days only (Ranks Pro) have no place
 * among levels, which count sales or their value.
 */
function rankLevel(row: SourceRecord, isOfAllTime: boolean): SourceLevel | undefined {
  if (Number(row['status'] ?? 1) !== 1) return undefined;
  const place = Number(row['rank_order'] ?? 0);
  const [first, ...more] = asked(row);
  // affiliates have the lowest rank from the beginning
  if (first === undefined) return place <= 1 ? undefined : { place, sales: null };
  const [type, value] = first;
  const rate = readRate(value);
  const isSaid = isOfAllTime && more.length === 0 && type === 'referrals_number' && rate !== null;
  return { place, sales: isSaid ? rateText(rate) : null };
}

/** Without Ranks Pro, or with its default, a rank counts all commissions and is never lost. */
async function isOfAllTime(db: SourceDb): Promise<boolean> {
  if (Number((await db.text('uap_ranks_pro_enabled')) ?? 0) !== 1) return true;
  const isReset = Number((await db.text('uap_ranks_pro_reset')) ?? 0) === 1;
  return !isReset && (await db.text('uap_default_achieve_calculation')) !== 'limited';
}

/** What a rank asks for, and its rates for other orders than first ones; the group keeps them as its note. */
function rankNote(row: SourceRecord): string {
  const parts = [
    ['lifetime', 'lifetime_amount_type', 'lifetime_amount_value'],
    ['recurring', 'reccuring_amount_type', 'reccuring_amount_value'],
    ['sign-up', '', 'sign_up_amount_value'],
    ['bonus', '', 'bonus'],
    ['per click', '', 'pay_per_click'],
    ['per thousand views', '', 'cpm_commission'],
  ] as const;
  const reached = asked(row).map(([type, value]) => `${type} ${value}`);
  return [
    ...(reached.length === 0 ? [] : [`reached with: ${reached.join(', ')}`]),
    ...parts
      .filter(([, , value]) => Number(row[value] ?? -1) > 0)
      .map(([name, type, value]) => `${name}: ${String(row[value])} ${String(row[type] ?? '')}`.trim()),
  ].join('\n');
}

/** What a rank pays for renewals, later orders and sign-ups; below 0 means the rate of sales. */
function rankRewards(row: SourceRecord): SourceReward[] {
  const parts = [
    ['renewal', 'reccuring_amount_type', 'reccuring_amount_value'],
    ['later', 'lifetime_amount_type', 'lifetime_amount_value'],
    ['lead', '', 'sign_up_amount_value'],
  ] as const;
  return parts
    .filter(([, , value]) => Number(row[value] ?? -1) > 0)
    .map(([kind, type, value]) => ({
      kind,
      type: kind === 'lead' || row[type] === 'flat' ? ('flat' as const) : ('percentage' as const),
      value: col(row, value),
    }));
}

async function ranks(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceGroup[]> {
  const ofAllTime = await isOfAllTime(db);
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    name: col(row, 'label'),
    rate_type: isBlank(row['amount_value'])
      ? 'default'
      : col(row, 'amount_type') === 'flat'
        ? 'flat'
        : 'percentage',
    rate: col(row, 'amount_value'),
    note: rankNote(row),
    rewards: rankRewards(row),
    level: rankLevel(row, ofAllTime),
    status: Number(row['status'] ?? 1) === 1 ? 'active' : 'inactive',
  }));
}

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const uids = rows.map((row) => row['uid']);
  const users = await db.users(uids);
  const meta = await db.userMeta(uids, [PAYPAL, PAYMENT_TYPE, SLUG, BANK]);
  const coupons = groupRows(
    await db.whereIn(
      'uap_coupons_code_affiliates',
      'affiliate_id',
      rows.map((row) => Number(row['id'])),
    ),
    (row) => String(row['affiliate_id']),
  );
  return rows.map((row) => {
    const said = meta.get(String(row['uid']));
    return {
      id: idOf(row, 'id'),
      user: users.get(String(row['uid'])) ?? null,
      status: mapped(AFFILIATE_STATUS, col(row, 'status')),
      group_id: col(row, 'rank_id'),
      rate_type: readRef(row['rank_id']) === null ? 'default' : 'group',
      payment_email: said?.get(PAYPAL),
      bank_details: said?.get(BANK),
      custom_param: said?.get(SLUG),
      custom_fields: { payment_method: said?.get(PAYMENT_TYPE) },
      coupons: (coupons.get(idOf(row, 'id')) ?? [])
        .filter((coupon) => Number(coupon['status'] ?? 1) === 1)
        .map((coupon) => ({
          provider: String(col(coupon, 'type') ?? '') || 'woo',
          code: String(col(coupon, 'code') ?? ''),
        })),
      created_at: instant(row, 'start_data'),
    };
  });
}

const statusOf = (row: SourceRecord): string => {
  const word = mapped(REFERRAL_STATUS, col(row, 'status'));
  return word === 'unpaid' && Number(row['payment']) === 2 ? 'paid' : word;
};

async function currencyOf(db: SourceDb): Promise<string | null> {
  return (await db.text('uap_currency')) ?? (await db.onlyCurrency('uap_referrals'));
}

async function referrals(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceReferral[]> {
  const currency = await currencyOf(db);
  const parents = await db.whereIn(
    'uap_referrals',
    'id',
    rows.map((row) => Number(row['parent_referral_id'])).filter((id) => id > 0),
  );
  const ownerOf = new Map(parents.map((row) => [String(row['id']), String(row['affiliate_id'])]));
  return rows.map((row) => ({
    id: idOf(row, 'id'),
    affiliate_id: col(row, 'affiliate_id'),
    ...tiersOf(row, ownerOf),
    status: statusOf(row),
    amount: col(row, 'amount'),
    currency: col(row, 'currency') || currency,
    description: col(row, 'description'),
    utm_campaign: col(row, 'campaign'),
    provider: col(row, 'source'),
    provider_id: col(row, 'reference'),
    created_at: instant(row, 'date'),
  }));
}

/** A parent of another affiliate is a tier, kept as a note: it is no order of this one. */
function tiersOf(
  row: SourceRecord,
  ownerOf: ReadonlyMap<string, string>,
): Pick<SourceReferral, 'parent_id' | 'settings'> {
  const [parent, child] = [readRef(row['parent_referral_id']), readRef(row['child_referral_id'])];
  const isOwn = parent !== null && ownerOf.get(parent) === String(row['affiliate_id']);
  const notes = {
    ...(parent === null || isOwn ? {} : { tier_below: parent }),
    ...(child === null ? {} : { tier_of_commission: child }),
    ...(isBlank(row['reference_details'])
      ? {}
      : { reference_details: String(col(row, 'reference_details')) }),
  };
  return {
    ...(isOwn ? { parent_id: parent } : {}),
    ...(Object.keys(notes).length > 0 ? { settings: notes } : {}),
  };
}

/** Buyers are known by their account only. A page names the orders on it: one buyer may have any number. */
async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const orders = groupRows(
    rows.filter((row) => Number(row['refferal_wp_uid']) > 0),
    (row) => String(row['refferal_wp_uid']),
  );
  const users = await db.users([...orders.keys()]);
  const boundTo = new Map(
    (
      await db.whereIn(
        'uap_affiliate_referral_users_relations',
        'referral_wp_uid',
        [...orders.keys()].map(Number),
      )
    ).map((row) => [String(row['referral_wp_uid']), col(row, 'affiliate_id')]),
  );
  return [...orders].map(([id, [first = {}, ...more]]) => {
    const user = users.get(id);
    return {
      id: `user-${id}`,
      email: user?.email,
      user,
      affiliate_id: boundTo.get(id) ?? col(first, 'affiliate_id'),
      referral_ids: [first, ...more].map((order) => idOf(order, 'id')),
      created_at: instant(first, 'date'),
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
    const at = readTime(instant(row, 'create_date'), 'UTC');
    const day = at === null ? 'unknown' : new Date(at).toISOString().slice(0, 10);
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      amount: col(row, 'amount'),
      method: col(row, 'payment_type'),
      currency: col(row, 'currency'),
      status: paymentStatus(mapped(PAYMENT_STATUS, col(row, 'status'))),
      created_at: instant(row, 'create_date'),
      other_dates: [instant(row, 'update_date')],
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
          ? { id: `day-${day}`, created_at: instant(row, 'create_date') }
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
    created_at: instant(row, 'visit_date'),
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
    created_at: col(row, 'create_date') === undefined ? instant(row, 'DATE') : instant(row, 'create_date'),
  }));
