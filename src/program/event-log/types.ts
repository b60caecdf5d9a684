/**
 * The kinds of records that events are about; `data` of an event is the record as the REST interface returns
 * it.
 */
export type EventObject =
  | 'affiliate'
  | 'merge'
  | 'customer'
  | 'customer_merge'
  | 'referral'
  | 'dispute'
  | 'payout'
  | 'program'
  | 'reward_rules'
  | 'payout_transaction'
  | 'creative'
  | 'group'
  | 'visit'
  | 'suspicion'
  | 'site'
  | 'import'
  | 'endpoint';

export interface EventLine {
  readonly object: EventObject;
  readonly summary: string;
  /** Recorded only when an endpoint asks for it by name, as there are as many as clicks. */
  readonly onRequest?: true;
}

/** All events. Types, documents, the list over REST and the OpenAPI document follow from this table. */
export const EVENTS = {
  'affiliate.created': { object: 'affiliate', summary: 'An affiliate was created or applied.' },
  'affiliate.updated': {
    object: 'affiliate',
    summary: 'Rate, group, payment details, note or profile changed.',
  },
  'affiliate.status_changed': { object: 'affiliate', summary: 'Approved, rejected or deactivated.' },
  'affiliate.payment_details_changed': {
    object: 'affiliate',
    summary:
      'An affiliate changed the payment details or the payment method; sent in addition to `affiliate.updated`.',
  },
  'affiliate.level_changed': {
    object: 'affiliate',
    summary: 'A level moved an affiliate to another group; sent in addition to `affiliate.updated`.',
  },
  'affiliate.forgotten': {
    object: 'affiliate',
    summary: 'The personal data of an affiliate were deleted; delete your copies too.',
  },
  'affiliate.merged': {
    object: 'merge',
    summary:
      'An affiliate is gone, and everything of it belongs to another one from now on: ' +
      'visits, referrals, customers, payments.',
  },
  'affiliate.deleted': {
    object: 'affiliate',
    summary: 'An affiliate was deleted with its visits and referrals.',
  },
  'balance.threshold_reached': {
    object: 'affiliate',
    summary: 'The balance of an affiliate reached the minimum payout; sent again after it was below.',
  },
  'customer.created': { object: 'customer', summary: 'A customer bought for the first time.' },
  'customer.updated': { object: 'customer', summary: 'Name or e-mail address of a customer changed.' },
  'customer.forgotten': {
    object: 'customer',
    summary: 'The personal data of a customer were deleted; delete your copies too.',
  },
  'customer.merged': {
    object: 'customer_merge',
    summary: 'A customer was merged into another one.',
  },
  'customer.linked': { object: 'customer', summary: 'A customer was linked to an affiliate.' },
  'customer.unlinked': { object: 'customer', summary: 'A customer was unlinked from its affiliate.' },
  'referral.created': { object: 'referral', summary: 'A commission was recorded, in any status.' },
  'bonus.earned': {
    object: 'referral',
    summary:
      'An affiliate reached a goal; sent in addition to `referral.created`, with the commission of type `bonus`.',
  },
  'referral.status_changed': {
    object: 'referral',
    summary: 'A commission was approved, rejected, paid or became unpaid again.',
  },
  'referral.updated': { object: 'referral', summary: 'Amount or description of a commission changed.' },
  'referral.refunded': {
    object: 'referral',
    summary:
      'A refund changed a commission; `due` is what is left of it, and what was before, ' +
      'and `refunds` the refunds that were reported.',
  },
  'referral.deleted': { object: 'referral', summary: 'A commission was deleted.' },
  'dispute.opened': { object: 'dispute', summary: 'A buyer disputes the payment of an order.' },
  'dispute.closed': { object: 'dispute', summary: 'A dispute ended: `state` is `won` or `lost`.' },
  'payout.created': { object: 'payout', summary: 'A payout was created.' },
  'payout.updated': { object: 'payout', summary: 'Title, description, total or status of a payout changed.' },
  'payout.undone': {
    object: 'payout',
    summary: 'The open payments of a payout were undone; `undone` says how many, and how many stayed.',
  },
  'payout_transaction.processing': {
    object: 'payout_transaction',
    summary: 'A payment to an affiliate became ready to be paid, or returned to that status.',
  },
  'payout_transaction.paid': { object: 'payout_transaction', summary: 'A payment was marked paid.' },
  'payout_transaction.deleted': {
    object: 'payout_transaction',
    summary: 'A payment was undone or failed; its commissions are unpaid again.',
  },
  'creative.created': { object: 'creative', summary: 'A creative was created.' },
  'creative.updated': { object: 'creative', summary: 'A creative changed, started or ended.' },
  'creative.deleted': { object: 'creative', summary: 'A creative was deleted.' },
  'group.created': { object: 'group', summary: 'A group was created.' },
  'group.updated': { object: 'group', summary: 'Name, rate or notes of a group changed.' },
  'group.deleted': { object: 'group', summary: 'A group was deleted.' },
  'visit.created': { object: 'visit', summary: 'A click was counted.', onRequest: true },
  'fraud.detected': { object: 'suspicion', summary: 'An order looked suspicious.' },
  'site.connected': { object: 'site', summary: 'A site was connected or got a new token.' },
  'site.updated': { object: 'site', summary: 'A site was paused, resumed or changed.' },
  'site.disconnected': { object: 'site', summary: 'A site was disconnected.' },
  'program.rates_changed': {
    object: 'program',
    summary: 'The rates of the program changed: the rules for new orders without a rate of their own.',
  },
  'reward_rules.activated': {
    object: 'reward_rules',
    summary: 'Reward rules became active for new orders, from `effective_from` on.',
  },
  'import.finished': { object: 'import', summary: 'An import from another system ended.' },
} as const satisfies Readonly<Record<string, EventLine>>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export type EventData = Readonly<Record<string, unknown>>;

/** One change, with the record as the REST interface returns it. */
export interface EventEntry {
  readonly id: number | string;
  readonly data: EventData;
  /** The record before; only fields that differ are recorded. */
  readonly before?: EventData;
}

/** An event before it gets its place in the sequence; without `data` it is made from the stored row. */
export interface QueuedEvent {
  readonly type: EventType;
  readonly object_type: string;
  readonly object_id: string;
  readonly data: EventData | null;
  readonly previous: EventData;
  readonly created_at: number;
}
