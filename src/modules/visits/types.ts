import type { ListQuery } from '../../http/schema.js';

export type { VisitReferral } from '../referrals/types.js';

/** A counted click. Texts are stored clean and cut; the address is stored as the option `tracking.ip` says. */
export interface Visit {
  readonly id: number;
  readonly affiliate_id: number | null;
  /** Host user of the visitor when signed in. */
  readonly user_id: number | null;
  /** Only in imported rows; "converted" asks the referrals. */
  readonly referral_id: number | null;
  readonly site_id: string | null;
  readonly event_id: string | null;
  readonly url: string | null;
  readonly referrer: string | null;
  readonly utm_campaign: string | null;
  readonly utm_medium: string | null;
  readonly utm_source: string | null;
  readonly ip: string | null;
  readonly visitor_key: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What a new row needs; everything left out is null, times default to now. */
export type NewVisit = Pick<Visit, 'affiliate_id'> &
  Partial<Omit<Visit, 'id' | 'affiliate_id'>> & { readonly source_key?: string | null };

export interface VisitListQuery extends ListQuery {
  /** `converted`, `not_converted`; anything else is no filter. */
  readonly convert_status?: unknown;
}

/** Under an affiliate the same filter is called `status` (affiliates §5.9). */
export interface AffiliateVisitQuery extends ListQuery {
  readonly status?: unknown;
}

export type Converted = 'converted' | 'not_converted' | null;

/** One list or export in the words of the database layer. */
export interface VisitFilter {
  readonly affiliateId?: number;
  readonly converted: Converted;
  readonly search: string;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
}

export interface VisitOrder {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

/** What an export reads of a visit; `url_key` in one that is sorted by it. */
export type ExportedVisit = Pick<
  Visit,
  'id' | 'affiliate_id' | 'url' | 'referrer' | 'utm_campaign' | 'utm_medium' | 'utm_source' | 'created_at'
> & { readonly url_key?: string | null; readonly converted: number };
