export { fromDecimal, fromVendorMinor, type DigitsTable } from './amounts.js';
export { standardProvider, type StandardOptions } from './standard.js';
