import { readRef } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import type { Migrator, ProgramSettings, SourceManager, SourcePayment } from '../imports.js';
import {
  col,
  dateOf,
  fromTable,
  idOf,
  mapOf,
  paymentStatusOf,
  refusals,
  scalar,
  textIn,
  textsOf,
  valueOf,
  structure,
} from './fields.js';
import { readStructure, type PhpReading, type PhpValue } from './php.js';
import { countedByStatus, tableMigrator, type CountedAs } from './source.js';
import { valuesOf, type SourceDb, type SourceRecord } from './source-queries.js';

/** FluentAffiliate's own tables (docs/moving-in.md): the words are ours already. */
export const fluentAffiliate = (db: SourceDb, timeZone?: string): Migrator =>
  tableMigrator(db, {
    slug: 'fluent_affiliate',
    name: 'FluentAffiliate',
    timeZone,
    probe: 'fa_affiliates',
    managers: () => managers(db),
    program: () => program(db),
    times: 'local',
    links: { variable: 'ref', cookies: [{ name: 'f_aff', separator: '|' }] },
    beginnings: ['fa_'],
    shops: 'provider',
    books: {
      amount: 'amount',
      currency: 'currency',
      counts: (rows) => countsOf(db, rows),
    },
    stages: {
      affiliate_groups: fromTable({
        table: 'fa_meta',
        key: 'id',
        only: { column: 'object_type', values: ['affiliate_group'] },
        fields: {
          name: 'meta_key',
          rate_type: (row) => rateType(mapOf(structure(row, 'value'))['rate_type']),
          rate: (row) => scalar(mapOf(structure(row, 'value'))['rate']),
          status: (row) => scalar(mapOf(structure(row, 'value'))['status']),
          note: (row) => scalar(mapOf(structure(row, 'value'))['notes']),
          notes: (row) => refusals({ value: structure(row, 'value') }),
          created_at: 'created_at',
        },
        reads: 'object_type object_id value updated_at',
      }),
      affiliates: fromTable({
        table: 'fa_affiliates',
        key: 'id',
        find: (rows) => db.users(valuesOf(rows, 'user_id')),
        fields: {
          user: (row, users) => users.get(String(row['user_id'])) ?? null,
          contact_id: 'contact_id',
          group_id: 'group_id',
          status: 'status',
          rate_type: (row) => rateType(col(row, 'rate_type')),
          rate: 'rate',
          custom_param: 'custom_param',
          payment_email: 'payment_email',
          custom_fields: (row) => textsOf(mapOf(structure(row, 'custom_fields'))),
          note: 'note',
          bank_details: (row) => scalar(mapOf(structure(row, 'settings'))['bank_details']),
          disable_new_ref_email: (row) => scalar(mapOf(structure(row, 'settings'))['disable_new_ref_email']),
          notes: (row) => refusals({ settings: structure(row, 'settings') }),
          lead_counts: 'lead_counts',
          total_earnings: 'total_earnings',
          unpaid_earnings: 'unpaid_earnings',
          created_at: 'created_at',
          other_dates: dateOf('updated_at'),
        },
        reads: 'user_id referrals visits rate_type settings custom_fields',
      }),
      referrals: fromTable({
        table: 'fa_referrals',
        key: 'id',
        fields: {
          affiliate_id: 'affiliate_id',
          parent_id: 'parent_id',
          status: (row) => String(col(row, 'status') ?? ''),
          amount: 'amount',
          order_total: 'order_total',
          currency: 'currency',
          description: 'description',
          provider: 'provider',
          provider_id: 'provider_id',
          provider_sub_id: 'provider_sub_id',
          utm_campaign: 'utm_campaign',
          type: 'type',
          products: (row) => valueOf(structure(row, 'products')),
          settings: (row) => valueOf(structure(row, 'settings')),
          notes: (row) =>
            refusals({ products: structure(row, 'products'), settings: structure(row, 'settings') }),
          created_at: 'created_at',
          other_dates: dateOf('updated_at'),
        },
        status: { column: 'status', words: {} },
        reads: 'customer_id visit_id products payout_transaction_id payout_id settings',
      }),
      customers: fromTable({
        table: 'fa_customers',
        key: 'id',
        find: async (rows) => ({
          users: await db.users(valuesOf(rows, 'user_id')),
          orders: await db.idsBy('fa_referrals', 'customer_id', 'id', valuesOf(rows, 'id')),
        }),
        fields: {
          email: 'email',
          user: (row, { users }) => users.get(String(row['user_id'])),
          first_name: 'first_name',
          last_name: 'last_name',
          ip: 'ip',
          affiliate_id: 'by_affiliate_id',
          referral_ids: (row, { orders }) => orders.get(idOf(row, 'id')) ?? [],
          created_at: 'created_at',
        },
        reads: 'user_id updated_at',
      }),
      payouts: fromTable({
        table: 'fa_payout_transactions',
        key: 'id',
        find: async (rows) => ({
          paid: await db.idsBy('fa_referrals', 'payout_transaction_id', 'id', valuesOf(rows, 'id')),
          payouts: await db.rowBy('fa_payouts', 'id', valuesOf(rows, 'payout_id')),
        }),
        fields: {
          affiliate_id: 'affiliate_id',
          amount: 'total_amount',
          currency: 'currency',
          method: 'payout_method',
          status: paymentStatusOf('status'),
          referral_ids: (row, { paid }) => paid.get(idOf(row, 'id')) ?? [],
          batch: (row, { payouts }) => batchOf(row, payouts.get(String(row['payout_id']))),
          created_at: 'created_at',
          other_dates: dateOf('updated_at'),
        },
        reads: 'created_by payout_id',
      }),
      visits: fromTable({
        table: 'fa_visits',
        key: 'id',
        find: (rows) =>
          db.commissionsOf(rows, {
            table: 'fa_referrals',
            id: 'id',
            visit: 'visit_id',
            key: 'id',
            own: 'referral_id',
          }),
        fields: {
          affiliate_id: 'affiliate_id',
          referral_ids: (row, commissions) => commissions.get(idOf(row, 'id')) ?? [],
          url: 'url',
          referrer: 'referrer',
          campaign: 'utm_campaign',
          medium: 'utm_medium',
          source: 'utm_source',
          ip: 'ip',
          created_at: 'created_at',
        },
        reads: 'user_id referral_id updated_at',
      }),
      creatives: fromTable({
        table: 'fa_creatives',
        key: 'id',
        fields: {
          name: 'name',
          description: 'description',
          type: 'type',
          image: 'image',
          text: 'text',
          url: 'url',
          privacy: 'privacy',
          status: 'status',
          affiliate_ids: (row) => idsIn(structure(row, 'affiliate_ids')),
          group_ids: (row) => idsIn(structure(row, 'group_ids')),
          meta: (row) => mapOf(structure(row, 'meta')),
          notes: (row) =>
            refusals({
              affiliate_ids: structure(row, 'affiliate_ids'),
              group_ids: structure(row, 'group_ids'),
              meta: structure(row, 'meta'),
            }),
          created_at: 'created_at',
        },
        reads: 'affiliate_ids group_ids meta updated_at',
      }),
    },
    reads: {
      fa_payouts:
        'id created_by total_amount payout_method status currency title description created_at updated_at',
    },
  });

const rateType = (stored: PhpValue | undefined): string => {
  const type = String(stored ?? 'default');
  return type === 'fixed' ? 'flat' : type;
};

/** The settings are in the system's own meta table, in some releases among the site's options. */
async function program(db: SourceDb): Promise<ProgramSettings> {
  const [row] = await db.whereIn('fa_meta', 'meta_key', ['_fa_referral_settings'], ['value']);
  const reading = row ? readStructure(row['value']) : await db.option('_fa_referral_settings');
  const settings = mapOf(reading);
  return {
    currency: textIn(settings, 'currency'),
    rate_type: textIn(settings, 'rate_type'),
    rate: scalar(settings['rate']),
    referral_variable: textIn(settings, 'referral_variable'),
    referral_format: textIn(settings, 'referral_format'),
    cookie_duration: scalar(settings['cookie_duration']),
    ...(!reading.ok && { problem: reading.reason }),
  };
}

/** Commissions in a transaction on its way are `paid` already. */
async function countsOf(db: SourceDb, rows: readonly SourceRecord[]): Promise<CountedAs[]> {
  const ids = valuesOf(rows, 'payout_transaction_id');
  const transactions = await db.rowBy('fa_payout_transactions', 'id', ids);
  return countedByStatus(rows, (row) => {
    const transaction = transactions.get(String(row['payout_transaction_id']));
    return transaction !== undefined && foldWord(transaction['status']) !== 'paid';
  });
}

function batchOf(row: SourceRecord, payout: SourceRecord | undefined): SourcePayment['batch'] {
  return {
    id: `payout-${readRef(row['payout_id']) ?? `of-${idOf(row, 'id')}`}`,
    ...(payout && {
      title: col(payout, 'title'),
      description: col(payout, 'description'),
      created_at: col(payout, 'created_at'),
    }),
  };
}

const idsIn = (reading: PhpReading): string[] =>
  reading.ok && reading.value !== null && typeof reading.value === 'object'
    ? Object.values(reading.value)
        .map((value) => readRef(value))
        .filter((id) => id !== null)
    : [];

/** All users with delegated rights; there are few of them. */
async function managers(db: SourceDb): Promise<SourceManager[]> {
  const rows = await db.whereIn('fa_meta', 'meta_key', ['_fa_access_permissions']);
  const users = await db.users(valuesOf(rows, 'object_id'));
  return rows
    .filter((row) => row['object_type'] === 'user_meta')
    .map((row) => {
      const reading = readStructure(col(row, 'value'));
      return {
        id: idOf(row, 'object_id'),
        user: users.get(String(row['object_id'])) ?? null,
        permissions:
          reading.ok && reading.value !== null && typeof reading.value === 'object'
            ? Object.values(reading.value)
            : [],
        problem: reading.ok ? undefined : `permissions_${reading.reason}`,
      };
    });
}
