export { fromDecimal, fromVendorMinor, type DigitsTable } from './amounts.js';
export { medusa, type MedusaOptions, type MedusaProvider } from './medusa.js';
export { shopify, type ShopifyOptions } from './shopify.js';
export { hmac, secretList, verifyBody, type Secrets } from './signature.js';
export { standardProvider, type StandardOptions } from './standard.js';
export { stripe, STRIPE_DIGITS, type StripeOptions } from './stripe.js';
export { UnreadableField } from '../../src/core/unreadable-field.js';
export { woo, type WooOptions } from './woo.js';
