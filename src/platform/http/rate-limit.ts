import type { Platform } from '../platform.js';
import { MINUTE } from '../../core/duration.js';
import { networkKeys, type NetworkKey } from './client-address.js';
import { fail, type ErrorCode } from '../../errors.js';

export interface RateLimit {
  readonly name: string;
  readonly points: number;
  readonly windowMs: number;
  /**
   * The number of hits that a process collects before it writes them to the shared table; with 1 every hit is
   * written.
   */
  readonly batch: number;
  readonly code?: ErrorCode;
}

/** The limits of docs/reliability.md §4 that the router applies. */
export const RATE_LIMITS = {
  adminApi: { name: 'api', points: 1200, windowMs: MINUTE, batch: 100 },
  apiKey: { name: 'key', points: 600, windowMs: MINUTE, batch: 50 },
  wrongKeys: { name: 'wrong-key', points: 20, windowMs: MINUTE, batch: 1, code: 'too_many_attempts' },
  wrongNonces: { name: 'nonce', points: 30, windowMs: 5 * MINUTE, batch: 1 },
} as const satisfies Record<string, RateLimit>;

interface Window {
  readonly ends: number;
  hits: number;
  pending: number;
}

const MAX_WINDOWS = 10_000;

/**
 * Limits per fixed time window, shared between processes through one table. A process counts in memory and
 * writes only every `batch` hits, so the requests of an ordinary user cause no write, and several processes
 * together exceed a limit by less than one batch each.
 */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();

  constructor(private readonly app: Platform) {}

  /** Counts one hit; throws 429 with Retry-After when the limit of the window is reached. */
  async take(limit: RateLimit, key: string): Promise<void> {
    const { points, seconds } = await this.count(limit, key);
    if (points < 0) fail(limit.code ?? 'rate_limited', { retryAfter: seconds });
  }

  /**
   * The same for an address and the networks around it: from one large network, addresses in turn are limited too.
   * `hidden` makes a keyed hash of a key, where the table may not contain addresses.
   */
  async takeAddress(
    limit: RateLimit,
    address: string | null,
    hidden: (key: string) => string = (key) => key,
  ): Promise<void> {
    await this.takeNetworks(
      limit,
      networkKeys(address).map(({ key, times }) => ({ key: hidden(key), times })),
    );
  }

  async takeNetworks(limit: RateLimit, networks: readonly NetworkKey[]): Promise<void> {
    for (const { key, times } of networks) await this.take({ ...limit, points: limit.points * times }, key);
  }

  /** Counts one hit; returns the hits left (below zero: exceeded) and the seconds until the window ends. */
  async count(limit: RateLimit, key: string): Promise<{ points: number; seconds: number }> {
    const now = this.app.clock.now();
    const slot = Math.floor(now / limit.windowMs);
    const id = `${limit.name}:${key}:${slot}`.slice(0, 191);
    const window = this.#window(id, (slot + 1) * limit.windowMs, now);
    window.hits += 1;
    window.pending += 1;
    if (window.hits <= limit.points && window.pending >= limit.batch) await this.#share(id, window);
    return { points: limit.points - window.hits, seconds: Math.ceil((window.ends - now) / 1000) };
  }

  #window(id: string, ends: number, now: number): Window {
    const known = this.#windows.get(id);
    if (known) return known;
    if (this.#windows.size >= MAX_WINDOWS) this.#forget(now);
    const window: Window = { ends, hits: 0, pending: 0 };
    this.#windows.set(id, window);
    return window;
  }

  #forget(now: number): void {
    for (const [id, window] of this.#windows) if (window.ends <= now) this.#windows.delete(id);
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.clear();
  }

  async #share(id: string, window: Window): Promise<void> {
    const { db } = this.app;
    const added = window.pending;
    window.pending = 0;
    await db.dialect.addTo(
      db,
      'rate_limits',
      [{ limit_key: id, points: added, expires_at: window.ends }],
      ['limit_key'],
      ['points'],
    );
    const row = await db.findByKey('rate_limits', ['points'], { limit_key: id });
    // Adds the hits of this process that are not written yet to those of all processes.
    window.hits = Number(row?.['points'] ?? added) + window.pending;
  }
}
