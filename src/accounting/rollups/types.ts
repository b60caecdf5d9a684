export interface ChartDates {
  /** `YYYY-MM-DD`; absent or blank: 30 days before today. */
  readonly start_date?: string | undefined;
  /** `YYYY-MM-DD`, inclusive; absent or blank: today. */
  readonly end_date?: string | undefined;
}

export type ChartSeries = 'referrals' | 'visits' | 'affiliates';

export interface Chart {
  readonly xAxisData: readonly string[];
  readonly series: readonly { readonly name: string; readonly data: readonly number[] }[];
}
