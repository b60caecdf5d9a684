import {
  anyObject,
  anything,
  array,
  boolean,
  flag,
  integer,
  nullable,
  number,
  object,
  optional,
  string,
  text,
  Type,
} from '../../http/schema.js';

const migrator = Type.Unsafe<string>({ ...text(50), default: 'affiliate_wp' });

const words = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 100 }), {
  maxProperties: 200,
});
const settings = {
  currency: optional(text(3)),
  source_zone: optional(text(64)),
  status_words: optional(words),
  providers: optional(words),
};
export const startForm = Type.Object({
  migrator: optional(migrator),
  reset_migration: optional(flag),
  ...settings,
  apply_settings: optional(flag),
});
export const checkForm = Type.Object({ migrator: optional(migrator), ...settings });
export const filesAnswer = object({ files: anyObject, problem: nullable(string) });
export const setupAnswer = object({ setup: anyObject });
export const migratorForm = Type.Object({ migrator: optional(migrator) });
export const migratorQuery = Type.Object({ migrator: optional(migrator) });
export const rowsQuery = Type.Object({
  migrator: optional(migrator),
  after: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export const affiliatesQuery = Type.Object({
  migrator: optional(migrator),
  cursor: optional(Type.String({ pattern: '^\\d{1,15}$' })),
});
export const wipeForm = Type.Object({ confirmation: optional(anything) });

const counts = anyObject;
export const migrationList = object({
  migrators: array(object({ name: string, slug: string })),
  data_counts: counts,
});
export const statusRecord = object({
  migrated_affiliate_groups: integer,
  migrated_affiliates: integer,
  migrated_referrals: integer,
  migrated_customers: integer,
  migrated_payout_id: integer,
  migrated_payouts: integer,
  migrated_visits: integer,
  migrated_creatives: integer,
  current_stage: string,
  cancelled: boolean,
  error: nullable(string),
  progress: nullable(
    object({
      processed: integer,
      total: integer,
      per_second: number,
      remaining_seconds: nullable(integer),
      skipped: integer,
    }),
  ),
});
export const started = object({ current_status: statusRecord });
export const statisticsRecord = object({ statistics: anyObject });
export const message = object({ message: string });
const minorOrNull = nullable(integer);
const balance = object({ unpaid_minor: integer, processing_minor: integer, paid_minor: integer });
export const reportAnswer = object({ report: nullable(anyObject) });
export const rowsAnswer = object({
  rows: array(
    object({
      id: integer,
      stage: string,
      source_id: string,
      outcome: string,
      reason: string,
      affiliate: nullable(string),
      amount: nullable(string),
      currency: nullable(string),
      detail: nullable(string),
      sentence: string,
      advice: string,
    }),
  ),
  next_after: nullable(integer),
});
export const affiliatesAnswer = object({
  affiliates: array(
    object({
      source_id: string,
      affiliate_id: nullable(integer),
      user_id: nullable(integer),
      login: nullable(string),
      email: nullable(string),
      currency: string,
      stated_total_minor: minorOrNull,
      stated_unpaid_minor: minorOrNull,
      stored_total_minor: integer,
      stored_unpaid_minor: integer,
      balances: array(object({ currency: string, source: balance, here: balance, differs: boolean })),
      differs: boolean,
    }),
  ),
  next_cursor: nullable(string),
});
