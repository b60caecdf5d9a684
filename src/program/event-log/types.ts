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
    summary: "An affiliate's rate, group, payment details, note or profile changed.",
  },
  'affiliate.status_changed': {
    object: 'affiliate',
    summary: 'An affiliate was approved, rejected or deactivated.',
  },
  'affiliate.payment_details_changed': {
    object: 'affiliate',
    summary:
      'An affiliate changed its payment details or payment method. Sent in addition to `affiliate.updated`.',
  },
  'affiliate.level_changed': {
    object: 'affiliate',
    summary: 'A level moved an affiliate to another group. Sent in addition to `affiliate.updated`.',
  },
  'affiliate.forgotten': {
    object: 'affiliate',
    summary: "An affiliate's personal data was erased. Delete your copies too.",
  },
  'affiliate.merged': {
    object: 'merge',
    summary:
      'An affiliate was merged into another one, which now has its visits, referrals, customers and payments.',
  },
  'affiliate.deleted': {
    object: 'affiliate',
    summary: 'An affiliate was deleted with its visits and referrals.',
  },
  'balance.threshold_reached': {
    object: 'affiliate',
    summary:
      "An affiliate's balance reached the minimum payout. Sent again if the balance drops below it and reaches it again.",
  },
  'customer.created': { object: 'customer', summary: 'A customer made their first purchase.' },
  'customer.updated': { object: 'customer', summary: "A customer's name or e-mail address changed." },
  'customer.forgotten': {
    object: 'customer',
    summary: "A customer's personal data was erased. Delete your copies too.",
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
      'An affiliate reached a goal and earned a commission of type `bonus`. Sent in addition to `referral.created`.',
  },
  'referral.status_changed': {
    object: 'referral',
    summary: 'A commission was approved, rejected or paid, or became unpaid again.',
  },
  'referral.updated': { object: 'referral', summary: "A commission's amount or description changed." },
  'referral.refunded': {
    object: 'referral',
    summary:
      'A refund changed a commission. `due` contains its amount now and before, `refunds` the reported refunds.',
  },
  'referral.deleted': { object: 'referral', summary: 'A commission was deleted.' },
  'dispute.opened': { object: 'dispute', summary: 'A buyer disputed the payment of an order.' },
  'dispute.closed': { object: 'dispute', summary: 'A dispute ended: `state` is `won` or `lost`.' },
  'payout.created': { object: 'payout', summary: 'A payout was created.' },
  'payout.updated': { object: 'payout', summary: "A payout's title, description, total or status changed." },
  'payout.undone': {
    object: 'payout',
    summary:
      "A payout's open payments were undone. `undone` contains the numbers of undone and kept payments.",
  },
  'payout_transaction.processing': {
    object: 'payout_transaction',
    summary: 'A payment to an affiliate became ready to pay, or returned to that status.',
  },
  'payout_transaction.paid': { object: 'payout_transaction', summary: 'A payment was marked as paid.' },
  'payout_transaction.deleted': {
    object: 'payout_transaction',
    summary: 'A payment was undone or failed. Its commissions are unpaid again.',
  },
  'creative.created': { object: 'creative', summary: 'A creative was created.' },
  'creative.updated': { object: 'creative', summary: 'A creative changed, started or ended.' },
  'creative.deleted': { object: 'creative', summary: 'A creative was deleted.' },
  'group.created': { object: 'group', summary: 'A group was created.' },
  'group.updated': { object: 'group', summary: "A group's name, rate or notes changed." },
  'group.deleted': { object: 'group', summary: 'A group was deleted.' },
  'visit.created': { object: 'visit', summary: 'A click was counted.', onRequest: true },
  'fraud.detected': { object: 'suspicion', summary: 'A fraud rule matched an order.' },
  'site.connected': { object: 'site', summary: 'A site was connected or received a new token.' },
  'site.updated': { object: 'site', summary: 'A site was paused, resumed or changed.' },
  'site.disconnected': { object: 'site', summary: 'A site was disconnected.' },
  'program.rates_changed': {
    object: 'program',
    summary:
      "The program's rates changed. They apply to new orders of affiliates without their own or a group rate.",
  },
  'reward_rules.activated': {
    object: 'reward_rules',
    summary: 'Reward rules became active for new orders from `effective_from`.',
  },
  'import.finished': { object: 'import', summary: 'An import finished.' },
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
