import { minor } from '../../core/money.js';
import { decide, eventsOf, type Decision } from '../../core/rewards/evaluate.js';
import type { RewardFacts, RewardRule } from '../../core/rewards/types.js';
import type { OrderLimit, OrderPart, OrderTerms, Pricing } from '../../accounting/orders/types.js';
import type { RepriceResult } from '../rewards/types.js';
import {
  computeCommission,
  exchangeOf,
  flatInOrder,
  type Commission,
  type Explanation,
} from './commission.js';
import { assignedOf, capsOf } from './order-rewards.js';
import type { Item } from './types.js';

interface OrderToReprice {
  readonly terms: OrderTerms;
  readonly currency: string;
  readonly recorded_at: number;
  readonly timeZone: string;
}

/** Other rules, and the facts that they apply to. */
interface OtherRules {
  readonly rules: readonly RewardRule[];
  readonly facts: () => Promise<RewardFacts>;
}

/**
 * What a recorded order would have earned by other rules, by the facts it was recorded with and those that only
 * the other rules ask for. It goes through the same computation as new orders.
 */
export async function reprice(order: OrderToReprice, other: OtherRules): Promise<RepriceResult> {
  const { terms } = order;
  const { pricing } = terms;
  if (terms.level === null) return { kind: 'unknown', why: 'given' };
  if (!pricing?.rewards || terms.parts === undefined) return { kind: 'unknown', why: 'no_facts' };
  const { facts, set } = pricing.rewards;
  const known = decide(pricing.rewards.rules, facts);
  const wasBase = set === null || known.rest === null;
  const base = wasBase ? pricing.rate : pricing.rewards.base;
  const before = computed(order, set === null ? null : known, wasBase ? base : pricing.rate);
  if (before.amount !== terms.amount_minor) return { kind: 'unknown', why: 'extension' };
  const asked = await other.facts();
  const decision = decide(
    other.rules.filter(
      ({ event, key }) =>
        eventsOf(asked.event).includes(event) && (event !== 'bonus' || key === asked.order['goal.rule']),
    ),
    asked,
  );
  const after = computed(order, decision, base);
  if (after.mismatch) return { kind: 'unknown', why: 'no_exchange_rate' };
  return {
    kind: 'priced',
    terms: {
      ...terms,
      amount_minor: after.amount,
      flat_minor: after.flat,
      parts: mergedParts(terms.parts, after.parts),
      rule: after.explanation.source,
      rate: after.explanation.rate,
    },
    limits: capsFor(order, decision, pricing),
    facts_after: asked,
    rules_before: keysOf(set === null ? null : known),
    rules_after: keysOf(decision),
    lines_before: before.explanation.lines,
    lines_after: after.explanation.lines,
  };
}

/** The terms of an order by other rates, and how its commission was calculated by them. */
export interface RepricedTerms {
  readonly terms: OrderTerms;
  readonly explanation: Explanation;
}

/**
 * The terms of a recorded order by the rates and rules of another affiliate. Null when the amount was given,
 * or an extension computed it: then it is unknown what another affiliate would earn.
 */
export function repricedBy(order: OrderToReprice, pricing: Pricing): RepricedTerms | null {
  const { terms } = order;
  const known = terms.pricing;
  if (terms.level === null || !known?.rewards || !pricing.rewards || terms.parts === undefined) return null;
  const before = computed(order, decisionIn(known), baseOf(known));
  if (before.amount !== (terms.capped_from_minor ?? terms.amount_minor)) return null;
  const priced = { ...order, terms: { ...terms, pricing } };
  const decision = decisionIn(pricing);
  const after = computed(priced, decision, baseOf(pricing));
  if (after.mismatch) return null;
  const { limit: _limit, limits = [], ...kept } = terms;
  const { explanation } = after;
  const repriced = {
    ...kept,
    amount_minor: after.amount,
    flat_minor: after.flat,
    parts: mergedParts(terms.parts, after.parts),
    level: explanation.level,
    rule: explanation.source,
    rate: explanation.rate,
    capped_from_minor: null,
    pricing,
    limits: [...limits.filter(({ kind }) => kind !== 'reward'), ...capsFor(order, decision, pricing)],
  };
  return { terms: repriced, explanation };
}

/** The caps of the rules that priced the order, in its currency. */
function capsFor(
  order: OrderToReprice,
  decision: Decision | null,
  { program_currency, exchange }: Pricing,
): readonly OrderLimit[] {
  if (decision === null) return [];
  const { recorded_at: now, timeZone, currency } = order;
  const terms = { currency, program_currency, exchange: exchangeOf(exchange) };
  return capsOf(decision, { now, timeZone, inOrder: (rateE4) => flatInOrder(rateE4, terms) });
}
/** The rate that counts where no reward rule does. */
const baseOf = ({ rewards, rate }: Pricing): Pricing['rate'] => (rewards?.set ? rewards.base : rate);

const decisionIn = ({ rewards }: Pricing): Decision | null =>
  rewards?.set ? decide(rewards.rules, rewards.facts) : null;

const keysOf = (decision: Decision | null): readonly string[] => [
  ...new Set(
    [...(decision?.items ?? []), decision?.rest ?? null].flatMap((rule) =>
      rule === null || rule === 'nothing' ? [] : [rule.key],
    ),
  ),
];

/** The commission of what each part of the order earns from. */
function computed(
  { terms, currency }: OrderToReprice,
  decision: Decision | null,
  base: { readonly type: 'percentage' | 'flat'; readonly rate_e4: number; readonly source: string },
): Commission {
  const pricing = terms.pricing!; // checked by the caller
  const assigned = decision && assignedOf(decision);
  const nothing = minor(0);
  return computeCommission({
    totals: {
      goods: minor(terms.basis_minor),
      goods_before_discount: minor(terms.basis_minor),
      goods_tax: nothing,
      shipping: nothing,
      shipping_tax: nothing,
      fees: nothing,
      grand_total: minor(terms.grand_total_minor),
      paid: minor(terms.paid_minor ?? terms.grand_total_minor),
    },
    items: itemsOf(terms),
    currency,
    program_currency: pricing.program_currency,
    exchange: exchangeOf(pricing.exchange),
    base: { exclude_shipping: 'yes', exclude_tax: 'yes', exclude_discount: 'yes', include_fees: false },
    rate: assigned?.rest?.rate ?? base,
    rules: pricing.rules,
    choose: pricing.choose,
    ...(assigned && { rewards: assigned }),
  });
}

/** The items with what each earns from as its value. */
function itemsOf({ parts = [], lines, pricing }: OrderTerms): Item[] {
  const { facts } = pricing!.rewards!; // checked by the caller
  const [products, categories] = [new Set(pricing!.excluded_products), new Set(pricing!.excluded_categories)];
  return facts.items.map((item, at) => {
    const part = parts[at];
    const line = lines[at];
    const isLeft = products.has(item.product) || item.category.some((id) => categories.has(id));
    const earns = line?.commissionable !== false && (line?.net ?? 0) >= 0 && !isLeft;
    const value = minor(part?.kind === 'item' && earns ? part.base_minor : 0);
    return {
      id: item.product,
      title: '',
      category_ids: item.category,
      sku: item.sku,
      quantity: Number(item.quantity),
      net: value,
      net_before_discount: value,
      tax: minor(0),
      commissionable: earns,
    };
  });
}

/** The parts as they were charged, with the current rates. */
function mergedParts(parts: readonly OrderPart[], now: readonly OrderPart[]): OrderPart[] {
  const rest = now.find(({ kind }) => kind === 'rest');
  return parts.map(({ cap: _cap, ...part }, at) => {
    const own = part.kind === 'item' ? now[at] : rest;
    return {
      ...part,
      rate_e4: own?.rate_e4 ?? 0,
      flat_minor: part.kind === 'item' ? (own?.flat_minor ?? 0) : 0,
      ...(own?.cap && { cap: own.cap }),
    };
  });
}
