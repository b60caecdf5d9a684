import type { AnswerOf } from '../../shared/data.js';

/** A referral as its page reads it. */
export type ReferralView = AnswerOf<'referrals.get'>['referral'];

/** A product of the order, as far as its source described it. */
export interface ProductView {
  readonly item_id?: unknown;
  readonly title?: string;
  readonly total?: number;
  readonly subtotal?: number;
}

export const productsOf = ({ products }: Pick<ReferralView, 'products'>): readonly ProductView[] =>
  (products ?? []) as readonly ProductView[]; // imported ones have what the old system kept
