import { progressOf } from './state.js';
import type { ImportRun, StageTally } from './types.js';

const inNow = (tally: StageTally | undefined): number => (tally?.imported ?? 0) + (tally?.existing ?? 0);

/** The flat status of settings §8; a source nobody started stands before its first stage. */
export function presentStatus(run: ImportRun | null): Readonly<Record<string, unknown>> {
  const stages = run?.state.stages;
  return {
    migrated_affiliate_groups: inNow(stages?.affiliate_groups),
    migrated_affiliates: inNow(stages?.affiliates),
    migrated_referrals: inNow(stages?.referrals),
    migrated_customers: inNow(stages?.customers),
    migrated_payout_id: inNow(stages?.payouts),
    migrated_payouts: inNow(stages?.payouts),
    migrated_visits: inNow(stages?.visits),
    migrated_creatives: inNow(stages?.creatives),
    current_stage: run?.stage ?? 'affiliate_groups',
    cancelled: run?.state.cancelled ?? false,
    error: run?.state.error ?? null,
    progress: run === null ? null : progressOf(run.state, run.stage === 'completed'),
  };
}
