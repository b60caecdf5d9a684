import type { ProviderOrder } from '../../../adapters/commerce.js';
import type { Db } from '../../platform/database/db.js';
import type { RecordOutcome } from '../../attribution/conversions/service.js';
import type { NewOrder, Order, OrderName } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { awaitKey } from './outcome.js';

export const AWAITS_MONEY = 'awaits_money';

/** Another event of the same order was stored after it was looked up. */
export class OrderMoved extends Error {
  constructor() {
    super('The order was recorded by another event meanwhile.');
  }
}

/** So far only the affiliate is known; the payment comes in another event. */
export const awaitsMoney = ({ decision }: Pick<Order, 'decision'>): boolean => decision === AWAITS_MONEY;

/** Reasons that depend on the buyer or the goods, which may change until the order is paid. */
const REJUDGED: readonly (string | null)[] = [
  'zero_amount',
  'self_referral',
  'same_domain',
  'same_address',
  'same_payment',
  'disposable_mail',
];

/** May the order still be credited? Nobody earns from it yet, and what kept it from earning may change. */
export const mayStillEarn = (order: Pick<Order, 'decision' | 'referral_id' | 'deleted_at'>): boolean =>
  awaitsMoney(order) ||
  (order.referral_id === null && order.deleted_at === null && REJUDGED.includes(order.decision));

export const nameOf = (
  { key: provider }: { readonly key: string },
  {
    account,
    order,
  }: { readonly account: string; readonly order: { readonly id: string; readonly sub_id?: string } },
): OrderName => ({ provider, account, reference: order.id, sub_reference: order.sub_id ?? '' });

/** The rows of an order besides its commission. */
export class OrderRows {
  constructor(private readonly app: Deps) {}

  /**
   * Stores the order's row, or fills the row that only names the affiliate; throws OrderMoved when it exists.
   */
  async claim(trx: Db, name: OrderName, draft: Partial<NewOrder>, known: Order | null): Promise<Order> {
    if (known === null) {
      const claimed = await this.app.orders.insertOrder(trx, name, draft);
      if (claimed === null) throw new OrderMoved();
      return claimed;
    }
    const locked = await this.app.orders.lock(trx, known.id);
    if (locked === null || !mayStillEarn(locked)) throw new OrderMoved();
    await this.app.orders.change(trx, known.id, draft);
    return { ...locked, ...draft };
  }

  /** Stores what was decided about the order. */
  async storeDecision(trx: Db, order: Order, { referral, reason }: RecordOutcome): Promise<Order> {
    const change: Partial<NewOrder> = {
      decision: referral ? 'recorded' : reason,
      ...(referral && { referral_id: referral.id, customer_id: referral.customer_id }),
      ...(referral?.affiliate_id && { affiliate_id: referral.affiliate_id, visit_id: referral.visit_id }),
    };
    await this.app.orders.change(trx, order.id, change);
    return { ...order, ...change };
  }

  /** Stores the order's other ids; returns all ids that deliveries may have waited for. */
  async link(
    trx: Db,
    row: Order,
    { id, refs = [] }: ProviderOrder,
    accounts: readonly string[],
  ): Promise<string[]> {
    const names = refs.filter((ref) => ref !== '' && ref !== id);
    await this.app.orders.name(trx, row, names);
    return [id, ...names, ...(row.subscription_id === null ? [] : [row.subscription_id])].flatMap((ref) =>
      [...new Set([row.account, ...accounts])].map((account) => awaitKey(account, ref)),
    );
  }
}
