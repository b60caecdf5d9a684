import type { MoneyState } from '../../shared/money-states.js';
import { t } from '../../shared/texts.js';

const MONEY_OF = {
  in_review: 'held',
  on_hold: 'waiting',
  ready: 'payable',
  on_its_way: 'on_its_way',
  paid: 'paid',
  rejected: 'canceled',
  cancelled: 'canceled',
} as const;

/** The payment state of a commission. */
export const moneyStateOf = (state: keyof typeof MONEY_OF): MoneyState => MONEY_OF[state];

/** Why a commission was rejected, if the affiliate may know. */
export function reasonText(reason: string | null): string {
  const texts: Readonly<Record<string, string>> = {
    refunded: t('The order was refunded.'),
    manual: t('The program decided this. Contact the program if you think it is wrong.'),
    cancelled: t('The order was canceled.'),
    canceled: t('The order was canceled.'),
    failed: t('The order was never paid.'),
    given_away: t('The order belongs to another affiliate.'),
    fraud: t('The order did not meet the rules of the program.'),
    dispute_lost: t('The buyer’s bank took the payment back.'),
  };
  return (reason === null ? undefined : texts[reason]) ?? t('The order does not count.');
}
