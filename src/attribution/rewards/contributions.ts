import type { Order, OrderTerms } from '../../accounting/orders/types.js';
import type { RewardRule } from '../../core/rewards/types.js';
import type { RepriceResult } from './types.js';

/** What modules above know of orders; registered when the service is built. */
export interface RewardContributions {
  /** A recorded order by other rules. */
  reprice(
    order: Order & { readonly terms: OrderTerms },
    rules: readonly RewardRule[],
  ): Promise<RepriceResult>;
  /** Short links by their ids; deleted ones are omitted. */
  links(ids: readonly number[]): Promise<readonly ShortLink[]>;
}

/** A short link as rules name it. */
export interface ShortLink {
  readonly id: number;
  readonly affiliate_id: number;
  /** `/go/summer` */
  readonly path: string;
}

export const NO_CONTRIBUTIONS: RewardContributions = {
  reprice: async () => ({ kind: 'unknown', why: 'no_facts' }),
  links: async () => [],
};
