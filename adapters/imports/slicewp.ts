import { isBlank, readRef } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourcePayment,
  SourceReferral,
  SourceReward,
} from '../imports.js';
import {
  col,
  dateOf,
  firstOf,
  fromTable,
  idOf,
  mapOf,
  mapped,
  paymentStatusOf,
  scalar,
  textIn,
  wordOf,
} from './fields.js';
import { tableMigrator, type CountedAs } from './source.js';
import { groupRows, valuesOf, type SourceDb, type SourceRecord } from './source-queries.js';

const PAYMENT_STATUS = { unpaid: 'processing' };
const RATE = /^commission_rate_(?!type_)(\w+)$/u;
// Collections may also hold other objects than affiliates; earlier releases have no context.
const GROUPS = { column: 'object_context', values: ['affiliate'], optional: true };
const LINKS = ['slicewp_collection_object_relationships', 'slicewp_collection_relationships'];
const FLAT = new Set(['fixed_amount', 'fixed', 'flat']);

/** SliceWP (docs/moving-in.md). */
export const sliceWp = (db: SourceDb, timeZone?: string): Migrator =>
  tableMigrator(db, {
    slug: 'slicewp',
    name: 'SliceWP',
    timeZone,
    probe: 'slicewp_affiliates',
    program: () => program(db),
    times: 'utc',
    links: { variable: 'aff', cookies: [{ name: 'slicewp_aff' }] },
    beginnings: ['slicewp_'],
    shops: 'origin',
    books: {
      amount: 'amount',
      currency: 'currency',
      counts: (rows) => countsOf(db, rows),
    },
    stages: {
      affiliate_groups: fromTable({
        table: 'slicewp_collections',
        key: 'id',
        only: GROUPS,
        find: (rows) => db.metaOf('slicewp_collection_meta', 'slicewp_collection_id', valuesOf(rows, 'id')),
        fields: {
          name: 'name',
          rate_type: (row, meta) => rateOf(meta.get(idOf(row, 'id'))).rate_type,
          rate: (row, meta) => rateOf(meta.get(idOf(row, 'id'))).rate,
          created_at: 'date_created',
        },
        reads: 'object_context type date_modified',
      }),
      affiliates: fromTable({
        table: 'slicewp_affiliates',
        key: 'id',
        find: (rows) => findForAffiliates(db, rows),
        fields: {
          user: (row, { users }) => users.get(String(row['user_id'])) ?? null,
          status: wordOf('status', { rejected: 'inactive' }),
          group_id: (row, { groupOf }) => groupOf.get(idOf(row, 'id')),
          rate_type: (row, { meta, groupOf }) => {
            const { rate_type: own } = rateOf(meta.get(idOf(row, 'id')));
            return own === 'default' && readRef(groupOf.get(idOf(row, 'id'))) !== null ? 'group' : own;
          },
          rate: (row, { meta }) => rateOf(meta.get(idOf(row, 'id'))).rate,
          custom_param: (row, { meta }) => meta.get(idOf(row, 'id'))?.get('custom_slug'),
          payment_email: 'payment_email',
          note: (row, { notes }) => (notes.get(idOf(row, 'id')) ?? []).map(noteText).join('\n'),
          custom_fields: (row, { meta }) => fieldsOf(row, meta.get(idOf(row, 'id'))),
          rewards: (row, { meta }) => rewardsOf((name) => meta.get(idOf(row, 'id'))?.get(name)),
          created_at: 'date_created',
          other_dates: dateOf('date_modified'),
        },
        reads: 'user_id website parent_id',
      }),
      referrals: fromTable({
        table: 'slicewp_commissions',
        key: 'id',
        find: (rows) => db.rowBy('slicewp_commissions', 'id', valuesOf(rows, 'parent_id')),
        fields: {
          affiliate_id: 'affiliate_id',
          parent_id: (row, parents) => parentOf(row, parents).parent_id,
          settings: (row, parents) => parentOf(row, parents).settings,
          status: wordOf('status'),
          amount: 'amount',
          order_total: 'reference_amount',
          currency: 'currency',
          provider: 'origin',
          provider_id: 'reference',
          type: wordOf('type', { subscription: 'recurring_sale', lead: 'lead' }),
          created_at: 'date_created',
          other_dates: dateOf('date_modified'),
        },
        reads: 'visit_id customer_id parent_id payment_id',
      }),
      customers: fromTable({
        table: 'slicewp_customers',
        key: 'id',
        find: async (rows) => ({
          users: await db.users(valuesOf(rows, 'user_id')),
          orders: await db.idsBy('slicewp_commissions', 'customer_id', 'id', valuesOf(rows, 'id')),
        }),
        fields: {
          email: 'email',
          user: (row, { users }) => users.get(String(row['user_id'])),
          first_name: 'first_name',
          last_name: 'last_name',
          affiliate_id: 'affiliate_id',
          referral_ids: (row, { orders }) => orders.get(idOf(row, 'id')) ?? [],
          created_at: 'date_created',
        },
        reads: 'user_id date_modified',
      }),
      payouts: fromTable({
        table: 'slicewp_payments',
        key: 'id',
        find: async (rows) => ({
          paid: await db.idsBy('slicewp_commissions', 'payment_id', 'id', valuesOf(rows, 'id')),
          batches: await db.rowBy('slicewp_payouts', 'id', valuesOf(rows, 'payout_id')),
        }),
        fields: {
          affiliate_id: 'affiliate_id',
          amount: 'amount',
          method: 'payout_method',
          currency: 'currency',
          status: paymentStatusOf('status', PAYMENT_STATUS),
          created_at: 'date_created',
          other_dates: dateOf('date_modified'),
          // the list in the payment is not updated, so the commissions count
          referral_ids: (row, { paid }) => paid.get(idOf(row, 'id')) ?? [],
          batch: (row, { batches }) => batchOf(row, batches.get(String(row['payout_id']))),
        },
        reads: 'commission_ids originator_user_id payout_id',
      }),
      visits: fromTable({
        table: 'slicewp_visits',
        key: 'id',
        find: (rows) =>
          db.commissionsOf(rows, {
            table: 'slicewp_commissions',
            id: 'id',
            visit: 'visit_id',
            key: 'id',
            own: 'commission_id',
          }),
        fields: {
          affiliate_id: 'affiliate_id',
          referral_ids: (row, commissions) => commissions.get(idOf(row, 'id')) ?? [],
          url: 'landing_url',
          referrer: 'referrer_url',
          ip: 'ip_address',
          created_at: 'date_created',
        },
        reads: 'commission_id date_modified',
      }),
      creatives: fromTable({
        table: 'slicewp_creatives',
        key: 'id',
        fields: {
          name: 'name',
          type: 'type',
          description: 'description',
          text: firstOf('text', 'alt_text'),
          url: 'landing_url',
          image: firstOf('image_url', 'image'),
          status: 'status',
          created_at: 'date_created',
        },
        reads: 'date_modified',
      }),
    },
    reads: {
      slicewp_affiliate_meta: 'meta_id slicewp_affiliate_id meta_key meta_value',
      slicewp_collection_meta: 'meta_id slicewp_collection_id meta_key meta_value',
      slicewp_collection_object_relationships: RELATION,
      slicewp_collection_relationships: RELATION,
      slicewp_payouts: 'id admin_user_id originator_user_id amount date_created date_modified',
      slicewp_notes: 'id object_context object_id user_id date_created note_content content',
    },
  });

const RELATION = 'id collection_id object_id object_context date_created date_modified';

async function program(db: SourceDb): Promise<ProgramSettings> {
  const reading = await db.option('slicewp_settings');
  const settings = mapOf(reading);
  return {
    currency: textIn(settings, 'active_currency') ?? (await db.onlyCurrency('slicewp_commissions')),
    rate_type: textIn(settings, 'commission_rate_type_sale'),
    rate: scalar(settings['commission_rate_sale']),
    referral_variable: textIn(settings, 'affiliate_keyword'),
    cookie_duration: scalar(settings['cookie_duration']),
    rewards: rewardsOf((name) => scalar(settings[name])),
    minimum_payout: scalar(settings['payments_minimum_amount']),
    ...(!reading.ok && { problem: reading.reason }),
  };
}

/** A payment on its way holds the commissions that name it. */
async function countsOf(db: SourceDb, rows: readonly SourceRecord[]): Promise<CountedAs[]> {
  const payments = await db.rowBy('slicewp_payments', 'id', valuesOf(rows, 'payment_id'));
  return rows.map((row) => {
    const status = foldWord(row['status']);
    if (status !== 'unpaid' && status !== 'paid') return null;
    const payment = payments.get(String(row['payment_id']));
    const isOpen = payment && mapped(PAYMENT_STATUS, col(payment, 'status')) === 'processing';
    return isOpen ? 'processing' : status;
  });
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

async function findForAffiliates(db: SourceDb, rows: readonly SourceRecord[]) {
  const ids = valuesOf(rows, 'id');
  const links = (
    await Promise.all(LINKS.map((table) => db.whereIn(table, 'object_id', ids.map(Number))))
  ).flat();
  return {
    users: await db.users(valuesOf(rows, 'user_id')),
    meta: await db.metaOf('slicewp_affiliate_meta', 'slicewp_affiliate_id', ids),
    notes: groupRows(
      (await db.whereIn('slicewp_notes', 'object_id', ids.map(Number))).filter(
        (row) => row['object_context'] === 'affiliate',
      ),
      (row) => String(row['object_id']),
    ),
    groupOf: new Map(
      links
        .filter((row) => (row['object_context'] ?? 'affiliate') === 'affiliate')
        .map((row) => [String(row['object_id']), col(row, 'collection_id')]),
    ),
  };
}

function noteText(note: SourceRecord): string {
  const text = col(note, 'note_content') ?? col(note, 'content') ?? '';
  return `${String(col(note, 'date_created') ?? '')} ${String(text)}`.trim();
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

/** A parent of another affiliate is a tier above it, stored as a note: it is no order of this one. */
function parentOf(
  row: SourceRecord,
  parents: ReadonlyMap<string, SourceRecord>,
): Pick<SourceReferral, 'parent_id' | 'settings'> {
  const parent = readRef(row['parent_id']);
  if (parent === null) return {};
  const owner = String(parents.get(parent)?.['affiliate_id'] ?? row['affiliate_id']);
  return owner === String(row['affiliate_id'])
    ? { parent_id: parent }
    : { settings: { tier_of_commission: parent, tier_of_affiliate: owner } };
}

function batchOf(row: SourceRecord, payout: SourceRecord | undefined): SourcePayment['batch'] {
  return payout === undefined
    ? { id: `payment-${idOf(row, 'id')}`, created_at: col(row, 'date_created') }
    : { id: `payout-${idOf(payout, 'id')}`, created_at: col(payout, 'date_created') };
}
