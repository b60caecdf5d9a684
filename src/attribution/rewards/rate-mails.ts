import { MINUTE } from '../../core/duration.js';
import type { RewardRule } from '../../core/rewards/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { OperationRunner, Progress, Step } from '../../program/operations/contributions.js';
import type { ShortLink } from './contributions.js';
import type { Deps } from './deps.js';
import type { ActiveRules } from './types.js';

export const RATES_CHANGED = 'rates_changed_to_affiliate';
/** Mails of one change leave at this rate, so that a mail server takes them. */
const PER_MINUTE = 60;

interface Details extends Record<string, unknown> {
  /** The set that counted before; null when there was none. */
  readonly before: number | null;
  /** The set that counts next; null when the rules end without one. */
  readonly next: number | null;
  readonly after_id: number;
  readonly queued: number;
}

export const newDetails = (before: number | null, next: number | null): Details => ({
  before,
  next,
  after_id: 0,
  queued: 0,
});

/**
 * Queues mails to the affiliates whose rules a new set changes, or the end of the rules; step by step, one mail per
 * affiliate and change.
 */
export class RateMails implements OperationRunner {
  readonly kind = 'reward_mails';
  readonly size = 100;

  constructor(
    private readonly app: Deps,
    private readonly changes: (
      sets: Pick<Details, 'before' | 'next'>,
      affiliates: readonly Affiliate[],
    ) => Promise<readonly RateChanges[]>,
  ) {}

  lease(id: number): string {
    return `reward-mails:${id}`;
  }

  async step({ work, size, commit }: Step): Promise<void> {
    const { before, next, after_id: after, queued } = work.details as Details; // written by this class
    const ids = await this.app.affiliates.listing.idsAfter({ status: 'active' }, after, size);
    const affiliates = [...(await this.app.affiliates.findMany(ids)).values()];
    const changes = await this.changes({ before, next }, affiliates);
    const changed = affiliates.filter((_, at) => hasChanges(changes[at]!));
    const event = next === null ? `reward_rules_ended:${work.object_id}` : `reward_rules:${next}`;
    await commit(async (trx): Promise<Progress> => {
      await this.app.outbox.enqueue(
        trx,
        changed.map(({ id }, at) => ({
          event,
          recipient: `affiliate:${id}`,
          kind: RATES_CHANGED,
          payload: { affiliate_id: id, reward_set_id: next, reward_set_before: before },
          delayMs: Math.floor((queued + at) / PER_MINUTE) * MINUTE,
        })),
      );
      const details: Details = {
        before,
        next,
        after_id: ids.at(-1) ?? after,
        queued: queued + changed.length,
      };
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

/** `links` are the short links that the rules name. */
export function changesFor(
  affiliate: Pick<Affiliate, 'id' | 'group_id'>,
  { old, next }: { readonly old: ActiveRules | null; readonly next: ActiveRules | null },
  links: readonly ShortLink[],
): RateChanges {
  const [before, after] = [old, next].map((set) => ownRules(set?.rules ?? [], affiliate, links)) as [
    readonly RewardRule[],
    readonly RewardRule[],
  ];
  const without = (rules: readonly RewardRule[], others: readonly RewardRule[]): readonly RewardRule[] => {
    const known = new Set(others.map(contentOf));
    return rules.filter((rule) => !known.has(contentOf(rule)));
  };
  return { begins: without(after, before), ends: without(before, after) };
}

/**
 * The rules that may count for an affiliate. Of their scopes only what is the affiliate's own is left: campaigns,
 * which every link may carry, and its own short links.
 */
export function ownRules(
  rules: readonly RewardRule[],
  { id, group_id: group }: Pick<Affiliate, 'id' | 'group_id'>,
  links: readonly ShortLink[],
): readonly RewardRule[] {
  const ownLinks = new Set(links.filter((link) => link.affiliate_id === id).map((link) => link.id));
  const isOwn: Readonly<Record<RewardRule['scope'], (of: number | string) => boolean>> = {
    program: () => true,
    affiliate: (of) => of === id,
    group: (of) => of === group,
    link: (of) => typeof of === 'string' || ownLinks.has(of),
  };
  return rules.flatMap((rule) => {
    const scope_ids = rule.scope_ids.filter(isOwn[rule.scope]);
    return rule.scope === 'program' || scope_ids.length > 0 ? [{ ...rule, scope_ids }] : [];
  });
}

/** The short links that rules name. */
export const linksIn = (rules: readonly RewardRule[]): number[] => [
  ...new Set(
    rules.flatMap(({ scope, scope_ids: ids }) =>
      scope === 'link' ? ids.filter((id) => typeof id === 'number') : [],
    ),
  ),
];

/** What an affiliate earns by a rule; without its key and its place among the others. */
const contentOf = ({ title, event, scope, scope_ids, when, reward, stop, goal }: RewardRule): string =>
  JSON.stringify([title, event, scope, scope_ids, when, reward, stop, goal]);
