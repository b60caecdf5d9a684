import type { Minor } from '../src/core/money.js';

/**
 * How a shop or payment system tells the service about money.
 * A provider translates; it never looks up an affiliate or computes a commission.
 */
export interface CommerceProvider {
  /** `^[a-z][a-z0-9_]{1,31}$`; the `provider` of its referrals. */
  readonly key: string;
  readonly info: ProviderInfo;
  /** Events of the other mode (`event.test`) are ignored; absent: events of both modes count. */
  readonly mode?: 'live' | 'test';
  readonly abilities?: ReadonlySet<Ability>;
  readonly extraFields?: Readonly<Record<string, SettingField>>;
  /** Shops that call us over HTTP. */
  readonly webhook?: WebhookSource;
  /** Shops in the same process. */
  attach?(intake: Intake): Detach | Promise<Detach>;
  readonly catalog?: Catalog;
  couponAffiliate?(code: string, couponIds: readonly string[]): Promise<number | null>;
  /** Administration address of an order: `provider_url` of a referral. */
  orderUrl?(order: OrderRef): string | null;
  /**
   * One order as the shop has it now, `paid_at` when it was paid for;
   * null when there is none, or it came to nothing.
   */
  fetchOrder?(order: OrderRef): Promise<ProviderOrder | null>;
  /**
   * What changed since; asked daily, page by page, in case a delivery was lost.
   * The cursor is kept: a failed page is asked for again, after the
   * `retryAfterMs` of the error if it has one.
   */
  changedSince?(ms: number, cursor?: string): Promise<Changes>;
  /** Takes `attribution.affiliate_id` from fields only the shop's staff can write. */
  readonly trustAffiliateId?: boolean;
  /** Takes `attribution.landing_url` as a hint; such referrals are recorded as pending. */
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
  /** Pure and synchronous; compares in constant time. */
  verify(delivery: Delivery, nowMs: number): Verdict;
  /** An unsigned set-up ping: answered 200 and nothing else. */
  isProbe?(delivery: Delivery): boolean;
  /** Deliveries older than this are processed too, and flagged for a person; milliseconds. */
  readonly lateAfterMs?: number;
  /** Why a delivery nothing is read from should not be sent at all; told once in the log. */
  remark?(delivery: Delivery): string | null;
  /** The same delivery has the same key. */
  deliveryKey(delivery: Delivery): string;
  /** Pure; an empty list for a topic of no interest. */
  parse(delivery: Delivery): readonly ProviderEvent[];
  /**
   * Asks the shop for what the payload lacks. `known`: the order was judged already,
   * what only its first judgement needs can be left out.
   */
  enrich?(event: ProviderEvent, about?: { readonly known: boolean }): Promise<ProviderEvent>;
}
export interface Delivery {
  /** Bytes as received. */
  readonly body: Buffer;
  /** Parsed; integers of 16 and more digits are text; undefined when the body is not JSON. */
  readonly json: unknown;
  readonly header: (name: string) => string | undefined;
}
export type Verdict =
  { readonly ok: true } | { readonly ok: false; readonly status: 400 | 401; readonly reason: string };

export interface Intake {
  accept(event: ProviderEvent): Promise<Outcome>;
}
export type Detach = () => void | Promise<void>;

/** `account` is the shop within the provider, '' when there is one. */
export interface OrderRef {
  readonly account: string;
  readonly id: string;
}
interface EventBase {
  /** Epoch milliseconds; 0 when the shop does not say: the time of arrival counts. */
  readonly at: number;
  readonly account: string;
  readonly test?: boolean;
  /** What a person should know; kept in `settings.flags` of the referral. */
  readonly flags?: readonly string[];
  /**
   * Of events that were asked for: key of the delivery that should have brought it.
   * One that is known is not worked on again.
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
  /** Nothing is contested yet, or the vendor's word is not known: a flag, and the commission is not held. */
  readonly inquiry?: boolean;
};
/** Further ids of an order, under which later events may arrive. */
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
/** A buyer has to be forgotten. */
export type EraseEvent = PersonEvent & { readonly type: 'customer.erase' };
/** A buyer asked what is kept: recorded for the administrator. */
export type DataRequestEvent = PersonEvent & { readonly type: 'customer.requested' };
/** The shop left: its buyers have to be forgotten (`erase`), or it only sends nothing any more. */
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
  /** Part of an order that earns on its own. */
  readonly sub_id?: string;
  /** What the buyer sees. */
  readonly number?: string;
  /** Other ids under which refunds may arrive. */
  readonly refs?: readonly string[];
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly totals: Totals;
  readonly items: readonly ProviderItem[];
  readonly coupons: readonly { readonly code?: string; readonly id?: string; readonly discount: Minor }[];
  readonly customer: ProviderCustomer;
  readonly attribution: Attribution;
  readonly subscription?: Subscription;
  /** Order or subscription it changes. */
  readonly upgrade_of?: string;
  readonly created_by_staff?: boolean;
  /** Its attribution may come in another event: wait so long for it (milliseconds). */
  readonly attribution_within?: number;
  /** Everything refunded so far, for shops that report it with the order. */
  readonly refunds?: readonly ProviderRefund[];
  readonly created_at: number;
  readonly paid_at?: number;
}
/** All ≥ 0; net of discounts and of tax unless the name says otherwise. */
export interface Totals {
  readonly goods: Minor;
  readonly goods_before_discount: Minor;
  readonly goods_tax: Minor;
  readonly shipping: Minor;
  readonly shipping_tax: Minor;
  readonly fees: Minor;
  readonly fees_tax: Minor;
  /** Charged, gross. */
  readonly grand_total: Minor;
  /** Money received; below `grand_total` when credit was used. */
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
  /** The vendor's own name for the card or account paid with. */
  readonly payment_fingerprint?: string;
}
export interface Subscription {
  readonly id: string;
  readonly phase: 'first' | 'renewal' | 'change';
  readonly trial?: boolean;
}
export interface Attribution {
  /** The signed token of `service.checkoutToken(req)`. */
  readonly token?: string;
  /** Only from a field the shop's staff controls. */
  readonly affiliate_id?: number;
  /** Untrusted. */
  readonly landing_url?: string;
  /** In-process shops: the attribution cookie of the buyer's own request. */
  readonly cookie?: string;
}
export interface ProviderRefund {
  /** Order id or any of its refs. */
  readonly order_ref: string;
  /** Absent: amounts are cumulative for the order. */
  /** Absent: `gross` is everything refunded of the order so far. */
  readonly refund_id?: string;
  /** Of an amount so far: counts only until the account has told a refund `by_id`. */
  readonly provisional?: boolean;
  /** The account tells each of its refunds by its id. */
  readonly by_id?: boolean;
  readonly gross: Minor;
  readonly currency: string;
  readonly items?: readonly {
    readonly item_id: string;
    readonly net: Minor;
    readonly tax: Minor;
    /**
     * What went back for it, tax included, where net and tax are not told apart:
     * the recorded order divides it.
     */
    readonly gross?: Minor;
  }[];
  readonly shipping?: Minor;
  readonly shipping_tax?: Minor;
  /** `undone`: failed or canceled later. */
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
