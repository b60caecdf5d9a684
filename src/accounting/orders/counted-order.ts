import { divideRounded } from '../../core/decimal.js';
import { isMore, NONE, plus, shareOf, WHOLE, type Fraction } from '../../core/fraction.js';
import { byTime } from './times.js';
import type {
  Fact,
  FactData,
  OrderContent,
  OrderLimit,
  OrderPart,
  OrderTerms,
  PaymentState,
} from './types.js';

type ContentFact = Fact<Extract<FactData, { kind: 'content' }>>;

/** An order as it counts: what was bought, by which terms, and how much of it the buyer has paid. */
export interface CountedOrder {
  readonly content: OrderContent;
  readonly parts: readonly OrderPart[];
  /** The money received, at most the gross amount charged. */
  readonly paid_minor: number;
  /** The ids of all lines the order ever had. */
  readonly line_ids: ReadonlySet<string>;
}

const PERCENT_UNIT = 1_000_000n;

const isContent = (fact: Fact): fact is ContentFact => fact.data.kind === 'content';

/**
 * Returns the content that counts: the last one at or before the payment, or the latest one while the order
 * is not paid. A content after the payment counts once a later payment pays for more (docs/money.md).
 */
export function countedContent(terms: OrderTerms, facts: readonly Fact[]): CountedOrder {
  const contents = facts.filter(isContent).toSorted(byTime);
  const bodies = new Map<string, OrderContent>([[terms.content_hash ?? '', terms]]);
  for (const { data } of contents) if (data.content !== null) bodies.set(data.hash, data.content);
  const bodyAt = (time: number): OrderContent => {
    const last = contents.findLast(({ at }) => at <= time);
    return (last && bodies.get(last.data.hash)) ?? terms;
  };
  const reported = [terms, ...contents.flatMap(({ data }) => bodies.get(data.hash) ?? [])];
  const content = paymentTimes(facts).reduce<OrderContent | null>((known, time) => {
    const now = bodyAt(time);
    return known === null || isMoreThan(now, known) ? now : known;
  }, null);
  const counted = measured(content ?? bodyAt(Infinity), contents, bodies);
  return {
    content: counted,
    parts: partsOf(counted, terms),
    paid_minor: Math.min(counted.grand_total_minor, paidOf(counted, facts, reported)),
    line_ids: new Set([...bodies.values()].flatMap(({ lines }) => lines.map(({ id }) => id))),
  };
}

/** Was more bought, or more of it paid? */
const isMoreThan = (now: OrderContent, known: OrderContent): boolean =>
  now.grand_total_minor > known.grand_total_minor ||
  (now.grand_total_minor === known.grand_total_minor && receivedOf(now) > receivedOf(known));

const receivedOf = ({ paid_minor: paid, grand_total_minor: total }: OrderContent): number => paid ?? total;

/** An imported order without a total takes it from the first report that has one. */
function measured(
  content: OrderContent,
  contents: readonly ContentFact[],
  bodies: ReadonlyMap<string, OrderContent>,
): OrderContent {
  if (content.grand_total_minor > 0 || content.amount_minor === 0) return content;
  const report = contents
    .map(({ data }) => bodies.get(data.hash))
    .find((each) => each !== undefined && each.grand_total_minor > 0);
  if (report === undefined) return content;
  const { grand_total_minor, paid_minor: paid } = report;
  return { ...content, grand_total_minor, ...(paid !== undefined && { paid_minor: paid }) };
}

/**
 * When money was received. An approval is no payment: what is edited afterwards still counts. Neither is a payment
 * that failed: until the next one the order is unpaid.
 */
function paymentTimes(facts: readonly Fact[]): number[] {
  const timesOf = (state: PaymentState): number[] =>
    facts.filter(({ data }) => data.kind === 'payment' && data.state === state).map(({ at }) => at);
  const failedAt = Math.max(-Infinity, ...timesOf('failed'));
  return timesOf('paid')
    .filter((at) => at > failedAt)
    .toSorted((a, b) => a - b);
}

/** The money received according to the last report of it. */
function paidOf(content: OrderContent, facts: readonly Fact[], reported: readonly OrderContent[]): number {
  const times = new Set(paymentTimes(facts));
  if (times.size === 0) return depositOf(reported) ?? receivedOf(content);
  const reports = facts
    .filter(({ at, data }) => data.kind === 'payment' && data.state === 'paid' && times.has(at))
    .toSorted(byTime)
    .flatMap(({ data }) => (data.kind === 'payment' ? [data.paid_minor] : []));
  return reports.at(-1) ?? receivedOf(content);
}

/** What was received before an order is paid; an edit of the order does not take it away. */
function depositOf(reported: readonly OrderContent[]): number | undefined {
  const last = reported.findLast(({ is_paid_told: isReported }) => isReported === true);
  return last && (last.received_minor ?? last.paid_minor);
}

/** The limits that an order counts for. */
export const limitsOf = (terms: Pick<OrderTerms, 'limits' | 'limit'> | null): readonly OrderLimit[] =>
  terms?.limits ?? (terms?.limit ? [terms.limit] : []);

/** The parts of a content. They are scaled when they add up to more than was charged. */
function partsOf(content: OrderContent, terms: OrderTerms): readonly OrderPart[] {
  const parts =
    content.parts !== undefined && content.parts.length > 0 ? content.parts : plainParts(content, terms);
  const sum = parts.reduce((all, part) => all + part.gross_minor, 0);
  const total = content.grand_total_minor;
  if (sum <= total || total <= 0) return parts;
  return parts.map((part) => ({
    ...part,
    gross_minor: Number(divideRounded(BigInt(part.gross_minor) * BigInt(total), BigInt(sum))),
  }));
}

/** An order with known lines or known sums, but not both. */
function plainParts(content: OrderContent, { lines }: OrderTerms): OrderPart[] {
  const parts = lines.map(({ id, net, tax, commissionable }): OrderPart => ({
    kind: 'item',
    id,
    gross_minor: net + tax,
    base_minor: commissionable ? net : 0,
    rate_e4: 0,
    flat_minor: 0,
  }));
  const [gross, base] = (['gross_minor', 'base_minor'] as const).map((of) =>
    parts.reduce((sum, part) => sum + part[of], 0),
  );
  const rest: OrderPart = {
    kind: 'rest',
    id: null,
    gross_minor: Math.max(0, content.grand_total_minor - (gross ?? 0)),
    base_minor: Math.max(0, content.basis_minor - (base ?? 0)),
    rate_e4: 0,
    flat_minor: 0,
  };
  return [...parts, rest];
}

/** What remains of each part, of the order, and of what it earns. */
export interface Remaining {
  readonly parts: readonly Fraction[];
  /** The part of the order that was not refunded, by what the buyer was charged. */
  readonly gross: Fraction;
  /** The part of the commission that is left, before corrections. */
  readonly earned: Fraction;
}

/** Σ weight × share, as an exact fraction. */
const weighted = (weights: readonly bigint[], shares: readonly Fraction[]): Fraction =>
  weights.reduce((sum, weight, at) => {
    const { top, bottom } = shares[at] ?? NONE;
    return weight === 0n ? sum : plus(sum, { top: weight * top, bottom });
  }, NONE);

const part = (weights: readonly bigint[], shares: readonly Fraction[]): Fraction | null => {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  if (whole <= 0n) return null;
  const { top, bottom } = weighted(weights, shares);
  return top === bottom * whole ? WHOLE : { top, bottom: bottom * whole };
};

/** Weighs the shares of parts by what they earn, else by their base, else by what was charged for them. */
export function remainingOf({ parts }: CountedOrder, shares: readonly Fraction[]): Remaining {
  const gross = parts.map(({ gross_minor: charged }) => BigInt(charged));
  const base = parts.map(({ base_minor: minor }) => BigInt(minor));
  const earning = parts.map(
    ({ base_minor: minor, rate_e4: rate, flat_minor: flat }) =>
      BigInt(minor) * BigInt(rate) + BigInt(flat) * PERCENT_UNIT,
  );
  const ofGross = part(gross, shares) ?? shares[0] ?? WHOLE;
  return {
    parts: shares,
    gross: ofGross,
    earned: part(earning, shares) ?? part(base, shares) ?? ofGross,
  };
}

/** The share of the order that the buyer has paid. */
export const paidShare = ({ content, paid_minor: paid }: CountedOrder): Fraction =>
  paid >= content.grand_total_minor ? WHOLE : shareOf(paid, content.grand_total_minor);

/**
 * The commission for what remains, rounded once. Percentages are reduced to the share that was paid; flat
 * rates are not.
 */
export function earnedBy(
  counted: CountedOrder,
  remaining: Remaining,
  flatRule: OrderTerms['flat_rule'],
): number {
  const { content, parts } = counted;
  const initial = initialOf(counted);
  const paid = paidShare(counted);
  if (initial !== content.amount_minor) return scaled(counted, remaining, flatRule);
  return exact(parts, content.flat_minor, { remaining, paid, flatRule });
}

/** The commission as the parts give it before any refund, with the money received at that time. */
function initialOf(counted: CountedOrder): number {
  const { content, parts } = counted;
  const whole = remainingOf(
    counted,
    parts.map(() => WHOLE),
  );
  const paid = paidShare({ ...counted, paid_minor: receivedOf(content) });
  return exact(parts, content.flat_minor, { remaining: whole, paid, flatRule: 'prorate' });
}

interface Exact {
  readonly remaining: Remaining;
  readonly paid: Fraction;
  readonly flatRule: OrderTerms['flat_rule'];
}

function exact(parts: readonly OrderPart[], flat: number, { remaining, paid, flatRule }: Exact): number {
  const flatShare = (share: Fraction): Fraction =>
    flatRule === 'keep' ? (share.top > 0n ? WHOLE : NONE) : share;
  const flatsOfParts = parts.reduce((sum, each) => sum + each.flat_minor, 0);
  const ofOrder = weighted([BigInt(flat - flatsOfParts)], [flatShare(remaining.gross)]);
  const sum = groupsOf(parts).reduce((all, { indexes, cap }) => {
    const shares = indexes.map((at) => remaining.parts[at] ?? NONE);
    const own = indexes.map((at) => parts[at]!);
    const percent = weighted(
      own.map(({ base_minor: base, rate_e4: rate }) => BigInt(base) * BigInt(rate)),
      shares,
    );
    const flats = weighted(
      own.map((each) => BigInt(each.flat_minor)),
      shares.map(flatShare),
    );
    const earned = plus(
      { top: percent.top * paid.top, bottom: percent.bottom * paid.bottom * PERCENT_UNIT },
      flats,
    );
    return plus(all, cap !== null && isMore(earned, cap) ? cap : earned);
  }, ofOrder);
  return Number(divideRounded(sum.top, sum.bottom));
}

/** The parts that are capped together, and all others. */
function groupsOf(
  parts: readonly OrderPart[],
): readonly { readonly indexes: readonly number[]; readonly cap: Fraction | null }[] {
  const groups = new Map<string | null, { indexes: number[]; cap: Fraction | null }>();
  for (const [at, { cap }] of parts.entries()) {
    const name = cap?.rule ?? null;
    const limit = cap === undefined ? null : { top: BigInt(cap.amount_minor), bottom: 1n };
    const group = groups.get(name) ?? { indexes: [], cap: limit };
    groups.set(name, group);
    group.indexes.push(at);
  }
  return [...groups.values()];
}

/** An amount that an extension or the source has set shrinks in proportion. */
function scaled(counted: CountedOrder, { earned }: Remaining, flatRule: OrderTerms['flat_rule']): number {
  const { content, paid_minor: paid } = counted;
  const { amount_minor: amount, flat_minor: flat, paid_minor: then = content.grand_total_minor } = content;
  const kept = flatRule === 'keep' && earned.top > 0n ? Math.min(flat, amount) : 0;
  // A commission that its source has given does not depend on the money received.
  const isGiven = content.level === null;
  const share = isGiven || then <= 0 || paid === then ? WHOLE : { top: BigInt(paid), bottom: BigInt(then) };
  const rest = BigInt(amount - kept) * earned.top * share.top;
  return kept + Number(divideRounded(rest, earned.bottom * share.bottom));
}

/** The amount that what remains earns from. */
export function baseOf(counted: CountedOrder, { parts: shares, earned }: Remaining): number {
  const { content, parts } = counted;
  const paid = paidShare(counted);
  const bases = parts.map(({ base_minor: base }) => BigInt(base));
  const sum = bases.reduce((all, base) => all + base, 0n);
  const then = paidShare({ ...counted, paid_minor: receivedOf(content) });
  const initial = Number(divideRounded(sum * then.top, then.bottom));
  const left = initial === content.base_minor ? weighted(bases, shares) : null;
  return left === null
    ? Number(divideRounded(BigInt(content.base_minor) * earned.top, earned.bottom))
    : Number(divideRounded(left.top * paid.top, left.bottom * paid.bottom));
}

/**
 * What the commission rests on, and what the buyer has paid and not got back (docs/reliability.md §2, I18).
 */
export function restsOn(
  counted: CountedOrder,
  { parts: shares }: Remaining,
  refunded: number,
): { readonly rests: number; readonly kept: number } {
  const { content, parts, paid_minor: paid } = counted;
  if (content.grand_total_minor <= 0 || content.parts === undefined) return { rests: 0, kept: 0 };
  const earning = parts.map(({ gross_minor: gross, base_minor: base, rate_e4: rate, flat_minor: flat }) =>
    base * rate > 0 || flat > 0 ? BigInt(gross) : 0n,
  );
  const share = paidShare(counted);
  const { top, bottom } = weighted(earning, shares);
  return {
    rests: Number(divideRounded(top * share.top, bottom * share.bottom)),
    kept: Math.max(0, paid - refunded),
  };
}
