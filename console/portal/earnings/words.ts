import type { MoneyState } from '../../shared/money-states.js';
import { t } from '../../shared/texts.js';

/** Kinds of entries of the balance in plain words. */
export function kindText(kind: string): string {
  const texts: Readonly<Record<string, string>> = {
    earned: t('Commission earned'),
    adjusted: t('Corrected'),
    refunded: t('Order refunded'),
    clawed_back: t('Taken back after a refund'),
    merged: t('Taken over from another account'),
    paid: t('Payment'),
    payment_reversed: t('Payment undone'),
    corrected: t('Balance corrected'),
    imported: t('Taken over'),
  };
  return texts[kind] ?? t('Other change');
}

const MONEY_OF = {
  in_review: 'held',
  on_hold: 'waiting',
  ready: 'payable',
  on_its_way: 'on_its_way',
  paid: 'paid',
  rejected: 'canceled',
  cancelled: 'canceled',
} as const;

/** Where the money of a commission is. */
export const moneyStateOf = (state: keyof typeof MONEY_OF): MoneyState => MONEY_OF[state];

/** Why a commission was rejected, as far as it can be told. */
export function reasonText(reason: string | null): string {
  const texts: Readonly<Record<string, string>> = {
    refunded: t('The order was refunded.'),
    manual: t('The program decided this. Ask there if you think it is wrong.'),
    cancelled: t('The order was cancelled.'),
    canceled: t('The order was cancelled.'),
    failed: t('The order was never paid.'),
    given_away: t('The order belongs to another affiliate.'),
    fraud: t('The order did not meet the rules of the program.'),
    dispute_lost: t('The buyer’s bank took the payment back.'),
  };
  return (reason === null ? undefined : texts[reason]) ?? t('The order does not count.');
}
