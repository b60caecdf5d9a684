import { readJson } from '../../core/json.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Payee } from './types.js';

/** Where an affiliate is paid now. */
export const payeeOf = (affiliate: Pick<Affiliate, 'payment_email' | 'settings'> | undefined): Payee => ({
  payment_email: affiliate?.payment_email ?? '',
  bank_details: affiliate?.settings.bank_details ?? '',
});

/** The payee as the affiliate's columns had it when the payout was run. */
export const frozenPayee = (email: unknown, settings: unknown): Payee => {
  const { bank_details: details } = readJson<{ bank_details?: unknown }>(settings, {});
  return {
    payment_email: typeof email === 'string' ? email : '',
    bank_details: typeof details === 'string' ? details : '',
  };
};

/** Does the affiliate want the money elsewhere than where the transaction pays it? Details that were missing are none. */
export const isElsewhere = (frozen: Payee | undefined, now: Payee): boolean =>
  frozen !== undefined &&
  (differs(frozen.payment_email, now.payment_email) || differs(frozen.bank_details, now.bank_details));

const differs = (frozen: string, now: string): boolean => frozen !== '' && frozen !== now;

/** Where a transaction is paid: what was missing when the payout was run is taken from the affiliate's current details. */
export const paidTo = (frozen: Payee | undefined, now: Payee): Payee => ({
  payment_email: frozen?.payment_email || now.payment_email,
  bank_details: frozen?.bank_details || now.bank_details,
});
