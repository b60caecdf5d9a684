import { describe, expect, it } from '@jest/globals';
import { decide } from '../../src/core/rewards/evaluate.js';
import { isPerItem } from '../../src/core/rewards/facts.js';
import { readRewardBody } from '../../src/core/rewards/read.js';
import type { Condition, Facts, ItemFacts, RewardFacts, RewardRule } from '../../src/core/rewards/types.js';
import { assignedOf } from '../../src/attribution/conversions/order-rewards.js';
import { computeCommission } from '../../src/attribution/conversions/commission.js';
import { minor } from '../../src/core/money.js';
import type { Item } from '../../src/attribution/conversions/types.js';
import { SEED, seeded } from '../support/seed.js';

// The oracle is written apart from the evaluator: it moves every `not` down to the comparisons and asks each
// piece of the order about all rules. Amounts of the orders are small, so its sums in doubles are exact enough.

const RUNS = Number(process.env['REWARDS_RUNS'] ?? 2000);

type Plain = readonly (readonly [positive: boolean, fact: string, op: string, value: unknown])[];
/** A condition as alternatives of comparisons that must all be true. */
function alternatives(condition: Condition | null, positive = true): Plain[] {
  if (condition === null) return [[]];
  if ('fact' in condition) return [[[positive, condition.fact, condition.op, condition.value]]];
  if ('not' in condition) return alternatives(condition.not, !positive);
  const isAll = 'all' in condition;
  const parts = ('all' in condition ? condition.all : condition.any).map((each) =>
    alternatives(each, positive),
  );
  if (isAll !== positive) return parts.flat();
  return parts.reduce<Plain[]>(
    (all, part) => all.flatMap((one) => part.map((each) => [...one, ...each])),
    [[]],
  );
}

function holds(seen: unknown, op: string, value: unknown): boolean {
  const fold = (each: unknown): unknown =>
    typeof each === 'string' ? (/^\d+(\.\d+)?$/.test(each) ? Number(each) : each.toLowerCase()) : each;
  const list = (Array.isArray(seen) ? seen : [seen]).map(fold);
  const wanted = (Array.isArray(value) ? value : [value]).map(fold);
  if (op === 'eq' || op === 'in') return list.some((each) => wanted.includes(each));
  if (op === 'ne' || op === 'not_in') return !list.some((each) => wanted.includes(each));
  const [left, right] = [list[0] as number, wanted[0] as number];
  return { lt: left < right, lte: left <= right, gt: left > right, gte: left >= right }[op] === true;
}

function fits(rule: RewardRule, facts: RewardFacts, item: ItemFacts | null): boolean {
  return alternatives(rule.when).some((parts) =>
    parts.every(([positive, fact, op, value]) => {
      const [which, name] = fact.split('.') as [string, keyof ItemFacts];
      if (which !== 'each_item' && which !== 'any_item') {
        const seen = facts.order[fact];
        return seen !== null && seen !== undefined && holds(seen, op, value) === positive;
      }
      const known = (which === 'each_item' && item ? [item] : facts.items).map((each) => each[name]);
      const truths = known.map((seen) => (seen === null ? null : holds(seen, op, value)));
      if (positive) return truths.includes(true);
      return truths.length > 0 && truths.every((truth) => truth === false);
    }),
  );
}

const RANK = { link: 0, affiliate: 1, group: 2, program: 3 };
function oracle(
  rules: readonly RewardRule[],
  facts: RewardFacts,
): { items: (string | null)[]; rest: string | null } {
  const inScope = ({ scope, scope_ids: ids }: RewardRule): boolean =>
    scope === 'program' ||
    (scope === 'link' && ids.some((id) => String(id).toLowerCase() === facts.campaign?.toLowerCase())) ||
    (scope === 'affiliate' && ids.includes(facts.affiliate_id)) ||
    (scope === 'group' && facts.group_id !== null && ids.includes(facts.group_id));
  const order = rules
    .filter(({ event }) => event === facts.event || (facts.event === 'activation' && event === 'sale'))
    .filter(inScope)
    .filter(
      ({ reward }) => !reward.every || Number(facts.order['affiliate.sale_number']) % reward.every === 0,
    )
    .sort(
      (a, b) =>
        RANK[a.scope] - RANK[b.scope] ||
        (a.event === b.event ? 0 : a.event === 'activation' ? -1 : 1) ||
        b.priority - a.priority,
    );
  const takesAll = order.find((rule) => !isPerItem(rule) && fits(rule, facts, null));
  const before = takesAll ? order.slice(0, order.indexOf(takesAll)) : order;
  const perItem = before.filter(isPerItem);
  const first = (item: ItemFacts, of: readonly RewardRule[]) => of.find((rule) => fits(rule, facts, item));
  const stop = perItem.findIndex(
    (rule, at) => rule.stop && facts.items.some((item) => first(item, perItem.slice(0, at + 1)) === rule),
  );
  const asked = stop === -1 ? perItem : perItem.slice(0, stop + 1);
  const rest = stop === -1 ? takesAll : undefined;
  return {
    items: facts.items.map(
      (item) => (first(item, asked) ?? (rest?.reward.kind === 'per_item' ? rest : null))?.key ?? null,
    ),
    rest: stop === -1 ? (rest?.key ?? null) : 'nothing',
  };
}

class Draw {
  constructor(readonly next: () => number) {}
  number(max: number): number {
    return Math.floor(this.next() * max);
  }
  one<T>(list: readonly T[]): T {
    return list[this.number(list.length)]!;
  }
  chance(part: number): boolean {
    return this.next() < part;
  }
}

function comparison(draw: Draw): object {
  const number = (): string => String(draw.number(5)) + draw.one(['', '.5']);
  const [fact, values] = draw.one<readonly [string, readonly string[]]>([
    ['order.total', []],
    ['order.coupon', ['A', 'b', '']],
    ['customer.order_number', []],
    ['order.country', ['DE', 'FR']],
    ['each_item.product', ['p', 'q', 'r']],
    ['each_item.category', ['x', 'y']],
    ['each_item.price', []],
    ['any_item.category', ['x', 'y']],
    ['any_item.quantity', []],
  ]);
  if (values.length === 0)
    return { fact, op: draw.one(['eq', 'ne', 'lt', 'lte', 'gt', 'gte']), value: number() };
  return draw.chance(0.5)
    ? { fact, op: draw.one(['eq', 'ne']), value: draw.one(values) }
    : { fact, op: draw.one(['in', 'not_in']), value: [draw.one(values), draw.one(values)] };
}
function condition(draw: Draw, depth: number): object {
  const kind = depth === 0 ? 'fact' : draw.one(['all', 'any', 'not', 'fact', 'fact']);
  if (kind === 'fact') return comparison(draw);
  if (kind === 'not') return { not: condition(draw, depth - 1) };
  return { [kind]: Array.from({ length: 1 + draw.number(3) }, () => condition(draw, depth - 1)) };
}
function ruleSet(draw: Draw): readonly RewardRule[] {
  const rules = Array.from({ length: draw.number(8) }, (_, at) => {
    const scope = draw.one(['link', 'affiliate', 'group', 'program', 'program']);
    return {
      key: `r${at}`,
      event: draw.one(['sale', 'sale', 'sale', 'renewal', 'activation']),
      scope,
      scope_ids: scope === 'program' ? [] : scope === 'link' ? [draw.one(['c', 'd'])] : [1 + draw.number(2)],
      priority: draw.number(100) * 10 + at,
      stop: draw.chance(0.15),
      when: draw.chance(0.2) ? null : condition(draw, 3),
      reward: {
        kind: draw.one(['percent', 'flat', 'per_item', 'none']),
        value: draw.one(['0', '1', '12.5', '33.3333', '250']),
        ...(draw.chance(0.2) && { every: 2 + draw.number(2) }),
        ...(draw.chance(0.2) && { cap: { order: draw.one(['1', '0.07', '50']) } }),
      },
    };
  });
  const { body, errors } = readRewardBody({ rules });
  expect(errors).toEqual({});
  return body.rules;
}

interface Drawn {
  readonly facts: RewardFacts;
  readonly items: readonly Item[];
  readonly shipping: number;
}
function orderOf(draw: Draw): Drawn {
  const items = Array.from({ length: draw.number(5) }, (): Item => {
    const net = draw.number(500);
    return {
      id: draw.one(['p', 'q', 'r', 's']),
      title: '',
      category_ids: ['x', 'y'].filter(() => draw.chance(0.4)),
      sku: null,
      quantity: 1 + draw.number(4),
      net: minor(net),
      net_before_discount: minor(net),
      tax: minor(0),
      commissionable: true,
    };
  });
  const order: Facts = {
    'order.total': draw.chance(0.1) ? null : String(draw.number(5)),
    'order.coupon': draw.one(['a', 'B', '', 'other']),
    'order.country': draw.one(['de', 'FR', null]),
    'customer.order_number': draw.one(['1', '2', '3', null]),
    'affiliate.sale_number': String(1 + draw.number(6)),
  };
  return {
    items,
    shipping: draw.number(200),
    facts: {
      event: draw.one(['sale', 'sale', 'activation', 'renewal']),
      campaign: draw.one(['C', 'd', null]),
      affiliate_id: 1 + draw.number(2),
      group_id: draw.one([1, 2, null]),
      order,
      items: items.map((item) => ({
        product: item.id,
        category: item.category_ids,
        sku: null,
        quantity: String(item.quantity),
        price: draw.chance(0.1) ? null : String(draw.number(5)),
      })),
    },
  };
}

/** What the rules of the oracle give, in millionths of a cent, summed piece by piece. */
// One sum, told from top to bottom, is easier to trust than its parts.
// oxlint-disable-next-line complexity
function owed(rules: readonly RewardRule[], drawn: Drawn, expected: ReturnType<typeof oracle>): bigint {
  const by = new Map(rules.map((rule) => [rule.key, rule]));
  const e4 = ({ reward }: RewardRule): bigint => BigInt(Math.round(Number(reward.value) * 10_000));
  const cents = (rule: RewardRule, times: number): bigint => {
    const exact = e4(rule) * BigInt(times); // amount × 10 000; a cent is 100 of it
    return (exact + 50n) / 100n;
  };
  const sums = new Map<string, bigint>();
  const add = (key: string, value: bigint): void => void sums.set(key, (sums.get(key) ?? 0n) + value);
  const flats = new Set<string>();
  let taken = 0;
  for (const [at, key] of expected.items.entries()) {
    const item = drawn.items[at]!;
    if (key === null) continue;
    const rule = by.get(key)!;
    taken += item.net;
    if (rule.reward.kind === 'percent') add(key, BigInt(item.net) * e4(rule));
    if (rule.reward.kind === 'per_item') add(key, cents(rule, item.quantity) * 1_000_000n);
    if (rule.reward.kind === 'flat' && !flats.has(key)) add(key, cents(rule, 1) * 1_000_000n);
    flats.add(key);
  }
  const base = drawn.items.reduce((sum, { net }) => sum + net, 0) + drawn.shipping;
  const rest = by.get(expected.rest ?? '');
  const isRest = base - taken > 0 || expected.items.every((key) => key === null);
  if (expected.rest === null && isRest) add('', BigInt(base - taken) * 200_000n); // the program's 20 %
  if (rest && isRest) {
    if (rest.reward.kind === 'percent') add(rest.key, BigInt(base - taken) * e4(rest));
    if (rest.reward.kind === 'flat') add(rest.key, cents(rest, 1) * 1_000_000n);
  }
  return [...sums].reduce((sum, [key, value]) => {
    const cap = by.get(key)?.reward.cap?.order;
    const limit = cap === undefined ? value : BigInt(Math.round(Number(cap) * 100)) * 1_000_000n;
    return sum + (value > limit ? limit : value);
  }, 0n);
}

describe('the evaluator of reward rules', () => {
  it(`agrees with an oracle on ${RUNS} random sets and orders, to the cent; lines add up`, () => {
    const draw = new Draw(seeded(SEED));
    const counted = { items: 0, rest: 0, stopped: 0, amounts: 0 };
    for (let run = 0; run < RUNS; run++) {
      const rules = ruleSet(draw);
      const drawn = orderOf(draw);
      const decision = decide(rules, drawn.facts);
      const rest = decision.rest === 'nothing' ? 'nothing' : (decision.rest?.key ?? null);
      const expected = oracle(rules, drawn.facts);
      const got = { items: decision.items.map((rule) => rule?.key ?? null), rest };
      if (JSON.stringify(got) !== JSON.stringify(expected))
        expect({ run, rules, drawn, got }).toEqual(expected);

      const assigned = assignedOf(decision);
      const goods = minor(drawn.items.reduce((sum, { net }) => sum + net, 0));
      const total = minor(goods + drawn.shipping);
      const commission = computeCommission({
        totals: {
          goods,
          goods_before_discount: goods,
          goods_tax: minor(0),
          shipping: minor(drawn.shipping),
          shipping_tax: minor(0),
          fees: minor(0),
          grand_total: total,
          paid: total,
        },
        items: drawn.items,
        currency: 'USD',
        program_currency: 'USD',
        base: { exclude_shipping: 'no', exclude_tax: 'yes', exclude_discount: 'yes', include_fees: false },
        rate: assigned.rest?.rate ?? { type: 'percentage', rate_e4: 200_000, source: 'global' },
        rewards: assigned,
      });
      const exact = owed(rules, drawn, expected);
      const cents = Number((exact * 2n + 1_000_000n) / 2_000_000n);
      if (commission.amount !== cents)
        expect({ run, rules, drawn, expected, amount: Number(commission.amount) }).toEqual({
          amount: cents,
        });
      const lines = commission.explanation.lines.reduce((sum, line) => sum + line.amount_minor, 0);
      if (lines !== commission.amount) expect({ run, lines }).toEqual({ lines: commission.amount });
      counted.items += expected.items.filter((key) => key !== null).length;
      counted.rest += Number(expected.rest !== null);
      counted.stopped += Number(expected.rest === 'nothing');
      counted.amounts += Number(cents > 0);
    }
    // The random orders reach every kind of decision.
    for (const count of Object.values(counted)) expect(count).toBeGreaterThan(RUNS / 100);
  });

  it('treats a comparison with an unknown fact as false, also under `not`', () => {
    const known = { 'order.total': '5', 'order.country': null };
    const facts = {
      event: 'sale',
      campaign: null,
      affiliate_id: 1,
      group_id: null,
      order: known,
      items: [],
    } as const;
    const counts = (when: object): boolean => {
      const { body } = readRewardBody({
        rules: [{ key: 'a', event: 'sale', when, reward: { kind: 'flat', value: 1 } }],
      });
      return decide(body.rules, facts).rest !== null;
    };
    const country = { fact: 'order.country', op: 'eq', value: 'DE' };
    const large = { fact: 'order.total', op: 'gt', value: 4 };
    expect(counts(country)).toBe(false);
    expect(counts({ not: country })).toBe(false);
    expect(counts({ any: [{ not: country }, large] })).toBe(true);
    expect(counts({ not: { any: [country, { not: large }] } })).toBe(false);
    expect(counts({ not: { all: [country, { not: large }] } })).toBe(true);
    expect(counts({ not: { fact: 'each_item.product', op: 'eq', value: 'p' } })).toBe(false);
  });
});
