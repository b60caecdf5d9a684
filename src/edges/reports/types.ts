/** Which sections the caller may read; everything else stays out of the answer. */
export interface Sections {
  readonly affiliates: boolean;
  readonly referrals: boolean;
  readonly visits: boolean;
  readonly payouts: boolean;
}

/** Rows of one status and currency, added up; null currency reads as the program's. */
export interface MoneyGroup {
  readonly status: string;
  readonly currency: string | null;
  readonly rows: number;
  readonly amount_minor: number;
  /** Of referrals only. */
  readonly order_total_minor: number;
}

export interface AffiliateGroup {
  readonly status: string;
  readonly rows: number;
  readonly visits: number;
  readonly visits_purged: number;
}

/** Money in the program currency, and what came in others. */
export interface MoneyFigure {
  readonly minor: number;
  readonly others: Readonly<Record<string, number>>;
}

/** What filters of a provider's report see and may change. */
export interface RawWidget {
  readonly title: string;
  readonly count: number;
  readonly is_money: boolean;
}

/** Column names and lines of a report as a file. */
export interface ReportFile {
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** What the figures of some days can be told apart by. */
export const BREAKDOWNS = ['campaigns', 'shops', 'affiliates', 'groups'] as const;
export type BreakdownBy = (typeof BREAKDOWNS)[number];
