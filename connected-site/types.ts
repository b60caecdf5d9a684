import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * What the primary showed when this site was connected (`connect_config`). Store it where you store
 * passwords.
 */
export interface ConnectConfig {
  readonly site_id: string;
  readonly server_token: string;
  /** The address of this site; missing in texts of earlier versions. */
  readonly site_url?: string;
  readonly primary_url: string;
  /** Base address of the primary's REST interface. */
  readonly api_url: string;
  readonly param_key: string;
  readonly cookie_duration: number;
  readonly credit_last_referrer: 'yes' | 'no';
}

export interface ConnectOptions {
  /** Sends the requests instead of the built-in client. You decide what it may reach. */
  readonly fetch?: typeof fetch;
  /**
   * Lets the primary have a loopback or private address: for development, or a network of your own. Default:
   * public addresses only.
   */
  readonly allowPrivateNetworks?: boolean;
  /** How long one attempt may take; default 5 seconds. */
  readonly timeoutMs?: number;
  /** Attempts per request; default 3. */
  readonly attempts?: number;
  /** How long a page waits for its visit to be counted; default 500 ms. */
  readonly pageDeadlineMs?: number;
  /** Name of the site's cookie; default `f_aff_<site id>`, which the primary reads, too, on the same host. */
  readonly cookieName?: string;
  /** The visitor's address. Default: the socket's, which behind a proxy is the proxy's. */
  readonly address?: (req: IncomingMessage) => string | null;
  /** May this visitor be tracked? Default: yes. */
  readonly consent?: (req: IncomingMessage) => boolean;
  /**
   * Called with errors that happened while a page was served (the page is still served), and with reports
   * that the primary refused after they had waited (`RefusedReport`).
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Where reports wait that could not be sent. Default: a folder `affiliate-site-<address>` beside the
   * `package.json` of the program.
   */
  readonly queue?: ReportQueue;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

/** A handler of Express 4 and 5, Connect and the like. */
export type PageHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** The primary's response to a handshake. */
export interface Handshake {
  readonly site: {
    readonly site_id: string;
    readonly site_url: string;
    readonly site_title: string;
    readonly status: string;
  };
  readonly primary: {
    readonly name: string;
    readonly url: string;
    readonly portal_url: string;
    readonly referral_variable: string;
  };
  readonly param_key: string;
  /** Earlier names of `param_key`; links with them still count. */
  readonly former_params?: readonly string[];
  readonly cookie_duration: number;
  readonly credit_last_referrer: 'yes' | 'no';
  readonly referral_format: string;
  readonly currency: string;
  readonly server_time: number;
}

export interface VisitReport {
  readonly affiliate_param: string;
  readonly url: string;
  readonly referrer?: string;
  readonly utm_campaign?: string;
  readonly utm_medium?: string;
  readonly utm_source?: string;
  /** Ids of the affiliate's own, from the link. */
  readonly sub1?: string;
  readonly sub2?: string;
  readonly sub3?: string;
  readonly sub4?: string;
  readonly sub5?: string;
  readonly ip?: string;
  readonly current_param?: string;
  readonly visit_id?: number;
  /** Repeats with the same id are the same visit. Chosen at random when absent. */
  readonly event_id?: string;
  /** Unix seconds: when it happened, if not now. Filled in when the report has to wait. */
  readonly occurred_at?: number;
}

export interface VisitResponse {
  readonly message: string;
  readonly visit_id: number | null;
  readonly affiliate_id: number;
  readonly created: boolean;
  readonly cookie: { readonly name: string; readonly value: string; readonly max_age_days: number } | null;
  /** The click, for the rules against fraud: store it with the visitor, and send it with an order. */
  readonly click?: string;
}

type Amount = string | number;

export interface ConversionReport {
  /** The order's key on this site. Reporting it again changes nothing. */
  readonly reference: string;
  readonly affiliate_param?: string;
  readonly visit_id?: number;
  /** The visitor's latest click, from the primary's response. */
  readonly click?: string;
  readonly order: {
    readonly subtotal: Amount;
    readonly tax?: Amount;
    readonly shipping?: Amount;
    readonly discount?: Amount;
  };
  readonly currency?: string;
  readonly status?: 'pending' | 'unpaid';
  readonly type?: 'sale' | 'opt_in';
  readonly description?: string;
  readonly customer?: {
    readonly email?: string;
    readonly first_name?: string;
    readonly last_name?: string;
    readonly ip?: string;
  };
  readonly products?: readonly {
    readonly item_id: Amount;
    readonly title?: string;
    readonly subtotal?: Amount;
    readonly tax?: Amount;
    readonly discount?: Amount;
    readonly total?: Amount;
  }[];
  /** Unix seconds: when the order was placed, if not now. Filled in when the report has to wait. */
  readonly occurred_at?: number;
}

/** A sign-up, a form or the start of a trial. */
export interface LeadReport {
  /** The lead's key on this site. Reporting it again changes nothing. */
  readonly reference: string;
  /** `signup`, `form`, `trial`, or another short word in lower case. */
  readonly kind: string;
  /** Needs an `email`. */
  readonly customer: NonNullable<ConversionReport['customer']>;
  readonly affiliate_param?: string;
  readonly visit_id?: number;
  readonly description?: string;
  /** It earns once it is reported as `unpaid` or the customer pays for the first time. */
  readonly defer?: boolean;
  /** Unix seconds: when it happened, if not now. Filled in when the report has to wait. */
  readonly occurred_at?: number;
}

export interface Referral {
  readonly id: number;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly affiliate_id: number | null;
}

export interface ConversionResponse {
  readonly referral: Referral | null;
  readonly created: boolean;
  /** Why no affiliate was credited; `no_affiliate` when the buyer has none. */
  readonly ignored?: string;
  /** The primary could not be reached: the order waits here and is reported later. */
  readonly queued?: boolean;
}

export interface UpdateResponse {
  /**
   * Null when the order is not known: no affiliate was credited, or it has not arrived. The primary stores
   * the change for 7 days.
   */
  readonly referral: Referral | null;
  readonly changed?: boolean;
  /** `locked`: stored, but nothing could be booked; `deleted`: a person deleted the commission. */
  readonly reason?: 'locked' | 'deleted';
  /** The primary could not be reached: the change waits here and is reported later. */
  readonly queued?: boolean;
}

/**
 * The affiliate of a buyer: store it with a cart or a subscription, and add it to the order that is made
 * later.
 */
export interface HeldAffiliate {
  readonly affiliate_param: string;
  readonly visit_id?: number;
  readonly click?: string;
}

/** A report that waits; `fields` is JSON. `unreadable`: the entry in the queue is no report. */
export interface QueuedReport {
  readonly id: string;
  readonly kind: 'visit' | 'conversion' | 'lead' | 'update' | 'unreadable';
  /** The order that is changed. */
  readonly reference?: string;
  readonly fields: object;
}

/** A list in the order of insertion. Reports may be sent twice without harm. */
export interface ReportQueue {
  add(report: QueuedReport): Promise<void>;
  /** Oldest first. */
  list(limit: number): Promise<readonly QueuedReport[]>;
  remove(id: string): Promise<void>;
  /** Takes a refused report out of the list and stores it; returns where. Without this, it is removed. */
  refuse?(id: string, reason: string): Promise<string | null>;
  size(): Promise<number>;
}

export interface Delivered {
  readonly delivered: number;
  readonly waiting: number;
}

export interface FollowUp {
  readonly status?: 'unpaid' | 'rejected';
  /** Everything the buyer got back so far, tax included. */
  readonly refunded_total?: Amount;
  /** The same, as a part of the amount that the commission was computed from. */
  readonly refunded_base?: Amount;
}
