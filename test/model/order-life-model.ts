// What is owed for orders that are edited, paid in parts, refunded, disputed and reviewed: a list of everything that
// was ever reported, and functions that compute from it from scratch with exact fractions. Amounts in cents.

/** An exact fraction; `bottom` is above 0. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}
const fraction = (top: number | bigint, bottom: number | bigint = 1n): Fraction => ({
  top: BigInt(top),
  bottom: BigInt(bottom),
});
const NOTHING = fraction(0);
const ALL = fraction(1);
const plus = (a: Fraction, b: Fraction): Fraction =>
  fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
const times = (a: Fraction, b: Fraction): Fraction => fraction(a.top * b.top, a.bottom * b.bottom);
const minus = (a: Fraction, b: Fraction): Fraction => plus(a, times(b, fraction(-1)));
/** Nothing shared by nothing is all of it. */
const over = (a: Fraction, b: Fraction): Fraction =>
  b.top === 0n ? ALL : fraction(a.top * b.bottom, a.bottom * b.top);
const isLess = (a: Fraction, b: Fraction): boolean => a.top * b.bottom < b.top * a.bottom;
const most = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a);
const total = <T>(list: readonly T[], of: (each: T) => Fraction): Fraction =>
  list.reduce((sum, each) => plus(sum, of(each)), NOTHING);
/** Half away from zero; amounts here are never below 0. */
const rounded = ({ top, bottom }: Fraction): number => Number((2n * top + bottom) / (2n * bottom));

export interface Line {
  readonly id: string;
  readonly net: number;
  readonly tax: number;
}
export interface Content {
  readonly lines: readonly Line[];
  /** The buyer is the affiliate. */
  readonly own: boolean;
}
type ReviewVerdict = 'approve' | 'reject' | 'hold';
export type ModelFact = { readonly at: number } & (
  | ({ readonly do: 'content' } & Content)
  /** Money received so far; null: as much as the order costs. */
  | { readonly do: 'received'; readonly amount: number }
  | { readonly do: 'paid'; readonly amount: number | null }
  | { readonly do: 'failed' }
  | { readonly do: 'refund'; readonly id: string; readonly amount: number; readonly currency: string }
  | { readonly do: 'returned'; readonly id: string; readonly lines: readonly Line[] }
  | { readonly do: 'undone'; readonly id: string }
  | { readonly do: 'refundTotal'; readonly amount: number; readonly undone: boolean }
  | { readonly do: 'dispute'; readonly id: string; readonly state: 'opened' | 'won' | 'lost' }
  | { readonly do: 'correct'; readonly amount: number }
  | { readonly do: ReviewVerdict; readonly clears: readonly string[] }
  | { readonly do: 'deleted' }
);
type Kind = ModelFact['do'];
type Of<K extends Kind> = Extract<ModelFact, { do: K }>;

export interface ModelOrder {
  readonly reference: string;
  /** Parts of one order share it; refunds are reported of the whole order. */
  readonly whole: string;
  /** In percent per line; `normal` for those that no rule matches. */
  readonly rates: Readonly<Record<string, number>> & { readonly normal: number };
  readonly facts: ModelFact[];
  /** The first payment of the subscription, unless the order was given to another affiliate since. */
  parent: string | null;
  /** What a person entered for it before it was reported. */
  readonly given: number | null;
  affiliate: number;
  /** A payout has it. */
  claimed: boolean;
}
export interface Owed {
  readonly amount: number;
  readonly status: 'unpaid' | 'pending' | 'rejected';
  readonly causes: readonly string[];
  /** Of the commission that would be due without refunds. */
  readonly left: Fraction;
}

/** Rates at which the host converts refunds, in the order in which they were set. */
export type Exchange = readonly { readonly at: number; readonly rate: Fraction | null }[];
export interface Limits {
  readonly cap: number | null;
  /** The first payment included. */
  readonly renewals: number | null;
}

const last = <T>(list: readonly T[]): T | undefined => list.at(-1);
const of = <K extends Kind>({ facts }: { readonly facts: readonly ModelFact[] }, ...kinds: K[]): Of<K>[] =>
  facts.filter((each): each is Of<K> => (kinds as string[]).includes(each.do));
const until = (order: ModelOrder, at: number): ModelOrder => ({
  ...order,
  facts: order.facts.filter((each) => each.at <= at),
});
export const costs = ({ lines }: Content): number => lines.reduce((sum, { net, tax }) => sum + net + tax, 0);

interface Counted {
  readonly content: Content;
  readonly received: number;
  readonly isPaid: boolean;
}

interface Paid {
  readonly content: Content;
  readonly received: number;
}

/** Money for the first time pays for the latest content; more money than before for what was added since. */
function paying(paid: Paid | null, latest: Content, amount: number | null): Paid {
  if (paid === null) return { content: latest, received: amount ?? costs(latest) };
  const received = amount ?? paid.received;
  const isMore = received > paid.received && costs(latest) > costs(paid.content);
  return { content: isMore ? latest : paid.content, received };
}

/** The content that was paid for, and how much of it; while unpaid, the latest one. */
export function counted(order: ModelOrder): Counted {
  let latest: Content = { lines: [], own: false };
  // Money received before the payment; what a payment that failed brought is gone.
  let deposit: number | null = null;
  let paid = null as Paid | null;
  for (const each of order.facts) {
    if (each.do === 'content') latest = each;
    if (each.do === 'failed') paid = null;
    if (each.do === 'received') deposit = each.amount;
    if (each.do === 'paid') paid = paying(paid, latest, each.amount);
  }
  const content = paid?.content ?? latest;
  const all = costs(content);
  const received = paid?.received ?? deposit;
  return { content, received: Math.min(received ?? all, all), isPaid: paid !== null };
}

type Refund = Of<'refund'> | Of<'returned'>;

/** Refunds by id as they were last reported; an undone one is none. */
function knownRefunds(order: ModelOrder): { readonly each: Refund; readonly since: number }[] {
  const known = new Map<string, { each: Refund; since: number }>();
  for (const each of of(order, 'refund', 'returned', 'undone')) {
    const before = known.get(each.id);
    if (each.do === 'undone') known.delete(each.id);
    else known.set(each.id, { each, since: before && isRepeat(before.each, each) ? before.since : each.at });
  }
  return [...known.values()];
}

const isRepeat = (before: Refund, now: Refund): boolean =>
  before.do === 'refund' && now.do === 'refund' && before.amount === now.amount;

/** A refund is converted once: at the rate of its first report for which the host knew one. */
function rateOf(order: ModelOrder, id: string, exchange: Exchange): Fraction | null {
  return (
    of(order, 'refund')
      .filter((each) => each.id === id)
      .map((each) => exchange.findLast(({ at }) => at <= each.at)?.rate ?? null)
      .find((rate) => rate !== null) ?? null
  );
}

function refundsOf(
  order: ModelOrder,
  exchange: Exchange,
): {
  /** Of the whole order, in cents: what comes from another currency is an amount like any other. */
  readonly amounts: readonly Amount[];
  readonly returned: readonly (readonly Line[])[];
  readonly held: readonly string[];
} {
  const amounts: Amount[] = [];
  const returned: (readonly Line[])[] = [];
  const held: string[] = [];
  for (const { each, since } of knownRefunds(order)) {
    if (each.do === 'returned' && order.given === null) {
      returned.push(each.lines);
      continue;
    }
    if (each.do === 'returned') {
      amounts.push({ amount: costs({ lines: each.lines, own: false }), at: since });
      continue;
    }
    const rate = each.currency === 'USD' ? ALL : rateOf(order, each.id, exchange);
    // What was cleared stays so, also when the refund is undone and reported again.
    if (rate === null) held.push(`currency_mismatch:${each.id}:${each.amount}`);
    else amounts.push({ amount: rounded(times(fraction(each.amount), rate)), at: since });
  }
  return { amounts, returned, held };
}

/** What was refunded of the whole order, and when that was reported. */
interface Amount {
  readonly amount: number;
  readonly at: number;
}

const totalReported = (order: ModelOrder, ofPart: (fact: Amount) => number): number =>
  of(order, 'refundTotal').reduce(
    (known, fact) => (fact.undone ? Math.min(known, ofPart(fact)) : Math.max(known, ofPart(fact))),
    0,
  );

interface Share {
  /** Exact cents. */
  readonly earned: Fraction;
  readonly left: Fraction;
  readonly isFull: boolean;
  readonly held: readonly string[];
  readonly excess: readonly string[];
}

/** What a person entered belongs to no line: a returned item is an amount of money like any other. */
const linesOf = ({ given }: ModelOrder, lines: readonly Line[]): readonly Line[] =>
  given === null ? lines : [{ id: 'all', net: costs({ lines, own: false }), tax: 0 }];

/** The commission by its lines: each line keeps what was not returned, all of them what was not paid back. */
function shareOf(order: ModelOrder, exchange: Exchange, all: readonly ModelOrder[]): Share {
  const { content: reported, received } = counted(order);
  const content = { ...reported, lines: linesOf(order, reported.lines) };
  const costsAll = fraction(costs(content));
  const paidShare = over(fraction(received), costsAll);
  const { amounts, returned, held } = refundsOf(order, exchange);
  const back = new Map<string, Fraction>();
  // What a line earns from is its net, so that says which part of it went back.
  for (const { id, net } of returned.flat()) back.set(id, plus(back.get(id) ?? NOTHING, fraction(net)));
  const rest = content.lines.map((line) => {
    const gross = fraction(line.net + line.tax);
    return {
      line,
      gross,
      kept: most(NOTHING, minus(ALL, over(back.get(line.id) ?? NOTHING, fraction(line.net)))),
    };
  });
  const moneyLeft = times(
    paidShare,
    total(rest, ({ gross, kept }) => times(gross, kept)),
  );
  const ofPart = sharer(order, all);
  const byId = amounts.reduce((sum, fact) => sum + ofPart(fact), 0);
  const taken = fraction(Math.max(byId, totalReported(order, ofPart)));
  // What the lines give back is reported in whole cents, and what is less than one is nothing.
  const byLines = rounded(minus(fraction(received), moneyLeft));
  const isAllBack = moneyLeft.top === 0n || byId + byLines >= received;
  const keptOfMoney = isAllBack ? NOTHING : most(NOTHING, minus(ALL, over(taken, moneyLeft)));
  const earns = ({ id, net }: Line): Fraction =>
    times(fraction(order.rates[id] ?? order.rates.normal, 100), fraction(net));
  const whole = times(paidShare, total(content.lines, earns));
  const earned = times(
    times(paidShare, keptOfMoney),
    total(rest, ({ line, kept }) => times(earns(line), kept)),
  );
  const left = whole.top === 0n ? keptOfMoney : over(earned, whole);
  return {
    earned,
    left,
    // What is left may earn nothing, though the buyer keeps a part.
    isFull: (keptOfMoney.top === 0n || left.top === 0n) && received > 0,
    held,
    excess: (keptOfMoney.top === 0n ? [] : rest)
      .filter(({ line }) => isLess(fraction(line.net), back.get(line.id) ?? NOTHING))
      .map(({ line }) => `excess:${line.id}:${String(back.get(line.id)?.top)}`),
  };
}

/**
 * A refund of an order in parts is shared by what the buyer had paid for each part when it was reported, in whole cents:
 * each gets those of its share, and one that is left goes to the part that lost most.
 */
function sharer(order: ModelOrder, all: readonly ModelOrder[]): (fact: Amount) => number {
  const parts = all.filter(({ whole }) => whole === order.whole);
  if (parts.length < 2) return ({ amount }) => amount;
  const mine = parts.findIndex(({ reference }) => reference === order.reference);
  return ({ amount, at }) => {
    const paid = parts.map((part) => BigInt(counted(until(part, at)).received));
    const sum = paid.reduce((earlier, each) => earlier + each, 0n);
    const rests = paid.map((each) => (BigInt(amount) * each) % sum);
    const left = Number(rests.reduce((earlier, each) => earlier + each, 0n) / sum);
    const first = [...rests.keys()].toSorted((a, b) => Number(rests[b]! - rests[a]!) || a - b);
    return Number((BigInt(amount) * paid[mine]!) / sum) + (first.indexOf(mine) < left ? 1 : 0);
  };
}

/** Since when an order is refunded in full. */
function fullSince(order: ModelOrder, exchange: Exchange, all: readonly ModelOrder[]): number | null {
  let since: number | null = null;
  for (const { at } of order.facts) {
    const isFull = shareOf(
      until(order, at),
      exchange,
      all.map((each) => until(each, at)),
    ).isFull;
    since = isFull ? (since ?? at) : null;
  }
  return since;
}

const causesIf = (isSo: boolean, cause: string): string[] => (isSo ? [cause] : []);

/** The last state of each dispute, since it was first reported; the same state reported again is nothing new. */
function statesOf(order: ModelOrder): Of<'dispute'>[] {
  const states = new Map<string, Of<'dispute'>>();
  for (const each of of(order, 'dispute'))
    if (states.get(each.id)?.state !== each.state) states.set(each.id, each);
  return [...states.values()];
}

/** Why nothing is due, and why it may not be paid yet; the last state of each dispute counts. */
function causesOf(order: ModelOrder, exchange: Exchange, all: readonly ModelOrder[], share: Share): string[] {
  const payment = last(of(order, 'paid', 'failed'));
  const verdict = last(of(order, 'approve', 'reject', 'hold'));
  const since = share.isFull ? fullSince(order, exchange, all) : null;
  const disputes = statesOf(order);
  return [
    ...(verdict === undefined || verdict.do === 'approve' ? [] : [`${verdict.do}:${verdict.at}`]),
    ...causesIf(counted(order).content.own, 'own'),
    ...(payment?.do === 'failed' ? [`failed:${payment.at}`] : []),
    ...causesIf(payment === undefined, 'unpaid_order'),
    ...causesIf(since !== null, `refunded:${String(since)}`),
    ...disputes.filter(({ state }) => state === 'lost').map(({ id, at }) => `lost:${id}:${at}`),
    ...disputes.filter(({ state }) => state === 'opened').map(({ id }) => `open:${id}`),
    ...share.held,
    ...share.excess,
  ];
}

/** A renewal waits with the first payment, and ends when that was reviewed or lost; not when it was refunded. */
function causesAbove(order: ModelOrder, exchange: Exchange, all: readonly ModelOrder[]): string[] {
  const parent = all.find(({ reference }) => reference === order.parent);
  if (parent === undefined || order.claimed) return [];
  return alone(parent, exchange, all)
    .causes.filter((cause) => !/^(?:failed|refunded)/u.test(cause))
    .map((cause) => `above-${cause}`);
}

/** What is due for one order, limits aside. */
function alone(order: ModelOrder, exchange: Exchange, all: readonly ModelOrder[]): Owed {
  const share = shareOf(order, exchange, all);
  const amount = corrected(order, exchange, all, share);
  const cleared = new Set<string>(of(order, 'approve').flatMap(({ clears }) => clears));
  const counts = (cause: string): boolean =>
    cause.includes('open:') || !cleared.has(cause) || (cause.startsWith('refunded') && amount === 0);
  const causes = [...causesOf(order, exchange, all, share), ...causesAbove(order, exchange, all)].filter(
    counts,
  );
  const ended = causes.filter((cause) => ENDS.test(cause));
  return {
    amount,
    status: ended.length > 0 ? 'rejected' : causes.length > 0 ? 'pending' : 'unpaid',
    causes,
    left: share.left,
  };
}
/** An affiliate's own purchase is held, so that a payout that has it keeps it: a person decides. */
const ENDS = /^(?:above-)*(?:reject|failed|refunded|lost)/u;

/** A person's amount shrinks with later refunds, and never grows by itself. */
function corrected(order: ModelOrder, exchange: Exchange, all: readonly ModelOrder[], share: Share): number {
  const correction = last(of(order, 'correct'));
  if (correction === undefined && order.given === null) return rounded(share.earned);
  if (correction === undefined) {
    const isReported = of(order, 'content').length > 0;
    return rounded(times(fraction(order.given ?? 0), isReported ? share.left : ALL));
  }
  const before = (each: ModelOrder): ModelOrder => until(each, correction.at - 1);
  const { left } = shareOf(before(order), exchange, all.map(before));
  return isLess(share.left, left)
    ? rounded(times(fraction(correction.amount), over(share.left, left)))
    : correction.amount;
}

/** A person who deletes the first commission of a subscription ends those that would come after it. */
function cameAfterDeletion(order: ModelOrder, all: readonly ModelOrder[]): boolean {
  const parent = all.find(({ reference }) => reference === order.parent);
  const deleted = parent && of(parent, 'deleted')[0];
  return deleted !== undefined && deleted.at <= (order.facts[0]?.at ?? 0);
}

export const NOT_DUE: Owed = { amount: 0, status: 'rejected', causes: [], left: NOTHING };

/** What a person has set is not cut, but counts for the orders after it. */
const within = (order: ModelOrder, due: Owed, left: number): number =>
  due.status === 'rejected' || order.given !== null || of(order, 'correct').length > 0
    ? due.amount
    : Math.min(due.amount, Math.max(0, left));

const leftFor = (
  { parent }: ModelOrder,
  { renewals: most, cap }: Limits,
  { renewals, before }: { renewals: number; before: number },
): number => (parent !== null && renewals + 1 >= (most ?? Infinity) ? 0 : (cap ?? Infinity) - before);

const isGone = (order: ModelOrder, all: readonly ModelOrder[]): boolean =>
  of(order, 'deleted').length > 0 || cameAfterDeletion(order, all);

/** What is due for every order, in the order in which they were reported: limits count what is due now. */
export function owed(
  all: readonly ModelOrder[],
  exchange: Exchange,
  limits: Limits,
): ReadonlyMap<string, Owed> {
  const dues = new Map<string, Owed>();
  const earned = new Map<number, number>();
  let renewals = 0;
  for (const order of all) {
    const due = isGone(order, all) ? NOT_DUE : alone(order, exchange, all);
    // Limits are those of a customer, and the affiliate is another one.
    const { own } = counted(order).content;
    const before = own ? 0 : (earned.get(order.affiliate) ?? 0);
    const amount = within(order, due, leftFor(order, limits, { renewals, before }));
    dues.set(order.reference, { ...due, amount });
    // What a person entered belongs to no customer.
    if (own || order.given !== null || due.status === 'rejected' || amount === 0) continue;
    earned.set(order.affiliate, before + amount);
    if (order.parent !== null) renewals += 1;
  }
  return dues;
}

// ── what is booked ──

interface Claim {
  readonly transaction: number;
  readonly amount: number;
}
/** The row of an order and what was taken back or given again for it. */
export interface Booked {
  readonly claim: Claim | null;
  readonly adjusted: readonly Claim[];
}
export const UNBOOKED: Booked = { claim: null, adjusted: [] };

const sumOf = (claims: readonly Claim[]): number => claims.reduce((sum, { amount }) => sum + amount, 0);

/** The amount of the row, and what waits to be taken back or given. */
export function settled(
  due: Owed,
  { claim, adjusted }: Booked,
  clawback: 'adjust' | 'off',
): { readonly row: number; readonly status: string; readonly open: number } {
  const right = due.status === 'rejected' ? 0 : due.amount;
  if (claim !== null)
    return {
      row: claim.amount,
      status: 'paid',
      open: clawback === 'off' ? 0 : right - claim.amount - sumOf(adjusted),
    };
  const target = right - sumOf(adjusted);
  if (due.status === 'rejected') return { row: 0, status: 'rejected', open: target };
  return { row: Math.max(0, target), status: due.status, open: Math.min(0, target) };
}
