import type { Platform } from '../../platform/platform.js';
import { randomUUID } from 'node:crypto';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import * as store from './repository.js';
import type { Channel, DueEntry, QueueEntry, Sender, SendResult } from './types.js';

const LOCK_MS = 120_000;
const KEEP_MS = 30 * DAY;
const ERROR_LENGTH = 500;

/**
 * The queue of everything that is sent: mails and deliveries of events. Entries are written in the
 * transaction that causes them and sent by a job: at least once, in order for each object, again later when
 * sending fails, and never again (dead) after the last try.
 */
export class OutboxService {
  readonly #runs = new Set<Promise<number>>();
  #closed = false;

  constructor(private readonly app: Platform) {}

  /** Finishes the entries being sent; another process sends the others. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#runs);
  }

  enqueue(trx: Db, entries: readonly QueueEntry[]): Promise<void> {
    return store.enqueue(trx, entries, this.app.clock.now());
  }

  /** Like `enqueue`, but an entry that was skipped or called off is sent after all, because its reason has come back. */
  async enqueueAgain(trx: Db, entries: readonly QueueEntry[], delayMs: number): Promise<void> {
    const now = this.app.clock.now();
    await store.revive(trx, entries, { now, delayMs });
    await store.enqueue(
      trx,
      entries.map((entry) => ({ ...entry, delayMs })),
      now,
    );
  }

  /** Skips entries of these events that were not sent yet. */
  callOff(trx: Db, entries: readonly QueueEntry[]): Promise<void> {
    return store.skip(trx, entries, this.app.clock.now());
  }

  isQueuedSince(db: Db, entry: Pick<QueueEntry, 'event' | 'recipient'>, after: number): Promise<boolean> {
    return store.isQueuedSince(db, entry, after);
  }

  /** Those of the events with entries that wait to be sent. */
  async waiting(events: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(events.length === 0 ? [] : await store.waitingEvents(this.app.db, events));
  }

  isDue(channel: Channel): Promise<boolean> {
    return store.isDue(this.app.db, channel, this.app.clock.now());
  }

  dueChannels(): Promise<Channel[]> {
    return store.dueChannels(this.app.db, this.app.clock.now());
  }

  /**
   * Sends everything that is due in a channel. Returns how many were sent. A slow entry delays only itself.
   */
  run(channel: Channel, sender: Sender): Promise<number> {
    const run: Promise<number> = this.#sendDue(channel, sender).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
    return run;
  }

  async #sendDue(channel: Channel, sender: Sender): Promise<number> {
    const worker = randomUUID(); // two runs in one process are two workers
    const underway = new Set<Promise<void>>();
    const errors: unknown[] = [];
    let sent = 0;
    const start = (entry: DueEntry): void => {
      const work: Promise<void> = this.#deliver(entry, worker, sender)
        .then((outcome) => void (sent += outcome === 'sent' ? 1 : 0))
        .catch((error: unknown) => void errors.push(error))
        .finally(() => underway.delete(work));
      underway.add(work);
    };
    try {
      for (let locked: DueEntry[] = []; errors.length === 0 && !this.#closed;) {
        if (locked.length === 0) locked = await this.#lockDue(channel, worker, sender);
        const entry = locked.shift();
        if (entry) start(entry);
        else if (underway.size === 0) break;
        if (!entry || underway.size === sender.atOnce) await Promise.race(underway);
      }
    } finally {
      await Promise.all(underway);
    }
    if (this.#closed) await store.release(this.app.db, worker);
    if (errors.length > 0) throw errors[0];
    return sent;
  }

  async #lockDue(channel: Channel, worker: string, sender: Sender): Promise<DueEntry[]> {
    if ((await sender.goOn?.()) === false) return [];
    const now = this.app.clock.now();
    return store.lockDue(this.app.db, {
      channel,
      worker,
      now,
      until: now + LOCK_MS,
      limit: sender.batch,
    });
  }

  purge(now: number = this.app.clock.now()): Promise<number> {
    return store.purge(this.app.db, now - KEEP_MS);
  }

  async #deliver(entry: DueEntry, worker: string, sender: Sender): Promise<SendResult['outcome']> {
    const sent = await this.#attempt(entry, sender);
    const now = this.app.clock.now();
    const response = { answer_status: sent.response?.status ?? null, answer: sent.response?.text ?? null };
    if (sent.outcome !== 'failed') {
      const change = { status: sent.outcome, last_error: sent.note ?? null, updated_at: now, ...response };
      await store.finish(this.app.db, entry.id, worker, change);
      return sent.outcome;
    }
    const attempts = entry.attempts + 1;
    const wait = sent.final === true ? undefined : sender.retryMs(entry.attempts);
    const later = { next_attempt_at: now + Math.max(wait ?? 0, sent.retryAfterMs ?? 0) };
    const change = {
      attempts,
      last_error: sent.error.slice(0, ERROR_LENGTH),
      updated_at: now,
      ...response,
      ...(wait === undefined ? { status: 'dead' } : later),
    };
    await store.finish(this.app.db, entry.id, worker, change);
    return 'failed';
  }

  async #attempt(entry: DueEntry, sender: Sender): Promise<SendResult> {
    try {
      return await this.app.telemetry.span('affiliate.delivery', { kind: entry.kind }, () =>
        sender.send(entry),
      );
    } catch (error) {
      this.app.log.warn('an entry of the outbox could not be sent', {
        kind: entry.kind,
        attempts: entry.attempts + 1,
        error,
      });
      return { outcome: 'failed', error: 'not sent' };
    }
  }
}
