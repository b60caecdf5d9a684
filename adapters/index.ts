export type * from './commerce.js';
export {
  fromDecimal,
  fromVendorMinor,
  hmac,
  medusa,
  secretList,
  shopify,
  standardProvider,
  stripe,
  STRIPE_DIGITS,
  UnreadableField,
  verifyBody,
  woo,
  type DigitsTable,
  type MedusaOptions,
  type MedusaProvider,
  type Secrets,
  type ShopifyOptions,
  type StandardOptions,
  type StripeOptions,
  type WooOptions,
} from './commerce/index.js';
export type * from './host.js';
export { defineHost } from './define-host.js';
export type {
  DefinedHost,
  HostDefinition,
  HostId,
  HostIdKind,
  PageRow,
  SessionOf,
  SiteDefinition,
  UserProfile,
} from './define-host-types.js';
export { hostParts, type HostPart } from './host-parts.js';
export { hostPageIds, hostUserIds, type HostUserIds } from './host-user-ids.js';
export {
  nachaFile,
  paypalPayer,
  sepaFile,
  storeCredit,
  stripeConnect,
  wisePayer,
  type NachaOptions,
  type PayerAccess,
  type PaypalOptions,
  type SepaOptions,
  type StoreCreditOptions,
  type StripePayerOptions,
  type WalletCredit,
  type WiseOptions,
} from './payers/index.js';
export { logMailer, MemoryMailer, transportMailer, type Mailer, type MailTransport } from './mailer.js';
export { createMemoryHost, type MemoryHost, type MemoryHostSeed, type SignIn } from './memory-host.js';
export type { MemoryUser } from './memory-users.js';
export { createNonces, type NonceOptions, type Nonces, type NonceSubject } from './nonces.js';
export { hostProblems, strictHost } from './strict-host.js';
export { sameBytes, sameText } from '../src/core/constant-time.js';
