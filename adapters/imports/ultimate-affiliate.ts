import { isMap } from '../../src/core/is-map.js';
import { isBlank, readIdList, readRate, readRef, readTime } from '../../src/core/imports/values.js';
import { readJson } from '../../src/core/json.js';
import { rateText } from '../../src/core/rate.js';
import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceCoupon,
  SourceCustomer,
  SourceLevel,
  SourcePage,
  SourcePayment,
  SourceReferral,
  SourceReward,
} from '../imports.js';
import {
  col,
  columnList,
  fromTable,
  idOf,
  instant,
  instantOf,
  mapped,
  paymentStatusOf,
  refusals,
  wordOf,
} from './fields.js';
import { readStructure, type PhpReading } from './php.js';
import { inTwoPasses, tableMigrator } from './source.js';
import { groupRows, valuesOf, type SourceDb, type SourceRecord } from './source-queries.js';

const PAYOUT_ID = 'payout_id';
const REFERRAL_STATUS = { '0': 'rejected', '1': 'pending', '2': 'unpaid' };
const PAYPAL = 'uap_affiliate_paypal_email';
const PAYMENT_TYPE = 'uap_affiliate_payment_type';
const SLUG = 'uap_affiliate_custom_slug';
const BANK = 'uap_affiliate_bank_transfer_data';

/** Ultimate Affiliate (docs/moving-in.md). */
export function ultimateAffiliate(db: SourceDb, timeZone?: string): Migrator {
  const migrator = tableMigrator(db, {
    slug: 'ultimate_affiliate',
    name: 'Ultimate Affiliate',
    timeZone,
    probe: 'uap_affiliates',
    program: () => program(db),
    times: 'utc',
    links: { variable: 'ref', cookies: [{ name: 'uap_referral', member: 'affiliate_id' }] },
    beginnings: ['uap_'],
    shops: 'source',
    books: {
      amount: 'amount',
      currency: 'currency',
      counts: async (rows) =>
        rows.map((row) => {
          if (Number(row['status']) !== 2) return null;
          return (['unpaid', 'processing', 'paid'] as const)[Number(row['payment'])] ?? 'unpaid';
        }),
    },
    stages: {
      affiliate_groups: fromTable({
        table: 'uap_ranks',
        key: 'id',
        find: () => isOfAllTime(db),
        fields: {
          name: 'label',
          rate_type: (row) =>
            isBlank(row['amount_value'])
              ? 'default'
              : col(row, 'amount_type') === 'flat'
                ? 'flat'
                : 'percentage',
          rate: 'amount_value',
          note: rankNote,
          rewards: rankRewards,
          level: rankLevel,
          status: (row) => (Number(row['status'] ?? 1) === 1 ? 'active' : 'inactive'),
        },
        reads: `slug amount_type lifetime_amount_type lifetime_amount_value reccuring_amount_type
          reccuring_amount_value sign_up_amount_value bonus pay_per_click cpm_commission achieve status rank_order`,
      }),
      affiliates: fromTable({
        table: 'uap_affiliates',
        key: 'id',
        instants: true,
        find: async (rows) => {
          const uids = valuesOf(rows, 'uid');
          const ids = valuesOf(rows, 'id');
          return {
            users: await db.users(uids),
            meta: await db.metaOf('usermeta', 'user_id', uids),
            coupons: await db.rowsBy('uap_coupons_code_affiliates', 'affiliate_id', ids),
          };
        },
        fields: {
          user: (row, { users }) => users.get(String(row['uid'])) ?? null,
          status: wordOf('status', { '0': 'inactive', '1': 'active' }),
          group_id: 'rank_id',
          rate_type: (row) => (readRef(row['rank_id']) === null ? 'default' : 'group'),
          payment_email: (row, { meta }) => meta.get(String(row['uid']))?.get(PAYPAL),
          bank_details: (row, { meta }) => meta.get(String(row['uid']))?.get(BANK),
          custom_param: (row, { meta }) => meta.get(String(row['uid']))?.get(SLUG),
          custom_fields: (row, { meta }) => ({
            payment_method: meta.get(String(row['uid']))?.get(PAYMENT_TYPE),
          }),
          coupons: (row, { coupons }) => couponsOf(coupons.get(idOf(row, 'id')) ?? []),
          created_at: instantOf('start_data'),
        },
        reads: 'uid',
      }),
      referrals: fromTable({
        table: 'uap_referrals',
        key: 'id',
        instants: true,
        find: async (rows) => ({
          currency: await currencyOf(db),
          parents: await db.rowBy('uap_referrals', 'id', valuesOf(rows, 'parent_referral_id')),
        }),
        fields: {
          affiliate_id: 'affiliate_id',
          parent_id: (row, { parents }) => tiersOf(row, parents).parent_id,
          settings: (row, { parents }) => tiersOf(row, parents).settings,
          status: (row) => {
            const word = mapped(REFERRAL_STATUS, col(row, 'status'));
            return word === 'unpaid' && Number(row['payment']) === 2 ? 'paid' : word;
          },
          amount: 'amount',
          currency: (row, { currency }) => col(row, 'currency') || currency,
          description: 'description',
          utm_campaign: 'campaign',
          provider: 'source',
          provider_id: 'reference',
          created_at: instantOf('date'),
        },
        status: { column: 'status', words: REFERRAL_STATUS },
        reads: `refferal_wp_uid visit_id reference_details parent_referral_id child_referral_id currency payment`,
      }),
      customers: {
        table: 'uap_referrals',
        key: 'id',
        instants: true,
        distinct: { column: 'refferal_wp_uid', above: 0 },
        columns: columnList('refferal_wp_uid affiliate_id date'),
        map: (rows) => customers(db, rows),
      },
      payouts: fromTable({
        table: 'uap_payments',
        key: 'id',
        instants: true,
        find: (rows) => findForPayments(db, rows),
        fields: {
          affiliate_id: 'affiliate_id',
          amount: 'amount',
          method: 'payment_type',
          currency: 'currency',
          status: paymentStatusOf('status', { '0': 'failed', '1': 'processing', '2': 'paid' }),
          created_at: instantOf('create_date'),
          other_dates: (row) => [instant(row, 'update_date')],
          referral_ids: (row, { metas }) => [
            ...new Set(listsOf(row, metas.get(idOf(row, 'id'))).flatMap(({ ids }) => ids)),
          ],
          notes: (row, { metas }) => {
            const unread = listsOf(row, metas.get(idOf(row, 'id'))).findLast(({ reading }) => !reading.ok);
            return unread && refusals({ referral_ids: unread.reading });
          },
          batch: (row, { metas, payouts }) =>
            batchOf(row, payouts.get(payoutIdOf(row, metas.get(idOf(row, 'id')) ?? []))),
        },
        reads: 'transaction_id referral_ids payment_details update_date payout_id',
      }),
      visits: fromTable({
        table: 'uap_visits',
        key: 'id',
        instants: true,
        find: (rows) =>
          db.commissionsOf(rows, {
            table: 'uap_referrals',
            id: 'id',
            visit: 'visit_id',
            key: 'id',
            own: 'referral_id',
          }),
        fields: {
          affiliate_id: 'affiliate_id',
          referral_ids: (row, commissions) => commissions.get(idOf(row, 'id')) ?? [],
          url: 'url',
          referrer: 'ref_url',
          campaign: 'campaign_name',
          ip: 'ip',
          created_at: instantOf('visit_date'),
        },
        reads: 'referral_id status',
      }),
      creatives: fromTable({
        table: 'uap_banners',
        key: 'id',
        instants: true,
        fields: {
          name: 'name',
          type: () => 'image',
          description: 'description',
          url: 'url',
          image: 'image',
          status: (row) => (Number(row['status']) === 1 ? 'active' : 'inactive'),
          created_at: (row) => instant(row, col(row, 'create_date') === undefined ? 'DATE' : 'create_date'),
        },
        reads: 'status DATE create_date',
      }),
    },
    reads: {
      uap_payouts: 'id method amount currency title created_time create_date updated_time status',
      uap_payments_meta: 'id payment_id meta_name meta_value referral_id referral_ids value',
      uap_coupons_code_affiliates: 'id code affiliate_id type status',
      uap_affiliate_referral_users_relations: 'id affiliate_id referral_wp_uid DATE',
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
  const ids = valuesOf(relations, 'referral_wp_uid');
  const users = await db.users(ids);
  const buyers = await db.rowBy('uap_referrals', 'refferal_wp_uid', ids);
  const seen = new Set(buyers.keys());
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

async function program(db: SourceDb): Promise<ProgramSettings> {
  return {
    currency: await currencyOf(db),
    referral_variable: await db.text('uap_referral_variable'),
    referral_format: await db.text('uap_default_ref_format'),
    cookie_duration: await db.text('uap_cookie_expire'),
  };
}

/** What a rank asks for, in the order it is asked: `[['referrals_number', '10']]`. */
function asked(row: SourceRecord): (readonly [type: string, value: string])[] {
  const conditions = readJson<unknown>(row['achieve'], null);
  if (!isMap(conditions)) return [];
  const count = Number(conditions['i']);
  return Array.from(
    { length: Number.isSafeInteger(count) && count > 0 ? Math.min(count, 20) : 0 },
    (_, at) => [String(conditions[`type_${at + 1}`] ?? ''), String(conditions[`value_${at + 1}`] ?? '')],
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
  const isSupported = isOfAllTime && more.length === 0 && type === 'referrals_number' && rate !== null;
  return { place, sales: isSupported ? rateText(rate) : null };
}

/** Without Ranks Pro, or with its default, a rank counts all commissions and is never lost. */
async function isOfAllTime(db: SourceDb): Promise<boolean> {
  if (Number((await db.text('uap_ranks_pro_enabled')) ?? 0) !== 1) return true;
  const isReset = Number((await db.text('uap_ranks_pro_reset')) ?? 0) === 1;
  return !isReset && (await db.text('uap_default_achieve_calculation')) !== 'limited';
}

/**
 * What a rank asks for, and its rates for other orders than first ones; the group stores them as its note.
 */
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

const couponsOf = (rows: readonly SourceRecord[]): SourceCoupon[] =>
  rows
    .filter((row) => Number(row['status'] ?? 1) === 1)
    .map((row) => ({
      provider: String(col(row, 'type') ?? '') || 'woo',
      code: String(col(row, 'code') ?? ''),
    }));

async function currencyOf(db: SourceDb): Promise<string | null> {
  return (await db.text('uap_currency')) ?? (await db.onlyCurrency('uap_referrals'));
}

/** A parent of another affiliate is a tier, stored as a note: it is no order of this one. */
function tiersOf(
  row: SourceRecord,
  parents: ReadonlyMap<string, SourceRecord>,
): Pick<SourceReferral, 'parent_id' | 'settings'> {
  const [parent, child] = [readRef(row['parent_referral_id']), readRef(row['child_referral_id'])];
  const isOwn =
    parent !== null && String(parents.get(parent)?.['affiliate_id']) === String(row['affiliate_id']);
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
  const boundTo = await db.rowBy('uap_affiliate_referral_users_relations', 'referral_wp_uid', [
    ...orders.keys(),
  ]);
  return [...orders].map(([id, [first = {}, ...more]]) => {
    const user = users.get(id);
    return {
      id: `user-${id}`,
      email: user?.email,
      user,
      affiliate_id: col(boundTo.get(id) ?? first, 'affiliate_id'),
      referral_ids: [first, ...more].map((order) => idOf(order, 'id')),
      created_at: instant(first, 'date'),
      problem: user === undefined ? 'user_deleted' : undefined,
    };
  });
}

async function findForPayments(db: SourceDb, rows: readonly SourceRecord[]) {
  const metas = groupRows(
    await db.whereIn(
      'uap_payments_meta',
      'payment_id',
      rows.map((row) => idOf(row, 'id')),
    ),
    (meta) => String(meta['payment_id']),
  );
  const ids = rows.map((row) => payoutIdOf(row, metas.get(idOf(row, 'id')) ?? []));
  return { metas, payouts: await db.rowBy('uap_payouts', 'id', ids) };
}

function batchOf(row: SourceRecord, payout: SourceRecord | undefined): SourcePayment['batch'] {
  const at = readTime(instant(row, 'create_date'), 'UTC');
  const day = at === null ? 'unknown' : new Date(at).toISOString().slice(0, 10);
  return payout === undefined
    ? { id: `day-${day}`, created_at: instant(row, 'create_date') }
    : {
        id: `payout-${idOf(payout, 'id')}`,
        title: col(payout, 'title'),
        created_at: col(payout, 'created_time') ?? col(payout, 'create_date'),
      };
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

/** The commissions of a payment, by itself and by its meta. */
const listsOf = (row: SourceRecord, metas: readonly SourceRecord[] = []): IdList[] =>
  [col(row, 'referral_ids'), ...metas.filter((meta) => meta['meta_name'] !== PAYOUT_ID).map(listedIn)].map(
    readListed,
  );

interface IdList {
  readonly ids: string[];
  readonly reading: PhpReading;
}

/** Ids are one id, a comma list, or a serialized or JSON list. */
function readListed(stored: Raw): IdList {
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
