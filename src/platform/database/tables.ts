/** Every table, without the prefix. The columns are in src/platform/database/steps. */
export const TABLES = [
  'affiliates',
  'referrals',
  'customers',
  'visits',
  'visit_keys',
  'payouts',
  'payout_transactions',
  'payout_items',
  'ledger_entries',
  'audit',
  'meta',
  'options',
  'creatives',
  'creative_affiliates',
  'creative_groups',
  'connected_sites',
  'site_nonces',
  'outbox',
  'idempotency_keys',
  'daily_stats',
  'skip_counts',
  'skipped_conversions',
  'job_leases',
  'rate_limits',
  'host_users',
  'host_pages',
  'missing_users',
  'coupons',
  'provider_deliveries',
  'signup_challenges',
  'import_runs',
  'import_rows',
  'schema_steps',
  'service_identity',
  'redirect_links',
  'fraud_events',
  'affiliate_marks',
  'referral_totals',
  'orders',
  'order_facts',
  'order_refs',
  'affiliate_names',
  'api_keys',
  'webhook_endpoints',
  'events',
  'event_queue',
  'works',
] as const;

/** Tables that an earlier schema step makes and a later one replaces. */
const REPLACED = ['affiliate_aliases'] as const;

export type TableName = (typeof TABLES)[number] | (typeof REPLACED)[number];

export const isTable = (table: string): table is TableName =>
  [...TABLES, ...REPLACED].some((known) => known === table);
