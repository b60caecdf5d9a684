import { STAGES, type Stage, type StageCounts } from '../../core/imports/stages.js';
import type { Progress, RunState, StageTally, SumTally } from './types.js';

const perStage = <T>(make: () => T): Record<Stage, T> =>
  Object.fromEntries(STAGES.map((stage) => [stage, make()])) as Record<Stage, T>;

export const noCounts = (): StageCounts => perStage(() => 0);
export const emptyTally = (): StageTally => ({ found: 0, imported: 0, existing: 0, skipped: 0 });
export const emptySum = (): SumTally => ({
  ...emptyTally(),
  found_minor: 0,
  imported_minor: 0,
  existing_minor: 0,
  skipped_minor: 0,
  rounding_e12: '0',
});

/**
 * A run that has done nothing yet. The data about groups and open payments is not cleared when a run is
 * started again from the beginning.
 */
export const freshState = (
  totals: StageCounts,
  known?: Pick<RunState, 'groups' | 'claims' | 'rewards_made'>,
): RunState => ({
  cursors: {},
  totals,
  stages: perStage(emptyTally),
  groups: { ...known?.groups },
  ...(known?.rewards_made !== undefined && { rewards_made: known.rewards_made }),
  sums: {},
  payments: {},
  providers: {},
  links: null,
  claims: { ...known?.claims },
  stated: { total_minor: 0, unpaid_minor: 0 },
  worked_ms: 0,
  error: null,
  cancelled: false,
});

export function progressOf(state: RunState, completed: boolean): Progress {
  const processed = STAGES.reduce((sum, stage) => sum + state.stages[stage].found, 0);
  const skipped = STAGES.reduce((sum, stage) => sum + state.stages[stage].skipped, 0);
  const total = completed
    ? processed
    : Math.max(
        processed,
        STAGES.reduce((sum, stage) => sum + state.totals[stage], 0),
      );
  const perSecond = state.worked_ms > 0 ? (processed * 1000) / state.worked_ms : 0;
  const remaining = completed ? 0 : perSecond > 0 ? Math.ceil((total - processed) / perSecond) : null;
  return { processed, total, per_second: Math.round(perSecond), remaining_seconds: remaining, skipped };
}
