import { randomUUID } from 'node:crypto';
import { PrimaryError, RefusedReport, UNEXPECTED } from './client.js';
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

/** Did the primary itself refuse what this site may do, for example because the program is switched off? */
export const isForbidden = (error: unknown): boolean =>
  error instanceof PrimaryError && error.status === 403 && error.code !== UNEXPECTED;

/**
 * The primary could not be reached, or does not accept this site at present: the report itself may be right.
 */
export const isUndeliverable = (error: unknown): boolean =>
  error instanceof PrimaryError &&
  (error.status === 0 ||
    error.code === UNEXPECTED ||
    error.status === 401 ||
    error.status === 403 ||
    error.status === 429 ||
    error.status >= 500);

const NO_REPORT = new PrimaryError(0, 'unreadable_report', 'It is no report.');

interface Parts {
  readonly queue: ReportQueue;
  readonly send: (report: Omit<QueuedReport, 'id'>) => Promise<unknown>;
  readonly onError: ((error: unknown) => void) | undefined;
  readonly now: () => number;
}

/**
 * Did the primary fail on this report, or something in between refuse it, as a proxy does with a large body?
 * After other 5xx responses, the primary serves no requests at present.
 */
const isFailure = (error: unknown): boolean =>
  error instanceof PrimaryError && (error.status === 500 || error.code === UNEXPECTED);

const orderOf = ({ reference, fields }: Omit<QueuedReport, 'id'>): unknown =>
  reference ?? (fields as { readonly reference?: string }).reference;

/**
 * Sends reports in the order they were made. One that cannot be sent waits, and with it everything after it:
 * an order has to arrive before its refund. A single report on which the primary fails holds up only the
 * later ones of its order.
 */
export class Outbox {
  #running: Promise<Delivered> | null = null;
  /** Reports that wait while others are sent: their ids and orders. */
  #heldUp = new Map<string, unknown>();
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: Parts) {
    // Reports that a former process left are sent even if no new one is made.
    this.#later();
  }

  /**
   * The primary's response, or null when the report has to wait. Throws when the primary refuses the report
   * itself.
   */
  async report(report: Omit<QueuedReport, 'id'>): Promise<unknown> {
    const { queue, send } = this.parts;
    if ((await this.#due()) > 0 && !this.#isPaused()) await this.deliver();
    if ((await this.#due()) === 0 && !this.#isPaused() && !this.#holdsUp(report)) {
      try {
        return await send(report);
      } catch (error) {
        // A program that is switched off does not want clicks.
        if (!isUndeliverable(error) || (report.kind === 'visit' && isForbidden(error))) throw error;
        this.#pause(error);
      }
    }
    // Clicks may not fill the queue: some room is reserved for orders.
    if (report.kind !== 'visit' || (await queue.size()) < VISITS_MAX) await this.#add(report);
    return null;
  }

  async #add(report: Omit<QueuedReport, 'id'>): Promise<void> {
    const id = randomUUID();
    await this.parts.queue.add({ id, ...dated(report, this.parts.now()) });
    if (this.#holdsUp(report)) this.#heldUp.set(id, orderOf(report));
    this.#later();
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
    this.#heldUp = new Map();
    let [delivered, failures] = [0, 0];
    for (let page = await this.#next(); page.length > 0; page = await this.#next()) {
      for (const { id, ...report } of page) {
        if (this.#holdsUp(report)) {
          this.#heldUp.set(id, orderOf(report));
          continue;
        }
        try {
          await send(report);
          delivered += 1;
        } catch (error) {
          const failed = isFailure(error);
          if (failed) failures += 1;
          if (isUndeliverable(error) && !(failed && failures === 1)) {
            this.#pause(error);
            this.#later();
            return { delivered, waiting: await queue.size() };
          }
          if (failed) {
            onError?.(error);
            this.#heldUp.set(id, orderOf(report));
            continue;
          }
          await this.#putAside({ id, ...report }, error);
          continue;
        }
        await queue.remove(id);
      }
    }
    this.#pausedUntil = 0;
    if (this.#heldUp.size > 0) this.#later();
    return { delivered, waiting: this.#heldUp.size };
  }

  /** Orders and changes that the primary refused are stored and named; a person decides about them. */
  async #putAside(report: QueuedReport, error: unknown): Promise<void> {
    const { queue, onError } = this.parts;
    let file: string | null = null;
    if (report.kind === 'visit' || queue.refuse === undefined) await queue.remove(report.id);
    else file = await queue.refuse(report.id, error instanceof Error ? error.message : '');
    onError?.(error instanceof PrimaryError ? new RefusedReport(error, report, file) : error);
  }

  async #next(): Promise<readonly QueuedReport[]> {
    for (;;) {
      const waiting = await this.parts.queue.list(PAGE + this.#heldUp.size);
      const page = waiting.filter(({ id }) => !this.#heldUp.has(id));
      const spoiled = page.filter(({ kind }) => kind === 'unreadable');
      for (const each of spoiled) await this.#putAside(each, NO_REPORT);
      if (page.length === 0 || spoiled.length < page.length)
        return page.filter(({ kind }) => kind !== 'unreadable');
    }
  }

  /** The number of reports that wait and are not held up. */
  async #due(): Promise<number> {
    return Math.max(0, (await this.parts.queue.size()) - this.#heldUp.size);
  }

  #holdsUp(report: Omit<QueuedReport, 'id'>): boolean {
    const order = orderOf(report);
    return order !== undefined && [...this.#heldUp.values()].includes(order);
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
