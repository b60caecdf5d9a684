// The records taps receive, read-only: what is stored, so money is in minor units,
// rates × 10 000 and times are epoch milliseconds.

export type { HostUser as User } from '../adapters/host.js';
export type { Affiliate } from '../src/modules/affiliates/types.js';
export type { AuditEntry } from '../src/modules/audit/types.js';
export type { Creative } from '../src/modules/creatives/types.js';
export type { ConnectedSite } from '../src/modules/connected-sites/types.js';
export type { Customer } from '../src/modules/customers/types.js';
export type { FraudEvent } from '../src/modules/fraud/types.js';
export type { Group } from '../src/modules/groups/types.js';
export type { PayableAffiliate, Payout, PayoutTransaction } from '../src/modules/payouts/types.js';
export type { Referral } from '../src/modules/referrals/types.js';
export type { Visit } from '../src/modules/visits/types.js';

/** A map as it was sent or will be stored. */
export type DataMap = Readonly<Record<string, unknown>>;
