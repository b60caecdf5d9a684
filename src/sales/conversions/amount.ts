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
import { leadReward } from './lead-reward.js';
import type { Pricing } from '../../books/orders/types.js';
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

/** A commission with the rates and rules it was computed by. */
export interface PricedCommission extends Commission {
  readonly pricing: Pricing;
}

export interface RenewalTerms {
  readonly rate: Rate;
  readonly count: number;
  readonly max: number;
  readonly parent: Referral;
}

/** Computes the commission of a conversion. Extensions may change its rate and amount. */
export class CommissionMaker {
  constructor(private readonly app: Needs) {}

  /** `frozen` are the rates and rules of the first report, for an order that is reported again. */
  async make(
    conversion: Conversion,
    credit: Credit,
    input: ConversionInput,
    { renewal, frozen }: { readonly renewal?: RenewalTerms; readonly frozen?: Pricing } = {},
  ): Promise<PricedCommission> {
    const pricing = frozen ?? (await this.#pricing(conversion, credit, renewal));
    const computed = computeCommission({
      totals: conversion.totals ?? NOTHING,
      items: withoutExcluded(conversion.items, pricing),
      currency: conversion.currency,
      program_currency: pricing.program_currency,
      choose: pricing.choose,
      base: pricing.base,
      rate: pricing.rate,
      rules: pricing.rules,
      exchange: exchangeOf(pricing.exchange),
    });
    const settled = conversion.commission === null ? computed : given(computed, conversion.commission);
    const rate = renewal?.rate ?? pricing.rate;
    const amount = await this.#filteredAmount(settled, { conversion, credit, input, rate }, renewal);
    return { ...settled, amount: minor(amount), pricing };
  }

  /** The same rates and rules for another affiliate, who has a rate of their own. */
  async pricingOf(known: Pricing, credit: Credit, { currency }: Conversion): Promise<Pricing> {
    const rate = await this.#filteredRate(await this.#rate(credit), credit.affiliate);
    const hasFlat = rate.type === 'flat' || known.rules.some((rule) => rule.rate_type === 'fixed');
    const exchange = hasFlat ? await this.#exchange(known.program_currency, currency) : null;
    return { ...known, rate, exchange: known.exchange ?? exchange };
  }

  async #pricing(conversion: Conversion, credit: Credit, renewal?: RenewalTerms): Promise<Pricing> {
    const config = await this.app.settings.referralConfig();
    const rate =
      renewal?.rate ?? (conversion.lead === null ? await this.#rate(credit) : await leadReward(this.app));
    const applied = await this.#filteredRate(rate, credit.affiliate);
    // Lifetime sales do not use the rates of products (docs/tracking.md §7).
    const rules = credit.source === 'lifetime' ? [] : conversion.rules;
    const hasFlat = applied.type === 'flat' || rules.some((rule) => rule.rate_type === 'fixed');
    return {
      rate: applied,
      rules,
      choose: config.rate_rules,
      base: { ...flagsOf(config), include_fees: this.app.options.includeFees },
      program_currency: config.currency,
      exchange: hasFlat ? await this.#exchange(config.currency, conversion.currency) : null,
      excluded_products: config.excluded_products,
      excluded_categories: config.excluded_categories,
    };
  }

  /**
   * The host's exchange rate; null when there is none, when it is invalid, or when the host fails. A person
   * then decides.
   */
  async #exchange(from: string, to: string): Promise<string | null> {
    if (from === to || !this.app.host.exchangeRate) return null;
    try {
      const answer = await this.app.host.exchangeRate(from, to);
      return answer === null || exchangeOf(String(answer)) === null ? null : String(answer);
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

/** Reads an exchange rate; null when it cannot be used. */
function exchangeOf(rate: string | null): Exchange | null {
  const value = rate === null ? null : readDecimal(rate);
  return rate !== null && value && value.units > 0n && Math.abs(value.scale) <= SCALE_MAX
    ? { rate, ...value }
    : null;
}

/** Sets aside the items of excluded products and categories, which earn nothing, like gift cards. */
function withoutExcluded(
  items: readonly Item[],
  config: Pick<Pricing, 'excluded_products' | 'excluded_categories'>,
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
