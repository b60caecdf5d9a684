export const LINK_STATUSES = ['active', 'inactive'] as const;

/**
 * A short address of the site that counts a click and sends the visitor on:
 * `/go/summer` (docs/tracking.md §15, §14).
 */
export interface RedirectLink {
  readonly id: number;
  /** Lower case; its name has nothing to do with the affiliate's own tracking value. */
  readonly slug: string;
  readonly affiliate_id: number;
  readonly creative_id: number | null;
  /** Null: where the creative leads, else the affiliate's default page. */
  readonly url: string | null;
  /** For visits whose address names no campaign. */
  readonly utm_campaign: string | null;
  readonly status: (typeof LINK_STATUSES)[number];
  readonly created_at: number;
  readonly updated_at: number;
}

export interface LinkInput {
  readonly slug?: string;
  readonly affiliate_id?: number;
  readonly creative_id?: number | null;
  readonly url?: string | null;
  readonly utm_campaign?: string | null;
  readonly status?: RedirectLink['status'];
}

export interface LinkListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly affiliate_id?: number;
}
