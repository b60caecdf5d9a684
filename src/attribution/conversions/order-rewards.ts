import { createHash } from 'node:crypto';
import { dayStart, dayText, parseDay, siteDay } from '../../core/dates.js';
import { divideRounded } from '../../core/decimal.js';
import { DAY } from '../../core/duration.js';
import { currencyDigits, minor, toDecimal } from '../../core/money.js';
import { parseRate } from '../../core/rate.js';
import { SUB_IDS } from '../../core/sub-ids.js';
import { decide, eventsOf, type Decision } from '../../core/rewards/evaluate.js';
import { factsUsed, isPerItem } from '../../core/rewards/facts.js';
import {
  CAP_WINDOWS,
  type CapWindow,
  type Facts,
  type ItemFacts,
  type RewardFacts,
  type RewardRule,
} from '../../core/rewards/types.js';
import type { FrozenRewards, Order, OrderLimit, OrderTerms } from '../../accounting/orders/types.js';
import type { SalesQuery } from '../../accounting/referrals/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ActiveRules } from '../rewards/types.js';
import type { Deps } from './deps.js';
import type { Credit } from './affiliate-finder.js';
import type { AssignedRewards, AssignedReward, Exchange, Rate, RenewalTerms } from './commission.js';
import { buyerOf } from './input.js';
import { leadOf } from './lead-repository.js';
import type { Conversion, Item } from './types.js';

const WEEK = 7;

/** What an order is, for its rules. */
export interface RewardInput {
  readonly conversion: Conversion;
  readonly credit: Credit;
  readonly renewal?: RenewalTerms | undefined;
  /** The items as they earn, and the amount that percentages are taken of. */
  readonly items: readonly Item[];
  readonly base_minor: number;
  readonly program_currency: string;
  readonly exchange: Exchange | null;
}

/** A recorded order with the terms it was priced by. */
export type RecordedOrder = Pick<
  Order,
  'id' | 'affiliate_id' | 'customer_id' | 'referral_id' | 'created_at'
> & {
  readonly terms: OrderTerms;
};

type Priced = Pick<RewardInput, 'conversion' | 'items' | 'program_currency' | 'exchange'>;

/** Gathers the facts of orders, and applies the reward rules to them (docs/rewards.md). */
export class OrderRewards {
  constructor(private readonly app: Deps) {}

  /** The rules that count for an order, with the facts they apply to. Without rules: only the facts. */
  async freezeBy(order: RewardInput, base: Rate, active: ActiveRules | null): Promise<FrozenRewards> {
    const event = await this.#eventOf(order, active);
    const { bonus } = order.conversion;
    const prepared = rulesOf(active?.rules ?? [], event);
    const rules = bonus === null ? prepared.rules : prepared.rules.filter(({ key }) => key === bonus.rule);
    const facts = await this.#factsOf(order, event, prepared.used);
    return {
      set: active && { id: active.id, version: active.version },
      facts,
      facts_hash: hashOf(facts),
      base,
      rules: decide(rules, facts).forEdits,
    };
  }

  /** Freezes the rules for another affiliate: reads the affiliate's facts, and drops those of the click. */
  async freezeFor(
    known: FrozenRewards,
    all: readonly RewardRule[],
    given: {
      readonly affiliate: Affiliate;
      readonly at: number;
      readonly base: Rate;
      readonly currency: string;
    },
  ): Promise<FrozenRewards> {
    const { affiliate, at, base, currency } = given;
    const rules = all.filter(({ event }) => event === known.facts.event);
    const order = Object.fromEntries(
      Object.entries(known.facts.order).filter(
        ([fact]) => !CLICKED.test(fact) && !fact.startsWith('affiliate.'),
      ),
    );
    const facts: RewardFacts = {
      ...known.facts,
      campaign: null,
      affiliate_id: affiliate.id,
      group_id: affiliate.group_id,
      order: {
        ...order,
        'order.campaign': '',
        ...affiliateFacts(affiliate, at),
        ...(await this.#salesFacts({ affiliateId: affiliate.id, until: at, currency }, factsUsed(rules))),
      },
    };
    return { set: known.set, facts, facts_hash: hashOf(facts), base, rules: decide(rules, facts).forEdits };
  }

  #timeOf({ ordered_at: at }: Conversion): number {
    return at ?? this.app.clock.now();
  }

  /** Looked for only while a rule asks for it: a customer who was a lead pays for the first time. */
  async #eventOf(order: RewardInput, active: ActiveRules | null): Promise<RewardFacts['event']> {
    const event = eventOf(order);
    if (event !== 'sale' || !(active?.rules ?? []).some((rule) => rule.event === 'activation')) return event;
    const known = await this.app.customers.buyers.findBuyer(this.app.db, buyerOf(order.conversion));
    const lead = known && (await leadOf(this.app.db, known.customer.id));
    return lead ? 'activation' : event;
  }

  async #factsOf(
    order: RewardInput,
    event: RewardFacts['event'],
    used: ReadonlySet<string>,
  ): Promise<RewardFacts> {
    const { conversion, credit, base_minor: base } = order;
    const { affiliate } = credit;
    const at = this.#timeOf(conversion);
    const { timeZone } = this.app.host.site();
    const day = siteDay(at, timeZone);
    const facts: Facts = {
      'order.total': inProgram(conversion.totals?.grand_total ?? null, order),
      'order.base': inProgram(base, order),
      'order.currency': conversion.currency,
      'order.country': conversion.country,
      'order.coupon': conversion.coupon ?? '',
      'order.provider': conversion.provider,
      'order.site': conversion.site_id ?? '',
      'order.campaign': credit.utm_campaign ?? '',
      ...subIdFacts(credit),
      'lead.kind': conversion.lead,
      ...affiliateFacts(affiliate, at),
      'time.date': dayText(day),
      // day 0, the first of January 1970, was a Thursday
      'time.weekday': String(((day + 3) % WEEK) + 1),
      ...conversion.bonus?.facts,
      ...subscriptionFacts(order, at),
      ...(await this.#customerFacts(order, at, used)),
      ...(await this.#salesFacts(
        { affiliateId: affiliate.id, until: at, currency: order.program_currency },
        used,
      )),
    };
    return {
      event,
      at,
      campaign: credit.utm_campaign,
      ...(credit.link_id && { link_id: credit.link_id }),
      affiliate_id: affiliate.id,
      group_id: affiliate.group_id,
      order: facts,
      items: itemFacts(order),
    };
  }

  async #customerFacts(
    { conversion, renewal }: RewardInput,
    at: number,
    used: ReadonlySet<string>,
  ): Promise<Facts> {
    if (!used.has('customer.is_new') && !used.has('customer.order_number')) return {};
    const { email, user_id: userId, ref } = conversion.customer;
    const isNamed = email !== null || userId !== null || ref !== null;
    const id = renewal
      ? renewal.parent.customer_id
      : isNamed
        ? ((await this.app.customers.buyers.findBuyer(this.app.db, buyerOf(conversion)))?.customer.id ?? 0)
        : null;
    if (id === null) return {};
    return customerFactsOf(id === 0 ? 0 : await this.app.orders.countOfCustomer(id, { at }));
  }

  /**
   * The facts of a recorded order, with those that its own rules did not ask for and these do. They are counted
   * from what was recorded before the order, net of the refunds of today.
   */
  async factsFor(order: RecordedOrder, rules: readonly RewardRule[]): Promise<RewardFacts> {
    const { pricing } = order.terms;
    const { facts } = pricing!.rewards!; // checked by the caller
    const event = await this.#eventBy(order, facts.event, rules);
    const { used } = rulesOf(rules, event);
    const isKnown = (pattern: RegExp): boolean =>
      ![...used].some((fact) => pattern.test(fact) && facts.order[fact] === undefined);
    const { affiliate_id: affiliateId, customer_id: customerId, referral_id: referralId } = order;
    const at = facts.at ?? order.created_at;
    const sales =
      affiliateId === null || isKnown(OF_SALES)
        ? {}
        : await this.#salesFacts(
            {
              affiliateId,
              until: at,
              beforeId: referralId ?? undefined,
              currency: pricing!.program_currency,
            },
            used,
          );
    const customer =
      customerId === null || isKnown(OF_CUSTOMERS)
        ? {}
        : customerFactsOf(await this.app.orders.countOfCustomer(customerId, { at, beforeId: order.id }));
    return { ...facts, event, order: { ...sales, ...customer, ...facts.order } };
  }

  /** Was this sale the first payment of a lead? Orders are only asked while a rule needs to know. */
  async #eventBy(
    { customer_id: customerId, referral_id: referralId }: RecordedOrder,
    event: RewardFacts['event'],
    rules: readonly RewardRule[],
  ): Promise<RewardFacts['event']> {
    if (event !== 'sale' || customerId === null || referralId === null) return event;
    if (!rules.some((rule) => rule.event === 'activation')) return event;
    return (await leadOf(this.app.db, customerId, referralId)) ? 'activation' : event;
  }

  /** What the affiliate sold before this order. */
  async #salesFacts(
    { currency, ...of }: SalesQuery & { readonly currency: string },
    used: ReadonlySet<string>,
  ): Promise<Facts> {
    if (![...used].some((fact) => OF_SALES.test(fact))) return {};
    const { until: at } = of;
    const { timeZone } = this.app.host.site();
    const firstOfMonth = parseDay(`${dayText(siteDay(at, timeZone)).slice(0, 8)}01`) ?? 0;
    const since = [dayStart(firstOfMonth, timeZone), at - 30 * DAY, 0];
    const [month, days, all] = await this.app.referrals.salesSince(of, since);
    return salesFactsOf(
      [month, days, all].map((each) => each ?? NO_SALES),
      currency,
    );
  }
}

/** Facts that a click of the affiliate gave. */
const CLICKED = /^order\.(?:campaign|sub\d)$/u;

const affiliateFacts = ({ id, group_id: group, created_at: since }: Affiliate, at: number): Facts => ({
  'affiliate.id': String(id),
  'affiliate.group': group === null ? null : String(group),
  'affiliate.days': String(Math.max(0, Math.floor((at - since) / DAY))),
});
interface EventRules {
  readonly rules: readonly RewardRule[];
  readonly used: ReadonlySet<string>;
}
/** Rule sets that are active never change. */
const EVENT_RULES = new WeakMap<readonly RewardRule[], Map<RewardFacts['event'], EventRules>>();

/** The rules for an event, and the facts they ask for. */
function rulesOf(all: readonly RewardRule[], event: RewardFacts['event']): EventRules {
  const known = EVENT_RULES.get(all) ?? new Map<RewardFacts['event'], EventRules>();
  const found = known.get(event);
  if (found !== undefined) return found;
  const rules = all.filter((rule) => eventsOf(event).includes(rule.event));
  const prepared = { rules, used: factsUsed(rules) };
  EVENT_RULES.set(all, known.set(event, prepared));
  return prepared;
}

const subIdFacts = ({ sub_ids: ids }: Credit): Facts =>
  Object.fromEntries(SUB_IDS.map((name) => [`order.${name}`, ids[name] ?? '']));

/** Facts that are looked for only while a rule asks for them. */
const OF_SALES = /^affiliate\.(?:sale|amount)/u;
const OF_CUSTOMERS = /^customer\./u;

/** `before`: how many orders the customer had placed. */
const customerFactsOf = (before: number): Facts => ({
  'customer.is_new': before === 0,
  'customer.order_number': String(before + 1),
});

const NO_SALES = { sales: 0, all: 0, amount_minor: 0 };

function salesFactsOf(of: readonly (typeof NO_SALES)[], currency: string): Facts {
  const [month = NO_SALES, days = NO_SALES, all = NO_SALES] = of;
  const money = (value: number): string => toDecimal(minor(value), currency);
  return {
    'affiliate.sale_number': String(all.all + 1),
    'affiliate.sales_month': String(month.sales),
    'affiliate.sales_30_days': String(days.sales),
    'affiliate.sales_all_time': String(all.sales),
    'affiliate.amount_month': money(month.amount_minor),
    'affiliate.amount_30_days': money(days.amount_minor),
    'affiliate.amount_all_time': money(all.amount_minor),
  };
}

const hashOf = (facts: RewardFacts): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex');

function eventOf({ conversion, renewal }: Pick<RewardInput, 'conversion' | 'renewal'>): RewardFacts['event'] {
  if (conversion.bonus !== null) return 'bonus';
  if (renewal) return 'renewal';
  const isLead = conversion.lead !== null || conversion.type === 'lead' || conversion.type === 'opt_in';
  return isLead ? 'lead' : 'sale';
}

/** An amount of the order as decimal text of the program's currency; null without an exchange rate. */
function inProgram(
  amount: number | null,
  { conversion, program_currency: program, exchange }: Omit<Priced, 'items'>,
): string | null {
  if (amount === null) return null;
  const { currency } = conversion;
  if (currency === program) return toDecimal(minor(amount), program);
  if (exchange === null) return null;
  const top = BigInt(amount) * 10n ** BigInt(Math.max(0, exchange.scale) + currencyDigits(program));
  const bottom = exchange.units * 10n ** BigInt(Math.max(0, -exchange.scale) + currencyDigits(currency));
  const value = divideRounded(top, bottom);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? null : toDecimal(minor(Number(value)), program);
}

function itemFacts(order: Priced): ItemFacts[] {
  return order.items.map((item) => ({
    product: item.id,
    category: item.category_ids,
    sku: item.sku,
    quantity: String(item.quantity),
    price:
      item.quantity > 0 && Number.isSafeInteger(item.quantity)
        ? inProgram(Number(divideRounded(BigInt(item.net_before_discount), BigInt(item.quantity))), order)
        : null,
  }));
}

function subscriptionFacts({ conversion, renewal }: RewardInput, at: number): Facts {
  const { subscription } = conversion;
  if (subscription === null) return {};
  return {
    'subscription.payment': String(renewal ? renewal.count + 2 : 1),
    'subscription.months': String(renewal ? monthsBetween(renewal.parent.created_at, at) : 0),
    'subscription.interval': subscription.interval,
    'subscription.plan': subscription.plan,
  };
}

/** Whole calendar months, in UTC. */
function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)];
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
  const rest = (date: Date): number => date.getUTCDate() * DAY + (date.getTime() % DAY);
  // The last day of a shorter month completes the month.
  const isLast = new Date(to + DAY).getUTCMonth() !== b.getUTCMonth();
  return Math.max(0, rest(b) < rest(a) && !(isLast && b.getUTCDate() < a.getUTCDate()) ? months - 1 : months);
}

/**
 * The decision for the current items, which an edit of the order may have changed. The decision for the rest
 * of the order does not change after it was recorded.
 */
export function decisionOf(frozen: FrozenRewards, order: Priced): Decision {
  const then = decide(frozen.rules, frozen.facts);
  const items = itemFacts(order);
  if (JSON.stringify(items) === JSON.stringify(frozen.facts.items)) return then;
  const now = decide(frozen.rules.filter(isPerItem), { ...frozen.facts, items });
  const rest = then.rest !== null && then.rest !== 'nothing' ? then.rest : null;
  const all = rest?.reward.kind === 'per_item' ? rest : null;
  return { ...then, items: now.items.map((rule) => rule ?? all) };
}

/** What the decision gives to each item and to the rest; null when no rule set counts. */
export function assignedOf(decision: Decision): AssignedRewards {
  const of = (rule: RewardRule | null): AssignedReward | null => rule && assigned(rule);
  return {
    items: decision.items.map(of),
    rest: decision.rest === 'nothing' ? NOTHING_LEFT : restOf(decision.rest),
  };
}

const NOTHING_LEFT: AssignedReward = {
  rule: 'stop',
  rate: { type: 'percentage', rate_e4: 0, source: 'rule:stop' },
  per_item: false,
  cap_e4: null,
};

/** A reward for each item leaves nothing for what is in no item. */
const restOf = (rule: RewardRule | null): AssignedReward | null => {
  if (rule === null) return null;
  const own = assigned(rule);
  return own.per_item ? { ...own, rate: { ...own.rate, type: 'percentage', rate_e4: 0 } } : own;
};

function assigned({ key, reward }: RewardRule): AssignedReward {
  const { kind, value, cap } = reward;
  const rate: Rate = {
    type: kind === 'percent' || kind === 'none' ? 'percentage' : 'flat',
    rate_e4: kind === 'none' ? 0 : (parseRate(value) ?? 0),
    source: `rule:${key}`,
  };
  const limit = cap?.order;
  return {
    rule: key,
    rate,
    per_item: kind === 'per_item',
    cap_e4: limit === undefined ? null : parseRate(limit),
  };
}

/** The rules that count for something. */
export const countedRules = ({ items, rest }: Decision): readonly RewardRule[] => [
  ...new Set([...items, rest === 'nothing' ? null : rest].filter((rule) => rule !== null)),
];

interface CapContext {
  readonly now: number;
  readonly timeZone: string;
  /** An amount of the program's currency × 10 000 in the order's currency. */
  readonly inOrder: (rateE4: number) => number;
}

/** The caps of the rule for the rest of the order that count over several orders. */
export function capsOf({ rest }: Decision, context: CapContext): OrderLimit[] {
  if (rest === null || rest === 'nothing') return [];
  return CAP_WINDOWS.flatMap((window): OrderLimit[] => {
    const amount = window === 'order' ? undefined : rest.reward.cap?.[window];
    if (amount === undefined) return [];
    const limit = {
      rule: rest.key,
      of_customer: window === 'customer',
      amount_minor: context.inOrder(parseRate(amount) ?? 0),
    };
    return [{ kind: 'reward', ...limit, ...spanOf(window, context) }];
  });
}

/** The day or month of a cap, on the site's clock. */
function spanOf(
  window: CapWindow,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): { readonly from: number; readonly until: number | null } {
  if (window !== 'day' && window !== 'month') return { from: 0, until: null };
  const day = siteDay(now, timeZone);
  if (window === 'day') return { from: dayStart(day, timeZone), until: dayStart(day + 1, timeZone) };
  const [year = 0, month = 1] = dayText(day).split('-').map(Number);
  const first = (m: number): number => Date.UTC(year, m, 1) / DAY;
  return { from: dayStart(first(month - 1), timeZone), until: dayStart(first(month), timeZone) };
}
