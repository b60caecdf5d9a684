export type Flag = 'yes' | 'no';

export interface RateRow {
  readonly object_type: 'product' | 'category';
  readonly object_ids: readonly string[];
  readonly rate: number;
  readonly rate_type: 'percentage' | 'fixed';
}

/** The stored settings of a provider; its own fields are flags or tables of rates too. */
export type ProviderConfig = Readonly<Record<string, unknown>>;

/** What some products or categories earn instead of the affiliate's rate. */
export interface OwnRates {
  readonly provider: string;
  readonly kind: 'product' | 'category';
  readonly count: number;
  readonly rate: number;
  readonly rate_type: 'percentage' | 'fixed';
}
