import { minor, toDecimal } from '../../core/money.js';
import { compareDecimals } from '../../core/rewards/compare.js';
import type { GoalMetric } from '../../core/rewards/types.js';
import type { Metrics } from '../../accounting/referrals/types.js';
import type { ReferralsService } from '../../accounting/referrals/service.js';

/** What a metric has reached, as decimal text of the program's currency. */
export const valueOf = (metrics: Metrics, metric: GoalMetric, currency: string): string =>
  metric === 'amount' ? toDecimal(minor(metrics.amount_minor), currency) : String(metrics[metric]);

/** An amount may be below 0, when refunds of older orders are in it. */
export const isReached = (value: string, atLeast: string): boolean => compareDecimals(value, atLeast) >= 0;

const NOTHING: Metrics = { sales: 0, amount_minor: 0, leads: 0, customers: 0 };

interface Span {
  readonly from: number;
  readonly until: number | null;
}

/** Counts several spans for several affiliates, with one statement per span. */
export class SpanMetrics {
  readonly #spans = new Map<string, { readonly span: Span; readonly ids: Set<number> }>();
  readonly #found = new Map<string, ReadonlyMap<number, Metrics>>();

  constructor(
    private readonly referrals: ReferralsService,
    private readonly currency: string,
  ) {}

  want(affiliateId: number, span: Span): void {
    const known = this.#spans.get(keyOf(span)) ?? { span, ids: new Set<number>() };
    known.ids.add(affiliateId);
    this.#spans.set(keyOf(span), known);
  }

  async read(): Promise<void> {
    for (const [key, { span, ids }] of this.#spans)
      this.#found.set(key, await this.referrals.metricsOf([...ids], span));
  }

  value(affiliateId: number, span: Span, metric: GoalMetric): string {
    const metrics = this.#found.get(keyOf(span))?.get(affiliateId) ?? NOTHING;
    return valueOf(metrics, metric, this.currency);
  }
}

const keyOf = ({ from, until }: Span): string => `${from}:${until}`;
