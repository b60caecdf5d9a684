import type {
  CancelEvent,
  DisputeEvent,
  LinkEvent,
  OrderEvent,
  RefundEvent,
  RenewalEvent,
} from '../../../adapters/commerce.js';
import type { App } from '../../app.js';
import type { Db } from '../../database/db.js';
import type { ChangeResult, OrderKey } from '../conversions/types.js';
import { Holds } from './holds.js';
import type { Books } from './ledger-rows.js';
import { addRefs, changeOrder, findByRef, lockOrder, partsOfOrder } from './order-queries.js';
import { awaitKey, deferred, unchanged, type EventContext, type Handled } from './outcome.js';
import { sameRefunds, totalRefunded, withRefund, withRefundList } from './refunds.js';
import type { LedgerOrder, NewOrder, RefundBook } from './types.js';

const CLOSED_MAX = 50;
type Change = Partial<NewOrder>;
type Work = (order: LedgerOrder, books: Books) => Promise<Handled>;

const keyOf = ({ provider_id: reference, sub_id: sub, account }: LedgerOrder): OrderKey => ({
  reference,
  sub_reference: sub || null,
  account,
});

/** Later events of a known order, by the table of commerce-providers §4. Each is decided on the order's locked row. */
export class OrderSettlement {
  readonly #holds: Holds;

  constructor(private readonly app: App) {
    this.#holds = new Holds(app);
  }

  async paid(seen: LedgerOrder, event: OrderEvent | RenewalEvent, context: EventContext): Promise<Handled> {
    return this.#locked([seen], context, (order, books) => this.settle(order, event, books));
  }

  /** The same for a row that the open transaction holds. */
  async settle(order: LedgerOrder, event: OrderEvent | RenewalEvent, books: Books): Promise<Handled> {
    const refunds = event.order.refunds;
    const moved = event.type === 'order.created' ? unchanged() : await this.#pay(order, event.at, books);
    if (refunds === undefined) return moved;
    const now = (await lockOrder(books.trx, order.id)) ?? order;
    const refunded = await this.#refund(now, withRefundList(now, refunds, event.at), books, true);
    return refunded.result === 'updated' ? refunded : moved;
  }

  async refund(event: RefundEvent, context: EventContext): Promise<Handled> {
    return this.#each(context, { account: event.account, ref: event.refund.order_ref }, (order, books) =>
      this.#refund(
        order,
        withRefund(order, event.refund),
        books,
        event.refund.state === 'undone' || event.refund.refund_id === undefined,
      ),
    );
  }

  async cancel(event: CancelEvent, context: EventContext): Promise<Handled> {
    return this.#each(context, { account: event.account, ref: event.order_ref }, async (order, { trx }) => {
      if ((order.state !== 'created' && order.state !== 'paid') || event.at < order.event_at)
        return unchanged();
      const result = await this.app.conversions.cancel(order.provider, keyOf(order), event.reason);
      return this.#moved(trx, order, result, { state: 'canceled', event_at: event.at, reason: event.reason });
    });
  }

  async dispute(event: DisputeEvent, context: EventContext): Promise<Handled> {
    const { type, inquiry = false, dispute_id: id } = event;
    return this.#each(context, { account: event.account, ref: event.order_ref }, async (order, books) => {
      if (type === 'dispute.opened' && inquiry) return this.#holds.flag(order, [`inquiry:${id}`], books);
      if (order.state !== 'created' && order.state !== 'paid') return unchanged();
      if (type === 'dispute.lost') {
        const result = await this.app.conversions.cancel(order.provider, keyOf(order), 'disputed');
        return this.#moved(books.trx, order, result, {
          state: 'refunded',
          event_at: event.at,
          reason: 'disputed',
        });
      }
      const { holds, closed } = order.refunds;
      const isKnown = type === 'dispute.opened' ? [...holds, ...closed].includes(id) : closed.includes(id);
      if (isKnown) return unchanged();
      const refunds =
        type === 'dispute.opened'
          ? { ...order.refunds, holds: [...holds, id] }
          : {
              ...order.refunds,
              holds: holds.filter((each) => each !== id),
              closed: [...closed, id].slice(-CLOSED_MAX),
            };
      await changeOrder(books.trx, order.id, { refunds }, this.app.clock.now());
      return type === 'dispute.opened'
        ? this.#holds.hold(order, id, books)
        : this.#holds.release({ ...order, refunds }, books);
    });
  }

  async link(
    { account, order_ref: ref, refs }: LinkEvent,
    { provider, done }: EventContext,
  ): Promise<Handled> {
    const known = await findByRef(this.app.db, provider.key, account, ref);
    if (!known) return deferred(awaitKey(account, ref));
    return this.app.transaction(async (trx) => {
      await addRefs(
        trx,
        known,
        refs.filter((each) => each !== '' && each !== known.provider_id),
      );
      return done(trx, { result: 'updated', ready: refs.map((each) => awaitKey(account, each)) });
    });
  }

  async #pay(order: LedgerOrder, at: number, { trx }: Books): Promise<Handled> {
    const retried = order.state === 'canceled' && at > order.event_at;
    if (order.state !== 'created' && !retried) return unchanged();
    // Under dispute, or for a person to judge: the money came, the commission waits.
    const waits =
      order.refunds.holds.length > 0 || order.source === 'landing' || order.reason === 'currency_mismatch';
    if (waits && !retried) {
      await changeOrder(
        trx,
        order.id,
        { state: 'paid', event_at: Math.max(at, order.event_at) },
        this.app.clock.now(),
      );
      return unchanged('held');
    }
    const result = await this.app.conversions.complete(order.provider, keyOf(order));
    if (order.referral_id !== null && !result.changed && result.reason === 'rejected')
      return unchanged('rejected');
    return this.#moved(trx, order, result, {
      state: 'paid',
      event_at: Math.max(at, order.event_at),
      reason: null,
    });
  }

  async #refund(order: LedgerOrder, refunds: RefundBook, { trx }: Books, undone: boolean): Promise<Handled> {
    // A refund of the whole order that failed: the sale stands again.
    const back = order.state === 'refunded' && undone ? order.refunds.before : undefined;
    if (order.state !== 'created' && order.state !== 'paid' && back === undefined) return unchanged();
    if (sameRefunds(refunds, order.refunds)) return unchanged();
    const { total, base } = totalRefunded({ ...order, refunds });
    const input = {
      refunded_total: { minor: total },
      ...(base === null ? {} : { refunded_base: { minor: base } }),
      ...(undone && { undone: true }),
    };
    const result: ChangeResult = await this.app.conversions.refund(order.provider, keyOf(order), {
      ...input,
      ...refundId(refunds),
    });
    const grand = order.totals?.grand_total_minor ?? 0;
    const full = result.referral?.status === 'rejected' || (grand > 0 && total >= grand);
    if (full && back === undefined)
      return this.#moved(trx, order, result, {
        refunds: { ...refunds, before: order.state },
        state: 'refunded',
      });
    return this.#moved(trx, order, result, { refunds, ...(back !== undefined && !full && { state: back }) });
  }

  async #moved(
    trx: Db,
    order: LedgerOrder,
    { referral, changed, reason }: ChangeResult,
    change: Change,
  ): Promise<Handled> {
    await changeOrder(trx, order.id, change, this.app.clock.now());
    return {
      result: changed || order.referral_id === null ? 'updated' : 'unchanged',
      ...(referral ? { referral_id: referral.id } : {}),
      ...(reason === null ? {} : { reason }),
    };
  }

  /** Every part of the order that earns on its own is meant; an unknown order may still come. */
  async #each(
    context: EventContext,
    { account, ref }: { account: string; ref: string },
    work: Work,
  ): Promise<Handled> {
    const { key } = context.provider;
    const known = await findByRef(this.app.db, key, account, ref);
    const rows = await partsOfOrder(this.app.db, key, account, known?.provider_id ?? ref);
    // An order whose money is still to come is not known yet.
    const parts = rows.filter((row) => row.state !== 'attributed');
    return parts.length === 0 ? deferred(awaitKey(account, ref)) : this.#locked(parts, context, work);
  }

  /** All of them, and the event's own row, in one transaction. */
  async #locked(seen: readonly LedgerOrder[], { done, flags }: EventContext, work: Work): Promise<Handled> {
    return this.app.transaction(async (trx, afterCommit) => {
      let last: Handled = unchanged();
      for (const { id } of seen) {
        const order = await lockOrder(trx, id);
        const handled = order ? await work(order, { trx, afterCommit }) : unchanged('order_unknown');
        if (order && flags.length > 0) await this.#holds.flag(order, flags, { trx, afterCommit });
        if (handled.result === 'updated' || last.result === 'unchanged') last = handled;
      }
      return done(trx, last);
    });
  }
}

/** Names the adjustment of a commission that is paid out already. */
function refundId({ by_id: entries }: RefundBook): { refund_id?: string } {
  const last = Object.keys(entries).at(-1);
  return last === undefined ? {} : { refund_id: last.slice(0, 150) };
}
