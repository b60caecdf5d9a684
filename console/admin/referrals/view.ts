import type { ResponseOf } from '../../shared/data.js';

/** The commission in the response of `referrals.get`. */
export type ReferralView = ResponseOf<'referrals.get'>['referral'];

/** A product of the order; which fields it has depends on the source. */
export interface ProductView {
  readonly item_id?: unknown;
  readonly title?: string;
  readonly total?: number;
  readonly subtotal?: number;
}

export const productsOf = ({ products }: Pick<ReferralView, 'products'>): readonly ProductView[] =>
  (products ?? []) as readonly ProductView[]; // imported products have the fields of the old system
