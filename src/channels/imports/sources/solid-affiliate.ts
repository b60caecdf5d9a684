import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePage,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { readStructure } from '../php.js';
import { isBlank, readIdList, readRef } from '../values.js';
import { foldWord } from '../words.js';
import {
  col,
  exact,
  groupRows,
  idOf,
  inTwoPasses,
  mapOf,
  mapped,
  paymentStatus,
  refusals,
  scalar,
  tableMigrator,
} from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const AFFILIATE_STATUS = { approved: 'active', rejected: 'inactive' };
const DRAFT = 'draft';
const REFERRAL_STATUS = { [DRAFT]: 'pending' };
const SLUG = 'sld_custom_affiliate_slug';
const NO_MAILS = 'sld_disable_referral_notification_emails';

/** Each site of a WordPress network but the first has a number in its table prefix and in its cookie. */
const siteOfNetwork = (prefix: string): string => /_(\d+)_$/u.exec(prefix)?.[1]?.replace(/^/u, '-') ?? '';

/** Solid Affiliate (docs/moving-in.md). */
export function solidAffiliate(db: SourceDb, timeZone?: string): Migrator {
  const migrator = tableMigrator(db, {
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
    program: () => program(db),
    times: 'utc',
    links: (settings) => ({
      variables: [String(settings?.referral_variable ?? '') || 'sld'],
      cookies: [{ name: `solid_visit_id${siteOfNetwork(db.prefix)}`, isVisit: true }],
    }),
    statuses: [
      { stage: 'affiliates', table: 'solid_affiliate_affiliates', column: 'status', words: AFFILIATE_STATUS },
      { stage: 'referrals', table: 'solid_affiliate_referrals', column: 'status', words: REFERRAL_STATUS },
      { stage: 'payouts', table: 'solid_affiliate_payouts', column: 'status', words: {} },
    ],
    beginnings: ['solid_affiliate'],
    reads: READS,
    shops: { table: 'solid_affiliate_referrals', column: 'order_source' },
    books: {
      table: 'solid_affiliate_referrals',
      affiliate: 'affiliate_id',
      amount: 'commission_amount',
      counts: async (rows) =>
        rows.map((row) => {
          const status = foldWord(row['status']);
          return status === 'unpaid' || status === 'paid' ? status : null;
        }),
    },
  });
  return {
    ...migrator,
    migrate: inTwoPasses(migrator.migrate.bind(migrator), (after, limit) => ordering(db, after, limit)),
  };
}

const DATES = ['created_at', 'updated_at'];
const READS = {
  solid_affiliate_affiliates: [
    'id',
    'user_id',
    'affiliate_group_id',
    'commission_type',
    'commission_rate',
    'payment_email',
    'first_name',
    'last_name',
    'registration_notes',
    'status',
    'custom_registration_data',
    ...DATES,
  ],
  solid_affiliate_affiliate_meta: ['id', 'affiliate_id', 'meta_key', 'meta_value', ...DATES],
  solid_affiliate_affiliate_groups: ['id', 'name', 'commission_type', 'commission_rate', ...DATES],
  solid_affiliate_affiliate_customer_links: [
    'id',
    'affiliate_id',
    'customer_id',
    'customer_email',
    'expires_on_unix_seconds',
    ...DATES,
  ],
  solid_affiliate_referrals: [
    'id',
    'affiliate_id',
    'order_amount',
    'commission_amount',
    'visit_id',
    'coupon_id',
    'customer_id',
    'referral_type',
    'referral_source',
    'description',
    'order_source',
    'order_id',
    'order_refunded_at',
    'payout_id',
    'status',
    'serialized_item_commissions',
    ...DATES,
  ],
  solid_affiliate_visits: [
    'id',
    'affiliate_id',
    'referral_id',
    'landing_url',
    'http_referrer',
    'http_ip',
    ...DATES,
  ],
  solid_affiliate_payouts: [
    'id',
    'affiliate_id',
    'amount',
    'description',
    'payout_method',
    'bulk_payout_id',
    'created_by_user_id',
    'status',
    ...DATES,
  ],
  solid_affiliates_bulk_payouts: [
    'id',
    'currency',
    'method',
    'total_amount',
    'status',
    'reference',
    'api_mode',
    'created_by_user_id',
    ...DATES,
  ],
  solid_affiliate_creatives: [
    'id',
    'name',
    'description',
    'url',
    'creative_image_url',
    'creative_text',
    'status',
    ...DATES,
  ],
};

/** The system has no currency of its own: it counts in the shop's, which its bulk payouts name too. */
async function program(db: SourceDb): Promise<ProgramSettings> {
  const settings = mapOf(await db.option('solid_affiliate_settings'));
  const own = mapOf(await db.option('sld_affiliate_options'));
  const said = (name: string): string | number | null => scalar(settings[name] ?? own[name]);
  return {
    currency: (await db.shopCurrency()) ?? (await db.onlyCurrency('solid_affiliates_bulk_payouts')),
    rate: said('referral_rate'),
    rate_type: String(said('referral_rate_type') ?? '') || null,
    referral_variable: String(said('referral_variable') ?? '') || null,
    cookie_duration: said('cookie_expiration_days'),
    time_zone: await db.siteZone(),
    site_url: await db.siteUrl(),
  };
}

/** After the buyers bound to an affiliate come those of the orders, whom no link names. */
async function ordering(
  db: SourceDb,
  after: string | null,
  limit: number,
): Promise<SourcePage<SourceCustomer>> {
  const rows = await db.page('solid_affiliate_referrals', 'id', { after, limit });
  return {
    rows: await buyers(db, rows),
    nextCursor: rows.length === 0 ? after : idOf(rows.at(-1) ?? {}, 'id'),
    done: rows.length < limit,
  };
}

async function buyers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const orders = groupRows(
    rows.filter((row) => Number(row['customer_id']) > 0),
    (row) => String(row['customer_id']),
  );
  const users = await db.users([...orders.keys()]);
  const linked = new Set(
    (
      await db.whereIn(
        'solid_affiliate_affiliate_customer_links',
        'customer_id',
        [...orders.keys()].map(Number),
      )
    ).map((row) => String(row['customer_id'])),
  );
  return [...orders]
    .filter(([id]) => !linked.has(id))
    .map(([id, [first = {}, ...more]]) => {
      const user = users.get(id);
      return {
        id: `user-${id}`,
        email: user?.email,
        user,
        affiliate_id: col(first, 'affiliate_id'),
        referral_ids: [first, ...more].map((order) => idOf(order, 'id')),
        created_at: col(first, 'created_at'),
        problem: user === undefined ? 'user_deleted' : undefined,
      };
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
  const meta = groupRows(
    await db.whereIn(
      'solid_affiliate_affiliate_meta',
      'affiliate_id',
      rows.map((row) => Number(row['id'])),
    ),
    (row) => String(row['affiliate_id']),
  );
  return rows.map((row) => {
    const type = rateType(row);
    const said = new Map(
      (meta.get(idOf(row, 'id')) ?? []).map((each) => [String(each['meta_key']), col(each, 'meta_value')]),
    );
    const registered = mapOf(readStructure(col(row, 'custom_registration_data')));
    return {
      id: idOf(row, 'id'),
      user: users.get(String(row['user_id'])) ?? null,
      custom_param: said.get(SLUG),
      disable_new_ref_email: Number(said.get(NO_MAILS) ?? 0) > 0 ? 'yes' : 'no',
      custom_fields: {
        ...Object.fromEntries(
          Object.entries(registered).map(([name, value]) => [
            name,
            typeof value === 'object' ? JSON.stringify(value) : String(value),
          ]),
        ),
        ...Object.fromEntries([...said].filter(([key]) => key !== SLUG && key !== NO_MAILS)),
        ...(users.has(String(row['user_id']))
          ? {}
          : {
              name: `${String(col(row, 'first_name') ?? '')} ${String(col(row, 'last_name') ?? '')}`.trim(),
            }),
      },
      other_dates: [col(row, 'updated_at')],
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
    const items = readStructure(col(row, 'serialized_item_commissions'), { objectsAsMaps: true });
    return {
      id: idOf(row, 'id'),
      affiliate_id: col(row, 'affiliate_id'),
      status: mapped(REFERRAL_STATUS, col(row, 'status')),
      problem: foldWord(row['status']) === DRAFT ? 'commission_never_completed' : undefined,
      amount: exact(row, 'commission_amount'),
      order_total: exact(row, 'order_amount'),
      settings: factsOf(row),
      other_dates: [col(row, 'updated_at')],
      description: col(row, 'description'),
      provider: col(row, 'order_source'),
      provider_id: col(row, 'order_id'),
      products: items.ok ? items.value : null,
      notes: refusals({ products: items }),
      type: mapped(
        {
          purchase: 'sale',
          subscription_renewal: 'recurring_sale',
          auto_referral: 'lifetime_sale',
          event: 'lead',
        },
        col(row, 'referral_type'),
      ),
      created_at: col(row, 'created_at'),
    };
  });
}

/**
 * What the row says beside its money: how it came, its coupon, its type there, when its order was refunded.
 */
const factsOf = (row: SourceRecord): Record<string, Raw> =>
  Object.fromEntries(
    ['referral_source', 'coupon_id', 'referral_type', 'order_refunded_at']
      .map((name) => [name, col(row, name)] as const)
      .filter(([, value]) => !isBlank(value) && String(value) !== '0'),
  );

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
      bound_until: endOf(Number(row['expires_on_unix_seconds'])),
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
      currency: col(batch ?? {}, 'currency'),
      status: statusOfPayment(row, batch),
      problem: col(batch ?? {}, 'api_mode') === 'sandbox' ? 'payment_of_a_test' : undefined,
      other_dates: [col(row, 'updated_at')],
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

/** A bulk payment that failed took its payments along. */
function statusOfPayment(
  row: SourceRecord,
  batch: SourceRecord | undefined,
): 'paid' | 'processing' | 'failed' {
  const bulk = foldWord(batch?.['status']);
  if (bulk === 'fail' || bulk === 'failed') return 'failed';
  return paymentStatus(mapped({}, col(row, 'status')));
}

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

/** 0: never; what is no time is no end either. */
function endOf(seconds: number): number | null {
  const at = new Date(seconds * 1000).getTime();
  return at === 0 || Number.isNaN(at) ? null : at;
}
