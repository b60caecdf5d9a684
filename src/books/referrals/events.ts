import { internalEvent } from '../../platform/internal-events.js';
import type { Referral } from './types.js';

/** A commission is owed: a new one, or one that was not. */
export const referralPayable = internalEvent<{ readonly referral: Referral; readonly isNew: boolean }>(
  'referral.payable',
);

/** The commission of an order is gone. */
export const referralRemoved = internalEvent<{ readonly id: number }>('referral.removed');

/** All commissions of an affiliate are gone. */
export const referralsRemoved = internalEvent<{ readonly affiliateId: number }>('referrals.removed');
