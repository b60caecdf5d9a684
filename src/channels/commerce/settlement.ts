import type {
  CancelEvent,
  DisputeEvent,
  LinkEvent,
  OrderEvent,
  RefundEvent,
  RenewalEvent,
} from '../../../adapters/commerce.js';
import type {
  BeforeFacts,
  MakeFacts,
  AddedFacts,
  ReportedRefund,
  LedgerCause,
} from '../../accounting/orders/service.js';
import type { DisputeState, Fact, Order } from '../../accounting/orders/types.js';
import { AffiliateError } from '../../errors.js';
import type { CreditTo, PreparedUpdate } from '../../attribution/conversions/service.js';
import type { Deps } from './deps.js';
import { OrderLookup } from './order-lookup.js';
import { eventFacts, reportedRefund } from './order-facts.js';
import { conversionOf, linesOf } from './order-input.js';
import { awaitsMoney } from './order-rows.js';
import type { ShopAccounts } from './accounts.js';
import {
  awaitKey,
  deferred,
  ignored,
  unchanged,
  type EventContext,
  type EventResult,
  type StoreOutcome,
} from './outcome.js';
import { keptDeliveries } from './repository.js';

const PAID: LedgerCause = { kind: 'earned' };
const REFUNDED: LedgerCause = { kind: 'refunded', refund: true };
const CANCELED: LedgerCause = { kind: 'refunded' };
const DISPUTED: LedgerCause = { kind: 'adjusted', reason: 'dispute' };

/** Stores later events of a known order as its facts; `settle` books what they change (docs/money.md). */
export class OrderSettlement {
  readonly #known: OrderLookup;

  constructor(
    private readonly app: Deps,
    private readonly accounts: ShopAccounts,
  ) {
    this.#known = new OrderLookup(app);
  }

  /** An order was reported again: its payment, its content and its refunds so far. */
  async reportedAgain(
    seen: Order,
    event: OrderEvent | RenewalEvent,
    context: EventContext,
    creditTo: CreditTo | null = null,
  ): Promise<EventResult> {
    const refunds = await this.convertedRefunds(seen, event);
    const cause = refunds === undefined ? PAID : { ...PAID, refund: true };
    const update = await this.#update(seen, event, { context, creditTo });
    const work = {
      make: (order: Order, facts: readonly Fact[]) => {
        const report = update?.content(order, facts) ?? null;
        return [
          ...(report ? [this.app.orders.facts.contentFact(order, facts, { ...report, at: event.at })] : []),
          ...eventFacts(this.app, order, event, refunds),
        ];
      },
      before: update?.before,
    };
    return this.#addFacts([seen], context, cause, work);
  }

  /** The order as the event has it. When its amounts cannot be read, its payment and refunds still count. */
  async #update(
    seen: Order,
    event: OrderEvent | RenewalEvent,
    { context: { provider }, creditTo }: { context: EventContext; creditTo: CreditTo | null },
  ): Promise<PreparedUpdate | null> {
    try {
      const input = conversionOf(provider, event.order, event);
      return await this.app.conversions.prepareUpdate(seen, input, {
        lines: linesOf(event.order.items),
        creditTo,
      });
    } catch (error) {
      if (!(error instanceof AffiliateError) || error.status >= 500) throw error;
      this.app.log.warn('the amounts of a changed order cannot be read', {
        provider: provider.key,
        order: seen.id,
        error,
      });
      return null;
    }
  }

  /** The refunds in an order's event, converted to the order's currency if the host can do that. */
  async convertedRefunds(
    order: Pick<Order, 'currency'>,
    { order: { refunds } }: OrderEvent | RenewalEvent,
  ): Promise<readonly ReportedRefund[] | undefined> {
    if (refunds === undefined) return undefined;
    return Promise.all(
      refunds.map((refund) => this.app.orders.inOrderCurrency(order, reportedRefund(refund))),
    );
  }

  async refund(event: RefundEvent, context: EventContext): Promise<EventResult> {
    if (
      event.refund.provisional === true &&
      (await this.accounts.reportsRefundsById(context.provider, event))
    )
      return ignored('told_by_id');
    if (event.refund.by_id === true) await this.accounts.noteRefundsById(context.provider, event);
    return this.#each(context, { account: event.account, ref: event.refund.order_ref }, async (parts) => {
      for (const order of parts) await this.#readKept(order, context);
      const reported = await this.app.orders.inOrderCurrency(parts[0]!, reportedRefund(event.refund));
      const shares = await this.app.orders.shareRefund(parts, reported);
      const shareOf = new Map(parts.map(({ id }, at) => [id, shares[at] ?? null]));
      return this.#addFacts(parts, context, REFUNDED, {
        make: (order) => {
          const share = shareOf.get(order.id) ?? null;
          return share === null ? [] : [this.app.orders.facts.refundFact(order, share, event.at)];
        },
      });
    });
  }

  async cancel(event: CancelEvent, context: EventContext): Promise<EventResult> {
    return this.#each(context, { account: event.account, ref: event.order_ref }, (parts) =>
      this.#addFacts(parts, context, CANCELED, {
        make: () => [this.app.orders.facts.paymentFact(event.reason, event.at)],
      }),
    );
  }

  async dispute(event: DisputeEvent, context: EventContext): Promise<EventResult> {
    const { type, inquiry = false, dispute_id: id, at } = event;
    return this.#each(context, { account: event.account, ref: event.order_ref }, (parts) => {
      // Nothing is disputed yet: a remark for a person, no money moves.
      if (type === 'dispute.opened' && inquiry)
        return this.#addFacts(parts, { ...context, flags: [...context.flags, `inquiry:${id}`] }, DISPUTED, {
          make: () => [],
        });
      // the three types of a dispute event
      const state = type.slice('dispute.'.length) as DisputeState;
      return this.#addFacts(parts, context, DISPUTED, {
        make: () => [this.app.orders.facts.disputeFact(id, state, at)],
      });
    });
  }

  async link({ account, order_ref: ref, refs }: LinkEvent, context: EventContext): Promise<EventResult> {
    const known = await this.#known.byRef(context, ref);
    if (!known) return deferred(awaitKey(account, ref));
    return this.app.transaction(async (trx) => {
      await this.app.orders.addNames(
        trx,
        known,
        refs.filter((each) => each !== '' && each !== known.reference),
      );
      return context.storeOutcome(trx, {
        result: 'updated',
        resolved: refs.map((each) => awaitKey(account, each)),
      });
    });
  }

  /** For every part of the order that earns on its own. An unknown order may still arrive. */
  async #each(
    shop: EventContext,
    { account, ref }: { account: string; ref: string },
    work: (parts: readonly Order[]) => Promise<EventResult>,
  ): Promise<EventResult> {
    const rows = await this.#known.parts(shop, ref);
    // An order whose payment has not arrived is not known yet.
    const parts = rows.filter((row) => !awaitsMoney(row));
    return parts.length === 0 ? deferred(awaitKey(account, ref)) : work(parts);
  }

  /**
   * What was reported of an order before a person entered its commission: a refund is compared with its total
   * (docs/money.md).
   */
  async #readKept(order: Order, context: EventContext): Promise<void> {
    if (!this.app.orders.lacksTotal(order)) return;
    const keys = context.accounts.map((account) => awaitKey(account, order.reference));
    const storeOutcome: StoreOutcome = async (_trx, handled) => handled;
    for (const { event } of await keptDeliveries(this.app.db, context.provider.key, keys))
      if (event !== null && (event.type === 'order.created' || event.type === 'order.paid'))
        await this.reportedAgain(order, event, { ...context, storeOutcome });
  }

  /** Stores all of them and the event's row in one transaction. */
  async #addFacts(
    parts: readonly Order[],
    { storeOutcome: done, flags }: EventContext,
    cause: LedgerCause,
    { make, before }: { readonly make: MakeFacts; readonly before?: BeforeFacts | undefined },
  ): Promise<EventResult> {
    return this.app.transaction(async (trx) => {
      const added = await this.app.orders.changes.addFacts(
        parts.map(({ id }) => id),
        make,
        cause,
        before,
      );
      let handled: EventResult = unchanged();
      for (const each of added) {
        const next = this.#handled(each, cause);
        if (next.result === 'updated' || handled.result === 'unchanged') handled = next;
        if (flags.length > 0 && each.order.referral_id !== null) {
          const flagged = await this.app.orders.flag(trx, each.order, flags);
          if (flagged && handled.result === 'unchanged')
            handled = { result: 'updated', reason: 'flagged', referral_id: each.order.referral_id };
        }
      }
      return done(trx, handled);
    });
  }

  #handled(of: AddedFacts, cause: LedgerCause): EventResult {
    const { changed, referral, reason } = this.app.orders.settledOf(of, cause);
    const isNews = changed || (of.added > 0 && of.order.referral_id === null);
    return {
      result: isNews ? 'updated' : 'unchanged',
      ...(referral && { referral_id: referral.id }),
      ...(reason !== null && reason !== 'unchanged' && { reason }),
    };
  }
}
