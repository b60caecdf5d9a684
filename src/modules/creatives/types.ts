export const CREATIVE_TYPES = ['image', 'text', 'html', 'banner', 'qr_code'] as const;
export const CREATIVE_STATUSES = ['active', 'inactive', 'scheduled', 'expired'] as const;
export const PRIVACIES = ['public', 'private'] as const;

export type CreativeType = (typeof CREATIVE_TYPES)[number];
export type CreativeStatus = (typeof CREATIVE_STATUSES)[number];
export type Privacy = (typeof PRIVACIES)[number];

/** Sizes, colours, notes and scalars of extensions; the schedule has columns of its own. */
export type CreativeMeta = Readonly<Record<string, string | number | boolean>>;

/** What the columns of a creative hold, without id and times. */
export interface CreativeFields {
  readonly name: string;
  readonly description: string | null;
  readonly type: CreativeType;
  readonly image: string | null;
  readonly text: string | null;
  /** Where it leads, without any tracking parameter. */
  readonly url: string;
  readonly privacy: Privacy;
  readonly status: CreativeStatus;
  readonly starts_at: number | null;
  readonly ends_at: number | null;
  readonly meta: CreativeMeta;
  /** Who sees a private creative. */
  readonly affiliate_ids: readonly number[];
  readonly group_ids: readonly number[];
}

/**
 * A promotional material. `status` is the one in force now, whether or not the clock's job has stored it yet.
 */
export interface Creative extends CreativeFields {
  readonly id: number;
  readonly created_at: number;
  readonly updated_at: number;
}

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
