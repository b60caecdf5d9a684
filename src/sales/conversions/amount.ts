import { readDecimal } from '../../core/decimal.js';
import { minor, type Minor } from '../../core/money.js';
import { rateText } from '../../core/rate.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Referral } from '../../books/referrals/types.js';
import type { Needs } from './needs.js';
import type { Credit } from './attribution.js';
import {
  computeCommission,
  type BaseRules,
  type Commission,
  type Exchange,
  type Rate,
} from './commission.js';
import { orderData } from './guards.js';
import type { ReferralConfig } from '../../program/settings/types.js';
import type { Conversion, ConversionInput, Item, Totals } from './types.js';

const NOTHING: Totals = {
  goods: minor(0),
  goods_before_discount: minor(0),
  goods_tax: minor(0),
  shipping: minor(0),
  shipping_tax: minor(0),
  fees: minor(0),
  grand_total: minor(0),
  paid: minor(0),
};

const SCALE_MAX = 12;

export interface RenewalTerms {
  readonly rate: Rate;
  readonly count: number;
  readonly max: number;
  readonly parent: Referral;
}

/** Computes the commission of a conversion. Extensions may change its rate and amount. */
export class CommissionMaker {
  constructor(private readonly app: Needs) {}

  async make(
    conversion: Conversion,
    credit: Credit,
    input: ConversionInput,
    renewal?: RenewalTerms,
  ): Promise<Commission> {
    const config = await this.app.settings.referralConfig();
    const rate = renewal?.rate ?? (await this.#rate(credit));
    const applied = await this.#filteredRate(rate, credit.affiliate);
    // Lifetime sales do not use the rates of products (docs/tracking.md §7).
    const rules = credit.source === 'lifetime' ? [] : conversion.rules;
    const hasFlat = applied.type === 'flat' || rules.some((rule) => rule.rate_type === 'fixed');
    const computed = computeCommission({
      totals: conversion.totals ?? NOTHING,
      items: withoutExcluded(conversion.items, config),
      currency: conversion.currency,
      program_currency: config.currency,
      choose: config.rate_rules,
      base: { ...flagsOf(config), include_fees: this.app.options.includeFees },
      rate: applied,
      rules,
      exchange: hasFlat ? await this.#exchange(config.currency, conversion.currency) : null,
    });
    const settled = conversion.commission === null ? computed : given(computed, conversion.commission);
    return {
      ...settled,
      amount: minor(await this.#filteredAmount(settled, { conversion, credit, input, rate }, renewal)),
    };
  }

  /**
   * The host's exchange rate; null when there is none, when it is invalid, or when the host fails. A person
   * then decides.
   */
  async #exchange(from: string, to: string): Promise<Exchange | null> {
    if (from === to || !this.app.host.exchangeRate) return null;
    try {
      const answer = await this.app.host.exchangeRate(from, to);
      const rate = answer === null ? null : readDecimal(answer);
      return rate && rate.units > 0n && Math.abs(rate.scale) <= SCALE_MAX
        ? { rate: String(answer), ...rate }
        : null;
    } catch (error) {
      this.app.log.warn('the host could not say what a currency is worth', { error, from, to });
      return null;
    }
  }

  async #rate({ affiliate, source }: Credit): Promise<Rate> {
    const isLifetime = source === 'lifetime';
    const terms = isLifetime ? await this.app.groups.lifetimeTerms(affiliate.group_id) : null;
    if (terms?.enabled) return { type: terms.type, rate_e4: terms.rate_e4, source: 'lifetime' };
    const resolved = (await this.app.affiliates.rates([affiliate])).get(affiliate.id);
    return resolved
      ? { type: resolved.type, rate_e4: resolved.rate_e4, source: resolved.source }
      : { type: 'percentage', rate_e4: 0, source: 'global' };
  }

  async #filteredRate(rate: Rate, affiliate: Affiliate): Promise<Rate> {
    if (!this.app.hooks.isUsed('commission_rate')) return rate;
    const { type, value, source } = await this.app.hooks.applyFilters(
      'commission_rate',
      { type: rate.type, value: rate.rate_e4, source: rate.source },
      { affiliate, item: null, scope: 'order' },
    );
    return { type, rate_e4: value, source };
  }

  async #filteredAmount(
    computed: Commission,
    {
      conversion,
      credit,
      input,
      rate,
    }: { conversion: Conversion; credit: Credit; input: ConversionInput; rate: Rate },
    renewal?: RenewalTerms,
  ): Promise<number> {
    const context = {
      affiliate: credit.affiliate,
      order_data: orderData(input),
      provider: conversion.provider,
      vendor_order: input.vendor_order ?? null,
    };
    const amount = await this.app.hooks.applyFilters('commission', computed.amount, context);
    if (!renewal) return amount;
    const value = {
      amount,
      rate: Number(rateText(rate.rate_e4)),
      rate_type: rate.type,
      renewal_count: renewal.count,
      max_renewal_count: renewal.max,
    };
    return (
      await this.app.hooks.applyFilters('recurring_commission', value, {
        ...context,
        parent_referral: renewal.parent,
      })
    ).amount;
  }
}

/** Sets aside the items of excluded products and categories, which earn nothing, like gift cards. */
function withoutExcluded(
  items: readonly Item[],
  config: Pick<ReferralConfig, 'excluded_products' | 'excluded_categories'>,
): readonly Item[] {
  const [products, categories] = [new Set(config.excluded_products), new Set(config.excluded_categories)];
  return items.map((item) =>
    products.has(item.id) || item.category_ids.some((id) => categories.has(id))
      ? { ...item, commissionable: false }
      : item,
  );
}

/** Uses the commission that a trusted source has given. It shrinks with refunds like any other. */
const given = (computed: Commission, amount: Minor): Commission => ({
  ...computed,
  amount,
  flat: minor(0),
  mismatch: false,
  too_many_items: false,
  explanation: { ...computed.explanation, source: 'given', lines: [] },
});

const flagsOf = ({
  exclude_shipping,
  exclude_tax,
  exclude_discount,
}: Omit<BaseRules, 'include_fees'>): Omit<BaseRules, 'include_fees'> => ({
  exclude_shipping,
  exclude_tax,
  exclude_discount,
});
