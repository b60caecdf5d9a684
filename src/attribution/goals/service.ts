import { toIso } from '../../core/dates.js';
import { windowAt } from '../../core/rewards/windows.js';
import {
  affiliateRemoving,
  affiliateSaved,
  affiliatesMerged,
} from '../../program/affiliates/domain-events.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { goalsOf, Goals, rulesFor, type KnownBonus } from './goals.js';
import { Levels, placeOf, reachedBy } from './levels.js';
import { SpanMetrics } from './counted.js';
import { fail } from '../../errors.js';
import type { TermsDto } from '../api-schemas.js';
import type { Deps } from './deps.js';
import { presentBonus, presentGoal, presentMove } from './presenter.js';
import * as store from './repository.js';
import type { LevelDto, ProgressDto } from './schemas.js';

const BONUSES_SHOWN = 50;
const MOVES_SHOWN = 50;

/** Goals and levels of the reward rules: what affiliates reach, and what follows from it (docs/rewards.md). */
export class GoalsService {
  readonly #goals: Goals;
  readonly #levels: Levels;

  constructor(private readonly app: Deps) {
    this.#goals = new Goals(app);
    this.#levels = new Levels(app);
    app.affiliates.addRows('affiliate_levels');
    app.internal.on(affiliateRemoving, (trx, { id }) => store.deleteMoves(trx, id));
    app.internal.on(affiliateSaved, (_trx, { before, after, afterCommit }) => {
      // the ledger has no entry for it, so the job would not look
      if (before.group_id !== after.group_id || before.status !== after.status)
        afterCommit(() => this.#goals.settleChanged(after.id));
    });
    app.internal.on(affiliatesMerged, (_trx, { into, afterCommit }) =>
      afterCommit(() => this.#goals.settle([into])),
    );
  }

  /** The job for goals. Returns how many bonuses changed. */
  settleGoals(): Promise<number> {
    return this.#goals.run();
  }

  /** The job for levels. Returns how many affiliates moved. */
  moveLevels(): Promise<number> {
    return this.#levels.run();
  }

  /** Pins an affiliate to its group, or lets levels move it again. */
  async pin(affiliateId: number, isPinned: boolean): Promise<void> {
    await this.app.affiliates.changes.pinGroup(affiliateId, isPinned);
  }

  /** The rules that count for an affiliate, its goals, bonuses and level. */
  async of(affiliateId: number): Promise<{ terms: TermsDto; progress: ProgressDto }> {
    const progress = await this.progressOf(affiliateId);
    return { terms: await this.app.rewards.terms(affiliateId), progress };
  }

  /** Like `of`, for the affiliate of this user. */
  async own(userId: number): Promise<{ terms: TermsDto; progress: ProgressDto }> {
    const affiliate = await this.app.affiliates.findByUser(userId);
    return this.of((affiliate ?? fail('affiliate_not_found', { status: 422 })).id);
  }

  /** The goals of an affiliate and how far they are, its bonuses, and its level. */
  async progressOf(affiliateId: number): Promise<ProgressDto> {
    const affiliate = await this.app.affiliates.get(affiliateId);
    const now = this.app.clock.now();
    const active = await this.app.rewards.at(now);
    const { timeZone } = this.app.host.site();
    const { currency } = await this.app.settings.referralConfig();
    const rules = rulesFor(goalsOf(active), affiliate);
    const bonuses = (await this.#goals.bonusesOf([affiliateId])).toReversed();
    const counted = new SpanMetrics(this.app.referrals, currency);
    const spans = rules.map((rule) => ({ rule, span: windowAt(rule.goal.window, now, timeZone) }));
    for (const { span } of spans) counted.want(affiliateId, span);
    const levels = active?.levels ?? null;
    const ofLevel = levels && windowAt(levels.window, now, timeZone);
    if (ofLevel !== null) counted.want(affiliateId, ofLevel);
    await counted.read();
    const bonusOf = (rule: string, key: string, isOnce: boolean): KnownBonus | undefined =>
      bonuses.find(({ goal }) => goal.rule === rule && (isOnce || goal.window_key === key));
    return {
      currency,
      goals: spans.map(({ rule, span }) => {
        const bonus = bonusOf(rule.key, span.key, rule.goal.repeat === 'once');
        const value = counted.value(affiliateId, span, rule.goal.metric);
        return presentGoal(rule, { span, value, bonus, currency });
      }),
      bonuses: bonuses.slice(0, BONUSES_SHOWN).map((bonus) => presentBonus(bonus, currency)),
      level:
        levels === null || ofLevel === null
          ? null
          : await this.#levelOf(affiliate, {
              metric: levels.metric,
              value: counted.value(affiliateId, ofLevel, levels.metric),
              window: ofLevel,
              levels,
            }),
    };
  }

  async #levelOf(
    affiliate: Affiliate,
    {
      metric,
      value,
      window,
      levels,
    }: {
      readonly metric: LevelDto['metric'];
      readonly value: string;
      readonly window: { readonly from: number; readonly until: number | null };
      readonly levels: Parameters<typeof placeOf>[0];
    },
  ): Promise<LevelDto> {
    const moves = await store.movesOf(this.app.db, affiliate.id, MOVES_SHOWN);
    const groups = await this.app.groups.findMany([
      ...levels.steps.map(({ group }) => group),
      ...moves.flatMap(({ from_group, to_group }) => [from_group, to_group]),
    ]);
    const nameOf = (id: number | null): string | null =>
      id === null ? null : (groups.get(id)?.meta_key ?? null);
    const place = placeOf(levels, affiliate.group_id);
    const reached = reachedBy(levels, value);
    return {
      metric,
      window: levels.window,
      from: window.from === 0 ? null : toIso(window.from),
      until: toIso(window.until),
      value,
      pinned: affiliate.group_pinned ? 'yes' : 'no',
      current: place === -1 ? null : place,
      reached: reached === -1 ? null : reached,
      steps: levels.steps.map(({ at_least, group }) => ({ at_least, group_id: group, name: nameOf(group) })),
      history: moves.map((move) => presentMove(move, nameOf)),
    };
  }
}
