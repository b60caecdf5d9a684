import { array, named, nullable, number, numberOf, oneOf, string } from '../../core/dto-schema.js';
import { Type } from '../../core/type.js';
import { MONEY_STATES } from './words.js';

// The money of an affiliate and the state of a commission as answers show them.

const byReason = Type.Unsafe<Readonly<Record<string, number>>>({
  type: 'object',
  additionalProperties: number,
  description: 'The canceled amount by reason',
});

/** The money in one currency by state. */
export const balanceRecord = named(
  'Balance',
  Type.Object({
    currency: string,
    payable: numberOf('Ready to pay'),
    waiting: numberOf('In the waiting period'),
    held: numberOf('On hold: needs a decision, or the order is not paid'),
    on_its_way: numberOf('On its way: in a payout that is not confirmed'),
    paid: numberOf('Paid: confirmed'),
    canceled: numberOf('Canceled: what canceled commissions would have been'),
    canceled_reasons: byReason,
  }),
);
export const balanceList = array(balanceRecord);

/** The state of one commission, beside its own columns. */
export const commissionState = {
  state: oneOf(...MONEY_STATES),
  counted_amount: numberOf('What the commission counts for: 0 when it is canceled'),
  would_have_been: nullable(numberOf('What a canceled commission would have been; null in other states')),
} as const;
