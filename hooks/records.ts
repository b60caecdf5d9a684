// The records taps receive, read-only: what is stored, so money is in minor units,
// rates × 10 000 and times are epoch milliseconds.

export type { HostUser as User } from '../adapters/host.js';
export type { Affiliate } from '../src/program/affiliates/types.js';
export type { AuditEntry } from '../src/program/audit/types.js';
export type { Creative } from '../src/attribution/creatives/types.js';
export type { ConnectedSite } from '../src/channels/connected-sites/types.js';
export type { Customer } from '../src/accounting/customers/types.js';
export type { FraudEvent } from '../src/attribution/fraud/types.js';
export type { Group } from '../src/program/groups/types.js';
export type { PayableAffiliate, Payout, PayoutTransaction } from '../src/accounting/payouts/types.js';
export type { Referral } from '../src/accounting/referrals/types.js';
export type { Visit } from '../src/accounting/visits/types.js';

export type { DataMap } from '../src/platform/hooks/line.js';
