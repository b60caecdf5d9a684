import { MINUTE } from '../../core/duration.js';
import { isInScopeOf } from '../../core/rewards/evaluate.js';
import { ruleSentences } from '../../core/rewards/terms.js';
import type { SentenceLanguage } from '../../core/rewards/sentences.js';
import type { RewardRule } from '../../core/rewards/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { LongWork, Progress, Step } from '../../program/long-work/contributions.js';
import type { Deps } from './deps.js';
import type { ActiveRules } from './types.js';

export const RATES_CHANGED = 'rates_changed_to_affiliate';
/** Mails of one change leave at this rate, so that a mail server takes them. */
const PER_MINUTE = 60;

interface Details extends Record<string, unknown> {
  /** The set that counted before; null when there was none. */
  readonly before: number | null;
  readonly after_id: number;
  readonly queued: number;
}

export const newDetails = (before: number | null): Details => ({ before, after_id: 0, queued: 0 });

/** Queues mails to the affiliates whose rules a new set changes, step by step; one mail per affiliate and set. */
export class RateMails implements LongWork {
  readonly kind = 'reward_mails';
  readonly size = 100;

  constructor(
    private readonly app: Deps,
    private readonly rulesOf: (id: number) => Promise<ActiveRules | null>,
  ) {}

  lease(id: number): string {
    return `reward-mails:${id}`;
  }

  async step({ work, size, commit }: Step): Promise<void> {
    const { before, after_id: after, queued } = work.details as Details; // written by this class
    const ids = await this.app.affiliates.idsAfter({ status: 'active' }, after, size);
    const affiliates = [...(await this.app.affiliates.findMany(ids)).values()];
    const [old, next] = [
      before === null ? null : await this.rulesOf(before),
      await this.rulesOf(work.object_id),
    ];
    const told = affiliates.filter((affiliate) => hasChanges(changesFor(affiliate, old, next)));
    await commit(async (trx): Promise<Progress> => {
      await this.app.outbox.enqueue(
        trx,
        told.map(({ id }, at) => ({
          event: `reward_rules:${work.object_id}`,
          recipient: `affiliate:${id}`,
          kind: RATES_CHANGED,
          payload: { affiliate_id: id, reward_set_id: work.object_id, reward_set_before: before },
          delayMs: Math.floor((queued + at) / PER_MINUTE) * MINUTE,
        })),
      );
      const details: Details = { before, after_id: ids.at(-1) ?? after, queued: queued + told.length };
      return { done: ids.length, details, hasEnded: ids.length < size };
    });
  }
}

/** The rules that a change of sets brings an affiliate, and those that end for it. */
export interface RateChanges {
  readonly begins: readonly RewardRule[];
  readonly ends: readonly RewardRule[];
}

export const hasChanges = ({ begins, ends }: RateChanges): boolean => begins.length > 0 || ends.length > 0;

export function changesFor(
  { id, group_id }: Pick<Affiliate, 'id' | 'group_id'>,
  old: ActiveRules | null,
  next: ActiveRules | null,
): RateChanges {
  const own = (set: ActiveRules | null): readonly RewardRule[] =>
    (set?.rules ?? []).filter((rule) => isInScopeOf(rule, { campaign: null, affiliate_id: id, group_id }));
  const without = (rules: readonly RewardRule[], others: readonly RewardRule[]): readonly RewardRule[] => {
    const known = new Set(others.map(contentOf));
    return rules.filter((rule) => !known.has(contentOf(rule)));
  };
  return { begins: without(own(next), own(old)), ends: without(own(old), own(next)) };
}

/** What an affiliate earns by a rule; its key and place among the others are left out. */
const contentOf = ({ title, event, scope, scope_ids, when, reward, stop, goal }: RewardRule): string =>
  JSON.stringify([title, event, scope, scope_ids, when, reward, stop, goal]);

/** The rule as the affiliate reads it: its title, and its sentence. */
export function ruleLine(rule: RewardRule, currency: string, language: SentenceLanguage): string {
  const sentence = ruleSentences(rule, currency)[language];
  return rule.title === '' ? sentence : `${rule.title}: ${sentence}`;
}
