import { randomUUID } from 'node:crypto';
import { PrimaryError } from './client.js';
import type { Delivered, QueuedReport, ReportQueue } from './types.js';

const QUEUE_MAX = 10_000;
const VISITS_MAX = 5000;
const PAGE = 50;
const PAUSE_MS = 60_000;

/** A full queue refuses new reports rather than drop old ones. */
export function hasRoom(waiting: number): void {
  if (waiting >= QUEUE_MAX) throw new Error('Too many reports wait for the primary site.');
}

/** Lost when the process ends: for tests, and for sites without a disk of their own. */
export class MemoryQueue implements ReportQueue {
  readonly #reports = new Map<string, QueuedReport>();

  async add(report: QueuedReport): Promise<void> {
    hasRoom(this.#reports.size);
    this.#reports.set(report.id, report);
  }

  async list(limit: number): Promise<readonly QueuedReport[]> {
    return [...this.#reports.values()].slice(0, limit);
  }

  async remove(id: string): Promise<void> {
    this.#reports.delete(id);
  }

  async size(): Promise<number> {
    return this.#reports.size;
  }
}

/**
 * The primary could not be reached, or does not accept this site at present: that says nothing about the
 * report itself.
 */
export const isUndeliverable = (error: unknown): boolean =>
  error instanceof PrimaryError &&
  (error.status === 0 ||
    error.status === 401 ||
    error.status === 403 ||
    error.status === 429 ||
    error.status >= 500);

interface Parts {
  readonly queue: ReportQueue;
  readonly send: (report: Omit<QueuedReport, 'id'>) => Promise<unknown>;
  readonly onError: ((error: unknown) => void) | undefined;
  readonly now: () => number;
}

/**
 * Sends reports in the order they were made. One that cannot be sent waits, and with it everything after it:
 * an order has to arrive before its refund.
 */
export class Outbox {
  #running: Promise<Delivered> | null = null;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: Parts) {
    // Reports that a former process left are sent even if no new one is made.
    this.#later();
  }

  /**
   * The primary's answer, or null when the report has to wait. Throws when the primary refuses the report
   * itself.
   */
  async report(report: Omit<QueuedReport, 'id'>): Promise<unknown> {
    const { queue, send } = this.parts;
    if ((await queue.size()) > 0 && !this.#isPaused()) await this.deliver();
    if ((await queue.size()) === 0 && !this.#isPaused()) {
      try {
        return await send(report);
      } catch (error) {
        // A program that is switched off does not want clicks.
        if (!isUndeliverable(error) || (report.kind === 'visit' && (error as PrimaryError).status === 403))
          throw error;
        this.#pause(error);
      }
    }
    // Clicks may not fill the queue: room stays for orders.
    if (report.kind === 'visit' && (await queue.size()) >= VISITS_MAX) return null;
    await queue.add({ id: randomUUID(), ...dated(report, this.parts.now()) });
    this.#later();
    return null;
  }

  waiting(): Promise<number> {
    return this.parts.queue.size();
  }

  /** Sends what waits, never twice at a time; stops at the first report that cannot be sent. */
  deliver(): Promise<Delivered> {
    this.#running ??= this.#deliver().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Called when there is a reason to try again at once. */
  resume(): void {
    this.#pausedUntil = 0;
  }

  async #deliver(): Promise<Delivered> {
    const { queue, send, onError } = this.parts;
    let delivered = 0;
    for (let page = await queue.list(PAGE); page.length > 0; page = await queue.list(PAGE)) {
      for (const { id, ...report } of page) {
        try {
          await send(report);
          delivered += 1;
        } catch (error) {
          if (isUndeliverable(error)) {
            this.#pause(error);
            this.#later();
            return { delivered, waiting: await queue.size() };
          }
          onError?.(error);
        }
        await queue.remove(id);
      }
    }
    this.#pausedUntil = 0;
    return { delivered, waiting: 0 };
  }

  /** Pages and checkouts do not wait for a primary that could not be reached a moment ago. */
  #pause(error: unknown): void {
    this.#pausedUntil = this.parts.now() + PAUSE_MS;
    this.parts.onError?.(error);
  }

  #isPaused(): boolean {
    return this.parts.now() < this.#pausedUntil;
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.deliver().catch((error: unknown) => {
        this.parts.onError?.(error);
      });
    }, PAUSE_MS).unref();
  }
}

/**
 * Clicks and orders that have to wait get the time when they happened. Changes need none: only the last state
 * counts.
 */
const dated = (report: Omit<QueuedReport, 'id'>, now: number): Omit<QueuedReport, 'id'> =>
  report.kind === 'update'
    ? report
    : { ...report, fields: { occurred_at: Math.floor(now / 1000), ...report.fields } };
