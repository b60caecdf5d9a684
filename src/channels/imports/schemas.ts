import type { Static } from 'typebox';
import {
  array,
  boolean,
  flag,
  integer,
  deferred,
  mapOf,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  text,
  Type,
} from '../../platform/http/schema.js';
import { referralStatus } from '../../accounting/api-schemas.js';
import { numberOrText } from '../../core/dto-schema.js';
import { STAGES } from '../../core/imports/stages.js';

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
const demanded = ['migrator'];
export const startForm = Type.Object(
  {
    migrator: optional(migrator),
    reset_migration: optional(flag),
    ...settings,
    apply_settings: optional(flag),
  },
  { demanded },
);
export const checkForm = Type.Object({ migrator: optional(migrator), ...settings }, { demanded });
const uploadedFile = object({
  ours: array(string),
  columns: array(string),
  mapping: mapOf(string),
  rows: array(mapOf(string)),
});
/** E-mail addresses that cannot be used: file or kind of row, number or id of the row, column, value. */
const emails = array(object({ rows: string, row: string, column: string, value: string }));
export const filesResponse = object({
  files: mapOf(uploadedFile),
  problem: nullable(string),
  /** The choice that is missing, when the settings have it; `file` is '' for all files. */
  question: nullable(
    object({ about: oneOf('dates', 'status', 'coupons', 'links'), file: string, rows: integer }),
  ),
  /** Files with rows that have no status, while none was chosen for them. */
  without_status: array(object({ file: string, rows: integer })),
  emails,
  link_columns: array(string),
});
const program = object({
  currency: optional(nullable(string)),
  time_zone: optional(nullable(string)),
  referral_format: optional(nullable(string)),
  minimum_payout: optional(nullable(numberOrText)),
  site_url: optional(nullable(string)),
  rate_type: optional(nullable(string)),
  rate: optional(nullable(numberOrText)),
  referral_variable: optional(nullable(string)),
  cookie_duration: optional(nullable(numberOrText)),
  problem: optional(string),
});
const unread = array(object({ table: string, column: nullable(string), rows: integer }));
const setup = object({
  currency: string,
  time_zone: string,
  site_zone: string,
  status_words: mapOf(string),
  providers: mapOf(string),
  program: nullable(program),
  unread,
});
const tally = { found: integer, imported: integer, existing: integer, skipped: integer };
export const setupResponse = object({
  setup: object({
    ...setup.properties,
    /** The shops that the old commissions name, and the provider their orders are stored under. */
    shops: array(object({ name: string, rows: integer, provider: string, known: boolean })),
    emails,
    trial: object({
      stages: mapOf(object(tally)),
      left_out: array(
        object({
          stage: oneOf(...STAGES),
          source_id: string,
          line: nullable(integer),
          reason: string,
          sentence: string,
          advice: string,
        }),
      ),
      complete: boolean,
    }),
  }),
});
export const migratorForm = Type.Object({ migrator: optional(migrator) }, { demanded });
export const migratorQuery = Type.Object({ migrator: optional(migrator) });
export const rowsQuery = Type.Object({
  migrator: optional(migrator),
  after: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export const affiliatesQuery = Type.Object({
  migrator: optional(migrator),
  cursor: optional(Type.String({ pattern: '^\\d{1,15}(-\\d{1,15})?$' })),
});
export const wipeForm = Type.Object(
  { confirmation: optional(deferred(string, 'The confirmation phrase')) },
  { demanded: ['confirmation'] },
);

const counts = mapOf(number);
export const importList = object({
  migrators: array(object({ name: string, slug: string })),
  data_counts: counts,
});
const progress = object({
  processed: integer,
  total: integer,
  per_second: number,
  remaining_seconds: nullable(integer),
  skipped: integer,
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
  progress: nullable(progress),
});
export type ImportStatus = Static<typeof statusRecord>;
export const started = object({ current_status: statusRecord });
export const statisticsRecord = object({ statistics: mapOf(object({ total: integer, migrated: integer })) });
const minorOrNull = nullable(integer);
const balance = object({ unpaid_minor: integer, processing_minor: integer, paid_minor: integer });
const report = named(
  'ImportReport',
  object({
    source: string,
    stage: oneOf(...STAGES, 'completed'),
    progress,
    stages: mapOf(object(tally)),
    sums: array(
      object({
        status: referralStatus,
        currency: string,
        ...tally,
        found_minor: integer,
        imported_minor: integer,
        existing_minor: integer,
        skipped_minor: integer,
        rounding_e12: string,
        moved: integer,
        moved_minor: integer,
        stored: integer,
        stored_minor: integer,
      }),
    ),
    payments: mapOf(object({ stated_minor: integer, matched_minor: integer })),
    earnings: object({
      total_minor: integer,
      unpaid_minor: integer,
      stored_total_minor: integer,
      stored_unpaid_minor: integer,
    }),
    program: nullable(program),
    setup: nullable(setup),
    unread,
    links: nullable(
      object({
        tried: integer,
        right: integer,
        wrong: array(object({ source_id: string, form: string, affiliate_id: nullable(integer) })),
      }),
    ),
    providers: mapOf(object({ rows: integer, known: boolean })),
    skipped: mapOf(integer),
    noted: mapOf(integer),
    sentences: mapOf(string),
    error: nullable(string),
  }),
);
export const reportResponse = object({ report: nullable(report) });
export const rowsResponse = object({
  rows: array(
    object({
      id: integer,
      stage: oneOf(...STAGES),
      source_id: string,
      outcome: oneOf('skipped', 'noted'),
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
export const affiliatesResponse = object({
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
      stated_paid_minor: minorOrNull,
      stated_differs: boolean,
      stored_total_minor: integer,
      stored_unpaid_minor: integer,
      balances: array(object({ currency: string, source: balance, here: balance, differs: boolean })),
      payments: array(
        object({ currency: string, source_minor: integer, here_minor: integer, differs: boolean }),
      ),
      differs: boolean,
    }),
  ),
  next_cursor: nullable(string),
});
