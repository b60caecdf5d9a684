import type { Platform } from '../../platform/platform.js';
import type { Db } from '../../platform/database/db.js';
import * as store from './repository.js';
import { EVENTS, type EventType, type EventEntry, type EventData } from './types.js';

const KNOWN_MS = 5000;

/**
 * Records what happens in the program, in the transaction that does it (docs/events.md); the module `events`
 * sends it to other systems.
 */
export class EventLog {
  #requested: { readonly types: ReadonlySet<string>; readonly until: number } | undefined;

  constructor(private readonly app: Platform) {}

  /**
   * Records changes in the transaction that makes them. Of `before`, the fields that differ from `data` are
   * recorded.
   */
  async append(trx: Db, type: EventType, ...changes: readonly EventEntry[]): Promise<void> {
    const now = this.app.clock.now();
    await store.queueEvents(
      trx,
      changes.map(({ id, data, before }) => ({
        type,
        object_type: EVENTS[type].object,
        object_id: String(id),
        data,
        previous: before === undefined ? {} : changedFields(before, data),
        created_at: now,
      })),
    );
  }

  /** Records the change of a record, unless only its `updated_at` differs. */
  async appendChange(trx: Db, type: EventType, change: Required<EventEntry>): Promise<void> {
    if (Object.keys(changedFields(change.before, change.data)).length > 0)
      await this.append(trx, type, change);
  }

  /**
   * Records a change of many rows in one statement: each row as it is now; `previous` is the same for all.
   */
  async appendRows(
    trx: Db,
    type: EventType,
    rows: Omit<store.QueuedRows, 'type' | 'objectType' | 'now'>,
  ): Promise<void> {
    await store.queueRows(trx, { ...rows, type, objectType: EVENTS[type].object, now: this.app.clock.now() });
  }

  /**
   * Does an endpoint ask for this type by name? The result is cached for a few seconds, since every click
   * asks.
   */
  async isRequested(type: EventType): Promise<boolean> {
    const now = this.app.clock.now();
    if (!this.#requested || this.#requested.until <= now)
      this.#requested = { types: await store.requestedTypes(this.app.db), until: now + KNOWN_MS };
    return this.#requested.types.has(type);
  }

  /** Called after an endpoint was added, changed or removed. */
  forgetRequested(): void {
    this.#requested = undefined;
  }
}

/** The fields that had another value before, with that value. */
function changedFields(before: EventData, after: EventData): EventData {
  return Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => key !== 'updated_at' && JSON.stringify(value) !== JSON.stringify(after[key]),
    ),
  );
}
