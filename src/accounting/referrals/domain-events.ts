import { internalEvent } from '../../platform/internal-events.js';
import type { Referral } from './types.js';

/** A commission is owed now: a new one, or one that was not owed before. */
export const referralPayable = internalEvent<{ readonly referral: Referral; readonly isNew: boolean }>(
  'referral.payable',
);

/** The commission of an order was deleted. */
export const referralRemoved = internalEvent<{ readonly id: number }>('referral.removed');

/** All commissions of an affiliate were deleted. */
export const referralsRemoved = internalEvent<{ readonly affiliateId: number }>('referrals.removed');
