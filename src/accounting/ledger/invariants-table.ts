import type { Invariant } from './types.js';

/**
 * What is always true of the stored rows: the code of each invariant, its name, and what must hold.
 * docs/reliability.md §2 shows the same table; a test compares both.
 */
export const INVARIANTS: Readonly<Record<Invariant, { readonly name: string; readonly rule: string }>> = {
  I1: {
    name: 'earnings',
    rule: 'The total earnings of an affiliate are the sum of their unpaid and paid referrals in the program currency.',
  },
  I2: {
    name: 'unpaid earnings',
    rule:
      'The unpaid earnings of an affiliate are the sum of their unpaid referrals in the program ' +
      'currency. Unless an amount was taken back, they are between 0 and the total earnings.',
  },
  I3: {
    name: 'counters',
    rule:
      'Counters equal the rows they count: referrals (without adjustments) and visits of an affiliate, ' +
      'totals of referrals per provider and currency, and the mark of a visit that led to a referral.',
  },
  I4: {
    name: 'paid items',
    rule:
      'Each item of a payout belongs to a transaction of the same affiliate, and a referral is at most ' +
      'one item.',
  },
  I5: {
    name: 'paid once',
    rule:
      'A referral is paid exactly when it is an item of one payout transaction ' +
      '(or was paid before an import); both name the same payout, affiliate, amount and currency.',
  },
  I6: {
    name: 'transaction totals',
    rule:
      'The total of a payout transaction is the sum of its items and above 0. An affiliate has one ' +
      'transaction per payout.',
  },
  I7: {
    name: 'payout totals',
    rule: 'The total of a payout is the sum of its transactions. It is processing while one of them is, else paid.',
  },
  I8: {
    name: 'one sum everywhere',
    rule:
      'Payouts, transactions and items have the same sum: that of all referrals paid here and of the ' +
      'items whose referral was deleted.',
  },
  I9: {
    name: 'one currency per payout',
    rule: 'A payout, its transactions and its items have the same currency.',
  },
  I10: {
    name: 'imported status',
    rule: 'Only imported referrals have the status processing.',
  },
  I11: {
    name: 'references',
    rule:
      'An ID that points to another row names an existing row, and the visit of a referral belongs to ' +
      'the same affiliate.',
  },
  I12: {
    name: 'unique keys',
    rule:
      'These exist only once: the affiliate of a user, the order of a provider, a customer, a ' +
      'delivery, a site, an event, a mail, an idempotency key.',
  },
  I13: {
    name: 'sizes of amounts',
    rule:
      'An amount is at most 99,999,999,999.99, every total has at most 15 digits, and no more is taken ' +
      'back of a referral than its amount.',
  },
  I14: {
    name: 'ledger',
    rule: 'The ledger entries of an affiliate add up to the stored earnings, and each entry changes something.',
  },
  I15: {
    name: 'orders and what is booked',
    rule:
      'For each order, the referral and its payments and adjustments add up to the amount due, unless ' +
      'the difference was only reported under `clawback: off`.',
  },
  I16: {
    name: 'facts of orders',
    rule: 'The facts of an order are never changed or removed. A hash over all of them proves it.',
  },
  I17: {
    name: 'referrals of orders',
    rule: 'A referral of an order that is in no payout has the status and amount that are due.',
  },
  I18: {
    name: 'commissions and money received',
    rule:
      'No payable commission is based on more than the buyer has paid and not got back, unless a ' +
      'person approved it.',
  },
};
