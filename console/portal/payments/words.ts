import { t, word } from '../../shared/texts.js';

export function methodText(method: string): string {
  const texts: Readonly<Record<string, string>> = {
    paypal: t('PayPal'),
    bank_transfer: t('Bank transfer'),
    bank: t('Bank transfer'),
    manual: t('By hand'),
    stripe: t('Stripe'),
    wise: t('Wise'),
    sepa: t('Bank transfer'),
    nacha: t('Bank transfer'),
    store_credit: t('Store credit'),
  };
  return texts[method] ?? word(method);
}
