import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NetworkKey } from '../../platform/http/client-address.js';
import type { SubIds } from '../../core/sub-ids.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Visit } from '../../accounting/visits/types.js';
import type { ClickSign } from '../fraud/types.js';

/** The messages of the tracking endpoint (docs/tracking.md §3); clients compare the exact text. */
export type TrackMessage =
  'invalid param' | 'invalid aff' | 'affiliate_inactive' | 'already_exist' | 'throttled' | 'success' | 'no';

/** Why a click was not counted. The list is complete; `skip_counts` stores these words with kind `visit`. */
export const SKIP_REASONS = [
  'head',
  'prefetch',
  'not_document',
  'no_agent',
  'bot',
  'opt_out',
  'privacy_control',
  'no_consent',
  'rate_limited',
  'invalid',
  'foreign_origin',
  'foreign_url',
  'unknown_affiliate',
  'inactive_affiliate',
  'own_click',
  'banned_referrer',
  'banned_address',
  'known_visitor',
  'first_click_wins',
  'repeated',
  'throttled',
  'overload',
  'failed',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why it is unknown who brought the buyer of a request. */
export type UnknownReason = 'robot' | 'consent' | 'no_cookie';

/** The content of a valid attribution cookie. */
export interface AttributionCookie {
  /** The affiliate's id; a name in a cookie from before names were registered, or of an imported system. */
  readonly param: string;
  /** What the value of the link that set it is recognized by; null in an older or unsigned cookie. */
  readonly link: string | null;
  /** What was suspicious about the click that set or renewed it. */
  readonly signs: readonly ClickSign[];
  readonly visitId: number | null;
  /**
   * The time of the click that counts, in epoch milliseconds; null in an unsigned cookie of another system.
   */
  readonly issuedAt: number | null;
}

/** The affiliate whose link led to an order, according to the cookie of the request. */
export interface Attribution {
  readonly affiliate: Affiliate;
  /** Set only when that visit exists and belongs to the affiliate. */
  readonly visit_id: number | null;
  readonly param: string;
  readonly clicked_at: number | null;
}

/** An attribution with the stored visit. */
export interface AttributedVisit extends Attribution {
  readonly visit: Visit | null;
  readonly signs: readonly ClickSign[];
}

/** The click that the address of a page contains. */
export interface PageLink {
  readonly param: string;
  /** The page's absolute address without the tracking parts, shortened to fit its column. */
  readonly url: string;
  /** True for `/ref/x` at the end of the path, false for `?ref=x`. */
  readonly pathForm: boolean;
  readonly utm: Utm;
  readonly visitId: number | null;
}

/** What the link contains: its campaign, and the affiliate's own ids. */
export interface Utm extends SubIds {
  /** The short link that was followed. */
  readonly link_id?: number;
  readonly utm_campaign: string | null;
  readonly utm_medium: string | null;
  readonly utm_source: string | null;
}

/** A click as the page tracker, the endpoint or a connected site reports it. */
export interface ClickInput {
  readonly param: string;
  readonly url: string;
  readonly referrer: string | null;
  readonly utm: Utm;
  readonly visitId: number | null;
  /** The tracking value that the visitor already has. */
  readonly current: string | null;
  /** When that value was set, in epoch milliseconds; null when it is not known. */
  readonly currentAt?: number | null;
  readonly visitor: Visitor;
  readonly site?: ClickSite;
}

export interface Visitor {
  readonly address: string | null;
  /** The address as limits count it, when it is already known. */
  readonly limitKeys?: readonly NetworkKey[];
  readonly agent: string;
  /** The signed-in host user; called only when the click would count. */
  userId(): Promise<number | null>;
}

/** A connected site that reports a visitor; its own rules replace those of the program. */
export interface ClickSite {
  readonly site_id: string;
  readonly credit_last_referrer: 'yes' | 'no';
  readonly cookie_duration: number;
  readonly event_id: string | null;
  /** Epoch milliseconds; in the past when the report was delayed. */
  readonly happened_at: number;
}

/** `reason` is set when no new visit was counted. */
export interface ClickResult {
  readonly kind: 'answered';
  readonly message: TrackMessage;
  readonly reason: SkipReason | null;
  readonly affiliate: Affiliate | null;
  readonly visitId: number | null;
  /** The visitor came back through the same affiliate, and the cookie may be renewed. */
  readonly renews?: boolean;
}

/** A click that passed every check and waits for its group to be committed. */
export interface Click {
  readonly affiliateId: number;
  readonly at: number;
  readonly row: Omit<Visit, 'id' | 'affiliate_id' | 'referral_id' | 'created_at' | 'updated_at'>;
  /** Keyed hash of address and user agent; null when repeats are counted. */
  readonly dedupKey: string | null;
  readonly windowMs: number;
  /** The address and the networks around it, each with its limit of new visits; none when there is no limit. */
  readonly flood: readonly { readonly key: string; readonly limit: number }[];
}

export interface ClickOutcome {
  readonly message: 'success' | 'throttled' | 'no' | 'invalid aff' | 'affiliate_inactive';
  readonly visit: Visit | null;
  /** The visit's id, also when it was counted before. */
  readonly visitId: number | null;
}

/** A handler for node's own request and response, which any framework can call. */
export type RequestHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** An order reported by a page, signed by the host or unsigned. */
export interface ReportedOrder {
  readonly provider: string;
  readonly reference: string | number;
  readonly sub_reference?: string;
  readonly account?: string;
  readonly type: 'sale' | 'lead';
  readonly status: 'pending' | 'unpaid';
  readonly description?: string;
  /** The amount the commission is computed from; a lead may have none. */
  readonly order?: { readonly subtotal: string | number; readonly currency?: string };
  readonly customer?: { readonly email?: string; readonly user_id?: number } | null;
  readonly settings?: Readonly<Record<string, unknown>>;
}
