import type { Section } from '../../platform/access/policies.js';
import { minor, toWire } from '../../core/money.js';
import { percentage } from '../../core/percentage.js';
import type { AffiliateContributions } from './contributions.js';
import type { Deps } from './deps.js';
import { orderTotal } from './queries.js';
import type { Affiliate } from './types.js';

export type Allows = (section: Section) => Promise<boolean>;
interface Card {
  readonly title: string;
  readonly amount: number | string;
  readonly is_currency: boolean;
  readonly is_number?: boolean;
  readonly icon: string;
}

/**
 * Cards of an affiliate; a card without its section is omitted. `total_paid` counts confirmed payments
 * (docs/interface.md §6.8).
 */
export async function affiliateStats(
  app: Deps,
  contributions: AffiliateContributions,
  affiliate: Affiliate,
  allows: Allows,
): Promise<Readonly<Record<string, Card>>> {
  const { currency } = await app.settings.referralConfig();
  const [payouts, referrals, visits] = [
    await allows('payouts'),
    await allows('referrals'),
    await allows('visits'),
  ];
  const money = (title: string, amount: number, icon: string): Card => ({
    title,
    amount: toWire(minor(amount), currency),
    is_currency: true,
    icon,
  });
  const count = (title: string, amount: number, icon: string): Card => ({
    title,
    amount,
    is_currency: false,
    is_number: true,
    icon,
  });
  return {
    ...(payouts && {
      total_paid: money('Total Paid', await contributions.paid(affiliate), 'MoneyPaid'),
      total_unpaid: money('Total Unpaid', affiliate.unpaid_earnings_minor, 'MoneyUnPaid'),
    }),
    ...(referrals && {
      total_order_value: money(
        'Total Order Value',
        await orderTotal(app.db, affiliate.id, currency),
        'BagLoveIcon',
      ),
    }),
    ...(referrals &&
      visits && {
        conversion_rate: {
          title: 'Conversion Rate',
          amount: percentage(affiliate.referrals, affiliate.visits),
          is_currency: false,
          is_number: false,
          icon: 'PercentIcon',
        },
      }),
    ...(visits && { total_visits: count('Total Visits', affiliate.visits, 'LinkClick') }),
    ...(referrals && { total_referrals: count('Total Referrals', affiliate.referrals, 'LinkReferal') }),
  };
}
