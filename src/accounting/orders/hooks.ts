import type { Referral } from '../referrals/types.js';
import { after, defineHooks } from '../../platform/hooks/line.js';

export const orderHooks = defineHooks(
  {
    referral_refunded: after<
      [referral: Referral, refund: { refunded_minor: number | null; full: boolean; paid: boolean }]
    >(['referral', 'refund'], 'The order of a referral was refunded, partially or fully.'),
    referral_refunded_after_payout: after<[referral: Referral, refundedMinor: number | null]>(
      ['referral', 'refundedMinor'],
      "The order of a referral was refunded after a payout claimed its commission. The referral doesn't change.",
    ),
    referral_clawed_back: after<[adjustment: Referral, referral: Referral]>(
      ['adjustment', 'referral'],
      'A paid commission was clawed back with a negative referral.',
    ),
  },
  {
    'referral.refunded': 'referral_refunded',
    'referral.refunded_after_payout': 'referral_refunded_after_payout',
    'referral.clawed_back': 'referral_clawed_back',
  },
);
