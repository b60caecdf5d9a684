import { outbox } from '../program/outbox/index.js';
import { audit } from '../program/audit/index.js';
import { operations } from '../program/operations/index.js';
import { erasure } from '../program/erasure/index.js';
import { eventLog } from '../program/event-log/index.js';
import { settings } from '../program/settings/index.js';
import { groups } from '../program/groups/index.js';
import { affiliates } from '../program/affiliates/index.js';
import { managers } from '../program/managers/index.js';
import { apiKeys } from '../program/api-keys/index.js';
import { license } from '../program/license/index.js';
import { ledger } from '../accounting/ledger/index.js';
import { balances } from '../accounting/balances/index.js';
import { rollups } from '../accounting/rollups/index.js';
import { visits } from '../accounting/visits/index.js';
import { referrals } from '../accounting/referrals/index.js';
import { customers } from '../accounting/customers/index.js';
import { orders } from '../accounting/orders/index.js';
import { payouts } from '../accounting/payouts/index.js';
import { fraud } from '../attribution/fraud/index.js';
import { tracking } from '../attribution/tracking/index.js';
import { rewards } from '../attribution/rewards/index.js';
import { conversions } from '../attribution/conversions/index.js';
import { goals } from '../attribution/goals/index.js';
import { creatives } from '../attribution/creatives/index.js';
import { links } from '../attribution/links/index.js';
import { payers } from '../channels/payers/index.js';
import { commerce } from '../channels/commerce/index.js';
import { connectedSites } from '../channels/connected-sites/index.js';
import { webhooks } from '../channels/webhooks/index.js';
import { emails } from '../channels/emails/index.js';
import { invitations } from '../channels/invitations/index.js';
import { messages } from '../channels/messages/index.js';
import { captcha } from '../channels/captcha/index.js';
import { registration } from '../channels/registration/index.js';
import { portal } from '../channels/portal/index.js';
import { reports } from '../channels/reports/index.js';
import { imports } from '../channels/imports/index.js';
import { system } from '../channels/system/index.js';
import { guide } from '../channels/guide/index.js';

/**
 * The modules, floor by floor. Each can call those before it in this list; listeners of internal events run in this
 * order. Services, routes, jobs and the types of all follow from it.
 */
export const MODULES = [
  outbox,
  audit,
  operations,
  erasure,
  eventLog,
  settings,
  groups,
  affiliates,
  managers,
  apiKeys,
  license,
  ledger,
  balances,
  rollups,
  visits,
  referrals,
  customers,
  orders,
  payouts,
  fraud,
  tracking,
  rewards,
  conversions,
  goals,
  creatives,
  links,
  payers,
  commerce,
  connectedSites,
  webhooks,
  emails,
  invitations,
  messages,
  captcha,
  registration,
  portal,
  reports,
  imports,
  system,
  guide,
] as const;

/** The service of every module, for the modules above it and for routes. */
export type Modules = {
  readonly [M in (typeof MODULES)[number] as M['name']]: InstanceType<M['Service']>;
};

type Sum<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** The hooks of every module. */
export type ModuleHooks = Sum<(typeof MODULES)[number]['hooks']>;
