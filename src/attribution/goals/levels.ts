import { dayStart, dayText, siteDay } from '../../core/dates.js';
import { DAY } from '../../core/duration.js';
import { windowAt, windowBefore, type WindowSpan } from '../../core/rewards/windows.js';
import type { Levels as LevelRules } from '../../core/rewards/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ActiveRules } from '../rewards/types.js';
import { SpanMetrics, isReached } from './counted.js';
import { levelChanged } from './domain-events.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';

/** The option that names the day of the last check of all affiliates. */
const DONE = 'reward_levels';
const AT_ONCE = 200;

/** The levels and windows of one run. */
interface LevelRun {
  readonly set: ActiveRules;
  readonly levels: LevelRules;
  /** The window that ended last. */
  readonly latest: WindowSpan;
  /** Earlier windows whose levels still count for affiliates, because of the days of grace. */
  readonly graced: readonly WindowSpan[];
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

  /** The job: checks the levels of all affiliates once a day and when other rules become active. Returns how many moved. */
  async run(): Promise<number> {
    const now = this.app.clock.now();
    const set = await this.app.rewards.at(now);
    if (set === null || set.levels === null) return 0;
    const levelRun = this.runAt(set, set.levels, now);
    const today = `${set.id}:${siteDay(now, this.app.host.site().timeZone)}`;
    if ((await this.app.settings.read<string | null>(DONE, null)) === today) return 0;
    let moved = 0;
    for (let after = 0; ;) {
      const ids = await this.app.affiliates.listing.idsAfter({ status: 'active' }, after, AT_ONCE);
      moved += await this.moveAll(ids, levelRun);
      if (ids.length < AT_ONCE) break;
      after = ids.at(-1) ?? after;
    }
    await this.app.transaction((trx, afterCommit) => this.app.settings.write(trx, afterCommit, DONE, today));
    return moved;
  }

  runAt(set: ActiveRules, levels: LevelRules, now: number): LevelRun {
    const { timeZone } = this.app.host.site();
    const { window, grace_days: grace } = levels;
    const current = windowAt(window, now, timeZone);
    const latest = windowBefore(window, current, timeZone);
    if (latest === null) {
      const key = `all:${dayText(siteDay(now, timeZone))}`;
      return { set, levels, latest: { ...current, key }, graced: [] };
    }
    const graced: WindowSpan[] = [];
    const graceFrom = dayStart(siteDay(now, timeZone), timeZone) - grace * DAY;
    for (let span = latest; (span.until ?? 0) > graceFrom;) {
      const before = windowBefore(window, span, timeZone);
      if (before === null) break;
      graced.push(before);
      span = before;
    }
    return { set, levels, latest, graced };
  }

  /** Moves these affiliates to the groups of their levels. Returns how many moved. */
  async moveAll(ids: readonly number[], levelRun: LevelRun): Promise<number> {
    const { levels, latest, graced } = levelRun;
    const affiliates = [...(await this.app.affiliates.findMany(ids)).values()].filter(mayMove);
    const { currency } = await this.app.settings.referralConfig();
    const counted = new SpanMetrics(this.app.referrals, currency);
    for (const { id } of affiliates) for (const span of [latest, ...graced]) counted.want(id, span);
    await counted.read();
    let moved = 0;
    for (const affiliate of affiliates) {
      const at = (span: WindowSpan): number =>
        reachedBy(levels, counted.value(affiliate.id, span, levels.metric));
      const place = placeOf(levels, affiliate.group_id);
      const up = at(latest);
      const down = Math.max(up, ...graced.map(at));
      const next = up > place ? up : levels.down && down < place ? down : place;
      if (next === place) continue;
      const value = counted.value(affiliate.id, latest, levels.metric);
      moved += Number(
        await this.#move(affiliate, { levelRun, value, to: levels.steps[next]?.group ?? null }),
      );
    }
    return moved;
  }

  /** False when the affiliate was moved, pinned or put into another group meanwhile. */
  async #move(
    seen: Affiliate,
    {
      levelRun,
      value,
      to,
    }: { readonly levelRun: LevelRun; readonly value: string; readonly to: number | null },
  ): Promise<boolean> {
    const { set, levels, latest } = levelRun;
    if (to !== null && (await this.app.groups.find(to)) === null) return false;
    return this.app.transaction(async (trx, afterCommit) => {
      const current = await this.app.affiliates.lock(trx, seen.id);
      if (current === null || !mayMove(current) || current.group_id !== seen.group_id) return false;
      if (await store.hasMoved(trx, seen.id, latest.key)) return false;
      const affiliate = await this.app.affiliates.changes.moveToGroup(trx, afterCommit, current, to);
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

const mayMove = ({ status, group_pinned: isPinned }: Affiliate): boolean => status === 'active' && !isPinned;
