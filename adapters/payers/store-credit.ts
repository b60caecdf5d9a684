import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import { applyRate, minor, toDecimal } from '../../src/core/money.js';
import type { Payment, PayoutMethod, SendResponse } from '../payers.js';

/** One credit to the wallet of a user of the host. */
export interface WalletCredit {
  /** Id of the user. */
  readonly user: number;
  /** Decimal text, bonus included. */
  readonly amount: string;
  readonly amount_minor: number;
  readonly currency: string;
  /** The same key never credits twice. */
  readonly key: string;
}

export interface StoreCreditOptions {
  readonly wallet: {
    /**
     * Credits the wallet, once for each key, and returns its own reference. Throw an error with a `code` to
     * refuse a payment permanently; any other error leaves it open, and it is asked again with the same key.
     */
    credit(credit: WalletCredit): Promise<{ readonly reference?: string } | void>;
  };
  /** Credit that affiliates get on top, in percent with at most four decimals. */
  readonly bonusPercent?: number;
  readonly title?: string;
}

/** Pays in credit of the host's own shop (docs/payout-methods.md §3). */
export function storeCredit({
  wallet,
  bonusPercent = 0,
  title = PAYER_TITLES.store_credit,
}: StoreCreditOptions): PayoutMethod {
  const bonusE4 = Math.round(bonusPercent * 10_000);
  if (!(bonusE4 >= 0 && bonusE4 <= 1_000_000)) throw new TypeError('bonusPercent is a number from 0 to 100.');
  return {
    key: 'store_credit',
    title,
    limits: { smallest_minor: 1, maxItems: 50, keyDays: 3650 },
    send: async ({ payments }) => {
      const responses = [];
      for (const payment of payments) responses.push(await credited(wallet, payment, bonusE4));
      return { payments: responses.filter((response) => response !== null) };
    },
  };
}

/** Null: the result is unknown, and the payment is repeated. */
async function credited(
  wallet: StoreCreditOptions['wallet'],
  payment: Payment,
  bonusE4: number,
): Promise<SendResponse | null> {
  const { key, user_id: user, currency } = payment;
  if (user === null)
    return { key, status: 'refused', code: 'no_user', message: 'The affiliate has no account here.' };
  const amount = minor(payment.amount_minor + applyRate(minor(payment.amount_minor), bonusE4));
  try {
    const response = await wallet.credit({
      user,
      amount: toDecimal(amount, currency),
      amount_minor: amount,
      currency,
      key,
    });
    return { key, status: 'submitted', ref: response?.reference ?? key, state: 'paid' };
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    return isRefusal(code)
      ? { key, status: 'refused', code, message: 'The shop did not take this credit.' }
      : null;
  }
}

/** Errors of the system (ECONNRESET) and of databases are written in capitals or numbers, and decide nothing. */
const isRefusal = (code: unknown): code is string =>
  typeof code === 'string' && /^[a-z][a-z_]{2,59}$/.test(code);
