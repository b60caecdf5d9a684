import { divideRounded, readDecimal } from '../../core/decimal.js';
import { currencyDigits, flatAmount, minor, split, type Minor } from '../../core/money.js';
import { rateText } from '../../core/rate.js';
import { fail } from '../../errors.js';
import type { OrderPart } from '../../accounting/orders/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { Item, RateRule, Totals } from './types.js';

/** The parts of an order that earn commission. */
export interface BaseRules {
  readonly exclude_shipping: 'yes' | 'no';
  readonly exclude_tax: 'yes' | 'no';
  readonly exclude_discount: 'yes' | 'no';
  readonly include_fees: boolean;
}

export interface Rate {
  readonly type: 'percentage' | 'flat';
  readonly rate_e4: number;
  /** affiliate, group, global, renewal, lifetime, or the name an extension gave. */
  readonly source: string;
}

/** What a renewal earns by the settings, and the first payment it follows. */
export interface RenewalTerms {
  readonly rate: Rate;
  readonly count: number;
  readonly max: number;
  readonly parent: Referral;
  /** Why it earns nothing unless a reward rule counts for it; null when its own rate counts. */
  readonly ended: 'renewals_disabled' | 'renewal_expired' | null;
}

/** How many units of the order's currency one unit of the program's currency is worth. */
export interface Exchange {
  readonly rate: string;
  readonly units: bigint;
  readonly scale: number;
}

export interface CommissionInput {
  readonly totals: Totals;
  readonly items: readonly Item[];
  readonly currency: string;
  readonly program_currency: string;
  /** For flat rates when the order is in another currency; null when the exchange rate is unknown. */
  readonly exchange?: Exchange | null;
  readonly base: BaseRules;
  readonly rate: Rate;
  readonly rules?: readonly RateRule[];
  /** The rule that counts when several match an item; `best` is the one that pays most. */
  readonly choose?: 'first' | 'best';
  /** What reward rules give instead; they come before `rules`, which count where none of them does. */
  readonly rewards?: AssignedRewards;
}

/** A reward for a part of an order (docs/rewards.md). */
export interface AssignedReward {
  readonly rule: string;
  readonly rate: Rate;
  /** The flat rate counts for each piece of an item, instead of once. */
  readonly per_item: boolean;
  /** Everything the rule gives for the order is at most this, in the program's currency × 10 000. */
  readonly cap_e4: number | null;
}

/** The rewards of the items, in their order, and of everything else; null where none counts. */
export interface AssignedRewards {
  readonly items: readonly (AssignedReward | null)[];
  readonly rest: AssignedReward | null;
}

export interface CommissionLine {
  /** null for the part of the order that is in no item. */
  readonly item_id: string | null;
  readonly source: string;
  readonly rate: string;
  readonly base_minor: number;
  readonly amount_minor: number;
}

/** Explains the amount; stored in the referral's settings. */
export interface Explanation {
  readonly level: 'order' | 'item';
  readonly source: string;
  readonly basis: { readonly base_minor: number; readonly counted: readonly string[] };
  readonly rate: string;
  readonly rounding: 'half_away_from_zero';
  /** Set when a flat rate was converted: the program's currency and the exchange rate. */
  readonly exchange?: { readonly from: string; readonly rate: string };
  readonly lines: readonly CommissionLine[];
}

export interface Commission {
  readonly amount: Minor;
  /** The amount the commission was computed from; the referral's order_total. */
  readonly base: Minor;
  /** The part that does not depend on the order's value. */
  readonly flat: Minor;
  /**
   * A flat rate could not be applied, because the order is in another currency and the exchange rate is
   * unknown.
   */
  readonly mismatch: boolean;
  /** The items are worth more than the order, so they earned from no more than the order's base. */
  readonly too_many_items: boolean;
  /** What refunds reduce by themselves; they add up to the gross amount charged. */
  readonly parts: readonly OrderPart[];
  readonly explanation: Explanation;
}

interface Part {
  readonly item: Item | null;
  readonly base: Minor;
  readonly rate: Rate;
  /** What a flat rate gives, in the order's currency. */
  readonly flat: Minor;
  readonly cap?: Cap;
}
type Cap = NonNullable<OrderPart['cap']>;

const E6 = 1_000_000n;
const MAX_FLAT = 10n ** 15n;
const SCALE_MAX = 12;
const counts = (flag: 'yes' | 'no'): boolean => flag === 'no';

/** Reads an exchange rate; null when it cannot be used. */
export function exchangeOf(rate: string | null): Exchange | null {
  const value = rate === null ? null : readDecimal(rate);
  return rate !== null && value && value.units > 0n && Math.abs(value.scale) <= SCALE_MAX
    ? { rate, ...value }
    : null;
}

/** Goods and the parts that the settings add, without gift cards and the like (docs/integrations.md §6). */
export function commissionBase(totals: Totals, items: readonly Item[], rules: BaseRules): Minor {
  const left = items.filter((item) => !item.commissionable);
  const goods = goodsOf(
    { net: totals.goods, net_before_discount: totals.goods_before_discount, tax: totals.goods_tax },
    rules,
  );
  const shipping = shippingBase(totals, rules);
  const fees = rules.include_fees ? totals.fees : 0;
  return minor(
    Math.max(
      0,
      goods - left.reduce((sum, item) => sum + Math.max(0, goodsOf(item, rules)), 0) + shipping + fees,
    ),
  );
}

function goodsOf(part: Pick<Item, 'net' | 'net_before_discount' | 'tax'>, rules: BaseRules): number {
  return (
    (counts(rules.exclude_discount) ? part.net_before_discount : part.net) +
    (counts(rules.exclude_tax) ? part.tax : 0)
  );
}

/** Computes with exact fractions and rounds once at the end (docs/tracking.md §8.4). */
export function computeCommission(input: CommissionInput): Commission {
  const base = commissionBase(input.totals, input.items, input.base);
  const { parts, exceeds } = withinBasis(partsOf(input, base), base);
  const { paid, grand_total: total } = input.totals;
  // Money that was not received earns nothing. A flat rate is per order and is not reduced.
  const [numerator, denominator] = paid < total ? [BigInt(paid), BigInt(total)] : [1n, 1n];
  const exact = parts.map((part) =>
    part.rate.type === 'percentage'
      ? BigInt(part.base) * BigInt(part.rate.rate_e4) * numerator
      : BigInt(part.flat) * E6 * denominator,
  );
  const amounts = splitExact(capped(parts, exact, E6 * denominator), E6 * denominator);
  const amount = minor(amounts.reduce((sum, each) => sum + each, 0));
  const flats = parts.filter((part) => part.rate.type === 'flat');
  const flat = minor(flats.reduce((sum, part) => sum + part.flat, 0));
  const unknown = input.currency !== input.program_currency && !input.exchange;
  return {
    amount,
    flat,
    too_many_items: exceeds,
    mismatch: unknown && (flats.some((part) => part.rate.rate_e4 > 0) || parts.some((part) => part.cap)),
    base: minor(Number(divideRounded(BigInt(base) * numerator, denominator))),
    parts: orderParts(input, parts),
    explanation: explain(input, base, parts, amounts),
  };
}

/**
 * The flat rate in the order's currency, converted from the program's currency at the host's exchange rate
 * and rounded once.
 */
export function flatInOrder(
  rateE4: number,
  {
    currency,
    program_currency: program,
    exchange,
  }: Pick<CommissionInput, 'currency' | 'program_currency' | 'exchange'>,
): Minor {
  if (currency === program) return flatAmount(rateE4, currency);
  if (!exchange) return minor(0);
  const exact =
    BigInt(rateE4) * exchange.units * 10n ** BigInt(Math.max(0, -exchange.scale) + currencyDigits(currency));
  const amount = divideRounded(exact, 10_000n * 10n ** BigInt(Math.max(0, exchange.scale)));
  return amount > MAX_FLAT ? fail('amount_overflow') : minor(Number(amount));
}

/**
 * The items that match a rule come first; the rest of the order earns at the affiliate's own rate
 * (docs/tracking.md §8.3).
 */
function partsOf(input: CommissionInput, base: Minor): Part[] {
  const rewarded = rewardedParts(input);
  const taken = new Set(rewarded.map(({ item }) => item));
  const left = input.items.filter((item) => earns(item) && !taken.has(item));
  // A reward for the rest of the order counts instead of the rates of products.
  const matched = [...rewarded, ...(input.rewards?.rest ? [] : ruledParts(input, left))];
  const rest = partOf(input, { item: null, base, rate: input.rate, reward: input.rewards?.rest ?? null });
  if (matched.length === 0) return [rest];
  const baseLeft = base - matched.reduce((sum, part) => sum + part.base, 0);
  return baseLeft > 0 ? [...matched, { ...rest, base: minor(baseLeft) }] : matched;
}

/** The items that have a rate of their own. */
function ruledParts(input: CommissionInput, items: readonly Item[]): Part[] {
  const { rules = [], base: flags, choose } = input;
  return items.flatMap((item): Part[] => {
    const fitting = rules.filter((each) => matches(each, item));
    const worth = (each: RateRule): bigint => worthOf(each, goodsOf(item, flags), input);
    const rule = choose === 'best' ? fitting.toSorted((a, b) => Number(worth(b) - worth(a)))[0] : fitting[0];
    if (rule === undefined) return [];
    const rate: Rate = {
      type: rule.rate_type === 'fixed' ? 'flat' : 'percentage',
      rate_e4: rule.rate_e4,
      source: rule.object_type,
    };
    return [partOf(input, { item, base: minor(goodsOf(item, flags)), rate, reward: null })];
  });
}

/** The items that a reward rule takes. A flat reward is shared by the items of its rule, by their value. */
function rewardedParts(input: CommissionInput): Part[] {
  const { items, rewards, base: flags } = input;
  const parts = items.flatMap((item, at): { part: Part; reward: AssignedReward }[] => {
    const reward = rewards?.items[at] ?? null;
    if (reward === null || !earns(item)) return [];
    const base = minor(goodsOf(item, flags));
    return [{ reward, part: partOf(input, { item, base, rate: reward.rate, reward }) }];
  });
  return parts.map(({ part, reward }) => {
    if (part.rate.type !== 'flat') return part;
    if (reward.per_item) return { ...part, flat: timesQuantity(part, input) };
    const own = parts.filter((each) => each.reward.rule === reward.rule).map((each) => each.part);
    const shares = split(
      part.flat,
      own.map(({ base }) => base),
    );
    return { ...part, flat: shares[own.indexOf(part)] ?? minor(0) };
  });
}

function partOf(
  input: CommissionInput,
  { reward, ...part }: Pick<Part, 'item' | 'base' | 'rate'> & { readonly reward: AssignedReward | null },
): Part {
  const { type, rate_e4: rate } = part.rate;
  const cap = reward?.cap_e4 ?? null;
  // A flat reward of an order is not in its parts, so its cap counts at once.
  const isWhole = part.item === null && type === 'flat';
  const limited = isWhole && cap !== null ? Math.min(rate, cap) : rate;
  return {
    ...part,
    flat: type === 'flat' ? flatInOrder(limited, input) : minor(0),
    ...(reward !== null &&
      cap !== null &&
      !isWhole && { cap: { rule: reward.rule, amount_minor: flatInOrder(cap, input) } }),
  };
}

/** The flat rate of an item, for each piece of it. */
function timesQuantity({ item, rate }: Part, input: CommissionInput): Minor {
  const pieces = readDecimal(String(Math.max(0, item?.quantity ?? 1))) ?? { units: 1n, scale: 0 };
  const exact = BigInt(rate.rate_e4) * pieces.units;
  const scaled =
    pieces.scale > 0
      ? divideRounded(exact, 10n ** BigInt(pieces.scale))
      : exact * 10n ** BigInt(-pieces.scale);
  return scaled > MAX_FLAT ? fail('amount_overflow') : flatInOrder(Number(scaled), input);
}

/** Reduces the parts of a capped rule in proportion, so that together they are exactly the cap. */
function capped(parts: readonly Part[], exact: readonly bigint[], unit: bigint): readonly bigint[] {
  const result = [...exact];
  for (const rule of new Set(parts.flatMap(({ cap }) => (cap ? [cap.rule] : [])))) {
    const own = parts.flatMap(({ cap }, at) => (cap?.rule === rule ? [at] : []));
    const sum = own.reduce((all, at) => all + (exact[at] ?? 0n), 0n);
    const limit = BigInt(parts[own[0] ?? 0]?.cap?.amount_minor ?? 0) * unit;
    if (sum <= limit) continue;
    for (const at of own) result[at] = ((exact[at] ?? 0n) * limit) / sum;
    const given = own.reduce((all, at) => all + (result[at] ?? 0n), 0n);
    result[own[0] ?? 0]! += limit - given;
  }
  return result;
}

/**
 * The parts of the order with what each earns. Items that match no rule share the rest of the base by their
 * value; what is left of it belongs to shipping, fees and goods that are in no item.
 */
function orderParts(input: CommissionInput, rated: readonly Part[]): OrderPart[] {
  const { items, totals, base: flags } = input;
  const ruled = new Map(rated.flatMap((part) => (part.item === null ? [] : [[part.item, part] as const])));
  const rest = rated.find((part) => part.item === null);
  const restRate = percentOf(rest);
  const plain = items.filter((item) => earns(item) && !ruled.has(item));
  const bases = withinRest(rest?.base ?? 0, [
    ...plain.map((item) => goodsOf(item, flags)),
    shippingBase(totals, flags),
    flags.include_fees ? totals.fees : 0,
  ]);
  const baseOfPlain = new Map(plain.map((item, at) => [item, bases[at] ?? 0]));
  const [ofShipping = 0, ofFees = 0] = bases.slice(plain.length);
  const lines = items.map((item) => {
    const own = ruled.get(item);
    const part = { kind: 'item', id: item.id, gross_minor: Math.max(0, item.net + item.tax) } as const;
    return own
      ? {
          ...part,
          base_minor: own.base,
          rate_e4: percentOf(own),
          flat_minor: own.flat,
          ...capOf(own),
        }
      : {
          ...part,
          base_minor: baseOfPlain.get(item) ?? 0,
          rate_e4: restRate,
          flat_minor: 0,
          ...(baseOfPlain.has(item) && capOf(rest)),
        };
  });
  const orderPartOf = (kind: OrderPart['kind'], gross: number, base: number): OrderPart[] =>
    gross > 0 || base > 0
      ? [
          {
            kind,
            id: null,
            gross_minor: gross,
            base_minor: base,
            rate_e4: restRate,
            flat_minor: 0,
            ...capOf(rest),
          },
        ]
      : [];
  const known = [
    ...lines,
    ...orderPartOf('shipping', totals.shipping + totals.shipping_tax, ofShipping),
    ...orderPartOf('fees', totals.fees, ofFees),
  ];
  const left = totals.grand_total - known.reduce((sum, part) => sum + part.gross_minor, 0);
  const baseLeft = (rest?.base ?? 0) - bases.reduce((sum, each) => sum + each, 0);
  return [...known, ...orderPartOf('rest', Math.max(0, left), baseLeft)];
}

const capOf = (part: Part | undefined): Pick<OrderPart, 'cap'> => (part?.cap ? { cap: part.cap } : {});

const percentOf = (part: Part | undefined): number =>
  part?.rate.type === 'percentage' ? part.rate.rate_e4 : 0;

const shippingBase = ({ shipping, shipping_tax: tax }: Totals, flags: BaseRules): number =>
  counts(flags.exclude_shipping) ? shipping + (counts(flags.exclude_tax) ? tax : 0) : 0;

const earns = (item: Item): boolean => item.commissionable && item.net >= 0;

/** Values that together exceed the rest are reduced in proportion. */
function withinRest(rest: number, values: readonly number[]): readonly number[] {
  const sum = values.reduce((all, value) => all + value, 0);
  return sum <= rest ? values : split(minor(rest), values);
}

/** Items cannot be worth more than their order: what exceeds it is taken from each item in proportion. */
function withinBasis(parts: readonly Part[], base: Minor): { parts: readonly Part[]; exceeds: boolean } {
  const sum = parts.reduce((all, part) => all + part.base, 0);
  if (sum <= base) return { parts, exceeds: false };
  const shares = split(
    base,
    parts.map((part) => part.base),
  );
  // Each line may be rounded by itself, so a unit per line is allowed.
  const exceeds = sum - base > parts.length;
  return { parts: parts.map((part, at) => ({ ...part, base: shares[at] ?? minor(0) })), exceeds };
}

const worthOf = (
  { rate_type: type, rate_e4: rate }: RateRule,
  base: number,
  input: CommissionInput,
): bigint => (type === 'fixed' ? BigInt(flatInOrder(rate, input)) * E6 : BigInt(base) * BigInt(rate));

function matches(rule: RateRule, item: Item): boolean {
  const ids = rule.object_ids.map(String);
  return rule.object_type === 'product'
    ? ids.includes(item.id)
    : item.category_ids.some((id) => ids.includes(id));
}

/** Rounds the sum once. What is lost by rounding down the parts goes to those with the largest fractions. */
function splitExact(exact: readonly bigint[], unit: bigint): number[] {
  const total = divideRounded(
    exact.reduce((sum, each) => sum + each, 0n),
    unit,
  );
  const floors = exact.map((each) => each / unit);
  let left = total - floors.reduce((sum, each) => sum + each, 0n);
  const byFraction = exact
    .map((each, index) => ({ index, rest: each % unit }))
    .sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest < b.rest ? 1 : -1));
  for (const { index } of byFraction) {
    if (left === 0n) break;
    floors[index] = (floors[index] ?? 0n) + 1n;
    left -= 1n;
  }
  return floors.map(Number);
}

function explain(
  { items, base: flags, rate, exchange, program_currency: program }: CommissionInput,
  base: Minor,
  parts: readonly Part[],
  amounts: readonly number[],
): Explanation {
  const matched = new Set(parts.map((part) => part.item));
  const others = items.filter((item) => earns(item) && !matched.has(item));
  const lines = parts.flatMap((part, index): CommissionLine[] => {
    const amount = minor(amounts[index] ?? 0);
    const line = { source: part.rate.source, rate: rateLabel(part.rate) };
    if (part.item !== null || others.length === 0)
      return [{ ...line, item_id: part.item?.id ?? null, base_minor: part.base, amount_minor: amount }];
    const bases = others.map((item) => goodsOf(item, flags));
    const shares = split(amount, bases);
    return others.map((item, at) => ({
      ...line,
      item_id: item.id,
      base_minor: bases[at] ?? 0,
      amount_minor: shares[at] ?? 0,
    }));
  });
  return {
    level: matched.size === 1 && matched.has(null) ? 'order' : 'item',
    source: rate.source,
    basis: { base_minor: base, counted: countedParts(flags) },
    rate: rateLabel(rate),
    rounding: 'half_away_from_zero',
    ...(exchange &&
      parts.some((part) => part.rate.type === 'flat') && {
        exchange: { from: program, rate: exchange.rate },
      }),
    lines,
  };
}

const rateLabel = ({ type, rate_e4: rate }: Rate): string =>
  type === 'percentage' ? `${rateText(rate)}%` : rateText(rate);

const countedParts = (flags: BaseRules): string[] => [
  counts(flags.exclude_discount) ? 'goods_before_discount' : 'goods',
  ...(counts(flags.exclude_tax) ? ['tax'] : []),
  ...(counts(flags.exclude_shipping) ? ['shipping'] : []),
  ...(flags.include_fees ? ['fees'] : []),
];
