/** What payment details are sealed for: those of an affiliate, and those a payout keeps of them. */
export const DETAILS_PURPOSE = 'payment-details';
