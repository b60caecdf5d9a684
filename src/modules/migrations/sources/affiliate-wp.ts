import type {
  Migrator,
  ProgramSettings,
  SourceAffiliate,
  SourceCustomer,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../types.js';
import { readStructure, type PhpValue } from '../php.js';
import { isBlank, readIdList, readRef } from '../values.js';
import { col, idOf, mapOf, mapped, refusals, scalar, tableMigrator } from './source.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const AFFILIATE_STATUS = { rejected: 'inactive' };
const DAY_LENGTH = 10;
const OPTION = 'affwp_settings';

/** AffiliateWP (import-sources §2). */
export function affiliateWp(db: SourceDb, timeZone = 'UTC'): Migrator {
  return tableMigrator(db, {
    slug: 'affiliate_wp',
    name: 'AffiliateWP',
    timeZone,
    probe: 'affiliate_wp_affiliates',
    stages: {
      affiliates: {
        table: 'affiliate_wp_affiliates',
        key: 'affiliate_id',
        map: (rows) => affiliates(db, rows),
      },
      referrals: { table: 'affiliate_wp_referrals', key: 'referral_id', map: (rows) => referrals(db, rows) },
      customers: { table: 'affiliate_wp_customers', key: 'customer_id', map: (rows) => customers(db, rows) },
      payouts: { table: 'affiliate_wp_payouts', key: 'payout_id', map: (rows) => payments(db, rows) },
      visits: { table: 'affiliate_wp_visits', key: 'visit_id', map: (rows) => visits(db, rows) },
    },
    program: () => program(db),
  });
}

async function setting(db: SourceDb, key: string): Promise<PhpValue> {
  return mapOf(await db.option(OPTION))[key] ?? null;
}

async function program(db: SourceDb): Promise<ProgramSettings> {
  const reading = await db.option(OPTION);
  const settings = mapOf(reading);
  return {
    currency: String(settings['currency'] ?? '') || null,
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
  return rows.map((row) => {
    const given = String(col(row, 'rate_type') ?? '');
    const type = given || String(programType ?? 'percentage');
    return {
      id: idOf(row, 'affiliate_id'),
      user: users.get(String(row['user_id'])) ?? null,
      status: mapped(AFFILIATE_STATUS, col(row, 'status')),
      rate_type: isBlank(row['rate']) ? 'default' : type === 'flat' ? 'flat' : 'percentage',
      rate: col(row, 'rate'),
      payment_email: col(row, 'payment_email'),
      paid_earnings: col(row, 'earnings'),
      unpaid_earnings: col(row, 'unpaid_earnings'),
      created_at: col(row, 'date_registered'),
    };
  });
}

async function referrals(db: SourceDb, rows: readonly SourceRecord[]): Promise<SourceReferral[]> {
  const currency = await setting(db, 'currency');
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
      status: String(col(row, 'status') ?? ''),
      amount: col(row, 'amount'),
      currency: col(row, 'currency') || (typeof currency === 'string' ? currency : null),
      order_total: sale === undefined ? null : col(sale, 'order_total'),
      description: col(row, 'description'),
      provider: col(row, 'context'),
      provider_id: col(row, 'reference'),
      utm_campaign: col(row, 'campaign'),
      products: products.ok ? products.value : null,
      notes: refusals({ products }),
      type: mapped({ 'opt-in': 'opt_in' }, col(row, 'type')),
      created_at: col(row, 'date'),
    };
  });
}

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
      status: col(row, 'status') === 'processing' ? 'processing' : 'paid',
      created_at: col(row, 'date'),
      batch: {
        id: `${day}:${method}:${readRef(row['owner']) ?? '0'}`.slice(0, 120),
        created_at: col(row, 'date'),
      },
      problem: col(row, 'status') === 'failed' ? 'payment_failed' : undefined,
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
