import { money } from '../../shared/money.js';
import { t } from '../../shared/texts.js';

/** The name of a commission: its order number, else its ID. */
export const referralName = (row: { readonly id: number; readonly description: string | null }): string =>
  row.description || t('Commission {id}', { id: row.id });

/** Sums of commissions and of their orders. */
export const earnedText = (commissions: number, orders: number, currency: string): string =>
  t('{commissions} in commissions on {orders} of orders', {
    commissions: money(commissions, currency),
    orders: money(orders, currency),
  });
