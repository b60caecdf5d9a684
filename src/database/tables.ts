/** Every table, without the prefix. Columns: src/database/steps. */
export const TABLES = [
  'affiliates', 'referrals', 'customers', 'visits', 'visit_keys', 'payouts', 'payout_transactions', 'payout_items', 'ledger_entries',
  'audit', 'meta', 'options', 'creatives', 'creative_affiliates', 'creative_groups', 'connected_sites', 'site_nonces', 'outbox',
  'idempotency_keys', 'daily_stats', 'skip_counts', 'skipped_conversions', 'job_leases', 'rate_limits', 'host_users', 'coupons',
  'provider_deliveries', 'provider_orders', 'provider_refs', 'signup_challenges', 'import_runs', 'import_rows', 'schema_steps',
  'redirect_links', 'fraud_events', 'affiliate_marks', 'removed_rows', 'referral_totals',
] as const;

export type TableName = (typeof TABLES)[number];
