import type { ListQuery } from '../../platform/http/schema.js';
import type { ReferralStatus } from '../ledger/types.js';
import type { Created, RecordQuery } from '../../records/filters.js';

import type { Visit } from './record.js';

export type { Visit } from './record.js';

/** What a new row needs; everything left out is null, times default to now. */
export type NewVisit = Pick<Visit, 'affiliate_id'> &
  Partial<Omit<Visit, 'id' | 'affiliate_id'>> & { readonly source_key?: string | null };

export interface VisitListQuery extends ListQuery, RecordQuery {
  /** `converted`, `not_converted`; anything else is no filter. */
  readonly convert_status?: unknown;
}

/** Under an affiliate the same filter is called `status` (docs/interface.md §6.7). */
export interface AffiliateVisitQuery extends ListQuery, RecordQuery {
  readonly status?: unknown;
}

/** One list or export in the words of the database layer. */
export interface VisitFilter {
  readonly affiliateId?: number;
  readonly converted: 'converted' | 'not_converted' | null;
  readonly search: string;
  /** Host users whose name, e-mail or login contains the search text. */
  readonly userIds: readonly number[];
  readonly created: Created;
}

/** What an export reads of a visit. */
export type ExportedVisit = Pick<
  Visit,
  'id' | 'affiliate_id' | 'url' | 'referrer' | 'utm_campaign' | 'utm_medium' | 'utm_source' | 'created_at'
> & { readonly converted: number };

export interface VisitReferral {
  readonly id: number;
  readonly visit_id: number;
  readonly status: ReferralStatus;
  readonly amount: number;
  readonly currency: string;
}

/** What modules above add to visits; registered when the service is built. */
export interface VisitContributions {
  /** The commissions these visits led to, by visit id. */
  referrals(visitIds: readonly number[]): Promise<ReadonlyMap<number, readonly VisitReferral[]>>;
}
