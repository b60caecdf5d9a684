import type { AnswerOf } from '../../shared/data.js';

/** A referral as its page reads it. */
export type ReferralView = AnswerOf<'referrals.get'>['referral'];
