import { statusText } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

export const RULES = [
  'self_referral',
  'same_domain',
  'same_address',
  'same_payment',
  'disposable_mail',
  'banned_referrer',
  'coupon_site',
  'paid_traffic',
  'fast_order',
  'address_orders',
  'refund_ratio',
  'shared_payout',
  'same_order',
  'code_without_click',
] as const;

export function actionText(action: string): string {
  const texts: Readonly<Record<string, string>> = {
    off: t('Nothing'),
    flag: t('Marked'),
    hold: t('Held for review'),
    reject: t('No commission'),
  };
  return texts[action] ?? statusText(action);
}
