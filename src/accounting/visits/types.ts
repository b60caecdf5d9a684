import type { ListQuery } from '../../platform/http/schema.js';
import type { ReferralStatus } from '../ledger/types.js';
import type { SubId } from '../../core/sub-ids.js';
import type { CreationRange, RecordQuery, SubIdQuery } from '../../records/filters.js';

import type { Visit } from './record.js';

export type { Visit } from './record.js';

/** A new row; what is absent is null, times default to now. */
export type NewVisit = Pick<Visit, 'affiliate_id'> &
  Partial<Omit<Visit, 'id' | 'affiliate_id'>> & { readonly source_key?: string | null };

export interface VisitListQuery extends ListQuery, RecordQuery, SubIdQuery {
  /** `converted` or `not_converted`; any other value does not filter. */
  readonly convert_status?: unknown;
}

/** Under an affiliate the same filter is called `status` (docs/interface.md §6.7). */
export interface AffiliateVisitQuery extends ListQuery, RecordQuery {
  readonly status?: unknown;
}

/** The filters of one list or export, for the query. */
export interface VisitFilter {
  readonly affiliateId?: number;
  readonly converted: 'converted' | 'not_converted' | null;
  readonly search: string;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
  readonly created: CreationRange;
  readonly subIds: SubIdQuery;
}

/** The columns of a visit that exports read. */
export type ExportedVisit = Pick<
  Visit,
  | 'id'
  | 'affiliate_id'
  | 'url'
  | 'referrer'
  | 'utm_campaign'
  | 'utm_medium'
  | 'utm_source'
  | 'created_at'
  | SubId
> & { readonly converted: number };

export interface VisitReferral {
  readonly id: number;
  readonly visit_id: number;
  readonly status: ReferralStatus;
  readonly amount: number;
  readonly currency: string;
}

/** What later modules add to visits; registered when the service is built. */
export interface VisitContributions {
  /** The commissions of these visits, by visit id. */
  referrals(visitIds: readonly number[]): Promise<ReadonlyMap<number, readonly VisitReferral[]>>;
}
