export { paypal as paypalPayer, type PaypalOptions } from './paypal.js';
export { nacha as nachaFile, type NachaOptions } from './nacha.js';
export { sepa as sepaFile, type SepaOptions } from './sepa.js';
export { storeCredit, type StoreCreditOptions, type WalletCredit } from './store-credit.js';
export { stripeConnect, type StripePayerOptions } from './stripe.js';
export { wise as wisePayer, type WiseOptions } from './wise.js';
export { PAYER_KINDS } from './kinds.js';
export type { PayerAccess } from './client.js';
