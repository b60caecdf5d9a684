import { SUB_IDS } from '../../core/sub-ids.js';
import type { TABLES } from '../../../adapters/database/tables.js';

/**
 * What becomes of a text column:
 * - `erased`: emptied or deleted with the person, in the transaction of the erasure
 * - `expires`: deleted by a job after a documented time
 * - `sealed`: encrypted, or a keyed hash
 * - `kept`: holds no personal data of affiliates and buyers: words and IDs of the program, orders and codes as the
 *   shop reports them, texts of the team
 */
export type Fate = 'erased' | 'expires' | 'sealed' | 'kept';

type Columns = Readonly<Partial<Record<Fate, readonly string[]>>>;

/**
 * Every text column, with what becomes of personal data in it (docs/security.md). A column that is missing here
 * counts as `erased`. `test/attacks/erasure-walk.test.ts` compares the list with the schema and follows a planted word.
 */
export const PLACES: Readonly<Record<(typeof TABLES)[number], Columns>> = {
  affiliates: {
    erased: ['custom_param', 'payment_email', 'settings', 'custom_fields', 'note'],
    sealed: ['source_hash'],
    kept: ['rate_type', 'status', 'source_key', 'counted_in'],
  },
  invitations: {
    erased: ['email', 'email_key', 'note'],
    kept: ['kind', 'status', 'rate_type', 'permissions'],
  },
  messages: { kept: ['subject', 'body', 'audience', 'status'] },
  message_recipients: {},
  affiliate_levels: { kept: ['window_key', 'metric', 'value'] },
  reward_sets: { kept: ['state', 'note', 'body', 'simulation'] },
  affiliate_names: { erased: ['name'], kept: ['space', 'kind'] },
  early_reports: { expires: ['fields'], kept: ['site_id', 'reference'] },
  former_sites: { kept: ['url_key', 'site_id'] },
  redirect_links: { erased: ['slug', 'url', 'utm_campaign'], kept: ['status'] },
  affiliate_marks: { sealed: ['mark'], kept: ['kind'] },
  customers: {
    erased: ['email', 'email_key', 'first_name', 'last_name', 'ip', 'settings'],
    kept: ['source_key'],
  },
  customer_names: { erased: ['name', 'label'], kept: ['kind'] },
  waiting_names: { erased: ['name', 'label'], kept: ['kind'] },
  customers_apart: {},
  visits: {
    erased: ['ip', 'visitor_key'],
    // erased with the buyer; with the affiliate, whose visits may be many, they end with `tracking.retentionDays`
    expires: ['url', 'referrer'],
    kept: ['site_id', 'event_id', 'utm_campaign', 'utm_medium', 'utm_source', ...SUB_IDS, 'source_key'],
  },
  visit_keys: { sealed: ['visit_key'] },
  events: { erased: ['data', 'previous'], kept: ['type', 'object_type', 'object_id'] },
  event_queue: { erased: ['data', 'previous'], kept: ['type', 'object_type', 'object_id', 'stored_row'] },
  outbox: {
    erased: ['recipient', 'payload', 'answer'],
    kept: ['channel', 'event', 'kind', 'object_key', 'status', 'claimed_by', 'last_error'],
  },
  bounced_addresses: { sealed: ['mark'] },
  audit: { erased: ['before', 'after'], kept: ['action', 'object_type', 'object_id', 'request_id'] },
  idempotency_keys: {
    erased: ['answer'],
    expires: ['idem_key'],
    sealed: ['fingerprint'],
    kept: ['scope', 'owner'],
  },
  import_rows: {
    erased: ['affiliate', 'detail'],
    kept: ['source', 'stage', 'source_id', 'outcome', 'reason', 'amount', 'currency'],
  },
  provider_deliveries: {
    erased: ['event'],
    kept: ['provider', 'delivery_key', 'topic', 'status', 'awaits_ref', 'reason'],
  },
  provider_stores: { kept: ['provider', 'name', 'account'] },
  signup_challenges: { sealed: ['reference', 'code_hash', 'payload'] },
  rate_limits: { expires: ['limit_key'] },
  site_nonces: { expires: ['nonce'], kept: ['site_id'] },
  fraud_events: {
    sealed: ['customer_key'],
    kept: ['rule', 'action', 'provider', 'provider_id', 'evidence'],
  },
  referrals: {
    sealed: ['payload_hash', 'source_hash'],
    kept: [
      'description',
      'status',
      'currency',
      'utm_campaign',
      ...SUB_IDS,
      'provider',
      'provider_id',
      'provider_sub_id',
      'dedup_key',
      'site_id',
      'products',
      'type',
      'settings',
      'reject_reason',
      'source_key',
    ],
  },
  commission_notes: { erased: ['note'] },
  orders: {
    sealed: ['facts_seal'],
    kept: [
      'order_key',
      'provider',
      'account',
      'reference',
      'sub_reference',
      'subscription_id',
      'currency',
      'terms',
      'draft',
      'click',
      'source',
      'decision',
      'due_status',
      'reject_reason',
      'reasons',
      'open_causes',
      'reward_rule',
    ],
  },
  order_facts: { kept: ['fact_key', 'kind', 'data', 'source'] },
  order_refs: { kept: ['provider', 'account', 'ref'] },
  payouts: {
    kept: ['payout_method', 'status', 'currency', 'title', 'description', 'settings', 'source_key'],
  },
  payout_transactions: { kept: ['payout_method', 'status', 'currency', 'settings', 'source_key'] },
  payout_items: { kept: ['currency'] },
  payout_plan: { kept: ['left_out'] },
  payout_payees: { erased: ['payment_email', 'settings'] },
  payout_payee_forms: { erased: ['label'], sealed: ['sealed', 'mark'], kept: ['method'] },
  payout_batches: { kept: ['method', 'batch_key', 'state', 'ref'] },
  payout_attempts: {
    erased: ['message'],
    sealed: ['details_mark', 'sealed'],
    kept: ['method', 'attempt_key', 'state', 'currency', 'fee_currency', 'fee_by', 'ref', 'code'],
  },
  payment_details: { erased: ['label', 'reason'], sealed: ['sealed', 'mark'], kept: ['method', 'state'] },
  payment_findings: { kept: ['finding_key', 'kind', 'method', 'ref', 'currency', 'note'] },
  ledger_entries: { kept: ['kind', 'currency', 'reason'] },
  referral_totals: { kept: ['provider', 'currency'] },
  daily_stats: { kept: ['scope'] },
  skip_counts: { kept: ['kind', 'reason'] },
  skipped_conversions: { kept: ['provider', 'provider_id', 'reason'] },
  coupons: { kept: ['provider', 'code_key', 'code'] },
  creatives: {
    kept: ['name', 'description', 'type', 'image', 'text', 'url', 'privacy', 'status', 'meta', 'source_key'],
  },
  creative_affiliates: {},
  creative_groups: {},
  // the team: groups, rights, API keys, settings, endpoints, sites, imports
  meta: { kept: ['object_type', 'meta_key', 'name_key', 'value', 'status', 'notes'] },
  api_keys: { sealed: ['secret_hash'], kept: ['key_id', 'name', 'rights'] },
  options: { kept: ['name', 'value'] },
  webhook_endpoints: {
    sealed: ['secret', 'former_secret'],
    kept: ['url', 'description', 'events', 'status', 'disabled_reason'],
  },
  connected_sites: {
    sealed: ['secret'],
    kept: [
      'site_id',
      'site_url',
      'url_key',
      'site_title',
      'param_key',
      'former_params',
      'credit_last_referrer',
      'status',
      'logo',
      'description',
      'subtitle',
    ],
  },
  import_runs: { kept: ['source', 'stage', 'state'] },
  works: { kept: ['kind', 'details', 'state', 'reason', 'message'] },
  // IDs of the host and of the service itself
  host_users: { kept: ['host_id'] },
  host_pages: { kept: ['host_id'] },
  missing_users: {},
  job_leases: { kept: ['name', 'owner'] },
  schema_steps: { kept: ['id'] },
  service_identity: { kept: ['service_id'] },
};
