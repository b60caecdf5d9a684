import { parseAmount } from '../../core/money.js';
import type { Db } from '../../platform/database/db.js';
import type { Lease } from '../../platform/database/lease.js';
import type { QueueEntry } from '../../program/outbox/types.js';
import type { Deps } from './deps.js';
import { lineOf } from './catalog.js';
import { dtoOf } from './event-body.js';
import * as store from './repository.js';
import type { QueuedEvent, EventData } from '../../program/event-log/types.js';
import type { Endpoint, OutgoingEvent } from './types.js';

const BATCH = 500;
const LEASE = 'events:line';
/** Events that may change a balance. */
const MOVES_BALANCE = /^(?:referral\.|payout_transaction\.)/;

type EventToSend = QueuedEvent & { readonly data: EventData };

/**
 * Gives queued events their ids and deliveries. Only one process does this at a time: a reader that asks by
 * id never misses an event whose transaction took longer than that of a later one.
 */
export class EventSequence {
  constructor(private readonly app: Deps) {}

  /** Returns how many events got an id. */
  async run(): Promise<number> {
    const done = await this.app.withLease(LEASE, async (lease) => {
      let count = 0;
      for (;;) {
        const batch = await this.#batch(lease);
        count += batch;
        if (batch < BATCH) return count;
      }
    });
    return done?.value ?? 0;
  }

  async #batch(lease: Lease): Promise<number> {
    const waiting = await store.waitingEvents(this.app.db, BATCH);
    if (waiting.length === 0) return 0;
    const ready = await this.#present(waiting);
    const endpoints = (await store.listEndpoints(this.app.db)).filter(({ status }) => status === 'active');
    const { currency } = await this.app.settings.referralConfig();
    const { minPayout } = await this.app.settings.rules();
    const minimum = parseAmount(minPayout, currency) ?? 0;
    return this.app.transaction(async (trx) => {
      await lease.hold(trx);
      const now = await this.#unchanged(trx, waiting, ready);
      const all = [...now, ...(await this.#thresholds(trx, now, minimum))];
      const ids = await store.lineUp(trx, all);
      const deliveries = all.flatMap((event, at) => deliveriesOf({ ...event, id: ids[at] ?? 0 }, endpoints));
      await this.app.outbox.enqueue(trx, deliveries);
      await store.forgetWaiting(
        trx,
        waiting.map(({ id }) => id),
      );
      return waiting.length;
    });
  }

  /** Rows become records here, outside of every transaction. */
  #present(waiting: readonly store.WaitingEvent[]): Promise<EventToSend[]> {
    return Promise.all(
      waiting.map(async ({ id: _, stored, data, ...event }) => ({
        ...event,
        data: data ?? (stored === null ? {} : await dtoOf(this.app, event.object_type, stored)),
      })),
    );
  }

  /** What an erasure changed since they were read is sent as it is now. */
  async #unchanged(
    trx: Db,
    waiting: readonly store.WaitingEvent[],
    ready: readonly EventToSend[],
  ): Promise<EventToSend[]> {
    const stored = await store.lockWaiting(
      trx,
      waiting.map(({ id }) => id),
    );
    return ready.map((event, at) => {
      const now = stored.get(waiting[at]?.id ?? 0);
      return { ...event, previous: now?.previous ?? event.previous, data: now?.data ?? event.data };
    });
  }

  /** Affiliates whose balance is enough for a payout since these events. */
  async #thresholds(trx: Db, events: readonly EventToSend[], minimum: number): Promise<EventToSend[]> {
    if (minimum <= 0) return [];
    const ids = events
      .filter(({ type }) => MOVES_BALANCE.test(type))
      .map(({ data }) => Number(data['affiliate_id']))
      .filter((id) => id > 0);
    if (ids.length === 0) return [];
    const crossed = await store.crossedThreshold(trx, [...new Set(ids)], minimum);
    const records = await this.app.affiliates.dtosOf(crossed);
    return [...records].map(([id, data]) => ({
      type: 'balance.threshold_reached',
      object_type: 'affiliate',
      object_id: String(id),
      data,
      previous: {},
      created_at: this.app.clock.now(),
    }));
  }
}

const deliveriesOf = (event: OutgoingEvent, endpoints: readonly Endpoint[]): QueueEntry[] =>
  endpoints.filter((endpoint) => wants(endpoint, event)).map((endpoint) => deliveryOf(endpoint, event));

export function wants({ events }: Endpoint, { type }: Pick<OutgoingEvent, 'type'>): boolean {
  return events.includes(type) || (events.includes('*') && lineOf(type).onRequest !== true);
}

export const deliveryOf = (endpoint: Endpoint, event: OutgoingEvent): QueueEntry => ({
  event: `event:${event.id}`,
  recipient: `webhook:${endpoint.id}`,
  kind: event.type,
  payload: {},
  channel: `webhook:${endpoint.id}`,
  object_key: `${event.object_type}:${event.object_id}`,
  event_id: event.id,
});
