import { DAY } from '../../core/duration.js';
import { minor, type Minor } from '../../core/money.js';
import { decide, type Decision } from '../../core/rewards/evaluate.js';
import { rateText } from '../../core/rate.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ActiveRules } from '../rewards/types.js';
import type { Deps } from './deps.js';
import type { Credit } from './affiliate-finder.js';
import {
  commissionBase,
  computeCommission,
  exchangeOf,
  flatInOrder,
  type BaseRules,
  type Commission,
  type Rate,
  type RenewalTerms,
} from './commission.js';
import { orderData } from './input.js';
import {
  assignedOf,
  capsOf,
  countedRules,
  decisionOf,
  OrderRewards,
  type RewardInput,
} from './order-rewards.js';
import type { FrozenRewards, OrderLimit, Pricing } from '../../accounting/orders/types.js';
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

/** Where a rate comes from that another affiliate may have otherwise. */
const AFFILIATES_OWN: readonly string[] = ['affiliate', 'group', 'global'];

/** A commission with the rates and rules it was computed by. */
export interface PricedCommission extends Commission {
  readonly pricing: Pricing;
  /** A reward rule counts for a part of the order. */
  readonly ruled: boolean;
  /** The caps of reward rules. */
  readonly limits: readonly OrderLimit[];
  /** The renewals that earn by a reward rule, the first payment included; null without such a limit. */
  readonly payments: number | null;
  /** The end of a waiting period that a reward rule sets. */
  readonly hold_until: number | null;
}

/** Computes the commission of a conversion. Extensions may change its rate and amount. */
export class CommissionCalculator {
  readonly #rewards: OrderRewards;

  constructor(private readonly app: Deps) {
    this.#rewards = new OrderRewards(app);
  }

  /** `frozen` are the rates and rules of the first report, for an order that is reported again. */
  async calculate(
    conversion: Conversion,
    credit: Credit,
    input: ConversionInput,
    { renewal, frozen }: { readonly renewal?: RenewalTerms; readonly frozen?: Pricing } = {},
  ): Promise<PricedCommission> {
    const pricing = frozen ?? (await this.#pricing(conversion, credit, renewal));
    const { decision, commission: computed } = this.#computed(conversion, pricing);
    const settled = conversion.commission === null ? computed : given(computed, conversion.commission);
    const rate = renewal?.rate ?? pricing.rate;
    const amount = await this.#filteredAmount(settled, { conversion, credit, input, rate }, renewal);
    return { ...settled, amount: minor(amount), pricing, ...this.#termsOf(decision, conversion, pricing) };
  }

  #computed(
    conversion: Conversion,
    pricing: Pricing,
  ): { readonly decision: Decision | null; readonly commission: Commission } {
    const items = withoutExcluded(conversion.items, pricing);
    const decision = pricing.rewards?.set
      ? decisionOf(pricing.rewards, {
          conversion,
          items,
          program_currency: pricing.program_currency,
          exchange: exchangeOf(pricing.exchange),
        })
      : null;
    const commission = computeCommission({
      totals: conversion.totals ?? NOTHING,
      items,
      currency: conversion.currency,
      program_currency: pricing.program_currency,
      choose: pricing.choose,
      base: pricing.base,
      rate: pricing.rate,
      rules: pricing.rules,
      ...(decision && { rewards: assignedOf(decision) }),
      exchange: exchangeOf(pricing.exchange),
    });
    return { decision, commission };
  }

  /** What the rules decide besides the amount. */
  #termsOf(
    decision: Decision | null,
    conversion: Conversion,
    pricing: Pricing,
  ): Pick<PricedCommission, 'ruled' | 'limits' | 'payments' | 'hold_until'> {
    const now = this.app.clock.now();
    const counted = decision === null ? [] : countedRules(decision);
    if (decision === null || counted.length === 0 || conversion.commission !== null)
      return { ruled: false, limits: [], payments: null, hold_until: null };
    const days = counted.flatMap(({ reward }) => reward.hold_days ?? []);
    const payments = counted.flatMap(({ reward }) => reward.payments ?? []);
    return {
      ruled: true,
      limits: capsOf(decision, {
        now,
        timeZone: this.app.host.site().timeZone,
        inOrder: (rateE4) =>
          flatInOrder(rateE4, {
            currency: conversion.currency,
            program_currency: pricing.program_currency,
            exchange: exchangeOf(pricing.exchange),
          }),
      }),
      payments: payments.length === 0 ? null : Math.min(...payments),
      hold_until: days.length === 0 ? null : now + Math.max(...days) * DAY,
    };
  }

  /** What an order would earn by these rules. Extensions are not asked, and nothing is stored. */
  async tryRules(
    conversion: Conversion,
    credit: Credit,
    { active, renewal }: { readonly active: ActiveRules; readonly renewal?: RenewalTerms | undefined },
  ): Promise<Commission & { readonly rewards: FrozenRewards }> {
    const pricing = await this.#pricingBy(conversion, credit, { renewal, active });
    return { ...this.#computed(conversion, pricing).commission, rewards: pricing.rewards! }; // just added
  }

  /** Returns these rates and rules for another affiliate, who has a rate of their own. */
  async pricingOf(known: Pricing, credit: Credit, conversion: Conversion): Promise<Pricing> {
    const { set } = known.rewards ?? {};
    const rules = set ? await this.app.rewards.rulesOf(set.id) : null;
    return this.#withRewards(known, await this.#rate(credit), {
      order: { conversion, credit },
      active: rules,
    });
  }

  /** Like `pricingOf`, for a recorded order: uses its stored facts, and reads those of the affiliate again. */
  async pricingFor(known: Pricing, affiliate: Affiliate, at: number): Promise<Pricing> {
    const rate = await this.#rateFor(known, affiliate);
    if (!known.rewards) return { ...known, rate };
    const { set } = known.rewards;
    const rules = set ? ((await this.app.rewards.rulesOf(set.id))?.rules ?? known.rewards.rules) : [];
    const rewards = await this.#rewards.freezeFor(known.rewards, rules, {
      affiliate,
      at,
      base: rate,
      currency: known.program_currency,
    });
    const rest = set ? assignedOf(decide(rewards.rules, rewards.facts)).rest : null;
    return { ...known, rate: await this.#filteredRate(rest?.rate ?? rate, affiliate), rewards };
  }

  /** A rate that an extension, a lead or a renewal set is not the affiliate's, so it does not change. */
  async #rateFor({ rate, rewards }: Pricing, affiliate: Affiliate): Promise<Rate> {
    const base = rewards?.base ?? rate;
    const isRuled = rate.source.startsWith('rule:');
    const isOwn = AFFILIATES_OWN.includes(base.source) && (isRuled || AFFILIATES_OWN.includes(rate.source));
    return isOwn ? this.#rate({ affiliate, source: 'explicit' }) : base;
  }

  async #pricing(conversion: Conversion, credit: Credit, renewal?: RenewalTerms): Promise<Pricing> {
    const { bonus, ordered_at: at } = conversion;
    const active =
      bonus === null
        ? await this.app.rewards.at(at ?? this.app.clock.now())
        : await this.app.rewards.rulesOf(bonus.set_id);
    return this.#pricingBy(conversion, credit, { renewal, active });
  }

  async #pricingBy(
    conversion: Conversion,
    credit: Credit,
    { renewal, active }: { readonly renewal: RenewalTerms | undefined; readonly active: ActiveRules | null },
  ): Promise<Pricing> {
    const config = await this.app.settings.referralConfig();
    const rate = renewal?.rate ?? (await this.#ownRate(conversion, credit));
    // Lifetime sales do not use the rates of products (docs/tracking.md §7).
    const rules = credit.source === 'lifetime' ? [] : conversion.rules;
    const known: Pricing = {
      rate,
      rules,
      choose: config.rate_rules,
      base: { ...flagsOf(config), include_fees: this.app.options.includeFees },
      program_currency: config.currency,
      exchange: null,
      excluded_products: config.excluded_products,
      excluded_categories: config.excluded_categories,
    };
    return this.#withRewards(known, rate, { order: { conversion, credit, renewal }, active });
  }

  /** Adds the reward rules that count, and the rate of what is left, as extensions change it. */
  async #withRewards(
    known: Pricing,
    rate: Rate,
    {
      order,
      active,
    }: {
      readonly order: Pick<RewardInput, 'conversion' | 'credit' | 'renewal'>;
      readonly active: ActiveRules | null;
    },
  ): Promise<Pricing> {
    const { conversion, credit } = order;
    const { program_currency } = known;
    const { currency } = conversion;
    const items = withoutExcluded(conversion.items, known);
    const asked = active === null ? null : await this.#exchange(program_currency, currency);
    const base_minor = commissionBase(conversion.totals ?? NOTHING, items, known.base);
    const rewards = await this.#rewards.freezeBy(
      { ...order, items, base_minor, program_currency, exchange: exchangeOf(known.exchange ?? asked) },
      rate,
      active,
    );
    const rest = rewards.set ? assignedOf(decide(rewards.rules, rewards.facts)).rest : null;
    const applied = await this.#filteredRate(rest?.rate ?? rate, credit.affiliate);
    const hasFlat = applied.type === 'flat' || known.rules.some((rule) => rule.rate_type === 'fixed');
    const exchange =
      known.exchange ?? asked ?? (hasFlat ? await this.#exchange(program_currency, currency) : null);
    return { ...known, rate: applied, exchange, rewards };
  }

  /**
   * The host's exchange rate; null when there is none, when it is invalid, or when the host fails. A person
   * then decides.
   */
  async #exchange(from: string, to: string): Promise<string | null> {
    if (from === to || !this.app.host.exchangeRate) return null;
    try {
      const response = await this.app.host.exchangeRate(from, to);
      return response === null || exchangeOf(String(response)) === null ? null : String(response);
    } catch (error) {
      this.app.log.warn('the host returned no exchange rate', { error, from, to });
      return null;
    }
  }

  async #ownRate({ lead, bonus }: Conversion, credit: Credit): Promise<Rate> {
    if (bonus !== null) return { type: 'flat', rate_e4: 0, source: 'bonus' };
    return lead === null ? this.#rate(credit) : leadRate(this.app);
  }

  async #rate({ affiliate, source }: Pick<Credit, 'affiliate' | 'source'>): Promise<Rate> {
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

/** What a lead earns: the flat amount of the program; 0 while leads earn nothing. */
async function leadRate(app: Deps): Promise<Rate> {
  const { lead_amount_e4: amount } = await app.settings.referralConfig();
  return { type: 'flat', rate_e4: amount, source: 'lead' };
}
