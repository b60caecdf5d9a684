export { fromDecimal, fromVendorMinor, type DigitsTable } from './amounts.js';
export { medusa, type MedusaOptions, type MedusaProvider } from './medusa.js';
export { shopify, type ShopifyOptions } from './shopify.js';
export type { Secrets } from './signature.js';
export { standardProvider, type StandardOptions } from './standard.js';
export type { StripeApi } from './stripe-api.js';
export type { WooApi } from './woo-api.js';
export { stripe, STRIPE_DIGITS, type StripeOptions } from './stripe.js';
export { woo, type WooOptions } from './woo.js';
