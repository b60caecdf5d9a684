import { isBlank, readIdList, readRef } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceCustomer,
  SourcePage,
  SourcePayment,
} from '../imports.js';
import {
  col,
  dateOf,
  exactOf,
  fromTable,
  idOf,
  mapOf,
  mapped,
  paymentStatus,
  refusals,
  scalar,
  textsOf,
  valueOf,
  wordOf,
} from './fields.js';
import { readStructure, type PhpReading } from './php.js';
import { countedByStatus, inTwoPasses, tableMigrator } from './source.js';
import { groupRows, valuesOf, type SourceDb, type SourceRecord } from './source-queries.js';

const DRAFT = 'draft';
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
    program: () => program(db),
    times: 'utc',
    links: {
      variable: 'sld',
      cookies: [{ name: `solid_visit_id${siteOfNetwork(db.prefix)}`, isVisit: true }],
    },
    beginnings: ['solid_affiliate'],
    shops: 'order_source',
    books: {
      amount: 'commission_amount',
      counts: async (rows) => countedByStatus(rows),
    },
    stages: {
      affiliate_groups: fromTable({
        table: 'solid_affiliate_affiliate_groups',
        key: 'id',
        fields: {
          name: 'name',
          rate_type: rateType,
          rate: 'commission_rate',
          created_at: 'created_at',
        },
        reads: 'commission_type updated_at',
      }),
      affiliates: fromTable({
        table: 'solid_affiliate_affiliates',
        key: 'id',
        find: async (rows) => ({
          users: await db.users(valuesOf(rows, 'user_id')),
          meta: await db.metaOf('solid_affiliate_affiliate_meta', 'affiliate_id', valuesOf(rows, 'id')),
        }),
        fields: {
          user: (row, { users }) => users.get(String(row['user_id'])) ?? null,
          status: wordOf('status', { approved: 'active', rejected: 'inactive' }),
          group_id: 'affiliate_group_id',
          rate_type: (row) => {
            const own = rateType(row);
            return own === 'default' && readRef(row['affiliate_group_id']) !== null ? 'group' : own;
          },
          rate: 'commission_rate',
          custom_param: (row, { meta }) => meta.get(idOf(row, 'id'))?.get(SLUG),
          payment_email: 'payment_email',
          disable_new_ref_email: (row, { meta }) =>
            Number(meta.get(idOf(row, 'id'))?.get(NO_MAILS) ?? 0) > 0 ? 'yes' : 'no',
          custom_fields: (row, { users, meta }) => ({
            ...registeredWith(row),
            ...otherMeta(meta.get(idOf(row, 'id'))),
            ...(users.has(String(row['user_id'])) ? {} : { name: fullName(row) }),
          }),
          note: 'registration_notes',
          created_at: 'created_at',
          other_dates: dateOf('updated_at'),
        },
        reads: 'user_id commission_type first_name last_name custom_registration_data',
      }),
      referrals: fromTable({
        table: 'solid_affiliate_referrals',
        key: 'id',
        fields: {
          affiliate_id: 'affiliate_id',
          status: wordOf('status', { [DRAFT]: 'pending' }),
          problem: (row) => (foldWord(row['status']) === DRAFT ? 'commission_never_completed' : undefined),
          amount: exactOf('commission_amount'),
          order_total: exactOf('order_amount'),
          description: 'description',
          provider: 'order_source',
          provider_id: 'order_id',
          type: wordOf('referral_type', {
            purchase: 'sale',
            subscription_renewal: 'recurring_sale',
            auto_referral: 'lifetime_sale',
            event: 'lead',
          }),
          products: (row) => valueOf(itemsOf(row)),
          settings: factsOf,
          notes: (row) => refusals({ products: itemsOf(row) }),
          created_at: 'created_at',
          other_dates: dateOf('updated_at'),
        },
        reads:
          'visit_id coupon_id customer_id referral_source order_refunded_at payout_id serialized_item_commissions',
      }),
      // lifetime links are the customers; the shop's customer id is the user's
      customers: fromTable({
        table: 'solid_affiliate_affiliate_customer_links',
        key: 'id',
        find: async (rows) => {
          const ids = valuesOf(rows, 'customer_id');
          return {
            users: await db.users(ids),
            orders: await db.idsBy('solid_affiliate_referrals', 'customer_id', 'id', ids),
          };
        },
        fields: {
          email: (row, { users }) =>
            col(row, 'customer_email') || users.get(String(row['customer_id']))?.email,
          user: (row, { users }) => users.get(String(row['customer_id'])),
          affiliate_id: 'affiliate_id',
          referral_ids: (row, { orders }) => orders.get(String(row['customer_id'])) ?? [],
          created_at: 'created_at',
          bound_until: (row) => endOf(Number(row['expires_on_unix_seconds'])),
        },
        reads: 'customer_id customer_email expires_on_unix_seconds updated_at',
      }),
      payouts: fromTable({
        table: 'solid_affiliate_payouts',
        key: 'id',
        find: async (rows) => ({
          paid: await db.idsBy('solid_affiliate_referrals', 'payout_id', 'id', valuesOf(rows, 'id')),
          bulks: await db.rowBy('solid_affiliates_bulk_payouts', 'id', valuesOf(rows, 'bulk_payout_id')),
        }),
        fields: {
          affiliate_id: 'affiliate_id',
          amount: 'amount',
          method: 'payout_method',
          currency: (row, { bulks }) => col(bulks.get(String(row['bulk_payout_id'])) ?? {}, 'currency'),
          status: (row, { bulks }) => statusOfPayment(row, bulks.get(String(row['bulk_payout_id']))),
          problem: (row, { bulks }) =>
            bulks.get(String(row['bulk_payout_id']))?.['api_mode'] === 'sandbox'
              ? 'payment_of_a_test'
              : undefined,
          referral_ids: (row, { paid }) => [
            ...new Set([...readIdList(col(row, 'referral_ids')), ...(paid.get(idOf(row, 'id')) ?? [])]),
          ],
          batch: (row, { bulks }) => batchOf(row, bulks.get(String(row['bulk_payout_id']))),
          created_at: 'created_at',
          other_dates: dateOf('updated_at'),
        },
        status: { column: 'status', words: {} },
        reads: 'description bulk_payout_id created_by_user_id',
      }),
      visits: fromTable({
        table: 'solid_affiliate_visits',
        key: 'id',
        find: (rows) =>
          db.commissionsOf(rows, {
            table: 'solid_affiliate_referrals',
            id: 'id',
            visit: 'visit_id',
            key: 'id',
            own: 'referral_id',
          }),
        fields: {
          affiliate_id: 'affiliate_id',
          referral_ids: (row, commissions) => commissions.get(idOf(row, 'id')) ?? [],
          url: 'landing_url',
          referrer: 'http_referrer',
          ip: 'http_ip',
          created_at: 'created_at',
        },
        reads: 'referral_id updated_at',
      }),
      creatives: fromTable({
        table: 'solid_affiliate_creatives',
        key: 'id',
        fields: {
          name: 'name',
          text: 'creative_text',
          description: 'description',
          url: 'url',
          image: 'creative_image_url',
          status: 'status',
          created_at: 'created_at',
        },
        reads: 'updated_at',
      }),
    },
    reads: {
      solid_affiliate_affiliate_meta: 'id affiliate_id meta_key meta_value created_at updated_at',
      solid_affiliates_bulk_payouts:
        'id currency method total_amount status reference api_mode created_by_user_id created_at updated_at',
    },
  });
  return {
    ...migrator,
    migrate: inTwoPasses(migrator.migrate.bind(migrator), (after, limit) => ordering(db, after, limit)),
  };
}

/** The system has no currency of its own: it counts in the shop's, which its bulk payouts name too. */
async function program(db: SourceDb): Promise<ProgramSettings> {
  const settings = mapOf(await db.option('solid_affiliate_settings'));
  const own = mapOf(await db.option('sld_affiliate_options'));
  const setting = (name: string): string | number | null => scalar(settings[name] ?? own[name]);
  return {
    currency: (await db.shopCurrency()) ?? (await db.onlyCurrency('solid_affiliates_bulk_payouts')),
    rate: setting('referral_rate'),
    rate_type: String(setting('referral_rate_type') ?? '') || null,
    referral_variable: String(setting('referral_variable') ?? '') || null,
    cookie_duration: setting('cookie_expiration_days'),
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
  const linked = await db.rowBy('solid_affiliate_affiliate_customer_links', 'customer_id', [
    ...orders.keys(),
  ]);
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

function rateType(row: SourceRecord): string {
  const type = String(col(row, 'commission_type') ?? '');
  if (type === '' || type === 'site_default' || isBlank(row['commission_rate'])) return 'default';
  return type === 'percentage' ? 'percentage' : 'flat';
}

/** The answers of the registration form. */
const registeredWith = (row: SourceRecord): Record<string, Raw> =>
  textsOf(mapOf(readStructure(col(row, 'custom_registration_data'))));

const otherMeta = (meta: ReadonlyMap<string, string> | undefined): Record<string, string> =>
  Object.fromEntries([...(meta ?? [])].filter(([key]) => key !== SLUG && key !== NO_MAILS));

const fullName = (row: SourceRecord): string =>
  `${String(col(row, 'first_name') ?? '')} ${String(col(row, 'last_name') ?? '')}`.trim();

const itemsOf = (row: SourceRecord): PhpReading =>
  readStructure(col(row, 'serialized_item_commissions'), { objectsAsMaps: true });

/** The row's data beside its money: how it came, its coupon, its type there, when its order was refunded. */
function factsOf(row: SourceRecord): Record<string, Raw> {
  return Object.fromEntries(
    ['referral_source', 'coupon_id', 'referral_type', 'order_refunded_at']
      .map((name) => [name, col(row, name)] as const)
      .filter(([, value]) => !isBlank(value) && String(value) !== '0'),
  );
}

function batchOf(row: SourceRecord, bulk: SourceRecord | undefined): SourcePayment['batch'] {
  return bulk === undefined
    ? { id: `payout-${idOf(row, 'id')}`, created_at: col(row, 'created_at') }
    : { id: `bulk-${idOf(bulk, 'id')}`, created_at: col(bulk, 'updated_at') };
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

/** 0: never; what is no time is no end either. */
function endOf(seconds: number): number | null {
  const at = new Date(seconds * 1000).getTime();
  return at === 0 || Number.isNaN(at) ? null : at;
}
