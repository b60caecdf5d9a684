import { siteDay } from '../../core/dates.js';
import type { Deps } from './deps.js';
import { addSkips } from './repository.js';
import type { SkipReason } from './types.js';

const FLUSH_MS = 5000;

/**
 * Counts ignored clicks by day and reason. The counts are collected in memory and written every few seconds,
 * so that many clicks of bots cause few writes.
 */
export class SkipCounter {
  #hits = new Map<string, { day: number; reason: SkipReason; hits: number }>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly app: Deps) {}

  add(reason: SkipReason): void {
    const day = siteDay(this.app.clock.now(), this.app.host.site().timeZone);
    const entry = this.#hits.get(`${day} ${reason}`) ?? { day, reason, hits: 0 };
    entry.hits += 1;
    this.#hits.set(`${day} ${reason}`, entry);
    this.#timer ??= setTimeout(() => {
      void this.flush();
    }, FLUSH_MS).unref();
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const hits = [...this.#hits.values()];
    this.#hits = new Map();
    if (hits.length === 0) return;
    try {
      await addSkips(this.app.db, hits);
    } catch (error) {
      this.app.log.warn('ignored clicks could not be counted', { error, reasons: hits.length });
    }
  }
}
