import { dayStart, dayText, siteDay } from '../../core/dates.js';
import { DAY } from '../../core/duration.js';
import { windowAt, windowBefore, type WindowSpan } from '../../core/rewards/windows.js';
import type { Levels as LevelRules } from '../../core/rewards/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ActiveRules } from '../rewards/types.js';
import { Counted, isReached } from './counted.js';
import { levelChanged } from './domain-events.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';

/** The option that names the day on which all affiliates were judged last. */
const DONE = 'reward_levels';
const AT_ONCE = 200;

/** What is judged today. */
interface Judging {
  readonly set: ActiveRules;
  readonly levels: LevelRules;
  /** The window that ended last. */
  readonly latest: WindowSpan;
  /** Earlier windows whose levels affiliates still keep, because of the days of grace. */
  readonly kept: readonly WindowSpan[];
}

/** The place of a group among the levels; -1 for a group that is none. */
export const placeOf = ({ steps }: LevelRules, groupId: number | null): number =>
  steps.findIndex(({ group }) => group === groupId);

/** The highest level that the value reaches; -1 for none. */
export const reachedBy = ({ steps }: LevelRules, value: string): number =>
  steps.findLastIndex(({ at_least: least }) => isReached(value, least));

/**
 * Moves affiliates between groups by what they brought in the window that ended last, once per window
 * (docs/rewards.md). A person can pin an affiliate to its group.
 */
export class Levels {
  constructor(private readonly app: Deps) {}

  /** The job: judges all affiliates once a day, and when other rules become active; answers how many moved. */
  async run(): Promise<number> {
    const now = this.app.clock.now();
    const set = await this.app.rewards.at(now);
    if (set === null || set.levels === null) return 0;
    const judging = this.judgingAt(set, set.levels, now);
    const today = `${set.id}:${siteDay(now, this.app.host.site().timeZone)}`;
    if ((await this.app.settings.read<string | null>(DONE, null)) === today) return 0;
    let moved = 0;
    for (let after = 0; ;) {
      const ids = await this.app.affiliates.idsAfter({ status: 'active' }, after, AT_ONCE);
      moved += await this.judge(ids, judging);
      if (ids.length < AT_ONCE) break;
      after = ids.at(-1) ?? after;
    }
    await this.app.transaction((trx, afterCommit) => this.app.settings.write(trx, afterCommit, DONE, today));
    return moved;
  }

  judgingAt(set: ActiveRules, levels: LevelRules, now: number): Judging {
    const { timeZone } = this.app.host.site();
    const { window, grace_days: grace } = levels;
    const current = windowAt(window, now, timeZone);
    const latest = windowBefore(window, current, timeZone);
    if (latest === null) {
      const key = `all:${dayText(siteDay(now, timeZone))}`;
      return { set, levels, latest: { ...current, key }, kept: [] };
    }
    const kept: WindowSpan[] = [];
    const graceFrom = dayStart(siteDay(now, timeZone), timeZone) - grace * DAY;
    for (let span = latest; (span.until ?? 0) > graceFrom;) {
      const before = windowBefore(window, span, timeZone);
      if (before === null) break;
      kept.push(before);
      span = before;
    }
    return { set, levels, latest, kept };
  }

  /** Judges these affiliates. */
  async judge(ids: readonly number[], judging: Judging): Promise<number> {
    const { levels, latest, kept } = judging;
    const affiliates = [...(await this.app.affiliates.findMany(ids)).values()].filter(isJudged);
    const { currency } = await this.app.settings.referralConfig();
    const counted = new Counted(this.app.referrals, currency);
    for (const { id } of affiliates) for (const span of [latest, ...kept]) counted.want(id, span);
    await counted.read();
    let moved = 0;
    for (const affiliate of affiliates) {
      const at = (span: WindowSpan): number =>
        reachedBy(levels, counted.value(affiliate.id, span, levels.metric));
      const place = placeOf(levels, affiliate.group_id);
      const up = at(latest);
      const down = Math.max(up, ...kept.map(at));
      const next = up > place ? up : levels.down && down < place ? down : place;
      if (next === place) continue;
      const value = counted.value(affiliate.id, latest, levels.metric);
      moved += Number(await this.#move(affiliate, { judging, value, to: levels.steps[next]?.group ?? null }));
    }
    return moved;
  }

  /** False when the affiliate was moved, pinned or put into another group meanwhile. */
  async #move(
    seen: Affiliate,
    { judging, value, to }: { readonly judging: Judging; readonly value: string; readonly to: number | null },
  ): Promise<boolean> {
    const { set, levels, latest } = judging;
    if (to !== null && (await this.app.groups.find(to)) === null) return false;
    return this.app.transaction(async (trx, afterCommit) => {
      const current = await this.app.affiliates.lock(trx, seen.id);
      if (current === null || !isJudged(current) || current.group_id !== seen.group_id) return false;
      if (await store.hasMoved(trx, seen.id, latest.key)) return false;
      const affiliate = await this.app.affiliates.moveToGroup(trx, afterCommit, current, to);
      await store.insertMove(trx, {
        affiliate_id: seen.id,
        window_key: latest.key,
        from_group: seen.group_id,
        to_group: to,
        metric: levels.metric,
        value,
        set_id: set.id,
        created_at: this.app.clock.now(),
      });
      await this.app.internal.emit(levelChanged, trx, { affiliate, window: latest.key });
      return true;
    });
  }
}

const isJudged = ({ status, group_pinned: isPinned }: Affiliate): boolean => status === 'active' && !isPinned;
