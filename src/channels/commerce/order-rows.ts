import type { ProviderOrder } from '../../../adapters/commerce.js';
import type { Db } from '../../platform/database/db.js';
import { OrderMoved, type NewOrder, type Order, type OrderName } from '../../accounting/orders/types.js';
import type { Deps } from './deps.js';
import { awaitKey } from './outcome.js';

export const AWAITS_MONEY = 'awaits_money';

/** So far only the affiliate is known; the payment comes in another event. */
export const awaitsMoney = ({ decision }: Pick<Order, 'decision'>): boolean => decision === AWAITS_MONEY;

/** Reasons that depend on the buyer or the goods, which may change until the order is paid. */
const RECHECKED: readonly (string | null)[] = [
  'zero_amount',
  'self_referral',
  'same_domain',
  'same_address',
  'same_payment',
  'disposable_mail',
];

/** May the order still be credited? It has no commission yet, and the reason may change. */
export const mayStillEarn = (order: Pick<Order, 'decision' | 'referral_id' | 'deleted_at'>): boolean =>
  awaitsMoney(order) ||
  (order.referral_id === null && order.deleted_at === null && RECHECKED.includes(order.decision));

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
   * Stores the record of an order that is not credited, or changes the one that an earlier event made; throws
   * `OrderMoved` when another event has stored or changed it meanwhile.
   */
  async save(trx: Db, name: OrderName, row: Partial<NewOrder>, known: Order | null): Promise<Order> {
    const { records } = this.app.orders;
    if (known !== null) return records.changeUncredited(trx, known, row);
    const inserted = await records.insertOrder(trx, name, row);
    if (inserted === null) throw new OrderMoved();
    return inserted;
  }

  /** Stores the order's other ids; returns all ids that deliveries may have waited for. */
  async link(
    trx: Db,
    row: Order,
    { id, refs = [] }: ProviderOrder,
    accounts: readonly string[],
  ): Promise<string[]> {
    const names = refs.filter((ref) => ref !== '' && ref !== id);
    await this.app.orders.addNames(trx, row, names);
    return [id, ...names, ...(row.subscription_id === null ? [] : [row.subscription_id])].flatMap((ref) =>
      [...new Set([row.account, ...accounts])].map((account) => awaitKey(account, ref)),
    );
  }
}
