import { flatAmount } from '../../core/money.js';
import type { OrderLimit } from '../../accounting/orders/types.js';
import type { NewReferral } from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';

const E4 = 10_000;

/**
 * Returns the limit on what the affiliate earns from one customer (docs/tracking.md §13). Orders in another
 * currency have none; nothing counts against it while the buyer is unknown.
 */
export async function customerLimit(
  app: Deps,
  { currency }: Pick<NewReferral, 'currency'>,
): Promise<OrderLimit | null> {
  const config = await app.settings.referralConfig();
  const { commission_cap_amount: cap, commission_cap_days: days } = config;
  if (cap === 0 || (currency ?? config.currency) !== config.currency) return null;
  return { kind: 'customer', amount_minor: flatAmount(cap * E4, config.currency), days };
}
