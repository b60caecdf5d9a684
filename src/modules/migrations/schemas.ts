import { Type } from 'typebox';
import { anyObject, anything, array, flag, integer, nullable, number, object, optional, string, text } from '../../http/schema.js';


const migrator = Type.Unsafe<string>({ ...text(50), default: 'affiliate_wp' });

export const startForm = Type.Object({ migrator: optional(migrator), reset_migration: optional(flag) });
export const migratorQuery = Type.Object({ migrator: optional(migrator) });
export const wipeForm = Type.Object({ confirmation: optional(anything) });

const counts = anyObject;
export const migrationList = object({ migrators: array(object({ name: string, slug: string })), data_counts: counts });
export const statusRecord = object({
  migrated_affiliate_groups: integer, migrated_affiliates: integer, migrated_referrals: integer, migrated_customers: integer,
  migrated_payout_id: integer, migrated_payouts: integer, migrated_visits: integer, migrated_creatives: integer, current_stage: string,
  error: nullable(string),
  progress: nullable(object({ processed: integer, total: integer, per_second: number, remaining_seconds: nullable(integer), skipped: integer })),
});
export const started = object({ current_status: statusRecord });
export const statisticsRecord = object({ statistics: anyObject });
export const message = object({ message: string });
