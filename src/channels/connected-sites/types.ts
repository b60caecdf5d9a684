import type { SubId } from '../../core/sub-ids.js';
import type { Flag } from '../../program/settings/types.js';
import type { ConnectedSite } from './record.js';

export type { ConnectedSite, SiteSettings } from './record.js';

export interface SitesConfig {
  readonly status: Flag;
  readonly sites: readonly ConnectedSite[];
}

/** A site's address, or the text of its connector (`child_token`), which contains the address. */
export interface IssueInput {
  readonly site_url?: unknown;
  readonly site_title?: unknown;
  readonly child_token?: unknown;
}

/** The answer when a site is connected; only this contains the token. */
export interface IssuedSite {
  readonly site: ConnectedSite;
  readonly server_token: string;
  /** The site was already connected; its old token no longer works. */
  readonly rotated: boolean;
}

/** An entry of the portal's share widget. */
export interface ShareEntry {
  readonly name: string;
  readonly url: string;
  readonly param: string;
  readonly id?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly description?: string;
  readonly logo?: string;
}

type Amount = string | number;
/** Text that clients also send as a number. */
type Word = string | number;

export interface SiteVisitInput extends Readonly<Partial<Record<SubId, unknown>>> {
  readonly affiliate_param: Word;
  readonly url: string;
  readonly referrer?: unknown;
  readonly utm_campaign?: unknown;
  readonly utm_medium?: unknown;
  readonly utm_source?: unknown;
  readonly ip?: string | undefined;
  readonly current_param?: unknown;
  readonly visit_id?: number | undefined;
  readonly event_id?: Word | undefined;
  /** Unix seconds. */
  readonly occurred_at?: number | undefined;
}

export interface SiteProduct {
  readonly item_id: Word;
  readonly title?: string | undefined;
  readonly subtotal?: Amount | undefined;
  readonly tax?: Amount | undefined;
  readonly discount?: Amount | undefined;
  readonly total?: Amount | undefined;
}

export interface SiteConversionInput {
  readonly reference: Word;
  readonly affiliate_param?: Word | undefined;
  readonly visit_id?: number | undefined;
  readonly order: {
    readonly subtotal: Amount;
    readonly tax?: Amount | undefined;
    readonly shipping?: Amount | undefined;
    readonly discount?: Amount | undefined;
  };
  readonly currency?: string | undefined;
  readonly status?: 'pending' | 'unpaid' | undefined;
  readonly type?: 'sale' | 'opt_in' | undefined;
  readonly description?: string | undefined;
  readonly customer?:
    | {
        readonly email?: string | undefined;
        readonly first_name?: string | undefined;
        readonly last_name?: string | undefined;
        readonly ip?: string | undefined;
      }
    | undefined;
  readonly products?: readonly SiteProduct[] | undefined;
  readonly amount?: Amount | undefined;
  /** Unix seconds. */
  readonly occurred_at?: number | undefined;
  /** The visitor's latest click, as the answer to a visit told it. */
  readonly click?: Word | undefined;
}

export interface SiteLeadInput {
  readonly reference: Word;
  readonly kind: string;
  readonly affiliate_param?: Word | undefined;
  readonly visit_id?: number | undefined;
  readonly description?: string | undefined;
  readonly customer: NonNullable<SiteConversionInput['customer']>;
  readonly defer?: boolean | undefined;
  /** Unix seconds. */
  readonly occurred_at?: number | undefined;
}

export interface SiteFollowUp {
  readonly status?: 'unpaid' | 'rejected' | undefined;
  /** Everything the buyer got back so far, tax included. */
  readonly refunded_total?: Amount | undefined;
  /** The same, as a part of the amount that the commission was computed from. */
  readonly refunded_base?: Amount | undefined;
}
