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

/** Where a commission stands. */
export function stateText(state: string): string {
  const texts: Readonly<Record<string, string>> = {
    in_review: t('In review'),
    on_hold: t('On hold'),
    ready: t('Ready to be paid'),
    on_its_way: t('On its way'),
    paid: t('Paid'),
    rejected: t('Rejected'),
    cancelled: t('Cancelled'),
  };
  return texts[state] ?? state;
}

export const STATES = [
  'in_review',
  'on_hold',
  'ready',
  'on_its_way',
  'paid',
  'rejected',
  'cancelled',
] as const;

/** Why a commission was rejected, as far as it can be told. */
export function reasonText(reason: string | null): string {
  const texts: Readonly<Record<string, string>> = {
    refunded: t('The order was refunded.'),
    manual: t('The program decided this. Ask there if you think it is wrong.'),
    cancelled: t('The order was cancelled.'),
    canceled: t('The order was cancelled.'),
    failed: t('The order was never paid.'),
    fraud: t('The order did not meet the rules of the program.'),
    dispute_lost: t('The buyer’s bank took the payment back.'),
  };
  return (reason === null ? undefined : texts[reason]) ?? t('The order does not count.');
}
