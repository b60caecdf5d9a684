import type { CancelEvent, CommerceProvider, DisputeEvent, LinkEvent, OrderEvent, RefundEvent, RenewalEvent } from '../../../adapters/commerce.js';
import type { App } from '../../app.js';
import type { AfterCommit, Db } from '../../database/db.js';
import type { ChangeResult, OrderKey } from '../conversions/types.js';
import { Holds } from './holds.js';
import { addRefs, changeOrder, findByRef, lockOrder, partsOfOrder } from './order-queries.js';
import { awaitKey, deferred, unchanged, type Handled } from './outcome.js';
import { totalRefunded, withRefund, withRefundList } from './refunds.js';
import type { LedgerOrder, NewOrder, RefundBook } from './types.js';

export interface Books { readonly trx: Db; readonly afterCommit: AfterCommit }
type Change = Partial<NewOrder>;

const keyOf = ({ provider_id: reference, sub_id: sub, account }: LedgerOrder): OrderKey => ({ reference, sub_reference: sub || null, account });

/** Later events of a known order, by the table of commerce-providers §4. Each is decided on the order's locked row. */
export class OrderSettlement {
  readonly #holds: Holds;

  constructor(private readonly app: App) {
    this.#holds = new Holds(app);
  }

  async paid(seen: LedgerOrder, event: OrderEvent | RenewalEvent): Promise<Handled> {
    return this.#locked(seen, async (order, books) => {
      const refunds = event.order.refunds;
      const moved = event.type === 'order.created' ? unchanged() : await this.#pay(order, event.at, books);
      if (refunds === undefined) return moved;
      const now = await lockOrder(books.trx, order.id) ?? order;
      const refunded = await this.#refund(now, withRefundList(now, refunds), books, true);
      return refunded.result === 'updated' ? refunded : moved;
    });
  }

  async refund(provider: CommerceProvider, event: RefundEvent): Promise<Handled> {
    return this.#each(provider, event.account, event.refund.order_ref, (order, books) =>
      this.#refund(order, withRefund(order, event.refund), books, event.refund.state === 'undone' || event.refund.refund_id === undefined));
  }

  async cancel(provider: CommerceProvider, event: CancelEvent): Promise<Handled> {
    return this.#each(provider, event.account, event.order_ref, async (order, { trx }) => {
      if ((order.state !== 'created' && order.state !== 'paid') || event.at < order.event_at) return unchanged();
      const result = await this.app.conversions.cancel(order.provider, keyOf(order), event.reason);
      return this.#moved(trx, order, result, { state: 'canceled', event_at: event.at, reason: event.reason });
    });
  }

  async dispute(provider: CommerceProvider, event: DisputeEvent): Promise<Handled> {
    return this.#each(provider, event.account, event.order_ref, async (order, books) => {
      if (order.state !== 'created' && order.state !== 'paid') return unchanged();
      if (event.type === 'dispute.lost') {
        const result = await this.app.conversions.cancel(order.provider, keyOf(order), 'disputed');
        return this.#moved(books.trx, order, result, { state: 'refunded', event_at: event.at, reason: 'disputed' });
      }
      const holds = event.type === 'dispute.opened' ? [...new Set([...order.refunds.holds, event.dispute_id])] : order.refunds.holds.filter((id) => id !== event.dispute_id);
      if (holds.length === order.refunds.holds.length) return unchanged();
      await changeOrder(books.trx, order.id, { refunds: { ...order.refunds, holds } }, this.app.clock.now());
      return event.type === 'dispute.opened' ? this.#holds.hold(order, event.dispute_id, books) : this.#holds.release({ ...order, refunds: { ...order.refunds, holds } }, books);
    });
  }

  async link(provider: CommerceProvider, { account, order_ref: ref, refs }: LinkEvent): Promise<Handled> {
    const known = await findByRef(this.app.db, provider.key, account, ref);
    if (!known) return deferred(awaitKey(account, ref));
    await addRefs(this.app.db, known, refs.filter((each) => each !== '' && each !== known.provider_id));
    return { result: 'updated', ready: refs.map((each) => awaitKey(account, each)) };
  }

  async #pay(order: LedgerOrder, at: number, { trx }: Books): Promise<Handled> {
    const retried = order.state === 'canceled' && at > order.event_at;
    if (order.state !== 'created' && !retried) return unchanged();
    // Under dispute, or for a person to judge: the money came, the commission waits.
    const waits = order.refunds.holds.length > 0 || order.source === 'landing' || order.reason === 'currency_mismatch';
    if (waits && !retried) {
      await changeOrder(trx, order.id, { state: 'paid', event_at: Math.max(at, order.event_at) }, this.app.clock.now());
      return unchanged('held');
    }
    const result = await this.app.conversions.complete(order.provider, keyOf(order));
    if (order.referral_id !== null && !result.changed && result.reason === 'rejected') return unchanged('rejected');
    return this.#moved(trx, order, result, { state: 'paid', event_at: Math.max(at, order.event_at), reason: null });
  }

  async #refund(order: LedgerOrder, refunds: RefundBook, { trx }: Books, undone: boolean): Promise<Handled> {
    if (order.state !== 'created' && order.state !== 'paid') return unchanged();
    if (JSON.stringify(refunds) === JSON.stringify(order.refunds)) return unchanged();
    const { total, base } = totalRefunded({ ...order, refunds });
    const input = { refunded_total: { minor: total }, ...(base === null ? {} : { refunded_base: { minor: base } }), ...(undone && { undone: true }) };
    const result: ChangeResult = await this.app.conversions.refund(order.provider, keyOf(order), { ...input, ...refundId(refunds) });
    const grand = order.totals?.grand_total_minor ?? 0;
    const full = result.referral?.status === 'rejected' || (grand > 0 && total >= grand);
    return this.#moved(trx, order, result, { refunds, ...(full && { state: 'refunded' as const }) });
  }

  async #moved(trx: Db, order: LedgerOrder, { referral, changed, reason }: ChangeResult, change: Change): Promise<Handled> {
    await changeOrder(trx, order.id, change, this.app.clock.now());
    return { result: changed || order.referral_id === null ? 'updated' : 'unchanged', ...(referral ? { referral_id: referral.id } : {}), ...(reason === null ? {} : { reason }) };
  }

  /** Every part of the order that earns on its own is meant; an unknown order may still come. */
  async #each(provider: CommerceProvider, account: string, ref: string, work: (order: LedgerOrder, books: Books) => Promise<Handled>): Promise<Handled> {
    const known = await findByRef(this.app.db, provider.key, account, ref);
    const rows = await partsOfOrder(this.app.db, provider.key, account, known?.provider_id ?? ref);
    // An order whose money is still to come is not known yet.
    const parts = rows.filter((row) => row.state !== 'attributed');
    if (parts.length === 0) return deferred(awaitKey(account, ref));
    let last: Handled = unchanged();
    for (const order of parts) {
      const handled = await this.#locked(order, work);
      if (handled.result === 'updated' || last.result === 'unchanged') last = handled;
    }
    return last;
  }

  async #locked(seen: LedgerOrder, work: (order: LedgerOrder, books: Books) => Promise<Handled>): Promise<Handled> {
    return this.app.transaction(async (trx, afterCommit) => {
      const order = await lockOrder(trx, seen.id);
      return order ? work(order, { trx, afterCommit }) : unchanged('order_unknown');
    });
  }
}

/** Names the adjustment of a commission that is paid out already. */
function refundId({ by_id: entries }: RefundBook): { refund_id?: string } {
  const last = Object.keys(entries).at(-1);
  return last === undefined ? {} : { refund_id: last.slice(0, 150) };
}
