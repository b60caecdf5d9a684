import type { Minor } from '../src/core/money.js';

/**
 * How a shop or payment system reports orders and payments. A provider only translates: it never looks up an
 * affiliate and never computes a commission.
 */
export interface CommerceProvider {
  /** Matches `^[a-z][a-z0-9_]{1,31}$`. Its referrals carry it as `provider`. */
  readonly key: string;
  readonly info: ProviderInfo;
  /**
   * Live or test mode: events of the other mode (`event.test`) are ignored. Absent: events of both modes
   * count.
   */
  readonly mode?: 'live' | 'test';
  /**
   * Orders count from the start, until an administrator switches the provider off. Default: they count once an
   * administrator has switched it on.
   */
  readonly enabled?: boolean;
  readonly abilities?: ReadonlySet<Ability>;
  readonly extraFields?: Readonly<Record<string, SettingField>>;
  /**
   * The shops that the host names, where it does: the accounts of events. The account that their orders are
   * stored under never changes, so shops may be added, removed and moved.
   */
  readonly stores?: readonly string[];
  /**
   * Accounts that were known under another name: `{ 'https://new.test': 'https://old.test' }`. Orders of the
   * older name are found under the newer one.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * The vendor never uses an order ID twice, in any of its accounts, so orders are found in every account.
   */
  readonly uniqueIds?: boolean;
  /** For shops that call us over HTTP. */
  readonly webhook?: WebhookSource;
  /** For shops that run in the same process. */
  attach?(intake: Intake): Detach | Promise<Detach>;
  readonly catalog?: Catalog;
  couponAffiliate?(code: string, couponIds: readonly string[]): Promise<number | null>;
  /** Address of an order in the shop's back office: `provider_url` of a referral. */
  orderUrl?(order: OrderRef): string | null;
  /**
   * One order as the shop has it now, with `paid_at` if it was paid. Null when there is no such order, or it
   * will never be paid.
   */
  fetchOrder?(order: OrderRef): Promise<ProviderOrder | null>;
  /**
   * What changed since a time; asked daily, page by page, in case a delivery was lost. The cursor is stored,
   * so a failed page is asked for again, after the `retryAfterMs` of the error if it has one.
   */
  changedSince?(ms: number, cursor?: string): Promise<Changes>;
  /** Trusts `attribution.affiliate_id`: it comes from fields that only the shop's staff can write. */
  readonly trustAffiliateId?: boolean;
  /** Uses `attribution.landing_url` as a hint; such referrals are recorded as pending. */
  readonly acceptUnsigned?: boolean;
}
export interface Changes {
  readonly events: readonly ProviderEvent[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
  /** Rows of this page that could not be read. */
  readonly unreadable?: number;
}
export type Ability = 'coupons' | 'renewals' | 'upgrades' | 'products' | 'categories' | 'disputes';

export interface ProviderInfo {
  readonly title: string;
  readonly description: string;
  readonly logo?: string;
  readonly type: 'commerce' | 'forms' | 'lms' | 'membership' | 'other';
}
export type SettingField =
  | {
      readonly type: 'inline_checkbox';
      readonly checkbox_label: string;
      readonly help_text?: string;
      readonly default?: 'yes' | 'no';
    }
  | {
      readonly type: 'custom_rate_component';
      readonly main_label: string;
      readonly has_products?: boolean;
      readonly has_categories?: boolean;
      readonly rate_key?: string;
      readonly rates_key?: string;
      readonly shown_when?: readonly [key: string, value: string];
    };
export interface CatalogSearch {
  readonly kind: 'product' | 'category';
  readonly text: string;
  readonly ids: readonly string[];
  readonly limit: number;
}
export interface Catalog {
  search(query: CatalogSearch): Promise<readonly { id: string; label: string }[]>;
  categoriesOf(productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface WebhookSource {
  /** Default 2 MiB. */
  readonly maxBytes?: number;
  /** Checks the signature. Pure and synchronous; compares in constant time. */
  verify(delivery: Delivery, nowMs: number): Verdict;
  /**
   * Is this an unsigned ping that the shop sends when a webhook is set up? The response is 200, and nothing
   * else happens.
   */
  isProbe?(delivery: Delivery): boolean;
  /** In milliseconds. Deliveries older than this are processed too, and marked for a person to look at. */
  readonly lateAfterMs?: number;
  /**
   * Why the shop should not send this delivery at all, since nothing is read from it; written to the log
   * once.
   */
  remark?(delivery: Delivery): string | null;
  /** A key that is the same for repeats of the same delivery. */
  deliveryKey(delivery: Delivery): string;
  /**
   * The response to an unreadable delivery is 422 and names the field, for shops whose own developers read
   * it. Other shops always get 200, since they switch a webhook off after some errors.
   */
  readonly reportsUnreadable?: boolean;
  /** Pure. An empty list for a topic that is not used; `UnreadableField` names what cannot be read. */
  parse(delivery: Delivery): readonly ProviderEvent[];
  /**
   * Asks the shop for what the payload lacks. `known`: the order was evaluated before, so data that only the
   * first evaluation needs can be omitted.
   */
  enrich?(event: ProviderEvent, about?: { readonly known: boolean }): Promise<ProviderEvent>;
}
export interface Delivery {
  /** The bytes as received. */
  readonly body: Buffer;
  /** The parsed body. Integers of 16 and more digits are text; undefined when the body is not JSON. */
  readonly json: unknown;
  readonly header: (name: string) => string | undefined;
}
export type Verdict =
  { readonly ok: true } | { readonly ok: false; readonly status: 400 | 401; readonly reason: string };

export interface Intake {
  accept(event: ProviderEvent): Promise<Outcome>;
}
export type Detach = () => void | Promise<void>;

/** `account` is the shop within the provider; '' when there is only one. */
export interface OrderRef {
  readonly account: string;
  readonly id: string;
}
interface EventBase {
  /** Epoch milliseconds. When it is 0 or still to come, the time of arrival counts. */
  readonly at: number;
  readonly account: string;
  readonly test?: boolean;
  /** Remarks for a person, stored in `settings.flags` of the referral. */
  readonly flags?: readonly string[];
  /**
   * For events we asked for: key of the delivery that should have brought it. If that delivery came, the
   * event is not processed again.
   */
  readonly delivery?: string;
}

export type OrderEvent = EventBase & {
  readonly type: 'order.created' | 'order.paid';
  readonly order: ProviderOrder;
};
export type RenewalEvent = EventBase & {
  readonly type: 'subscription.renewed';
  readonly order: ProviderOrder & { readonly subscription: Subscription };
};
export type RefundEvent = EventBase & { readonly type: 'order.refunded'; readonly refund: ProviderRefund };
export type CancelEvent = EventBase & {
  readonly type: 'order.canceled';
  readonly order_ref: string;
  readonly reason: 'canceled' | 'failed' | 'voided' | 'deleted';
};
export type DisputeEvent = EventBase & {
  readonly type: 'dispute.opened' | 'dispute.won' | 'dispute.lost';
  readonly order_ref: string;
  readonly dispute_id: string;
  /**
   * Nothing is disputed yet, or the vendor's word is unknown: the referral gets a remark, its commission is
   * not held.
   */
  readonly inquiry?: boolean;
};
/** Further ids of an order that later events may use. */
export type LinkEvent = EventBase & {
  readonly type: 'order.linked';
  readonly order_ref: string;
  readonly refs: readonly string[];
};
/** Who brought an order whose money arrives in another event. */
export type AttributionEvent = EventBase & {
  readonly type: 'order.attributed';
  readonly order: ProviderOrder;
};
export type LeadEvent = EventBase & { readonly type: 'lead.created'; readonly lead: ProviderLead };
interface PersonEvent extends EventBase {
  readonly customer_ref: string;
  readonly email?: string;
  readonly order_refs?: readonly string[];
}
/** A buyer's data has to be erased. */
export type EraseEvent = PersonEvent & { readonly type: 'customer.erase' };
/** A buyer asked which data is stored about them. The request is recorded for the administrator. */
export type DataRequestEvent = PersonEvent & { readonly type: 'customer.requested' };
/** The shop removed the app: its buyers' data has to be erased (`erase`), or it only stops sending. */
export type AccountEvent = EventBase & { readonly type: 'account.erase' | 'account.disconnected' };

export type ProviderEvent =
  | OrderEvent
  | RenewalEvent
  | RefundEvent
  | CancelEvent
  | DisputeEvent
  | LinkEvent
  | AttributionEvent
  | LeadEvent
  | EraseEvent
  | DataRequestEvent
  | AccountEvent;

export interface ProviderOrder {
  readonly id: string;
  /** Names a part of an order that earns a commission of its own. */
  readonly sub_id?: string;
  /** The order number that the buyer sees. */
  readonly number?: string;
  /** Other ids that refunds may use for this order. */
  readonly refs?: readonly string[];
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly totals: Totals;
  readonly items: readonly ProviderItem[];
  readonly coupons: readonly {
    readonly code?: string;
    readonly id?: string;
    readonly discount: Minor;
    /** The coupon made shipping free. Then it credits its affiliate with a discount of 0, too. */
    readonly free_shipping?: boolean;
  }[];
  readonly customer: ProviderCustomer;
  readonly attribution: Attribution;
  readonly subscription?: Subscription;
  /** The order or subscription that this order changes. */
  readonly upgrade_of?: string;
  readonly created_by_staff?: boolean;
  /** How long to wait, in milliseconds, for another event that may name the affiliate. */
  readonly attribution_within?: number;
  /** All refunds so far, for shops that report them with the order. */
  readonly refunds?: readonly ProviderRefund[];
  /** `refunds` may lack some: a refund that it does not list is not undone. */
  readonly some_refunds?: boolean;
  readonly created_at: number;
  readonly paid_at?: number;
}
/** All ≥ 0; without discounts and without tax, unless the name includes them. */
export interface Totals {
  readonly goods: Minor;
  readonly goods_before_discount: Minor;
  readonly goods_tax: Minor;
  readonly shipping: Minor;
  readonly shipping_tax: Minor;
  readonly fees: Minor;
  readonly fees_tax: Minor;
  /** What was charged, tax included. */
  readonly grand_total: Minor;
  /** The money received; less than `grand_total` when credit was used. */
  readonly paid: Minor;
}
export interface ProviderItem {
  readonly id: string;
  readonly product_id: string | null;
  readonly variant_id?: string;
  readonly category_ids?: readonly string[];
  readonly title: string;
  readonly quantity: number;
  readonly net: Minor;
  readonly net_before_discount: Minor;
  readonly tax: Minor;
  readonly commissionable?: boolean;
}
export interface ProviderCustomer {
  readonly ref?: string;
  readonly user_id?: number;
  readonly email?: string;
  readonly name?: string;
  readonly ip?: string;
  /** The vendor's fingerprint of the card or account that paid. */
  readonly payment_fingerprint?: string;
}
export interface Subscription {
  readonly id: string;
  /**
   * `other`: it pays for this subscription if that is known, such as an invoice made by hand; else it is an
   * order of its own.
   */
  readonly phase: 'first' | 'renewal' | 'change' | 'other';
  readonly trial?: boolean;
}
export interface Attribution {
  /** The signed token of `service.checkoutToken(req)`. */
  readonly token?: string;
  /** Only set from a field that the shop's staff controls. */
  readonly affiliate_id?: number;
  /** Not to be trusted: it comes from the buyer's browser. */
  readonly landing_url?: string;
  /** For shops in the same process: the attribution cookie of the buyer's own request. */
  readonly cookie?: string;
}
export interface ProviderRefund {
  /** The id of the order, or one of its `refs`. */
  readonly order_ref: string;
  /** Absent: `gross` is everything refunded of the order so far. */
  readonly refund_id?: string;
  /** The amount is a running total: it counts only until the account reports a refund `by_id`. */
  readonly provisional?: boolean;
  /** The account reports each of its refunds by its id. */
  readonly by_id?: boolean;
  readonly gross: Minor;
  readonly currency: string;
  readonly items?: readonly {
    readonly item_id: string;
    readonly net: Minor;
    readonly tax: Minor;
    /**
     * What was given back for it, tax included, where the shop does not separate net and tax; it is split
     * like the recorded order.
     */
    readonly gross?: Minor;
  }[];
  readonly shipping?: Minor;
  readonly shipping_tax?: Minor;
  /** Fees that were paid back, tax included. */
  readonly fees?: Minor;
  /** What earns nothing, such as duties. */
  readonly other?: Minor;
  /** `undone`: the refund failed or was canceled later. */
  readonly state: 'done' | 'undone';
}
export interface ProviderLead {
  readonly id: string;
  readonly kind: 'lead' | 'opt_in';
  readonly customer: ProviderCustomer;
  readonly attribution: Attribution;
}
export interface Outcome {
  readonly result: 'recorded' | 'updated' | 'unchanged' | 'ignored' | 'deferred';
  readonly reason?: string;
  readonly referral_id?: number;
}
