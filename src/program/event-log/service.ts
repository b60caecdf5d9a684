import type { Platform } from '../../platform/platform.js';
import type { Db } from '../../platform/database/db.js';
import * as store from './repository.js';
import { EVENTS, type EventType, type Told, type Wire } from './types.js';

const KNOWN_MS = 5000;

/**
 * What happened in the program, written in the transaction that does it (docs/events.md);
 * `events` tells other systems of it.
 */
export class EventLog {
  #requested: { readonly types: ReadonlySet<string>; readonly until: number } | undefined;

  constructor(private readonly app: Platform) {}

  /**
   * Tells changes, in the transaction that makes them.
   * `before` is compared with `data`; what differs is told.
   */
  async tell(trx: Db, type: EventType, ...changes: readonly Told[]): Promise<void> {
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

  /** Tells a change of many rows in one statement: each row as it stands now, `previous` the same for all. */
  async tellRows(
    trx: Db,
    type: EventType,
    rows: Omit<store.QueuedRows, 'type' | 'objectType' | 'now'>,
  ): Promise<void> {
    await store.queueRows(trx, { ...rows, type, objectType: EVENTS[type].object, now: this.app.clock.now() });
  }

  /**
   * Does an endpoint ask for this type by name? Known for a few seconds, since it is asked at every click.
   */
  async isRequested(type: EventType): Promise<boolean> {
    const now = this.app.clock.now();
    if (!this.#requested || this.#requested.until <= now)
      this.#requested = { types: await store.requestedTypes(this.app.db), until: now + KNOWN_MS };
    return this.#requested.types.has(type);
  }

  /** After an endpoint was added, changed or removed. */
  forgetRequested(): void {
    this.#requested = undefined;
  }
}

/** The fields that were different before, with their values of then. */
function changedFields(before: Wire, after: Wire): Wire {
  return Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => key !== 'updated_at' && JSON.stringify(value) !== JSON.stringify(after[key]),
    ),
  );
}
