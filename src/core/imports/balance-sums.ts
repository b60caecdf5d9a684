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
  readonly #sums = new Map<
    string,
    {
      source_id: string;
      currency: string;
      unpaid_minor: number;
      processing_minor: number;
      paid_minor: number;
    }
  >();

  add(id: string, currency: string, counted: 'unpaid' | 'processing' | 'paid', amount: number): void {
    const key = `${id} ${currency}`;
    const sum = this.#sums.get(key) ?? {
      source_id: id,
      currency,
      unpaid_minor: 0,
      processing_minor: 0,
      paid_minor: 0,
    };
    sum[`${counted}_minor`] += amount;
    this.#sums.set(key, sum);
  }

  list(): SourceBalance[] {
    return [...this.#sums.values()];
  }
}
