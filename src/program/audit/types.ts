import type { CreationRange, DayQuery } from '../../records/filters.js';

/** Who changed what, when, and the values before and after; amounts in minor units, never a secret. */
export interface AuditEntry {
  /** The user of the request; null for code, jobs and sites. */
  readonly actor_id: number | null;
  /** The API key the request was made with. */
  readonly api_key_id: number | null;
  /** Such as `payout.processed` or `affiliate.updated`. */
  readonly action: string;
  readonly object_type: string;
  readonly object_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly request_id: string;
  /** Epoch milliseconds. */
  readonly created_at: number;
}

/** An entry as it is read; entries of imports and jobs may have no request. */
export interface AuditRow extends Omit<AuditEntry, 'request_id'> {
  readonly id: number;
  readonly request_id: string | null;
}

/** An object that was made with an API key. */
export interface MadeObject {
  readonly object_type: string;
  readonly object_id: string | null;
  readonly created_at: number;
}

/** Filters; absent and blank ones are ignored. */
export interface AuditQuery extends DayQuery {
  readonly page: number;
  readonly per_page: number;
  readonly order_type: 'ASC' | 'DESC';
  readonly object_type?: string;
  readonly object_id?: string;
  readonly action?: string;
  /** A host user; 0 for code, jobs and sites. */
  readonly actor_id?: number;
  readonly api_key_id?: number;
  /** `YYYY-MM-DD` of the site. */
  readonly day?: string;
  /**
   * Changes of this affiliate's own record. The log stores no affiliate for other records, whose changes are
   * found by `object_type` and `object_id`.
   */
  readonly affiliate_id?: number;
}

/** These filters as the query takes them. */
export interface AuditFilter {
  readonly page: number;
  readonly per_page: number;
  readonly order_type: 'ASC' | 'DESC';
  readonly equals: Readonly<Record<string, string | number | null>>;
  readonly created: readonly CreationRange[];
  readonly affiliateId: number | null;
}
