import { expect } from '@jest/globals';
import { fc } from '../support/random.js';
import type { TestApp } from '../support/app.js';
import type { RateRule } from '../../src/attribution/conversions/types.js';
import {
  costs,
  counted,
  NOT_DUE,
  owed,
  settled,
  UNBOOKED,
  type Booked,
  type Content,
  type Limits,
  type Line,
  type ModelOrder,
  type Owed,
  type ModelFact,
} from './order-life-model.js';

// One history: what is drawn, how it is reported to the service, and what must hold after every step.

/**
 * Steps that are left out, to look for other differences while one is known; also `parts` (refunds of the order in
 * parts), `rules` (rates per product), `cap`, `approved` (edits of an
 * order that a person approved before it was paid), `zero` (an order whose
 * first content earns nothing), `late`
 * (orders that came when a limit left them nothing, or after the first payment was rejected or
 * deleted) and `partly` (items returned of orders that were paid in part).
 */
const WITHOUT = new Set((process.env['WITHOUT'] ?? '').split(','));

const RULES = [
  { object_type: 'product', object_ids: ['p1'], rate_e4: 500_000, rate_type: 'percentage' },
  { object_type: 'product', object_ids: ['p2'], rate_e4: 0, rate_type: 'percentage' },
] as const satisfies readonly RateRule[];
const BY_RULE = { p1: 50, p2: 0, normal: 20 };
const NORMAL = { normal: 20 };
const RENEWAL = { normal: 10 };
/** The checks of the books read every table: what they find seldom goes away again within a few steps. */
const VERIFIED_EVERY = 5;
const BUYER = 'jo@buyer.test';
const OWN = 'alice@shop.test';

const cents = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 600 }));
const basket = fc
  .record({ p1: cents, p2: cents, p3: fc.integer({ min: 1, max: 20_000 }), tax: fc.constantFrom(0, 0, 19) })
  .map(({ tax, ...nets }) => linesOf(nets, tax));
const share = fc.integer({ min: 1, max: 100 });
const id = fc.constantFrom('r1', 'r2');
const on = fc.nat(20);

const only = <N extends string>(...names: N[]) =>
  fc.record({ do: fc.constantFrom(...names), on }) as fc.Arbitrary<{ do: N; on: number }>;
type Acts<N, More = unknown> = N extends string ? { readonly do: N; readonly on: number } & More : never;
export type Step =
  | Acts<'edit', { readonly basket: readonly Line[] }>
  | Acts<'buyer', { readonly own: boolean }>
  | Acts<'deposit' | 'payPart' | 'total' | 'correct' | 'goodwill', { readonly share: number }>
  | Acts<'extend', { readonly cents: number }>
  | Acts<'refund', { readonly id: string; readonly share: number; readonly currency: string }>
  | Acts<'again' | 'undone', { readonly id: string }>
  | Acts<'returned', { readonly id: string; readonly item: number; readonly share: number }>
  | Acts<'dispute', { readonly state: 'opened' | 'won' | 'lost' }>
  | Acts<'pay' | 'fail' | 'approve' | 'reject' | 'hold' | 'payout' | 'release' | 'markPaid'>
  | Acts<'enter', { readonly share: number }>
  | Acts<
      'given',
      {
        readonly basket: readonly Line[];
        readonly cents: number;
        readonly isHeld: boolean;
        readonly isKnown: boolean;
      }
    >
  | Acts<'give'>
  | Acts<'renew', { readonly net: number; readonly isPlan: boolean }>
  | Acts<'merge' | 'repeat' | 'delete' | 'rate'>;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), on, basket }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('buyer' as const), on, own: fc.boolean() }) },
  { weight: 5, arbitrary: only('pay', 'pay', 'fail') },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('deposit' as const, 'payPart' as const), on, share }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('extend' as const),
      on,
      cents: fc.integer({ min: 1, max: 9_999 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      on,
      id,
      share,
      currency: fc.constantFrom('USD', 'USD', 'EUR'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('again' as const, 'undone' as const), on, id }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('returned' as const),
      on,
      id,
      item: fc.nat(3),
      share: fc.constantFrom(50, 100, 100),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('total' as const), on, share }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      on,
      state: fc.constantFrom('opened' as const, 'won' as const, 'lost' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('correct' as const, 'goodwill' as const), on, share }),
  },
  { weight: 4, arbitrary: only('approve', 'approve', 'reject', 'hold') },
  { weight: 4, arbitrary: only('payout', 'release', 'markPaid') },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('renew' as const),
      on,
      net: fc.integer({ min: 5, max: 20_000 }),
      isPlan: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('enter' as const), on, share }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('given' as const),
      on,
      basket,
      cents: fc.integer({ min: 1, max: 9_999 }),
      isHeld: fc.boolean(),
      isKnown: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: only('give') },
  { weight: 2, arbitrary: only('merge', 'repeat') },
  { weight: 1, arbitrary: only('delete', 'rate') },
) as fc.Arbitrary<Step>;

export interface History {
  readonly clawback: 'adjust' | 'off';
  /** Most of a customer's commissions, in cents. */
  readonly cap: number | null;
  /** Refunds of the order in parts name amounts, or items. */
  readonly partsBy: 'amounts' | 'items';
  readonly first: readonly Line[];
  readonly parts: readonly [number, number];
  readonly subscribed: readonly Line[];
  readonly steps: readonly Step[];
}
export const histories = (most: number): fc.Arbitrary<History> =>
  fc.record({
    clawback: fc.constantFrom('adjust', 'adjust', 'off'),
    cap: fc.constantFrom(null, null, 500, 1_500, 4_000),
    partsBy: fc.constantFrom('amounts', 'items'),
    first: WITHOUT.has('zero') ? basket.filter((lines) => (lines.at(-1)?.net ?? 0) > 100) : basket,
    parts: fc
      .tuple(fc.integer({ min: 100, max: 200 }), fc.integer({ min: 100, max: 200 }))
      .map(([a, b]): [number, number] => [a * 100, b * 100]),
    // A subscription begins with the first payment that earns something.
    subscribed: fc.integer({ min: 3, max: 20_000 }).map((net) => [{ id: 'p3', net, tax: 0 }]),
    steps: fc.array(
      step.filter((each) => !WITHOUT.has(each.do)),
      { minLength: Math.min(10, most), maxLength: most, size: 'max' },
    ),
  });

function linesOf(nets: Readonly<Record<string, number>>, tax: number): Line[] {
  return Object.entries(nets)
    .filter(([, net]) => net > 0)
    .map(([name, net]) => ({ id: name, net, tax: Math.round((net * tax) / 100) }));
}

interface Row {
  readonly id: number;
  readonly status: string;
  readonly amount: number;
  readonly type: string;
  readonly parent_id: number | null;
  readonly provider_id: unknown;
  readonly provider_sub_id: unknown;
}
const COLUMNS = [
  'id',
  'status',
  'amount_minor',
  'type',
  'parent_id',
  'provider_id',
  'provider_sub_id',
] as const;
interface Stored extends Omit<Row, 'id' | 'amount' | 'parent_id'> {
  readonly id: number | string;
  readonly amount_minor: number | string;
  readonly parent_id: number | string | null;
}
/** What was booked for a commission. */
interface Account {
  readonly reference: string;
  affiliate: number;
  booked: Booked;
}
interface Played extends ModelOrder, Account {
  readonly reference: string;
  readonly sub: string | null;
  /** Who was named when it was recorded; a merge may have moved it since. */
  readonly named: number;
  affiliate: number;
  /** A person entered its commission. */
  isByHand: boolean;
}
/** The commission of an affiliate whose order was given to another one. */
interface Ended extends Account {
  readonly row: number;
}
type Key = { readonly reference: string; readonly sub_reference?: string };
type RefundStep = Extract<Step, { do: 'refund' | 'again' | 'undone' | 'returned' | 'total' }>;
type Back = Extract<ModelFact, { do: 'refund' | 'returned' | 'undone' | 'refundTotal' }>;
type Plain<T> = T extends unknown ? Omit<T, 'at'> : never;

const decimal = (amount: number): string =>
  `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
const toCents = (amount: number): number => Math.round(amount * 100);
const ceilShare = (amount: number, percent: number): number => Math.ceil((amount * percent) / 100);

/** The causes of the model in the service's words. */
const WORDS: Readonly<Record<string, string>> = {
  unpaid_order: 'unpaid_order',
  hold: 'manual',
  open: 'dispute',
  currency_mismatch: 'currency_mismatch',
  excess: 'totals_mismatch',
  reject: 'manual',
  failed: 'failed',
  refunded: 'refunded',
  lost: 'disputed',
};
const isRenewal = ({ whole }: ModelOrder): boolean => whole.startsWith('R-');
const isOwn = ({ causes }: Owed): boolean => causes.some((cause) => cause.endsWith('own'));
const wordOf = (cause: string): string =>
  WORDS[cause.replace(/^(?:above-)+/u, '').split(':')[0] ?? ''] ?? cause;

export class Play {
  readonly orders: Played[] = [];
  readonly #ended: Ended[] = [];
  readonly script: string[] = [];
  readonly #exchange: { at: number; rate: { top: bigint; bottom: bigint } | null }[] = [];
  readonly #conversions: TestApp['service']['conversions'];
  readonly #limits: Limits;
  #renewals = 0;
  #given = 0;
  #isMerged = false;
  #shown: readonly Row[] = [];
  /** What the explanation of each order was last found to say. */
  readonly #explained = new Map<string, string>();
  readonly #transactions = new Map<number, { readonly payout: number; affiliate: number; paid: boolean }>();

  constructor(
    private readonly t: TestApp,
    private readonly history: History,
    private readonly affiliates: readonly [number, number],
  ) {
    this.#conversions = t.service.conversions;
    this.#limits = { cap: history.cap, renewals: 3 };
    Object.assign(t.host, {
      exchangeRate: async (): Promise<string | null> => {
        const rate = this.#exchange.at(-1)?.rate ?? null;
        return rate === null ? null : String(Number(rate.top) / Number(rate.bottom));
      },
    });
  }

  async run(): Promise<void> {
    const { first, parts, subscribed, steps } = this.history;
    const [alice, bob] = this.affiliates;
    await this.#record('O-0', null, first, {
      affiliate: alice,
      rates: WITHOUT.has('rules') ? NORMAL : BY_RULE,
    });
    for (const [at, net] of parts.entries())
      await this.#record('O-1', `v${at}`, [{ id: `v${at}`, net, tax: 0 }], { affiliate: bob, rates: NORMAL });
    await this.#record('O-2', null, subscribed, { affiliate: alice, rates: NORMAL, phase: 'first' });
    await this.#agree();
    for (const [at, each] of steps.entries()) {
      this.t.clock.advance(1000);
      const length = this.script.length;
      await this.#take(each);
      if (this.script.length > length) await this.#agree();
      if (at % VERIFIED_EVERY === 0) expect(await this.t.service.verify()).toEqual([]);
    }
    await this.#agreeInWindows();
  }

  // ── telling ──

  get #now(): number {
    return this.t.clock.time;
  }
  #say(call: string): void {
    this.script.push(call);
  }
  #key(order: Played): Key {
    return { reference: order.whole, ...(order.sub !== null && { sub_reference: order.sub }) };
  }
  #note(order: ModelOrder, fact: Plain<ModelFact>): void {
    order.facts.push({ ...fact, at: this.#now });
  }
  #dues(): ReadonlyMap<string, Owed> {
    const all = this.orders.map((order) => ({ ...order, claimed: order.booked.claim !== null }));
    return owed(all, this.#exchange, this.#limits);
  }
  /** All commissions with what is due for them. */
  #accounts(): [Account, Owed][] {
    const dues = this.#dues();
    return [
      ...this.orders.map((order): [Account, Owed] => [order, dues.get(order.reference)!]),
      ...this.#ended.map((ended): [Account, Owed] => [ended, NOT_DUE]),
    ];
  }
  #due(order: Played): Owed {
    return this.#dues().get(order.reference)!;
  }
  #is(order: Played, ...kinds: ModelFact['do'][]): boolean {
    return order.facts.some((each) => kinds.includes(each.do));
  }
  #row(order: Played): Row | undefined {
    return this.#shown.find(
      (row) =>
        row.type !== 'adjustment' &&
        this.#ended.every((ended) => ended.row !== row.id) &&
        String(row.provider_id) === order.whole &&
        (order.sub === null || row.provider_sub_id === order.sub),
    );
  }

  async #record(
    whole: string,
    sub: string | null,
    lines: readonly Line[],
    more: {
      readonly affiliate: number;
      readonly rates: ModelOrder['rates'];
      readonly phase?: 'first' | 'renewal';
      /** The payment of another plan, which its source reports as a first one by another affiliate. */
      readonly planBy?: number | null;
    },
  ): Promise<void> {
    const { affiliate, rates, phase, planBy = null } = more;
    const isLater = phase === 'renewal';
    const order = this.#begin(whole, sub, { rates, affiliate, parent: isLater ? 'O-2' : null });
    this.#note(order, { do: 'content', lines, own: false });
    if (isLater) this.#note(order, { do: 'paid', amount: null });
    this.#say(
      `record ${order.reference} ${JSON.stringify(lines)}${isLater ? ' renewal, paid' : ''}${planBy === null ? '' : ` by ${planBy}`}`,
    );
    await this.#conversions.record(null, {
      provider: 'shop',
      reference: whole,
      sub_reference: sub,
      status: isLater ? 'unpaid' : 'pending',
      ...totalsOf(lines),
      customer: { email: BUYER },
      affiliate: isLater ? planBy : affiliate,
      rules: WITHOUT.has('rules') ? [] : RULES,
      ...(phase && { subscription: { id: 'S-1', phase: planBy === null ? phase : 'first' } }),
    });
  }

  #begin(
    whole: string,
    sub: string | null,
    more: Pick<ModelOrder, 'rates' | 'affiliate'> & Partial<Pick<ModelOrder, 'parent' | 'given'>>,
  ): Played {
    const order: Played = {
      reference: sub === null ? whole : `${whole}/${sub}`,
      whole,
      sub,
      named: more.affiliate,
      facts: [],
      parent: null,
      given: null,
      isByHand: false,
      claimed: false,
      booked: UNBOOKED,
      ...more,
    };
    this.orders.push(order);
    return order;
  }

  async #take(taken: Step): Promise<void> {
    const order = this.orders[taken.on % this.orders.length]!;
    const acts: { readonly [K in Step['do']]: (step: Extract<Step, { do: K }>) => Promise<void> } = {
      edit: ({ basket: lines }) => this.#edit(order, lines),
      buyer: ({ own }) => this.#rename(order, own),
      extend: ({ cents: more }) => this.#extend(order, more),
      pay: () => this.#pay(order),
      fail: () => this.#fail(order),
      payPart: (step) => this.#payPart(order, step),
      deposit: (step) => this.#payPart(order, step),
      refund: (step) => this.#refund(order, step),
      again: (step) => this.#refund(order, step),
      undone: (step) => this.#refund(order, step),
      returned: (step) => this.#refund(order, step),
      total: (step) => this.#refund(order, step),
      dispute: ({ state }) => this.#dispute(order, state),
      correct: (step) => this.#correct(order, step),
      goodwill: (step) => this.#correct(order, step),
      approve: () => this.#review(order, 'approve'),
      reject: () => this.#review(order, 'reject'),
      hold: () => this.#review(order, 'hold'),
      delete: () => this.#remove(order),
      repeat: () => this.#repeat(order),
      payout: () => this.#payout(),
      release: (step) => this.#transaction(step.do, step.on),
      markPaid: (step) => this.#transaction(step.do, step.on),
      renew: (step) => this.#renew(step),
      enter: (step) => this.#enter(order, ceilShare(costs(counted(order).content), step.share)),
      given: (step) => this.#give(step),
      give: () => this.#giveAway(order),
      merge: () => this.#merge(),
      rate: (step) => this.#setRate(step.on),
    };
    await (acts[taken.do] as (step: Step) => Promise<void>)(taken);
  }

  // ── content and money ──

  #content(order: Played): Content {
    const last = order.facts.findLast((each) => each.do === 'content');
    return last as Content;
  }

  /** Orders that can be edited before they are paid; a removal that is also a refund is one thing. */
  #isOpen(order: Played): boolean {
    if (isRenewal(order) || order.sub !== null || counted(order).isPaid) return false;
    if (WITHOUT.has('approved') && this.#is(order, 'approve')) return false;
    return !this.#is(order, 'refund', 'returned', 'refundTotal');
  }

  async #edit(order: Played, lines: readonly Line[]): Promise<void> {
    if (!this.#isOpen(order)) return;
    const { lines: before, own } = this.#content(order);
    // A first payment that earns nothing is a subscription of its own kind.
    const more = before.map((line) => ({ ...line, net: line.net + 1_000 }));
    await this.#change(order, { lines: order.whole === 'O-2' ? more : lines, own });
  }

  async #rename(order: Played, own: boolean): Promise<void> {
    if (!this.#isOpen(order) || order.affiliate !== this.affiliates[0]) return;
    // A person who enters a commission names the affiliate, and nobody asks whether it is the buyer.
    if (order.isByHand) return;
    // Whose limits renewals count to, when another buyer is reported after they came, is not settled.
    if (order.whole === 'O-2' && this.#renewals > 0) return;
    await this.#change(order, { lines: this.#content(order).lines, own });
  }

  /** Of orders paid in full, so that there is one reading of what the addition earns. */
  async #extend(order: Played, more: number): Promise<void> {
    const { isPaid, received, content } = counted(order);
    if (isRenewal(order) || order.sub !== null || !isPaid || received < costs(content)) return;
    const { lines: before, own } = this.#content(order);
    if (before !== content.lines) return;
    const lines = before.map((line) => (line.id === 'p3' ? { ...line, net: line.net + more } : line));
    await this.#change(order, { lines, own });
    await this.#agree();
    this.t.clock.advance(1000);
    await this.#complete(order, costs({ lines, own }));
  }

  async #change(order: Played, content: Content): Promise<void> {
    this.#note(order, { do: 'content', ...content });
    this.#say(
      `update ${order.reference} ${JSON.stringify(content.lines)}${content.own ? ' by the affiliate' : ''}`,
    );
    await this.#conversions.update('shop', this.#key(order), {
      ...totalsOf(content.lines),
      customer: { email: content.own ? OWN : BUYER },
    });
  }

  async #pay(order: Played): Promise<void> {
    if (counted(order).isPaid) return;
    if (this.#is(order, 'received')) return this.#complete(order, costs(this.#content(order)));
    this.#note(order, { do: 'paid', amount: null });
    this.#say(`complete ${order.reference}`);
    await this.#conversions.complete('shop', this.#key(order));
  }

  async #fail(order: Played): Promise<void> {
    // What renewals owe after a first payment that failed is not settled.
    if (order.whole === 'O-2') return;
    this.#note(order, { do: 'failed' });
    this.#say(`cancel ${order.reference} failed`);
    await this.#conversions.cancel('shop', this.#key(order), 'failed');
  }

  /** Less than all of it: as a deposit, or as the payment. */
  async #payPart(order: Played, taken: Extract<Step, { do: 'payPart' | 'deposit' }>): Promise<void> {
    // How a refund that comes before its money is shared by the parts is not settled.
    if (counted(order).isPaid || this.#is(order, 'refund', 'refundTotal', 'approve')) return;
    const { lines } = this.#content(order);
    const amount = ceilShare(costs(this.#content(order)), taken.share);
    if (taken.do === 'payPart') return this.#complete(order, amount);
    this.#note(order, { do: 'received', amount });
    this.#say(`update ${order.reference} paid ${decimal(amount)}`);
    const { order: totals, items } = totalsOf(lines);
    const paid = { order: { ...totals, paid: decimal(amount) }, items };
    await this.#conversions.update('shop', this.#key(order), paid);
  }

  async #complete(order: Played, amount: number): Promise<void> {
    this.#note(order, { do: 'paid', amount });
    this.#say(`complete ${order.reference} paid ${decimal(amount)}`);
    await this.#conversions.complete('shop', this.#key(order), { paid: decimal(amount) });
  }

  // ── refunds and disputes ──

  async #refund(order: Played, taken: RefundStep): Promise<void> {
    const whole = this.orders.filter((each) => each.whole === order.whole);
    const isPart = order.sub !== null;
    if (isPart && (WITHOUT.has('parts') || !whole.every((each) => counted(each).isPaid))) return;
    const all = whole.reduce((sum, each) => sum + costs(counted(each).content), 0);
    const back = this.#backOf(order, taken, all);
    if (back === null) return;
    const input = inputOf(back);
    for (const each of whole) this.#note(each, back);
    this.#say(`refund ${order.whole} ${JSON.stringify(input)}`);
    await this.#conversions.refund('shop', { reference: order.whole }, input);
  }

  /** What is reported of the refund; null when there is more than one reading of it. */
  #backOf(order: Played, taken: RefundStep, all: number): Plain<Back> | null {
    if (this.#wasForgiven(order, taken)) return null;
    const by = order.sub === null ? 'both' : this.history.partsBy;
    if (taken.do === 'returned') return by === 'amounts' ? null : this.#itemsOf(order, taken);
    if (taken.do === 'total') {
      if (by === 'items' || this.#is(order, 'returned')) return null;
      return { do: 'refundTotal', amount: ceilShare(all, taken.share), undone: false };
    }
    if (taken.do === 'refund') return by === 'items' ? null : this.#amountOf(order, taken, all);
    const before = this.#lastOf(order, taken.id);
    if (before === undefined) return null;
    return taken.do === 'undone' ? { do: 'undone', id: taken.id } : before;
  }

  /** What a person forgave is not reported anew with another amount: whether it is forgiven again is not settled. */
  #wasForgiven(order: Played, taken: RefundStep): boolean {
    if (!('id' in taken) || taken.do === 'undone' || taken.do === 'again') return false;
    const whole = this.orders.filter((each) => each.whole === order.whole);
    return whole.some(isForgiven) && this.#lastOf(order, taken.id) !== undefined;
  }

  #amountOf(order: Played, taken: Extract<Step, { do: 'refund' }>, all: number): Plain<Back> | null {
    const { id: refund, currency, share: part } = taken;
    const before = this.#lastOf(order, refund);
    const isOther = before !== undefined && (before.do === 'returned' || before.currency === 'EUR');
    if (isOther || (before !== undefined && currency === 'EUR')) return null;
    return { do: 'refund', id: refund, amount: ceilShare(all, part), currency };
  }

  #itemsOf(order: Played, taken: Extract<Step, { do: 'returned' }>): Plain<Back> | null {
    const { content, received, isPaid } = counted(order);
    if (!isPaid || this.#is(order, 'refundTotal') || this.#lastOf(order, taken.id)?.do === 'refund')
      return null;
    if (WITHOUT.has('partly') && received < costs(content)) return null;
    const { id: item, net, tax } = content.lines[taken.item % content.lines.length]!;
    const line = { id: item, net: ceilShare(net, taken.share), tax: Math.floor((tax * taken.share) / 100) };
    return { do: 'returned', id: taken.id, lines: [line] };
  }

  #lastOf(order: Played, refund: string): Extract<ModelFact, { do: 'refund' | 'returned' }> | undefined {
    return order.facts.findLast(
      (each): each is Extract<ModelFact, { do: 'refund' | 'returned' }> =>
        (each.do === 'refund' || each.do === 'returned') && each.id === refund,
    );
  }

  async #dispute(order: Played, state: 'opened' | 'won' | 'lost'): Promise<void> {
    const known = order.facts.some((each) => each.do === 'dispute');
    if (state === 'opened' && known) return;
    this.#note(order, { do: 'dispute', id: 'd', state });
    this.#say(`dispute ${order.reference} ${state}`);
    await this.#conversions.dispute('shop', this.#key(order), state, 'd');
  }

  // ── people ──

  /** The row, if a person may decide about it and what that does is settled. */
  #reviewable(order: Played): Row | undefined {
    const row = this.#row(order);
    const due = this.#due(order);
    return row?.status === 'paid' || isOwn(due) ? undefined : row;
  }

  /** An approval clears what the person can see, but no open dispute. */
  #seen(order: Played): string[] {
    return this.#due(order).causes.filter((cause) => !cause.includes('open:'));
  }

  async #patch(order: Played, row: Row, body: object): Promise<void> {
    this.#say(`PATCH ${order.reference} ${JSON.stringify(body)}`);
    await this.t.admin.patch(`/referrals/${row.id}`).send(body).expect(200);
  }

  async #correct(order: Played, taken: Extract<Step, { do: 'correct' | 'goodwill' }>): Promise<void> {
    const row = this.#reviewable(order);
    if (row === undefined || order.booked.adjusted.length > 0) return;
    const amount = ceilShare(costs(counted(order).content), taken.share);
    const isGoodwill = taken.do === 'goodwill';
    if (amount === toCents(row.amount) || (isGoodwill && row.status === 'unpaid')) return;
    const clears = this.#seen(order);
    this.#note(order, { do: 'correct', amount });
    if (isGoodwill) this.#note(order, { do: 'approve', clears });
    await this.#patch(order, row, { amount: decimal(amount), ...(isGoodwill && { status: 'unpaid' }) });
  }

  async #review(order: Played, verdict: 'approve' | 'reject' | 'hold'): Promise<void> {
    const row = this.#reviewable(order);
    const status = { approve: 'unpaid', reject: 'rejected', hold: 'pending' }[verdict];
    if (row === undefined || status === row.status || this.#due(order).amount === 0) return;
    this.#note(order, { do: verdict, clears: this.#seen(order) });
    await this.#patch(order, row, { status });
  }

  async #remove(order: Played): Promise<void> {
    const row = this.#row(order);
    if (!row || order.booked.adjusted.length > 0) return;
    const answer = await this.t.admin.delete(`/referrals/${row.id}`);
    this.#say(`DELETE ${order.reference}: ${answer.status}`);
    expect(answer.status).toBe(row.status === 'paid' ? 422 : 200);
    if (answer.status === 200) this.#note(order, { do: 'deleted' });
  }

  async #repeat(order: Played): Promise<void> {
    const contents = order.facts.filter((each) => each.do === 'content');
    if (contents.length > 1 || isRenewal(order) || order.whole === 'O-2') return;
    this.#say(`record ${order.reference} again`);
    const { created } = await this.#conversions.record(null, {
      provider: 'shop',
      reference: order.whole,
      sub_reference: order.sub,
      status: 'pending',
      ...totalsOf(this.#content(order).lines),
      customer: { email: BUYER },
      affiliate: order.named,
      rules: WITHOUT.has('rules') ? [] : RULES,
    });
    // What a limit left nothing for may earn by now.
    if (this.#row(order) !== undefined) expect(created).toBe(false);
  }

  /** A person enters a commission for an order: one that has a commission keeps it. */
  async #enter(order: Played, amount: number): Promise<void> {
    // A payment that came after the subscription was deleted is not kept, so its total is unknown.
    const first = this.orders.find(({ reference }) => reference === order.parent);
    if (order.sub !== null || (first !== undefined && this.#is(first, 'deleted'))) return;
    const row = this.#row(order);
    const answer = await this.#postByHand(order.whole, order.affiliate, amount, 'unpaid');
    this.#say(`enter ${decimal(amount)} for ${order.reference}: ${answer}`);
    const isTaken = row !== undefined || this.#is(order, 'deleted');
    expect([order.reference, 'entered', answer]).toEqual([order.reference, 'entered', isTaken ? 409 : 200]);
    if (isTaken) return;
    Object.assign(order, { parent: null, isByHand: true });
    const clears = this.#seen(order);
    this.#note(order, { do: 'correct', amount });
    this.#note(order, { do: 'approve', clears });
  }

  /** A person enters a commission for an order, before it is reported or after it earned nothing. */
  async #give(taken: Extract<Step, { do: 'given' }>): Promise<void> {
    if (this.#given >= 2) return;
    this.#given += 1;
    const name = `H-${this.#given}`;
    return taken.isKnown ? this.#giveKnown(name, taken) : this.#giveUnknown(name, taken);
  }

  async #giveUnknown(
    name: string,
    { basket: lines, cents: given, isHeld }: Extract<Step, { do: 'given' }>,
  ): Promise<void> {
    const [affiliate] = this.affiliates;
    const order = this.#begin(name, null, { affiliate, rates: NORMAL, given });
    order.isByHand = true;
    this.#note(order, { do: isHeld ? 'hold' : 'approve', clears: this.#seen(order) });
    const answer = await this.#postByHand(order.whole, affiliate, given, isHeld ? 'pending' : 'unpaid');
    this.#say(`enter ${decimal(given)} for ${name}${isHeld ? ', held' : ''}: ${answer}`);
    expect(answer).toBe(200);
    await this.#agree();

    this.t.clock.advance(1000);
    await this.#recordByHand(order, { lines, own: false });
  }

  /** The affiliate's own purchase earns nothing, until a person says so. */
  async #giveKnown(
    name: string,
    { basket: lines, cents: given }: Extract<Step, { do: 'given' }>,
  ): Promise<void> {
    const order = this.#begin(name, null, { affiliate: this.affiliates[0], rates: NORMAL });
    const reason = await this.#recordByHand(order, { lines, own: true });
    // Orders after a rejected first one are not kept.
    if (reason === 'first_rejected') return void this.orders.pop();
    await this.#agree();

    this.t.clock.advance(1000);
    await this.#enter(order, given);
  }

  async #recordByHand(order: Played, content: Content): Promise<string | null> {
    this.#note(order, { do: 'content', ...content });
    this.#say(
      `record ${order.reference} ${JSON.stringify(content.lines)}${content.own ? ' by the affiliate' : ''}`,
    );
    const { created, reason } = await this.#conversions.record(null, {
      provider: 'shop',
      reference: order.whole,
      status: 'pending',
      ...totalsOf(content.lines),
      customer: { email: content.own ? OWN : BUYER },
      affiliate: order.named,
    });
    expect(created).toBe(false);
    return reason ?? null;
  }

  async #postByHand(
    reference: string,
    affiliate: number,
    amount: number,
    status: 'unpaid' | 'pending',
  ): Promise<number> {
    const answer = await this.t.admin.post('/referrals').send({
      affiliate_id: affiliate,
      amount: decimal(amount),
      status,
      type: 'sale',
      provider: 'shop',
      provider_id: reference,
    });
    return answer.status;
  }

  async #renew({ net, isPlan }: Extract<Step, { do: 'renew' }>): Promise<void> {
    const parent = this.orders.find(({ reference }) => reference === 'O-2');
    if (parent === undefined || this.#renewals >= 2) return;
    this.#renewals += 1;
    // Without its first payment, another plan begins a subscription of its own.
    const isKnown = isPlan && !this.#is(parent, 'deleted') && this.#row(parent) !== undefined;
    await this.#record(`R-${this.#renewals}`, null, [{ id: 'p3', net, tax: 0 }], {
      affiliate: parent.affiliate,
      rates: RENEWAL,
      phase: 'renewal',
      planBy: isKnown ? this.affiliates[1] : null,
    });
  }

  async #setRate(which: number): Promise<void> {
    const rate = [null, { top: 5n, bottom: 4n }, { top: 2n, bottom: 1n }][which % 3] ?? null;
    this.#exchange.push({ at: this.#now, rate });
    this.#say(`a euro costs ${rate === null ? 'nobody knows what' : Number(rate.top) / Number(rate.bottom)}`);
  }

  async #giveAway(order: Played): Promise<void> {
    const row = this.#row(order);
    if (row === undefined || this.#is(order, 'deleted') || isOwn(this.#due(order))) return;
    // Whether an affiliate's own purchase that was given away and back is asked about again is not settled.
    if (this.#isMerged || this.#content(order).own) return;
    const other = this.affiliates.find((affiliate) => affiliate !== order.affiliate)!;
    const before = { ...order, facts: [...order.facts] };
    const mayGo =
      row.status === 'paid'
        ? this.history.clawback === 'adjust'
        : !this.#shown.some((each) => each.type === 'adjustment' && each.parent_id === row.id);
    const decided = this.#due(order).causes.filter((cause) => wordOf(cause) === 'manual');
    if (decided.length > 0) this.#note(order, { do: 'approve', clears: decided });
    Object.assign(order, { affiliate: other, booked: UNBOOKED, parent: null });
    const { amount, status } = this.#due(order);
    const isGiven = mayGo && status !== 'rejected' && amount > 0;

    const answer = await this.t.admin
      .post(`/referrals/${row.id}/give`)
      .send({ affiliate_id: other, reason: 'Brought by another one' });
    this.#say(`give ${order.reference} to ${other}: ${answer.status} ${String(answer.body.code ?? '')}`);
    expect([order.reference, 'given', answer.status === 200]).toEqual([order.reference, 'given', isGiven]);
    if (isGiven) {
      const { affiliate, booked } = before;
      this.#ended.push({ reference: order.reference, row: row.id, affiliate, booked });
      return;
    }
    Object.assign(order, before);
  }

  async #merge(): Promise<void> {
    const [alice, bob] = this.affiliates;
    if (!this.orders.some(({ affiliate }) => affiliate === bob)) return;
    const answer = await this.t.admin.post(`/affiliates/${alice}/merge`).send({ other_id: bob });
    this.#say(`merge: ${answer.status}`);
    const isOpen = [...this.#transactions.values()].some(({ paid }) => !paid);
    expect([answer.status, answer.body.code]).toEqual(isOpen ? [422, 'merge_payout_open'] : [200, undefined]);
    if (isOpen) return;
    this.#isMerged = true;
    for (const [account] of this.#accounts()) account.affiliate = alice;
    this.#joinPayments(alice, bob);
  }

  /** Of two payments in one payout, the one of the account that stays holds both. */
  #joinPayments(kept: number, gone: number): void {
    const all = [...this.#transactions];
    for (const [id, about] of all.filter(([, { affiliate }]) => affiliate === gone)) {
      const other = all.find(([, each]) => each.affiliate === kept && each.payout === about.payout)?.[0];
      about.affiliate = kept;
      if (other === undefined) continue;
      this.#transactions.delete(id);
      const renamed = <T extends { transaction: number }>(each: T): T =>
        each.transaction === id ? { ...each, transaction: other } : each;
      for (const [account] of this.#accounts()) {
        const { claim, adjusted } = account.booked;
        account.booked = { claim: claim && renamed(claim), adjusted: adjusted.map(renamed) };
      }
    }
  }

  // ── payouts ──

  #payable(): Map<number, number> {
    const sums = new Map<number, number>();
    for (const [{ affiliate, booked }, due] of this.#accounts()) {
      const { row, status, open } = settled(due, booked, this.history.clawback);
      const sum = (status === 'unpaid' ? row : 0) + open;
      sums.set(affiliate, (sums.get(affiliate) ?? 0) + sum);
    }
    return sums;
  }

  async #payout(): Promise<void> {
    const due = new Map([...this.#payable()].filter(([, sum]) => sum > 0));
    const accounts = this.#accounts();
    const answer = await this.t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'Run', description: 'Run' } });
    this.#say(`payout: ${answer.status}`);
    expect(answer.status).toBe(due.size === 0 ? 422 : 200);
    if (due.size === 0) return;
    const payout = Number(answer.body.payout.id);
    const { body } = await this.t.admin.get(`/payouts/${payout}/transactions?per_page=50`).expect(200);
    const made = body.transactions.data as { id: number; affiliate_id: number; total_amount: number }[];
    expect(new Map(made.map((each) => [each.affiliate_id, toCents(each.total_amount)]))).toEqual(due);
    const earning = new Set(
      this.orders.filter((order) => this.#row(order)).map(({ reference }) => reference),
    );
    for (const { id: transaction, affiliate_id: affiliate } of made) {
      this.#transactions.set(transaction, { payout, affiliate, paid: false });
      for (const [account, due] of accounts.filter(([each]) => each.affiliate === affiliate)) {
        const { booked, reference } = account;
        const { row, status, open } = settled(due, booked, this.history.clawback);
        const isTaken = status === 'unpaid' && earning.has(reference);
        const claim = isTaken ? { transaction, amount: row } : booked.claim;
        const adjusted = open === 0 ? booked.adjusted : [...booked.adjusted, { transaction, amount: open }];
        account.booked = { claim, adjusted };
      }
    }
  }

  async #transaction(what: 'release' | 'markPaid', pick: number): Promise<void> {
    const all = [...this.#transactions];
    const found = all[pick % Math.max(1, all.length)];
    if (found === undefined) return;
    const [transaction, about] = found;
    const path = `/payouts/${about.payout}/transactions/${transaction}`;
    this.#say(`${what} transaction ${transaction}`);
    if (what === 'markPaid') {
      await this.t.admin.patch(path).send({ status: 'paid', confirm: true }).expect(200);
      about.paid = true;
      return;
    }
    await this.t.admin.delete(path).expect(200);
    this.#transactions.delete(transaction);
    for (const [account] of this.#accounts()) {
      const { claim, adjusted } = account.booked;
      account.booked = {
        claim: claim?.transaction === transaction ? null : claim,
        adjusted: adjusted.filter((each) => each.transaction !== transaction),
      };
    }
  }

  // ── what must hold ──

  async #read(): Promise<readonly Row[]> {
    const rows = (await this.t.app.db('referrals').select(COLUMNS).orderBy('id')) as Stored[];
    return rows.map(({ amount_minor: minor, id: row, parent_id: parent, ...more }) => ({
      ...more,
      id: Number(row),
      parent_id: parent === null ? null : Number(parent),
      amount: Number(minor) / 100,
    }));
  }

  async #agree(): Promise<void> {
    this.#shown = await this.#read();
    if (WITHOUT.has('late')) this.#forgetLate();
    const dues = this.#dues();
    for (const order of this.orders) await this.#agreeOn(order, dues.get(order.reference)!);
    for (const ended of this.#ended) this.#agreeOnEnded(ended);
    const counters = (await this.t.app.db('affiliates').select('id', 'unpaid_earnings_minor')) as {
      readonly id: number | string;
      readonly unpaid_earnings_minor: number | string;
    }[];
    const unpaid = new Map(counters.map((each) => [Number(each.id), Number(each.unpaid_earnings_minor)]));
    for (const [affiliate, sum] of this.#payable())
      expect(['payable', affiliate, unpaid.get(affiliate)]).toEqual(['payable', affiliate, sum]);
  }

  /** At the end of a history: the books balance, and people read the same as is stored. */
  async #agreeInWindows(): Promise<void> {
    expect(await this.t.service.verify()).toEqual([]);
    const { body } = await this.t.admin.get('/referrals?per_page=200&order_by=id&order_type=ASC').expect(200);
    const seen = (body.referrals.data as Row[]).map((row) => [row.id, row.status, amountOf(row)]);
    expect(seen).toEqual(this.#shown.map((row) => [row.id, row.status, amountOf(row)]));
    for (const [affiliate, sum] of this.#payable()) {
      const { body: shown } = await this.t.admin.get(`/affiliates/${affiliate}`).expect(200);
      expect([affiliate, toCents(shown.affiliate.unpaid_earnings)]).toEqual([affiliate, sum]);
    }
  }

  #forgetLate(): void {
    for (const order of this.orders.toReversed()) {
      const isNew = order.facts[0]?.at === this.#now;
      const due = this.#due(order);
      const parent = this.orders.find(({ reference }) => reference === order.parent);
      const isOver = due.amount === 0 || due.status === 'rejected' || (parent && this.#is(parent, 'deleted'));
      if (isNew && isOver && !this.#row(order)) this.orders.splice(this.orders.indexOf(order), 1);
    }
  }

  async #agreeOn(order: Played, due: Owed): Promise<void> {
    const name = order.reference;
    const row = this.#row(order);
    if (this.#is(order, 'deleted')) return expect([name, row]).toEqual([name, undefined]);
    // Whether an affiliate's own purchase is rejected or held: it pays nothing.
    if (isOwn(due) && order.booked.claim === null && order.booked.adjusted.length === 0)
      return expect([name, row?.status]).not.toEqual([name, 'unpaid']);
    const { row: amount, status, open } = settled(due, order.booked, this.history.clawback);
    // An order that earns nothing may have no row, and what it would be called does not matter.
    const isBare = row === undefined || due.causes.length === 0;
    if (isBare && isWorthless(amount, status)) return expect([name, amountOf(row)]).toEqual([name, 0]);
    const causes = due.causes.map(wordOf);
    expect([name, row?.status, amountOf(row), ...causes]).toEqual([name, status, amount, ...causes]);
    this.#agreeOnAdjustments(order, row!, open);
    if (status === 'paid') return;
    const expected = JSON.stringify([row!.id, status, amount, causes, order.facts.length]);
    if (this.#explained.get(name) === expected) return;
    await this.#agreeOnReasons(name, row!, causes);
    this.#explained.set(name, expected);
  }

  #agreeOnEnded(ended: Ended): void {
    const { row: amount, status, open } = settled(NOT_DUE, ended.booked, this.history.clawback);
    const row = this.#shown.find(({ id: each }) => each === ended.row);
    const name = `${ended.reference}, given away`;
    expect([name, row?.status, amountOf(row)]).toEqual([name, status, amount]);
    this.#agreeOnAdjustments(ended, row!, open);
  }

  #agreeOnAdjustments({ reference, booked }: Account, { id: parent }: Row, open: number): void {
    const all = this.#shown.filter((each) => each.parent_id === parent && each.type === 'adjustment');
    const sum = (isPaid: boolean): number =>
      all
        .filter(({ status }) => (status === 'paid') === isPaid)
        .reduce((earlier, { amount }) => earlier + toCents(amount), 0);
    const paid = booked.adjusted.reduce((earlier, { amount }) => earlier + amount, 0);
    expect([reference, 'adjusted', sum(true), sum(false)]).toEqual([reference, 'adjusted', paid, open]);
  }

  async #agreeOnReasons(name: string, row: Row, causes: readonly string[]): Promise<void> {
    const explained = (await this.t.service.referrals.explain(row.id))!;
    const sorted = (words: readonly string[]): string[] => [...new Set(words)].toSorted();
    if (row.status === 'rejected') expect([name, ...causes]).toContain(explained.due.reason);
    else expect([name, ...sorted(explained.reasons)]).toEqual([name, ...sorted(causes)]);
  }
}

/** Did a person approve it although everything was refunded? */
const isForgiven = ({ facts: all }: Played): boolean =>
  all.some((each) => each.do === 'approve' && each.clears.some((cause) => cause.startsWith('refunded')));

/** What a row owes. */
const amountOf = (row: Row | undefined): number =>
  row === undefined || row.status === 'rejected' ? 0 : toCents(row.amount);

/** An order as it is reported. */
function totalsOf(lines: readonly Line[]): {
  readonly order: { readonly subtotal: string; readonly tax: string; readonly currency: string };
  readonly items: { readonly id: string; readonly subtotal: string; readonly tax: string }[];
} {
  const sum = (of: 'net' | 'tax'): string => decimal(lines.reduce((all, line) => all + line[of], 0));
  return {
    order: { subtotal: sum('net'), tax: sum('tax'), currency: 'USD' },
    items: lines.map((line) => ({ id: line.id, subtotal: decimal(line.net), tax: decimal(line.tax) })),
  };
}

function inputOf(back: Plain<Back>): object {
  if (back.do === 'undone') return { refund_id: back.id, undone: true };
  if (back.do === 'refundTotal') return { refunded_total: decimal(back.amount) };
  if (back.do === 'refund') {
    const currency = back.currency === 'EUR' ? { currency: 'EUR' } : {};
    return { refund_id: back.id, amount: decimal(back.amount), ...currency };
  }
  return { refund_id: back.id, items: totalsOf(back.lines).items };
}

const isWorthless = (amount: number, status: string): boolean => amount === 0 && status !== 'paid';
