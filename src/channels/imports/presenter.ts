import { progressOf } from './state.js';
import type { ImportStatus } from './schemas.js';
import type { ImportRun } from './types.js';
import type { StageCounts } from '../../core/imports/stages.js';

/**
 * The flat status of docs/settings.md §9: the number of imported rows, and the stage of the run. A run that
 * was not started is before its first stage.
 */
export function presentStatus(run: ImportRun | null, imported: StageCounts): ImportStatus {
  return {
    migrated_affiliate_groups: imported.affiliate_groups,
    migrated_affiliates: imported.affiliates,
    migrated_referrals: imported.referrals,
    migrated_customers: imported.customers,
    migrated_payout_id: imported.payouts,
    migrated_payouts: imported.payouts,
    migrated_visits: imported.visits,
    migrated_creatives: imported.creatives,
    current_stage: run?.stage ?? 'affiliate_groups',
    cancelled: run?.state.cancelled ?? false,
    error: run?.state.error ?? null,
    progress: run === null ? null : progressOf(run.state, run.stage === 'completed'),
  };
}
