import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../core/clock.js';
import type { Logger } from '../../core/logger.js';
import { MINUTE } from '../../core/duration.js';
import type { Db, RunTransaction } from './db.js';

export interface Lease {
  /** True when another process may have taken over. Long work checks this between its parts. */
  readonly lost: boolean;
  /**
   * Throws when the lease is lost. Otherwise no other process can take over before the transaction commits.
   */
  hold(trx: Db): Promise<void>;
}

export interface LeaseOptions {
  /** Another process takes over when there was no heartbeat for this long. */
  readonly ttlMs?: number;
}

/** Runs the work in one process at a time; returns null when another process holds the lease. */
export type WithLease = <T>(
  name: string,
  work: (lease: Lease) => Promise<T>,
  options?: LeaseOptions,
) => Promise<{ readonly value: T } | null>;

export interface LeaseParts {
  readonly db: Db;
  readonly transaction: RunTransaction;
  readonly log: Logger;
  /** The system's clock, because leases are about processes, not about the program's time. */
  readonly clock?: Clock;
}

const TTL = MINUTE;
/** A lease that ends later than so many times its length was not taken at a time that has been. */
const AHEAD = 10;

/**
 * A row with an owner token and a heartbeat. Advisory locks do not work behind a pooler, and neither GET_LOCK
 * nor FOR UPDATE reaches the other nodes of Galera. So every take-over is a compare-and-set, and its result
 * is known after the commit.
 */
export function createWithLease(parts: LeaseParts): WithLease {
  return async (name, work, options = {}) => {
    if (parts.db.inTransaction)
      throw new Error('A lease cannot be taken inside a transaction: other processes would not see it.');
    const row = new LeaseRow(parts, name, options.ttlMs ?? TTL);
    if (!(await row.take())) return null;
    const heartbeat = setInterval(() => {
      void row.beat();
    }, row.ttlMs / 3);
    heartbeat.unref();
    try {
      return { value: await work(row) };
    } finally {
      clearInterval(heartbeat);
      await row.release();
    }
  };
}

class LeaseRow implements Lease {
  lost = false;
  readonly #owner = randomUUID();
  readonly #clock: Clock;

  constructor(
    private readonly parts: LeaseParts,
    private readonly name: string,
    readonly ttlMs: number,
  ) {
    this.#clock = parts.clock ?? systemClock;
  }

  take(): Promise<boolean> {
    const now = this.#clock.now();
    const held = { owner: this.#owner, expires_at: now + this.ttlMs };
    return this.parts.transaction(async (trx) => {
      const taken = await trx('job_leases')
        .where({ name: this.name })
        .where((free) => {
          void free
            .whereNull('owner')
            .orWhere('expires_at', '<', now)
            .orWhere('expires_at', '>', now + AHEAD * this.ttlMs); // taken by a clock that was ahead
        })
        .update(held);
      if (taken === 1) return true;
      const known: unknown = await trx('job_leases').where({ name: this.name }).first('name');
      return (
        known === undefined &&
        (await trx.dialect.insertIfAbsent(trx, 'job_leases', { name: this.name, ...held }, ['name'])) !== null
      );
    });
  }

  async hold(trx: Db): Promise<void> {
    if (!(await this.#extend(trx)))
      throw new Error(`The lease ${this.name} was taken over by another process.`);
  }

  async beat(): Promise<void> {
    try {
      if (!(await this.#extend(this.parts.db))) this.lost = true;
    } catch (error) {
      this.parts.log.warn('lease heartbeat failed', { name: this.name, error: String(error) });
    }
  }

  async release(): Promise<void> {
    try {
      await this.parts
        .db('job_leases')
        .where({ name: this.name, owner: this.#owner })
        .update({ owner: null, expires_at: 0 });
    } catch (error) {
      // the lease expires by itself
      this.parts.log.warn('lease not released', { name: this.name, error: String(error) });
    }
  }

  async #extend(db: Db): Promise<boolean> {
    const count = await db('job_leases')
      .where({ name: this.name, owner: this.#owner })
      .update({ expires_at: this.#clock.now() + this.ttlMs });
    return count === 1;
  }
}
