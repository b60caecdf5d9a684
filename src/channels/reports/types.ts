import { SUB_IDS } from '../../core/sub-ids.js';

export { STATUSES } from '../../accounting/referrals/types.js';

/** The sections that the caller may read; the response contains nothing else. */
export interface Sections {
  readonly affiliates: boolean;
  readonly referrals: boolean;
  readonly visits: boolean;
  readonly payouts: boolean;
}

/** Sums over rows of one status and currency; null is the program's currency. */
export interface MoneyGroup {
  readonly status: string;
  readonly currency: string | null;
  readonly rows: number;
  readonly amount_minor: number;
  /** Only for referrals. */
  readonly order_total_minor: number;
}

export interface AffiliateGroup {
  readonly status: string;
  readonly rows: number;
  readonly visits: number;
}

/** An amount in the program currency, and amounts in others. */
export interface MoneyFigure {
  readonly minor: number;
  readonly others: Readonly<Record<string, number>>;
}

/** The form in which filters see and change a provider's report. */
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

/** The parts into which figures can be split. */
export const BREAKDOWNS = ['campaigns', 'shops', 'products', 'affiliates', 'groups', ...SUB_IDS] as const;
export type BreakdownBy = (typeof BREAKDOWNS)[number];
/** What a column of the referral or of its click names. */
export type ColumnBreakdown = Exclude<BreakdownBy, 'products'>;

/** The parts that a link names, and the column of the click that holds the name. */
export const NAMED_IN_LINKS = {
  campaigns: 'utm_campaign',
  sub1: 'sub1',
  sub2: 'sub2',
  sub3: 'sub3',
  sub4: 'sub4',
  sub5: 'sub5',
} as const satisfies Partial<Record<BreakdownBy, string>>;
type NamedInLinks = keyof typeof NAMED_IN_LINKS;
export type NameColumn = (typeof NAMED_IN_LINKS)[NamedInLinks];
export const isNamedInLinks = (by: BreakdownBy): by is NamedInLinks => by in NAMED_IN_LINKS;
