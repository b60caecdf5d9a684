/**
 * The kinds of records that events are about; `data` of an event is the record as the REST interface answers
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
  'affiliate.created': { object: 'affiliate', summary: 'Somebody became an affiliate or applied.' },
  'affiliate.updated': {
    object: 'affiliate',
    summary: 'Rate, group, payment details, note or profile changed.',
  },
  'affiliate.status_changed': { object: 'affiliate', summary: 'Approved, rejected or deactivated.' },
  'affiliate.payment_details_changed': {
    object: 'affiliate',
    summary: 'An affiliate wants to be paid elsewhere, or in another way; told besides `affiliate.updated`.',
  },
  'affiliate.level_changed': {
    object: 'affiliate',
    summary: 'A level moved an affiliate to another group; told besides `affiliate.updated`.',
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
    summary: 'An affiliate is gone, with its visits and referrals.',
  },
  'balance.threshold_reached': {
    object: 'affiliate',
    summary: 'What an affiliate is owed reached the minimum of a payout; told again once it was below.',
  },
  'customer.created': { object: 'customer', summary: 'Somebody bought for the first time.' },
  'customer.updated': { object: 'customer', summary: 'Name or e-mail address of a customer changed.' },
  'customer.forgotten': {
    object: 'customer',
    summary: 'The personal data of a customer were deleted; delete your copies too.',
  },
  'customer.merged': {
    object: 'customer_merge',
    summary: 'A customer is gone, and everything of it belongs to another one from now on.',
  },
  'customer.linked': { object: 'customer', summary: 'A customer belongs to an affiliate from now on.' },
  'customer.unlinked': { object: 'customer', summary: 'A customer belongs to no affiliate any more.' },
  'referral.created': { object: 'referral', summary: 'A commission was recorded, in whatever status.' },
  'bonus.earned': {
    object: 'referral',
    summary:
      'An affiliate reached a goal; told besides `referral.created`, with the commission of type `bonus`.',
  },
  'referral.status_changed': {
    object: 'referral',
    summary: 'A commission was approved, rejected, paid or owed again.',
  },
  'referral.updated': { object: 'referral', summary: 'Amount or description of a commission changed.' },
  'referral.refunded': {
    object: 'referral',
    summary:
      'A refund changed a commission; `due` is what is left of it, and what was before, ' +
      'and `refunds` the refunds that were reported.',
  },
  'referral.deleted': { object: 'referral', summary: 'A commission is gone.' },
  'dispute.opened': { object: 'dispute', summary: 'A buyer disputes the payment of an order.' },
  'dispute.closed': { object: 'dispute', summary: 'A dispute ended: `state` is `won` or `lost`.' },
  'payout.created': { object: 'payout', summary: 'A payout was run.' },
  'payout.updated': { object: 'payout', summary: 'Title, description, total or status of a payout changed.' },
  'payout.undone': {
    object: 'payout',
    summary: 'The open payments of a payout were taken back; `undone` says how many, and how many stayed.',
  },
  'payout_transaction.processing': {
    object: 'payout_transaction',
    summary: 'A payment to an affiliate was made ready, or went back to it.',
  },
  'payout_transaction.paid': { object: 'payout_transaction', summary: 'A payment was marked paid.' },
  'payout_transaction.deleted': {
    object: 'payout_transaction',
    summary: 'A payment was taken back or failed; its commissions are owed again.',
  },
  'creative.created': { object: 'creative', summary: 'New promotional material.' },
  'creative.updated': { object: 'creative', summary: 'Promotional material changed, started or ended.' },
  'creative.deleted': { object: 'creative', summary: 'Promotional material is gone.' },
  'group.created': { object: 'group', summary: 'A new group of affiliates.' },
  'group.updated': { object: 'group', summary: 'Name, rate or notes of a group changed.' },
  'group.deleted': { object: 'group', summary: 'A group is gone.' },
  'visit.created': { object: 'visit', summary: 'A click was counted.', onRequest: true },
  'fraud.detected': { object: 'suspicion', summary: 'An order looked suspicious.' },
  'site.connected': { object: 'site', summary: 'A site was connected or got a new token.' },
  'site.updated': { object: 'site', summary: 'A site was paused, resumed or changed.' },
  'site.disconnected': { object: 'site', summary: 'A site is connected no more.' },
  'program.rates_changed': {
    object: 'program',
    summary: 'The rates of the program changed: the rules for new orders without a rate of their own.',
  },
  'reward_rules.activated': {
    object: 'reward_rules',
    summary: 'Other reward rules count for new orders, from `effective_from` on.',
  },
  'import.finished': { object: 'import', summary: 'An import from another system came to its end.' },
} as const satisfies Readonly<Record<string, EventLine>>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export type EventData = Readonly<Record<string, unknown>>;

/** One change, with the record as the REST interface answers it. */
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
