import { isBlank, readIdList, readRef, readTime } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import type { Migrator, ProgramSettings, Raw, SourceCoupon, SourcePayment } from '../imports.js';
import {
  col,
  fromTable,
  idOf,
  mapOf,
  paymentStatusOf,
  refusals,
  scalar,
  textIn,
  valueOf,
  wordOf,
  structure,
} from './fields.js';
import type { PhpValue } from './php.js';
import { countedByStatus, tableMigrator, type CountedAs } from './source.js';
import { valuesOf, type SourceDb, type SourceRecord } from './source-queries.js';

/** A draft order was never completed; a failed one never will be. */
const DRAFT = 'draft';
const DAY_LENGTH = 10;
const OPTION = 'affwp_settings';

/** AffiliateWP (docs/moving-in.md). */
export const affiliateWp = (db: SourceDb, timeZone?: string): Migrator =>
  tableMigrator(db, {
    slug: 'affiliate_wp',
    name: 'AffiliateWP',
    timeZone,
    probe: 'affiliate_wp_affiliates',
    program: () => program(db),
    times: 'utc',
    links: { variable: 'ref', cookies: [{ name: 'affwp_ref' }] },
    beginnings: ['affiliate_wp_'],
    shops: 'context',
    books: {
      amount: 'amount',
      currency: 'currency',
      counts: (rows) => countsOf(db, rows),
    },
    stages: {
      affiliate_groups: fromTable({
        table: 'affiliate_wp_groups',
        key: 'group_id',
        only: { column: 'type', values: ['affiliate-group'], optional: true },
        fields: {
          name: 'title',
          rate_type: (row) => {
            const meta = mapOf(structure(row, 'meta'));
            return rateType(scalar(meta['rate']), meta['rate-type']);
          },
          rate: (row) => scalar(mapOf(structure(row, 'meta'))['rate']),
          notes: (row) => refusals({ meta: structure(row, 'meta') }),
        },
        reads: 'type meta',
      }),
      affiliates: fromTable({
        table: 'affiliate_wp_affiliates',
        key: 'affiliate_id',
        find: (rows) => findForAffiliates(db, rows),
        fields: {
          user: (row, { users }) => users.get(String(row['user_id'])) ?? null,
          status: wordOf('status', { rejected: 'inactive' }),
          rate_type: (row, { programType, groupOf }) => {
            const own = rateType(col(row, 'rate'), col(row, 'rate_type') || programType);
            const group = groupOf.get(idOf(row, 'affiliate_id'))?.['group'];
            return own === 'default' && readRef(group) !== null ? 'group' : own;
          },
          rate: 'rate',
          group_id: (row, { groupOf }) => col(groupOf.get(idOf(row, 'affiliate_id')) ?? {}, 'group'),
          custom_param: (row, { meta }) => meta.get(idOf(row, 'affiliate_id'))?.get('custom_slug'),
          payment_email: 'payment_email',
          note: (row, { meta }) => meta.get(idOf(row, 'affiliate_id'))?.get('notes'),
          coupons: (row, { coupons }) => (coupons.get(idOf(row, 'affiliate_id')) ?? []).map(couponOf),
          custom_fields: (row, { meta }) => ({
            ...otherMeta(meta.get(idOf(row, 'affiliate_id'))),
            ...(isBlank(row['flat_rate_basis']) ? {} : { flat_rate_basis: col(row, 'flat_rate_basis') }),
          }),
          notes: (row, { programType }) =>
            isSmallPercentage(col(row, 'rate_type') || programType, row['rate'])
              ? ['percentage_below_one']
              : undefined,
          paid_earnings: 'earnings',
          unpaid_earnings: 'unpaid_earnings',
          created_at: 'date_registered',
          is_local_time: (_row, { isLocal }) => isLocal,
        },
        reads: 'user_id rate_type referrals visits',
      }),
      referrals: fromTable({
        table: 'affiliate_wp_referrals',
        key: 'referral_id',
        find: (rows) => findForReferrals(db, rows),
        fields: {
          affiliate_id: 'affiliate_id',
          parent_id: 'parent_id',
          status: wordOf('status', { [DRAFT]: 'pending', failed: 'rejected' }),
          problem: (row) => (foldWord(row['status']) === DRAFT ? 'commission_never_completed' : undefined),
          amount: 'amount',
          currency: (row, { currency }) => col(row, 'currency') || currency,
          order_total: (row, { sales }) => col(sales.get(idOf(row, 'referral_id')) ?? {}, 'order_total'),
          description: 'description',
          provider: 'context',
          provider_id: 'reference',
          utm_campaign: 'campaign',
          products: (row) => valueOf(structure(row, 'products')),
          notes: (row, { payouts }) => notesOf(row, payouts.get(String(row['payout_id']))),
          settings: (row) => (isBlank(row['custom']) ? undefined : { custom: String(col(row, 'custom')) }),
          type: wordOf('type', { 'opt-in': 'opt_in', renewal: 'recurring_sale' }),
          created_at: 'date',
          other_dates: (row, { visits }) =>
            isDate(row['date']) ? undefined : [col(visits.get(String(row['visit_id'])) ?? {}, 'date')],
        },
        reads: 'visit_id customer_id payout_id currency products custom',
      }),
      customers: fromTable({
        table: 'affiliate_wp_customers',
        key: 'customer_id',
        find: (rows) => findForCustomers(db, rows),
        fields: {
          email: 'email',
          user: (row, { users }) => users.get(String(row['user_id'])),
          first_name: 'first_name',
          last_name: 'last_name',
          ip: 'ip',
          affiliate_id: (row, { affiliateOf }) => affiliateOf.get(idOf(row, 'customer_id')),
          referral_ids: (row, { orders }) => orders.get(idOf(row, 'customer_id')) ?? [],
          created_at: 'date_created',
        },
        reads: 'user_id',
      }),
      payouts: fromTable({
        table: 'affiliate_wp_payouts',
        key: 'payout_id',
        find: (rows) =>
          db.idsBy('affiliate_wp_referrals', 'payout_id', 'referral_id', valuesOf(rows, 'payout_id')),
        fields: {
          affiliate_id: 'affiliate_id',
          amount: 'amount',
          method: methodOf,
          referral_ids: (row, paid) => [
            ...new Set([...readIdList(col(row, 'referrals')), ...(paid.get(idOf(row, 'payout_id')) ?? [])]),
          ],
          status: paymentStatusOf('status'),
          created_at: 'date',
          batch: batchOf,
        },
        reads: 'referrals owner payout_method description',
      }),
      visits: fromTable({
        table: 'affiliate_wp_visits',
        key: 'visit_id',
        find: (rows) =>
          db.commissionsOf(rows, {
            table: 'affiliate_wp_referrals',
            id: 'referral_id',
            visit: 'visit_id',
            key: 'visit_id',
            own: 'referral_id',
          }),
        fields: {
          affiliate_id: 'affiliate_id',
          referral_ids: (row, commissions) => commissions.get(idOf(row, 'visit_id')) ?? [],
          url: 'url',
          referrer: 'referrer',
          campaign: 'campaign',
          ip: 'ip',
          created_at: 'date',
        },
        reads: 'referral_id',
      }),
      creatives: fromTable({
        table: 'affiliate_wp_creatives',
        key: 'creative_id',
        fields: {
          name: 'name',
          description: 'description',
          url: 'url',
          text: 'text',
          image: 'image',
          status: 'status',
          created_at: 'date',
        },
      }),
    },
    reads: {
      affiliate_wp_affiliatemeta: 'meta_id affiliate_id meta_key meta_value',
      affiliate_wp_sales: 'referral_id affiliate_id order_total',
      affiliate_wp_customermeta: 'meta_id affwp_customer_id meta_key meta_value',
      affiliate_wp_lifetime_customers: 'lifetime_customer_id affwp_customer_id affiliate_id date_created',
      affiliate_wp_coupons: 'coupon_id affiliate_id coupon_code type integration',
      affiliate_wp_connections: 'connection_id group affiliate creative',
    },
  });

const rateType = (rate: Raw, type: PhpValue | undefined): string =>
  isBlank(rate) ? 'default' : type === 'flat' ? 'flat' : 'percentage';

async function countsOf(db: SourceDb, rows: readonly SourceRecord[]): Promise<CountedAs[]> {
  const payouts = await db.rowBy('affiliate_wp_payouts', 'payout_id', valuesOf(rows, 'payout_id'));
  const isOpen = (row: SourceRecord): boolean =>
    foldWord(payouts.get(String(row['payout_id']))?.['status']) === 'processing';
  return countedByStatus(rows, isOpen);
}

async function program(db: SourceDb): Promise<ProgramSettings> {
  const reading = await db.option(OPTION);
  const settings = mapOf(reading);
  return {
    currency: textIn(settings, 'currency') ?? (await db.onlyCurrency('affiliate_wp_referrals')),
    referral_format: textIn(settings, 'referral_format'),
    minimum_payout: scalar(settings['minimum_payout']),
    rate_type: textIn(settings, 'referral_rate_type'),
    rate: scalar(settings['referral_rate']),
    referral_variable: textIn(settings, 'referral_var'),
    cookie_duration: scalar(settings['cookie_exp']),
    ...(!reading.ok && { problem: reading.reason }),
  };
}

const setting = async (db: SourceDb, key: string): Promise<PhpValue> =>
  mapOf(await db.option(OPTION))[key] ?? null;

async function findForAffiliates(db: SourceDb, rows: readonly SourceRecord[]) {
  const ids = valuesOf(rows, 'affiliate_id');
  return {
    users: await db.users(valuesOf(rows, 'user_id')),
    programType: String((await setting(db, 'referral_rate_type')) ?? 'percentage'),
    meta: await db.metaOf('affiliate_wp_affiliatemeta', 'affiliate_id', ids),
    coupons: await db.rowsBy('affiliate_wp_coupons', 'affiliate_id', ids),
    groupOf: await db.rowBy('affiliate_wp_connections', 'affiliate', ids),
    // releases without unpaid earnings stored the registration on the site's clock
    isLocal: !(await db.hasColumn('affiliate_wp_affiliates', 'unpaid_earnings')),
  };
}

const couponOf = (row: SourceRecord): SourceCoupon => ({
  provider: String(col(row, 'integration') ?? '') || 'woocommerce',
  code: String(col(row, 'coupon_code') ?? ''),
});

const otherMeta = (meta: ReadonlyMap<string, string> | undefined): Record<string, string> =>
  Object.fromEntries([...(meta ?? [])].filter(([key]) => !['custom_slug', 'notes'].includes(key)));

const isSmallPercentage = (type: Raw, rate: unknown): boolean =>
  type !== 'flat' && Number(rate) > 0 && Number(rate) < 1;

async function findForReferrals(db: SourceDb, rows: readonly SourceRecord[]) {
  const currency = await setting(db, 'currency');
  const undated = rows.filter((row) => !isDate(row['date']));
  return {
    currency: typeof currency === 'string' ? currency : null,
    payouts: await db.rowBy('affiliate_wp_payouts', 'payout_id', valuesOf(rows, 'payout_id')),
    visits: await db.rowBy('affiliate_wp_visits', 'visit_id', valuesOf(undated, 'visit_id')),
    sales: await db.rowBy('affiliate_wp_sales', 'referral_id', valuesOf(rows, 'referral_id')),
  };
}

const isDate = (value: unknown): boolean => readTime(value, 'UTC') !== null;

function notesOf(row: SourceRecord, payout: SourceRecord | undefined): readonly string[] | undefined {
  const refused = refusals({ products: structure(row, 'products') });
  const byFailedPayment = foldWord(payout?.['status']) === 'failed' && col(row, 'status') === 'paid';
  return byFailedPayment ? [...(refused ?? []), 'paid_by_failed_payment'] : refused;
}

async function findForCustomers(db: SourceDb, rows: readonly SourceRecord[]) {
  const ids = valuesOf(rows, 'customer_id');
  const affiliateOf = new Map<string, Raw>();
  for (const [id, meta] of await db.metaOf('affiliate_wp_customermeta', 'affwp_customer_id', ids))
    if (meta.has('affiliate_id')) affiliateOf.set(id, meta.get('affiliate_id'));
  for (const [id, row] of await db.rowBy('affiliate_wp_lifetime_customers', 'affwp_customer_id', ids))
    affiliateOf.set(id, col(row, 'affiliate_id'));
  return {
    users: await db.users(valuesOf(rows, 'user_id')),
    orders: await db.idsBy('affiliate_wp_referrals', 'customer_id', 'referral_id', ids),
    affiliateOf,
  };
}

function methodOf(row: SourceRecord): string {
  return String(col(row, 'payout_method') ?? 'manual');
}

/** One row per affiliate; those of one day, method and owner were one batch. */
function batchOf(row: SourceRecord): SourcePayment['batch'] {
  const day = String(col(row, 'date') ?? '').slice(0, DAY_LENGTH);
  return {
    id: `${day}:${methodOf(row)}:${readRef(row['owner']) ?? '0'}`.slice(0, 120),
    created_at: col(row, 'date'),
    description: col(row, 'description'),
  };
}
