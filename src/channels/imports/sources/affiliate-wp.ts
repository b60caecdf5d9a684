import type {
  Migrator,
  ProgramSettings,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { readStructure, type PhpValue } from '../php.js';
import { isBlank, readIdList, readRef, readTime } from '../values.js';
import { foldWord } from '../words.js';
import {
  col,
  groupRows,
  idOf,
  mapOf,
  mapped,
  paymentStatus,
  refusals,
  scalar,
  tableMigrator,
} from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const AFFILIATE_STATUS = { rejected: 'inactive' };
/** A draft order was never completed; a failed one never will be. */
const DRAFT = 'draft';
const REFERRAL_STATUS = { [DRAFT]: 'pending', failed: 'rejected' };
const DAY_LENGTH = 10;
const OPTION = 'affwp_settings';

/** AffiliateWP (docs/moving-in.md). */
export function affiliateWp(db: SourceDb, timeZone?: string): Migrator {
  return tableMigrator(db, {
    slug: 'affiliate_wp',
    name: 'AffiliateWP',
    timeZone,
    probe: 'affiliate_wp_affiliates',
    stages: {
      affiliate_groups: {
        table: 'affiliate_wp_groups',
        key: 'group_id',
        only: { column: 'type', values: ['affiliate-group'], optional: true },
        map: (rows) => groups(rows),
      },
      affiliates: {
        table: 'affiliate_wp_affiliates',
        key: 'affiliate_id',
        map: (rows) => affiliates(db, rows),
      },
      referrals: { table: 'affiliate_wp_referrals', key: 'referral_id', map: (rows) => referrals(db, rows) },
      customers: { table: 'affiliate_wp_customers', key: 'customer_id', map: (rows) => customers(db, rows) },
      payouts: { table: 'affiliate_wp_payouts', key: 'payout_id', map: (rows) => payments(db, rows) },
      visits: { table: 'affiliate_wp_visits', key: 'visit_id', map: (rows) => visits(db, rows) },
      creatives: { table: 'affiliate_wp_creatives', key: 'creative_id', map: (rows) => creatives(rows) },
    },
    program: () => program(db),
    times: 'utc',
    links: (settings) => ({
      variables: [String(settings?.referral_variable ?? '') || 'ref'],
      cookies: [{ name: 'affwp_ref' }],
    }),
    statuses: [
      { stage: 'affiliates', table: 'affiliate_wp_affiliates', column: 'status', words: AFFILIATE_STATUS },
      { stage: 'referrals', table: 'affiliate_wp_referrals', column: 'status', words: REFERRAL_STATUS },
      { stage: 'payouts', table: 'affiliate_wp_payouts', column: 'status', words: {} },
    ],
    beginnings: ['affiliate_wp_'],
    reads: READS,
    shops: { table: 'affiliate_wp_referrals', column: 'context' },
    books: {
      table: 'affiliate_wp_referrals',
      affiliate: 'affiliate_id',
      amount: 'amount',
      currency: 'currency',
      counts: (rows) => countsOf(db, rows),
    },
  });
}

const READS = {
  affiliate_wp_affiliates: [
    'affiliate_id',
    'user_id',
    'rate',
    'rate_type',
    'payment_email',
    'status',
    'earnings',
    'unpaid_earnings',
    'referrals',
    'visits',
    'date_registered',
  ],
  affiliate_wp_affiliatemeta: ['meta_id', 'affiliate_id', 'meta_key', 'meta_value'],
  affiliate_wp_referrals: [
    'referral_id',
    'affiliate_id',
    'visit_id',
    'customer_id',
    'parent_id',
    'payout_id',
    'description',
    'status',
    'amount',
    'currency',
    'type',
    'context',
    'reference',
    'products',
    'custom',
    'campaign',
    'date',
  ],
  affiliate_wp_sales: ['referral_id', 'affiliate_id', 'order_total'],
  affiliate_wp_customers: [
    'customer_id',
    'user_id',
    'email',
    'first_name',
    'last_name',
    'ip',
    'date_created',
  ],
  affiliate_wp_customermeta: ['meta_id', 'affwp_customer_id', 'meta_key', 'meta_value'],
  affiliate_wp_lifetime_customers: [
    'lifetime_customer_id',
    'affwp_customer_id',
    'affiliate_id',
    'date_created',
  ],
  affiliate_wp_visits: [
    'visit_id',
    'affiliate_id',
    'referral_id',
    'url',
    'referrer',
    'campaign',
    'ip',
    'date',
  ],
  affiliate_wp_payouts: [
    'payout_id',
    'affiliate_id',
    'referrals',
    'amount',
    'owner',
    'payout_method',
    'description',
    'status',
    'date',
  ],
  affiliate_wp_creatives: ['creative_id', 'name', 'description', 'url', 'text', 'image', 'status', 'date'],
  affiliate_wp_coupons: ['coupon_id', 'affiliate_id', 'coupon_code', 'type', 'integration'],
  affiliate_wp_groups: ['group_id', 'type', 'title', 'meta'],
  affiliate_wp_connections: ['connection_id', 'group', 'affiliate', 'creative'],
};

const groups = (rows: readonly SourceRecord[]): SourceGroup[] =>
  rows.map((row) => {
    const reading = readStructure(col(row, 'meta'));
    const meta = mapOf(reading);
    const rate = scalar(meta['rate']);
    return {
      id: idOf(row, 'group_id'),
      name: col(row, 'title'),
      rate_type: isBlank(rate) ? 'default' : meta['rate-type'] === 'flat' ? 'flat' : 'percentage',
      rate,
      notes: refusals({ meta: reading }),
    };
  });

const creatives = (rows: readonly SourceRecord[]): SourceCreative[] =>
  rows.map((row) => ({
    id: idOf(row, 'creative_id'),
    name: col(row, 'name'),
    description: col(row, 'description'),
    url: col(row, 'url'),
    text: col(row, 'text'),
    image: col(row, 'image'),
    status: col(row, 'status'),
    created_at: col(row, 'date'),
  }));

async function countsOf(
  db: SourceDb,
  rows: readonly SourceRecord[],
): Promise<('unpaid' | 'processing' | 'paid' | null)[]> {
  const ids = [...new Set(rows.map((row) => Number(row['payout_id'])))].filter((id) => id > 0);
  const open = new Set(
    (await db.whereIn('affiliate_wp_payouts', 'payout_id', ids))
      .filter((row) => foldWord(row['status']) === 'processing')
      .map((row) => String(row['payout_id'])),
  );
  return rows.map((row) => {
    const status = foldWord(row['status']);
    if (status === 'unpaid') return 'unpaid';
    if (status !== 'paid') return null;
    return open.has(String(row['payout_id'])) ? 'processing' : 'paid';
  });
}

async function setting(db: SourceDb, key: string): Promise<PhpValue> {
  return mapOf(await db.option(OPTION))[key] ?? null;
}

async function program(db: SourceDb): Promise<ProgramSettings> {
  const reading = await db.option(OPTION);
  const settings = mapOf(reading);
  return {
    currency: String(settings['currency'] ?? '') || (await db.onlyCurrency('affiliate_wp_referrals')),
    referral_format: String(settings['referral_format'] ?? '') || null,
    minimum_payout: scalar(settings['minimum_payout']),
    time_zone: await db.siteZone(),
    site_url: await db.siteUrl(),
    rate_type: String(settings['referral_rate_type'] ?? '') || null,
    rate: scalar(settings['referral_rate']),
    referral_variable: String(settings['referral_var'] ?? '') || null,
    cookie_duration: scalar(settings['cookie_exp']),
    ...(!reading.ok && { problem: reading.reason }),
  };
}

async function affiliates(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceAffiliate[]> {
  const users = await db.users(rows.map((row) => row['user_id']));
  const programType = await setting(db, 'referral_rate_type');
  const ids = rows.map((row) => Number(row['affiliate_id']));
  const meta = groupRows(await db.whereIn('affiliate_wp_affiliatemeta', 'affiliate_id', ids), (row) =>
    String(row['affiliate_id']),
  );
  const coupons = groupRows(await db.whereIn('affiliate_wp_coupons', 'affiliate_id', ids), (row) =>
    String(row['affiliate_id']),
  );
  const links = await db.whereIn('affiliate_wp_connections', 'affiliate', ids);
  const groupOf = new Map(links.map((row) => [String(row['affiliate']), col(row, 'group')]));
  // releases without unpaid earnings stored the registration on the site's clock
  const isLocal = !(await db.hasColumn('affiliate_wp_affiliates', 'unpaid_earnings'));
  return rows.map((row) => {
    const id = idOf(row, 'affiliate_id');
    const said = new Map(
      (meta.get(id) ?? []).map((each) => [String(each['meta_key']), col(each, 'meta_value')]),
    );
    const group = groupOf.get(id);
    const given = String(col(row, 'rate_type') ?? '');
    const type = given || String(programType ?? 'percentage');
    return {
      id: idOf(row, 'affiliate_id'),
      user: users.get(String(row['user_id'])) ?? null,
      status: mapped(AFFILIATE_STATUS, col(row, 'status')),
      rate_type: isBlank(row['rate'])
        ? readRef(group) === null
          ? 'default'
          : 'group'
        : type === 'flat'
          ? 'flat'
          : 'percentage',
      rate: col(row, 'rate'),
      group_id: group,
      custom_param: said.get('custom_slug'),
      note: said.get('notes'),
      coupons: (coupons.get(id) ?? []).map((each) => ({
        provider: String(col(each, 'integration') ?? '') || 'woocommerce',
        code: String(col(each, 'coupon_code') ?? ''),
      })),
      custom_fields: Object.fromEntries([
        ...[...said].filter(([key]) => !['custom_slug', 'notes'].includes(key)),
        ...(isBlank(row['flat_rate_basis'])
          ? []
          : [['flat_rate_basis', col(row, 'flat_rate_basis')] as const]),
      ]),
      notes: isSmallPercentage(type, row['rate']) ? ['percentage_below_one'] : undefined,
      is_local_time: isLocal,
      payment_email: col(row, 'payment_email'),
      paid_earnings: col(row, 'earnings'),
      unpaid_earnings: col(row, 'unpaid_earnings'),
      created_at: col(row, 'date_registered'),
    };
  });
}

const isSmallPercentage = (type: string, rate: unknown): boolean =>
  type !== 'flat' && Number(rate) > 0 && Number(rate) < 1;

async function referrals(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceReferral[]> {
  const currency = await setting(db, 'currency');
  const failed = new Set(
    (
      await db.whereIn(
        'affiliate_wp_payouts',
        'payout_id',
        [...new Set(rows.map((row) => Number(row['payout_id'])))].filter((id) => id > 0),
      )
    )
      .filter((row) => foldWord(row['status']) === 'failed')
      .map((row) => String(row['payout_id'])),
  );
  const undated = rows.filter((row) => !isDate(row['date'])).map((row) => Number(row['visit_id']));
  const visitDates = new Map(
    (await db.whereIn('affiliate_wp_visits', 'visit_id', undated)).map((row) => [
      String(row['visit_id']),
      col(row, 'date'),
    ]),
  );
  const sales = new Map(
    (
      await db.whereIn(
        'affiliate_wp_sales',
        'referral_id',
        rows.map((row) => Number(row['referral_id'])),
      )
    ).map((row) => [String(row['referral_id']), row]),
  );
  return rows.map((row) => {
    const products = readStructure(col(row, 'products'));
    const sale = sales.get(String(row['referral_id']));
    return {
      id: idOf(row, 'referral_id'),
      affiliate_id: col(row, 'affiliate_id'),
      parent_id: col(row, 'parent_id'),
      status: mapped(REFERRAL_STATUS, col(row, 'status')),
      problem: foldWord(row['status']) === DRAFT ? 'commission_never_completed' : undefined,
      amount: col(row, 'amount'),
      currency: col(row, 'currency') || (typeof currency === 'string' ? currency : null),
      order_total: sale === undefined ? null : col(sale, 'order_total'),
      description: col(row, 'description'),
      provider: col(row, 'context'),
      provider_id: col(row, 'reference'),
      utm_campaign: col(row, 'campaign'),
      products: products.ok ? products.value : null,
      notes: notesOf(
        refusals({ products }),
        failed.has(String(row['payout_id'])) && col(row, 'status') === 'paid',
      ),
      settings: isBlank(row['custom']) ? undefined : { custom: String(col(row, 'custom')) },
      type: mapped({ 'opt-in': 'opt_in', renewal: 'recurring_sale' }, col(row, 'type')),
      other_dates: isDate(row['date']) ? undefined : [visitDates.get(String(row['visit_id']))],
      created_at: col(row, 'date'),
    };
  });
}

const isDate = (value: unknown): boolean => readTime(value, 'UTC') !== null;

const notesOf = (
  refused: readonly string[] | undefined,
  byFailedPayment: boolean,
): readonly string[] | undefined =>
  byFailedPayment ? [...(refused ?? []), 'paid_by_failed_payment'] : refused;

async function customers(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceCustomer[]> {
  const ids = rows.map((row) => row['customer_id']);
  const users = await db.users(rows.map((row) => row['user_id']));
  const byCustomer = await db.idsBy('affiliate_wp_referrals', 'customer_id', 'referral_id', ids);
  const meta = await db.whereIn('affiliate_wp_customermeta', 'affwp_customer_id', ids.map(Number));
  const affiliateOf = new Map(
    meta
      .filter((row) => row['meta_key'] === 'affiliate_id')
      .map((row) => [String(row['affwp_customer_id']), col(row, 'meta_value')]),
  );
  for (const row of await db.whereIn('affiliate_wp_lifetime_customers', 'affwp_customer_id', ids.map(Number)))
    affiliateOf.set(String(row['affwp_customer_id']), col(row, 'affiliate_id'));
  return rows.map((row) => ({
    id: idOf(row, 'customer_id'),
    email: col(row, 'email'),
    user: users.get(String(row['user_id'])),
    first_name: col(row, 'first_name'),
    last_name: col(row, 'last_name'),
    ip: col(row, 'ip'),
    affiliate_id: affiliateOf.get(String(row['customer_id'])),
    referral_ids: byCustomer.get(String(row['customer_id'])) ?? [],
    created_at: col(row, 'date_created'),
  }));
}

/** One row per affiliate; those of one day, method and owner were one batch. */
async function payments(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourcePayment[]> {
  const byPayout = await db.idsBy(
    'affiliate_wp_referrals',
    'payout_id',
    'referral_id',
    rows.map((row) => row['payout_id']),
  );
  return rows.map((row) => {
    const method = String(col(row, 'payout_method') ?? 'manual');
    const day = String(col(row, 'date') ?? '').slice(0, DAY_LENGTH);
    const listed = [
      ...new Set([...readIdList(col(row, 'referrals')), ...(byPayout.get(String(row['payout_id'])) ?? [])]),
    ];
    return {
      id: idOf(row, 'payout_id'),
      affiliate_id: col(row, 'affiliate_id'),
      amount: col(row, 'amount'),
      method,
      referral_ids: listed,
      status: paymentStatus(mapped({}, col(row, 'status'))),
      created_at: col(row, 'date'),
      batch: {
        id: `${day}:${method}:${readRef(row['owner']) ?? '0'}`.slice(0, 120),
        created_at: col(row, 'date'),
        description: col(row, 'description'),
      },
    };
  });
}

async function visits(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceVisit[]> {
  const byVisit = await db.commissionsOf(rows, {
    table: 'affiliate_wp_referrals',
    id: 'referral_id',
    visit: 'visit_id',
    key: 'visit_id',
    own: 'referral_id',
  });
  return rows.map((row) => ({
    id: idOf(row, 'visit_id'),
    affiliate_id: col(row, 'affiliate_id'),
    referral_ids: byVisit.get(String(row['visit_id'])) ?? [],
    url: col(row, 'url'),
    referrer: col(row, 'referrer'),
    campaign: col(row, 'campaign'),
    ip: col(row, 'ip'),
    created_at: col(row, 'date'),
  }));
}
