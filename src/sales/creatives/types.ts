import type { RecordOf } from '../../records/record.js';
import type { creatives } from './record.js';
import type { CreativeStatus, CreativeType } from './words.js';

export * from './words.js';

/** Who sees a private creative. */
export interface Targets {
  readonly affiliate_ids: readonly number[];
  readonly group_ids: readonly number[];
}

/**
 * A promotional material. `status` is the one in force now, whether or not the clock's job has stored it yet.
 */
export type Creative = RecordOf<typeof creatives> & Targets;

/** Without what a save decides itself. */
export type CreativeFields = Omit<Creative, 'id' | 'created_at' | 'updated_at'>;

/**
 * The submitted form, unchecked: cross-field rules and form encoding make the service the judge of every key.
 */
export type CreativeForm = Readonly<Record<string, unknown>>;

export interface CreativeListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search?: string;
  readonly status?: unknown;
  readonly type?: unknown;
}

/** The list in the words of the database layer. */
export interface CreativeFilter {
  readonly search: string;
  readonly status: CreativeStatus | null;
  readonly type: CreativeType | null;
  readonly now: number;
}

/** Whose material is looked for. */
export interface Viewer {
  readonly affiliateId: number;
  readonly groupId: number | null;
}
