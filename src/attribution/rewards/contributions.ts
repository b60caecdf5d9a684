import type { Order, OrderTerms } from '../../accounting/orders/types.js';
import type { RewardRule } from '../../core/rewards/types.js';
import type { Repriced } from './types.js';

/** What modules above know of orders; registered when the service is built. */
export interface RewardContributions {
  /** A recorded order by other rules. */
  reprice(order: Order & { readonly terms: OrderTerms }, rules: readonly RewardRule[]): Repriced;
}

export const NO_CONTRIBUTIONS: RewardContributions = {
  reprice: () => ({ kind: 'unknown', why: 'no_facts' }),
};
