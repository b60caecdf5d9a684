import type { CommerceProvider, Outcome, ProviderEvent } from '../../../adapters/commerce.js';
import { MINUTE, DAY } from '../../core/duration.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import type { EventProcessor } from './processor.js';
import type { ProviderRegistry } from './registry.js';
import type { Db } from '../../platform/database/db.js';
import {
  changeDelivery,
  lockDelivery,
  dueDeliveries,
  findDelivery,
  findDeliveryByKey,
  forgetUnreadable,
  insertDelivery,
  purgeDeliveries,
  putBack,
  wakeDeliveries,
} from './repository.js';
import { arrived } from './stored-event.js';
import { shortKey } from '../../core/order-key.js';
import type { EventContext, EventResult } from './outcome.js';
import { retryAfterOf } from './sweep.js';
import { readAgain, Unreadable, unreadableIn } from './unreadable.js';
import type { DeliveryRow } from './record.js';

const RETRIES = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 720 * MINUTE];
const WAIT_MS = 7 * DAY;
const KEPT_MS = 30 * DAY;
const STALE_MS = 5 * MINUTE;
const BATCH = 100;

/** It failed, and its content is still there. */
export const canReplay = ({ status, event }: DeliveryRow): boolean =>
  (status === 'failed' || status === 'dead') && event !== null;

/**
 * Stores every delivery before it is processed, so that nothing depends on the sender repeating it
 * (docs/integrations.md §4).
 */
export class Inbox {
  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly processor: EventProcessor; readonly registry: ProviderRegistry },
  ) {}

  /**
   * Stores the rows of a new delivery, one per event, claimed by this process; null when the delivery is
   * known.
   */
  async store(
    provider: CommerceProvider,
    key: string,
    given: readonly ProviderEvent[],
  ): Promise<number[] | null> {
    const now = this.app.clock.now();
    const base = { provider: provider.key, now };
    const events = given.map((event) => arrived(event, now, provider.webhook?.lateAfterMs));
    if (events.length === 0) {
      const id = await insertDelivery(this.app.db, {
        ...base,
        delivery_key: shortKey(key),
        topic: null,
        status: 'ignored',
        event: null,
        reason: 'topic',
      });
      return id === null ? null : [];
    }
    return this.app.transaction(async (trx) => {
      await forgetUnreadable(trx, provider.key, shortKey(key));
      const ids: number[] = [];
      for (const [at, event] of events.entries()) {
        const id = await insertDelivery(trx, {
          ...base,
          delivery_key: shortKey(at === 0 ? key : `${key}#${at}`),
          topic: event.type,
          status: 'processing',
          event,
        });
        if (id !== null) ids.push(id);
        else if (at === 0) return null;
      }
      return ids;
    });
  }

  /** A body that the provider could not read is stored for a week, for a person to look at. */
  async storeUnreadable(provider: CommerceProvider, key: string, content: Unreadable): Promise<void> {
    const row = {
      provider: provider.key,
      delivery_key: shortKey(key),
      topic: null,
      status: 'failed',
      reason: 'parse_failed',
    } as const;
    const id = await insertDelivery(this.app.db, {
      ...row,
      event: content,
      now: this.app.clock.now(),
    });
    if (id !== null) await this.#failPermanently({ ...row, attempts: 0 });
  }

  /** Notifies the administrator by the log and the hook. */
  async #failPermanently({
    provider,
    delivery_key,
    topic,
    reason,
    attempts,
  }: Pick<DeliveryRow, 'provider' | 'delivery_key' | 'topic' | 'reason' | 'attempts'>): Promise<void> {
    this.app.log.error("a shop's webhook delivery failed permanently", {
      provider,
      delivery: delivery_key,
      topic,
      reason,
      attempts,
    });
    await this.app.hooks.doAction('provider_delivery_failed', provider, {
      delivery_key,
      topic,
      reason,
      attempts,
    });
  }

  async outcomeOf(provider: CommerceProvider, key: string): Promise<Outcome> {
    const row = await findDeliveryByKey(this.app.db, provider.key, shortKey(key));
    return {
      result: 'unchanged',
      reason: row?.status === 'done' || row?.status === 'ignored' ? 'duplicate' : 'in_progress',
    };
  }

  /** Why an event had no effect; null when it had one, or is not processed yet. */
  async ignoredReason(provider: CommerceProvider, key: string): Promise<string | null> {
    const row = await findDeliveryByKey(this.app.db, provider.key, shortKey(key));
    return row?.status === 'ignored' ? row.reason : null;
  }

  /** Processes a row this process has claimed. Never throws; a failure is tried again later. */
  async work(id: number): Promise<Outcome> {
    const row = await findDelivery(this.app.db, id);
    const provider = row && this.parts.registry.get(row.provider);
    if (!row?.event || !provider) return { result: 'ignored', reason: 'gone' };
    const startedAt = performance.now();
    const { requestId } = this.app.context.current();
    const handled = await this.app.context.run({ user: null, requestId, source: 'provider' }, () =>
      this.#attempt(row, provider),
    );
    const { result, reason } = handled;
    this.app.log.info('shop event', {
      provider: row.provider,
      topic: row.topic,
      delivery: row.delivery_key,
      result,
      reason,
      ms: Math.round(performance.now() - startedAt),
    });
    return {
      result,
      ...(reason === undefined ? {} : { reason }),
      ...(handled.referral_id === undefined ? {} : { referral_id: handled.referral_id }),
    };
  }

  /** Processes rows that are due after a failure or a wait, and rows of a process that died. */
  async workDue(): Promise<void> {
    const now = this.app.clock.now();
    for (const row of await dueDeliveries(this.app.db, now, { staleMs: STALE_MS, limit: BATCH })) {
      if (!(await lockDelivery(this.app.db, row, now))) continue;
      if (row.status === 'processing' && row.attempts >= RETRIES.length) await this.#failAfterCrashes(row);
      else await this.work(row.id);
    }
  }

  /** A person asks for it: one more try, at once. */
  async replay(id: number): Promise<Outcome> {
    const row = (await findDelivery(this.app.db, id)) ?? fail('delivery_not_found');
    const unreadable = unreadableIn(row.event);
    if (unreadable) return this.#readAgain(row, unreadable);
    if (!canReplay(row) || !(await lockDelivery(this.app.db, row, this.app.clock.now())))
      fail('delivery_not_replayable');
    return this.work(id);
  }

  /** Another version of the provider may be able to read it. */
  async #readAgain(row: DeliveryRow, stored: Unreadable): Promise<Outcome> {
    const provider = this.parts.registry.get(row.provider);
    if (!provider?.webhook) return fail('delivery_not_replayable');
    const events = readAgain(provider.webhook, stored);
    if (events instanceof Unreadable) return { result: 'ignored', reason: 'parse_failed' };
    let outcome: Outcome = { result: 'ignored', reason: 'topic' };
    for (const id of (await this.store(provider, row.delivery_key, events)) ?? [])
      outcome = await this.work(id);
    return outcome;
  }

  async purge(): Promise<void> {
    const now = this.app.clock.now();
    await purgeDeliveries(this.app.db, { finished: now - KEPT_MS, bodies: now - WAIT_MS });
  }

  async #attempt(row: DeliveryRow, provider: CommerceProvider, isSecondLookup = false): Promise<EventResult> {
    const event = row.event as ProviderEvent;
    try {
      // A row that has waited long enough is evaluated with what is known.
      const final =
        row.awaits_ref !== null &&
        row.next_attempt_at !== null &&
        row.next_attempt_at <= this.app.clock.now();
      const context: EventContext = {
        provider,
        accounts: [event.account],
        final,
        isLast: RETRIES[row.attempts] === undefined,
        flags: event.flags ?? [],
        storeOutcome: (trx, outcome) => this.#done(trx, row, outcome),
      };
      const handled = await this.app.telemetry.span('affiliate.shop_event', { provider: provider.key }, () =>
        this.parts.processor.process(event, context),
      );
      if (handled.result === 'deferred') return await this.#defer(row, handled, provider, isSecondLookup);
      if (handled.wokenIds)
        await this.#processWaiting(provider, [
          ...handled.wokenIds,
          ...(await this.#wakeWaiting(row, handled)),
        ]);
      else await this.#finish(this.app.db, row, handled);
      return handled;
    } catch (error) {
      return this.#failed(row, error);
    }
  }

  /**
   * Written in the transaction of the event's effect: its row is finished, and rows that waited for it are
   * due, even if this process ends.
   */
  async #done(trx: Db, row: DeliveryRow, handled: EventResult): Promise<EventResult> {
    await this.#finish(trx, row, handled);
    return {
      ...handled,
      wokenIds: await wakeDeliveries(trx, row.provider, handled.resolved ?? [], this.app.clock.now()),
    };
  }

  /**
   * Rows that were made to wait while the order was being stored: they did not see the order, and the order's
   * transaction did not see them.
   */
  #wakeWaiting({ provider }: DeliveryRow, { resolved: ready = [] }: EventResult): Promise<number[]> {
    return wakeDeliveries(this.app.db, provider, ready, this.app.clock.now());
  }

  async #finish(db: Db, row: DeliveryRow, { result, reason, kept }: EventResult): Promise<void> {
    const status = result === 'ignored' ? 'ignored' : 'done';
    const change = {
      status,
      reason: reason ?? null,
      awaits_ref: kept?.ref ?? null,
      event: kept?.event ?? null,
    } as const;
    await changeDelivery(db, row.id, change, this.app.clock.now());
  }

  async #defer(
    row: DeliveryRow,
    handled: EventResult,
    provider: CommerceProvider,
    isSecondLookup: boolean,
  ): Promise<EventResult> {
    const now = this.app.clock.now();
    if (now - row.received_at >= WAIT_MS) {
      const dropped: EventResult = { result: 'ignored', reason: 'order_unknown' };
      await this.#finish(this.app.db, row, dropped);
      return dropped;
    }
    const until = handled.until ?? row.received_at + WAIT_MS;
    if (isSecondLookup && row.awaits_ref === handled.waitsFor)
      return (await putBack(this.app.db, row, until)) ? handled : this.#attempt(row, provider);
    await changeDelivery(
      this.app.db,
      row.id,
      {
        status: 'received',
        reason: 'order_unknown',
        awaits_ref: handled.waitsFor ?? null,
        next_attempt_at: until,
      },
      now,
    );
    return this.#attemptIfKnown(row, provider);
  }

  /** The order may have been stored while this row was made to wait, so it is looked up once more. */
  async #attemptIfKnown(row: DeliveryRow, provider: CommerceProvider): Promise<EventResult> {
    const waiting = await findDelivery(this.app.db, row.id);
    const taken =
      waiting?.status === 'received' && (await lockDelivery(this.app.db, waiting, this.app.clock.now()));
    return waiting && taken
      ? this.#attempt({ ...waiting, next_attempt_at: null }, provider, true)
      : { result: 'deferred', reason: 'order_unknown' };
  }

  async #processWaiting(provider: CommerceProvider, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      const row = await findDelivery(this.app.db, id);
      if (row?.status === 'received' && (await lockDelivery(this.app.db, row, this.app.clock.now())))
        await this.#attempt(row, provider);
    }
  }

  /** Every process that worked on it has died; another one would die too. */
  async #failAfterCrashes(row: DeliveryRow): Promise<void> {
    await changeDelivery(this.app.db, row.id, { status: 'dead', reason: 'error' }, this.app.clock.now());
    await this.#failPermanently({ ...row, reason: 'error', attempts: row.attempts + 1 });
  }

  async #failed(row: DeliveryRow, error: unknown): Promise<EventResult> {
    const now = this.app.clock.now();
    const planned = RETRIES[row.attempts];
    const wait = planned && Math.max(planned, retryAfterOf(error));
    this.app.log.error('a shop event failed', {
      provider: row.provider,
      topic: row.topic,
      delivery: row.delivery_key,
      attempts: row.attempts + 1,
      final: wait === undefined,
      error,
    });
    try {
      const change =
        wait === undefined
          ? { status: 'dead' as const }
          : { status: 'failed' as const, next_attempt_at: now + wait };
      await changeDelivery(this.app.db, row.id, { ...change, reason: 'error' }, now);
      if (wait === undefined)
        await this.#failPermanently({ ...row, reason: 'error', attempts: row.attempts + 1 });
    } catch (cause) {
      // Its claim expires, and then the job processes it.
      this.app.log.error('a shop event could not be queued again', {
        delivery: row.delivery_key,
        error: cause,
      });
    }
    return { result: 'deferred', reason: 'error' };
  }
}
