import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Visit } from '../../books/visits/types.js';

/** The messages of the tracking endpoint (docs/tracking.md §3); clients compare them literally. */
export type TrackMessage =
  | 'invalid param'
  | 'invalid aff'
  | 'affiliate_inactive'
  | 'already_exist'
  | 'throttled'
  | 'success'
  | 'no';

/** Why a click was not counted; the closed list behind `skip_counts` (kind `visit`). */
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

/** Why nobody is known to have brought the buyer of a request. */
export type UnknownReason = 'robot' | 'consent' | 'no_cookie';

/** The content of an accepted attribution cookie. */
export interface AttributionCookie {
  readonly param: string;
  readonly visitId: number | null;
  /** Epoch ms of the winning click; null in an unsigned cookie of another system. */
  readonly issuedAt: number | null;
}

/** Whose order a request's order is, by its cookie. */
export interface Attribution {
  readonly affiliate: Affiliate;
  /** Only when that visit exists and belongs to the affiliate. */
  readonly visit_id: number | null;
  readonly param: string;
  readonly clicked_at: number | null;
}

/** The same with the visit as it is stored. */
export interface AttributedVisit extends Attribution {
  readonly visit: Visit | null;
}

/** What the address of a page says about a click. */
export interface PageLink {
  readonly param: string;
  /** The page's absolute address without the tracking parts, cut to its column. */
  readonly url: string;
  /** `/ref/x` at the end of the path instead of `?ref=x`. */
  readonly pathForm: boolean;
  readonly utm: Utm;
  readonly visitId: number | null;
}

export interface Utm {
  readonly utm_campaign: string | null;
  readonly utm_medium: string | null;
  readonly utm_source: string | null;
}

/** A click as the tracker, the endpoint or a connected site saw it. */
export interface ClickInput {
  readonly param: string;
  readonly url: string;
  readonly referrer: string | null;
  readonly utm: Utm;
  readonly visitId: number | null;
  /** The tracking value the visitor carries already. */
  readonly current: string | null;
  readonly visitor: Visitor;
  readonly site?: ClickSite;
}

export interface Visitor {
  readonly address: string | null;
  /** The address as limits count it, where it is known already. */
  readonly limitKey?: string;
  readonly agent: string;
  /** The signed-in host user; asked only when the click would count. */
  userId(): Promise<number | null>;
}

/** A connected site speaking for its visitor: its own rules replace the program's. */
export interface ClickSite {
  readonly site_id: string;
  readonly credit_last_referrer: 'yes' | 'no';
  readonly cookie_duration: number;
  readonly event_id: string | null;
  /** Epoch milliseconds; earlier than now when the report had to wait. */
  readonly happened_at: number;
}

/** `reason` is set when no new visit was counted. */
export interface ClickResult {
  readonly kind: 'answered';
  readonly message: TrackMessage;
  readonly reason: SkipReason | null;
  readonly affiliate: Affiliate | null;
  readonly visitId: number | null;
}

/** A click that passed every check, as it waits for its group to be committed. */
export interface Click {
  readonly affiliateId: number;
  readonly at: number;
  readonly row: Omit<Visit, 'id' | 'affiliate_id' | 'referral_id' | 'created_at' | 'updated_at'>;
  /** Keyed hash of address and agent; null when repeats are counted. */
  readonly dedupKey: string | null;
  readonly windowMs: number;
  readonly floodKey: string | null;
  readonly floodLimit: number;
}

export interface ClickOutcome {
  readonly message: 'success' | 'throttled' | 'no' | 'invalid aff' | 'affiliate_inactive';
  readonly visit: Visit | null;
  /** The visit's id, also when it was counted earlier. */
  readonly visitId: number | null;
}

/** Any framework's handler on node's own request and response. */
export type RequestHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** An order as a page reports it: signed by the host, or claimed by the page alone. */
export interface ReportedOrder {
  readonly provider: string;
  readonly reference: string | number;
  readonly sub_reference?: string;
  readonly account?: string;
  readonly type: 'sale' | 'lead';
  readonly status: 'pending' | 'unpaid';
  readonly description?: string;
  /** What the commission is computed from; a lead may have none. */
  readonly order?: { readonly subtotal: string | number; readonly currency?: string };
  readonly customer?: { readonly email?: string; readonly user_id?: number } | null;
  readonly settings?: Readonly<Record<string, unknown>>;
}
