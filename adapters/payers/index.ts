export { paypal as paypalPayer, type PaypalOptions } from './paypal.js';
export { PAYER_KINDS } from './kinds.js';
export type { PayerAccess } from './client.js';
