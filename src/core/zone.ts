import { SECOND, HOUR, DAY } from './duration.js';

/** No time zone was ever further from UTC than this. */
const REACH = 16 * HOUR;
const MAX_ENTRIES = 4096;
const MAX_ZONES = 64;

/**
 * The calendar of one time zone. A day begins with its first instant and ends with the first instant of the
 * next day, so every instant belongs to exactly one day, even where clocks are put back over midnight. A day
 * that a zone skipped (Apia, 2011-12-30) is empty.
 */
export class Zone {
  private readonly offsets = new Map<number, number>();
  private readonly starts = new Map<number, number>();
  private readonly readOffset: (ms: number) => number;

  constructor(timeZone: string) {
    this.readOffset = offsetReader(timeZone);
  }

  /** Milliseconds to add to UTC to get the wall clock. */
  offsetAt(ms: number): number {
    const slot = Math.floor(ms / DAY);
    const known = remember(this.offsets, slot, () => {
      const first = this.readOffset(slot * DAY);
      return first === this.readOffset((slot + 1) * DAY - 1) ? first : Number.NaN;
    });
    return Number.isNaN(known) ? this.readOffset(ms) : known;
  }

  /** The first instant of a day (days since 1970-01-01). */
  dayStart(day: number): number {
    return remember(this.starts, day, () => this.firstInstant(day * DAY));
  }

  dayOf(ms: number): number {
    let day = Math.floor(ms / DAY);
    while (this.dayStart(day) > ms) day -= 1;
    while (this.dayStart(day + 1) <= ms) day += 1;
    return day;
  }

  /**
   * The instant of a wall-clock time. If it occurs twice, the earlier one; if it does not occur because
   * clocks were put forward, it is moved by that gap.
   */
  instantOf(wall: number): number {
    const candidates = [wall - this.offsetAt(wall - REACH), wall - this.offsetAt(wall + REACH)] as const;
    const [before] = candidates;
    const real = candidates.filter((ms) => ms + this.offsetAt(ms) === wall);
    return real.length > 0 ? Math.min(...real) : before;
  }

  /** The offsets from one instant to another, each with the instant that ends it; the last one has no end. */
  offsetsBetween(from: number, to: number): { readonly until: number; readonly offset: number }[] {
    const periods: { until: number; offset: number }[] = [];
    let low = from;
    while (low < to) {
      const high = Math.min(low + 7 * DAY, to);
      const offset = this.offsetAt(low);
      if (offset !== this.offsetAt(high)) periods.push({ until: this.changeBetween(low, high), offset });
      low = high;
    }
    return [...periods, { until: Infinity, offset: this.offsetAt(to) }];
  }

  // The first instant whose wall clock shows `wall` or later.
  private firstInstant(wall: number): number {
    const before = this.offsetAt(wall - REACH);
    const after = this.offsetAt(wall + REACH);
    if (before === after) return wall - before;
    const change = this.changeBetween(wall - REACH, wall + REACH);
    if (wall - before < change) return wall - before;
    return Math.max(change, wall - after);
  }

  private changeBetween(low: number, high: number): number {
    const before = this.offsetAt(low);
    let [from, to] = [low, high];
    while (to - from > SECOND) {
      const middle = Math.floor((from + to) / 2 / SECOND) * SECOND;
      if (this.offsetAt(middle) === before) from = middle;
      else to = middle;
    }
    return to;
  }
}

/** One Zone per name, made when first asked for. */
export function createZones(): (timeZone: string) => Zone {
  const zones = new Map<string, Zone>();
  return (timeZone) => zones.get(timeZone) ?? remember(zones, timeZone, () => new Zone(timeZone), MAX_ZONES);
}

function remember<K, V>(map: Map<K, V>, key: K, make: () => V, limit = MAX_ENTRIES): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  if (map.size >= limit) map.clear();
  const made = make();
  map.set(key, made);
  return made;
}

function offsetReader(timeZone: string): (ms: number) => number {
  const wallClock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  // "01/15/2026, 10:00:00": cutting this text is several times faster than formatToParts. The last day we
  // accept is in the year 10000.
  return (ms) => {
    const text = wallClock.format(ms);
    const year = text.indexOf(',');
    const at = (from: number, to = from + 2): number => Number(text.slice(from, to));
    const wall = Date.UTC(at(6, year), at(0) - 1, at(3), at(year + 2), at(year + 5), at(year + 8));
    return wall - Math.floor(ms / SECOND) * SECOND;
  };
}
