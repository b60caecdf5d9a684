/**
 * Where the money of an affiliate is. Every cent of every commission is in exactly one state:
 * - `payable`: ready to pay; the next payout can take it;
 * - `waiting`: in the waiting period until a date;
 * - `held`: on hold, because it needs a decision or the payment of the order;
 * - `on_its_way`: in a payout that is not confirmed;
 * - `paid`: in a confirmed payout, or paid before an import;
 * - `canceled`: rejected or refunded in full; its amount is what the commission would have been.
 */
export const MONEY_STATES = ['payable', 'waiting', 'held', 'on_its_way', 'paid', 'canceled'] as const;
export type MoneyState = (typeof MONEY_STATES)[number];
