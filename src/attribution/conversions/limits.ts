import { flatAmount } from '../../core/money.js';
import type { Db } from '../../platform/database/db.js';
import type { FirstOrder } from '../../accounting/orders/service.js';
import type { OrderLimit } from '../../accounting/orders/types.js';
import type { NewReferral } from '../../accounting/referrals/types.js';
import type { RenewalTerms } from './commission.js';
import type { Deps } from './deps.js';
import type { PricedOrder } from './price.js';
import { Renewals } from './renewals.js';
import type { SkipReason } from './types.js';

const E4 = 10_000;

export interface LimitedOrder {
  /** The order that it follows. */
  readonly first: FirstOrder | null;
  readonly limits: readonly OrderLimit[];
  /** What the limits leave; null without any. */
  readonly left_minor: number | null;
  /** The limit that leaves nothing. */
  readonly limitReached: SkipReason | null;
}

/** The limits of the order and what they leave, under the affiliate's lock. */
export async function limitsOf(
  app: Deps,
  trx: Db,
  priced: PricedOrder,
  first: FirstOrder | null,
): Promise<LimitedOrder> {
  const { row, renewal, commission } = priced;
  const order = {
    affiliate_id: row.affiliate_id,
    customer_id: row.customer_id ?? null,
    currency: row.currency ?? '',
    first_order_id: first?.order.id ?? null,
    created_at: app.clock.now(),
  };
  const ofCustomer = await customerLimit(app, row);
  const ofRenewals = renewal && renewal.max > 0 ? { kind: 'renewals' as const, count: renewal.max } : null;
  const limits = [ofCustomer, ofRenewals, ...commission.limits].filter((limit) => limit !== null);
  const isOver = first === null && (await isOverByCount(app, renewal));
  if (isOver || (ofRenewals && (await app.orders.leftOf(trx, [ofRenewals], order)) === 0))
    return { first, limits, left_minor: 0, limitReached: 'renewal_limit' };
  const others = limits.filter((limit) => limit !== ofRenewals);
  const left = await app.orders.leftOf(trx, others, order);
  return { first, limits, left_minor: left, limitReached: left === 0 ? 'commission_cap' : null };
}

/** A subscription whose first payment has no order is limited by the number of its commissions. */
const isOverByCount = async (app: Deps, renewal: RenewalTerms | undefined): Promise<boolean> =>
  renewal !== undefined && new Renewals(app).isOver(renewal);

/**
 * The limit on what the affiliate earns from one customer (docs/tracking.md §13). Orders in another currency have
 * none; nothing counts against it while the buyer is unknown.
 */
async function customerLimit(
  app: Deps,
  { currency }: Pick<NewReferral, 'currency'>,
): Promise<OrderLimit | null> {
  const config = await app.settings.referralConfig();
  const { commission_cap_amount: cap, commission_cap_days: days } = config;
  if (cap === 0 || (currency ?? config.currency) !== config.currency) return null;
  return { kind: 'customer', amount_minor: flatAmount(cap * E4, config.currency), days };
}
