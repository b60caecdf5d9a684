export interface PortalReferral {
  readonly description: string | null;
  readonly status: string;
  readonly amount_minor: number;
  readonly currency: string | null;
  readonly utm_campaign: string | null;
  readonly type: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface PortalVisit {
  readonly id: number;
  readonly url: string;
  readonly referrer: string | null;
  readonly utm_campaign: string | null;
  readonly utm_medium: string | null;
  readonly utm_source: string | null;
  readonly created_at: number;
}

/** In the program currency; a visit whose referrals are all in another one brought 0, yet is converted. */
export interface VisitIncome {
  readonly amount_minor: number;
}

export interface PageQuery {
  readonly page: number;
  readonly per_page: number;
}

/** The image of a link: a document or a picture. */
export interface QrQuery {
  readonly format?: unknown;
  readonly url?: unknown;
  readonly size?: unknown;
}

export interface QrImage {
  readonly type: 'image/svg+xml' | 'image/png';
  readonly data: string | Buffer;
}
