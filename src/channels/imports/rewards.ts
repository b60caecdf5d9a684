import { createHash } from 'node:crypto';
import { rateText } from '../../core/rate.js';
import type { Db } from '../../platform/database/db.js';
import type { Batch } from './batch.js';
import type { ProgramSettings, SourceReward, StateRewards } from './types.js';
import { readRate } from './values.js';

const IDS_MAX = 500;
const RULES_MAX = 200;
const FULL_E4 = 1_000_000;

/** Keeps the rates of an affiliate, a group or the program for other orders than ordinary sales. */
export function keepRewards(
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

const WHEN = {
  renewal: { event: 'renewal', when: null, title: 'Renewals' },
  later: {
    event: 'sale',
    when: { all: [{ fact: 'customer.is_new', op: 'eq', value: false }] },
    title: 'Later orders of a customer',
  },
  lead: { event: 'lead', when: null, title: 'Leads' },
} as const;

/** The rules for what was kept: one for each rate, with all those who have it. */
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
 * Makes a draft of reward rules of the rates that affiliates, groups and the program cannot have. A person tries
 * and activates it. A later run that finds the same rates makes no other one.
 */
export async function draftRewards(
  batch: Batch,
  trx: Db,
  { sourceName, program }: { readonly sourceName: string; readonly program: ProgramSettings | null },
): Promise<void> {
  const { state } = batch;
  keepRewards(state, 'program', 0, program?.rewards);
  const rewards = state.rewards ?? {};
  if (Object.keys(rewards).length === 0) return;
  const rules = rulesOf(rewards);
  const hash = createHash('sha256').update(JSON.stringify(rules)).digest('hex');
  if (state.rewards_made === hash) return;
  await batch.app.rewards.draftIn(trx, {
    rules,
    note: `Rates of ${sourceName} that affiliates and groups cannot have. Check them, simulate, and activate.`,
  });
  state.rewards_made = hash;
}
