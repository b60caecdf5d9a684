/** What people call the built-in payers. */
export const PAYER_TITLES = {
  paypal: 'PayPal',
  stripe: 'Stripe Connect',
  wise: 'Wise',
  sepa: 'SEPA credit transfer',
  nacha: 'ACH credit (NACHA file)',
  store_credit: 'Store credit',
} as const;
