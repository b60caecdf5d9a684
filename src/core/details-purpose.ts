/** The purposes that payment details are encrypted for: those of an affiliate, and the copy in a payout. */
export const DETAILS_PURPOSE = 'payment-details';
