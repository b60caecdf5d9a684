import type { CreationRange, DayQuery } from '../../records/filters.js';
import type { RecordOf } from '../../records/record.js';
import type { creatives } from './record.js';
import type { CreativeStatus, CreativeType } from './words.js';

export * from './words.js';

/** Who sees a private creative. */
export interface Targets {
  readonly affiliate_ids: readonly number[];
  readonly group_ids: readonly number[];
}

/** Promotional material. `status` is the one that applies now, even if the job has not stored it yet. */
export type Creative = RecordOf<typeof creatives> & Targets;

/** The fields without those that saving sets itself. */
export type CreativeFields = Omit<Creative, 'id' | 'created_at' | 'updated_at'>;

/**
 * The submitted form, unchecked: the service checks every key, because of rules between fields and because
 * forms send text.
 */
export type CreativeForm = Readonly<Record<string, unknown>>;

export interface CreativeListQuery extends DayQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search?: string;
  readonly status?: unknown;
  readonly type?: unknown;
}

/** The filters of the list, for the query. */
export interface CreativeFilter {
  readonly search: string;
  readonly status: CreativeStatus | null;
  readonly type: CreativeType | null;
  readonly created: CreationRange;
  readonly now: number;
}

/** The affiliate for whom material is listed. */
export interface Viewer {
  readonly affiliateId: number;
  readonly groupId: number | null;
}
