/** The old system's own figures for one affiliate in one currency, in minor units. */
export interface SourceBalance {
  readonly source_id: string;
  readonly currency: string;
  readonly unpaid_minor: number;
  /** Held by a payment on its way. */
  readonly processing_minor: number;
  readonly paid_minor: number;
}

/** Balances by affiliate and currency. */
export class BalanceSums {
  readonly #sums = new Map<string, { -readonly [K in keyof SourceBalance]: SourceBalance[K] }>();

  add(id: string, currency: string, counted: 'unpaid' | 'processing' | 'paid', amount: number): void {
    const key = `${id} ${currency}`;
    const nothing = { unpaid_minor: 0, processing_minor: 0, paid_minor: 0 };
    const sum = this.#sums.get(key) ?? { source_id: id, currency, ...nothing };
    sum[`${counted}_minor`] += amount;
    this.#sums.set(key, sum);
  }

  list(): SourceBalance[] {
    return [...this.#sums.values()];
  }
}
