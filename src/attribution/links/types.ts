import type { RecordQuery } from '../../records/filters.js';
import type { RedirectLink } from './record.js';

export type { RedirectLink } from './record.js';

export interface LinkInput {
  readonly slug?: string;
  readonly creative_id?: number | null;
  readonly url?: string | null;
  readonly utm_campaign?: string | null;
  readonly status?: RedirectLink['status'];
}

export interface LinkListQuery extends RecordQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly affiliate_id?: number;
  readonly creative_id?: number;
}
