import { createHash } from 'node:crypto';
import { rateText } from '../../core/rate.js';
import { compareDecimals } from '../../core/rewards/compare.js';
import type { Levels } from '../../core/rewards/types.js';
import type { Db } from '../../platform/database/db.js';
import type { Batch } from './batch.js';
import type { ProgramSettings, SourceLevel, SourceReward } from '../../../adapters/imports.js';
import type { StateLevel, StateRewards } from './types.js';
import { readRate } from '../../core/imports/values.js';

const IDS_MAX = 500;
const RULES_MAX = 200;
const FULL_E4 = 1_000_000;

/** Stores the rates of an affiliate, a group or the program for other orders than ordinary sales. */
export function saveRewards(
  state: { rewards?: StateRewards },
  scope: 'affiliate' | 'group' | 'program',
  id: number,
  rewards: readonly SourceReward[] | undefined,
): void {
  for (const { kind, type, value } of rewards ?? []) {
    const rate = readRate(value);
    if (rate === null || (type === 'percentage' && rate > FULL_E4)) continue;
    const key = [kind, type, rateText(rate), scope].join(':');
    const ids = ((state.rewards ??= {})[key] ??= []);
    if (!ids.includes(id)) ids.push(id);
  }
}

/** Stores how a group is reached. */
export function saveLevel(
  state: { levels?: StateLevel[] },
  group: number,
  level: SourceLevel | undefined,
): void {
  const levels = (state.levels ??= []).filter((known) => known.group !== group);
  state.levels = level === undefined ? levels : [...levels, { ...level, group }];
}

/**
 * The levels of the draft; null when the condition of one of them has no counterpart here, as it is unknown
 * then who reaches the levels after it.
 */
function levelsOf(known: readonly StateLevel[]): Levels | null {
  const sorted = known.toSorted((a, b) => a.place - b.place);
  const steps = sorted.flatMap(({ sales, group }) => (sales === null ? [] : [{ at_least: sales, group }]));
  const isAscending = steps.every(
    ({ at_least: least }, at) => at === 0 || compareDecimals(least, steps[at - 1]!.at_least) > 0,
  );
  return steps.length > 0 && steps.length === known.length && isAscending
    ? { metric: 'sales', window: 'all_time', steps, down: false, grace_days: 0 }
    : null;
}

const WHEN = {
  renewal: { event: 'renewal', when: null, title: 'Renewals' },
  later: {
    event: 'sale',
    when: { all: [{ fact: 'customer.is_new', op: 'eq', value: false }] },
    title: 'Later orders of a customer',
  },
  lead: { event: 'lead', when: null, title: 'Leads' },
} as const;

/** The rules for the stored rates: one for each rate, with all those who have it. */
function rulesOf(rewards: StateRewards): object[] {
  const parts = Object.entries(rewards).flatMap(([key, ids]) =>
    Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, at) => ({
      key,
      ids: ids.slice(at * IDS_MAX, (at + 1) * IDS_MAX),
    })),
  );
  return parts.slice(0, RULES_MAX).map(({ key, ids }, at) => {
    const [kind = '', type, value, scope] = key.split(':');
    const { event, when, title } = WHEN[kind as SourceReward['kind']];
    return {
      key: `${kind}-${at + 1}`,
      title: `${title} (${type === 'flat' ? value : `${value} %`})`,
      event,
      scope,
      scope_ids: scope === 'program' ? [] : ids,
      when,
      reward: { kind: type === 'flat' ? 'flat' : 'percent', value },
      priority: parts.length - at,
    };
  });
}

/**
 * Makes a draft of reward rules of the rates that affiliates, groups and the program cannot have, and of the levels
 * of groups. A person tries and activates it. A later run that finds the same makes no other one.
 */
export async function draftRewards(
  batch: Batch,
  trx: Db,
  { sourceName, program }: { readonly sourceName: string; readonly program: ProgramSettings | null },
): Promise<void> {
  const { state } = batch;
  saveRewards(state, 'program', 0, program?.rewards);
  const rules = rulesOf(state.rewards ?? {});
  const levels = levelsOf(state.levels ?? []);
  if (rules.length === 0 && levels === null) return;
  const made = levels === null ? rules : { rules, levels };
  const hash = createHash('sha256').update(JSON.stringify(made)).digest('hex');
  if (state.rewards_made === hash) return;
  const notes = [
    ...(rules.length > 0 ? [`Rates of ${sourceName} that affiliates and groups cannot have.`] : []),
    ...(levels === null
      ? []
      : [`Ranks of ${sourceName} as levels. Pin affiliates who must keep their group.`]),
    'Check them, simulate, and activate.',
  ];
  await batch.app.rewards.draftIn(trx, { rules, levels, note: notes.join(' ') });
  state.rewards_made = hash;
}
