import { readDecimal, toInteger } from '../../core/decimal.js';
import { currencyDigits } from '../../core/money.js';
import { orderKey } from '../../core/order-key.js';
import type { Referral } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { contextOf } from './order-context.js';
import { factsOf } from './due.js';
import { byTime } from './times.js';
import {
  contentFact,
  correctionFact,
  disputeFact,
  dueNow,
  reviewFact,
  nextTime,
  paymentFact,
  refundFact,
  type ReportedRefund,
} from './facts.js';
import type { OrderRecords } from './order-records.js';
import * as store from './repository.js';
import { shareRefund } from './refund-shares.js';
import type { OpenTransaction, OrderChange, Settler, LedgerCause } from './settle.js';
import { newFacts, appendDisputes, reportedRefunds } from './order-events.js';
import type {
  DisputeState,
  Fact,
  NewFact,
  Order,
  OrderContent,
  OrderName,
  RejectReason,
  SettleResult,
  UnchangedReason,
} from './types.js';

/** Makes the new facts from the order as it is under its lock. */
export type MakeFacts = (
  order: Order,
  facts: readonly Fact[],
) => readonly NewFact[] | Promise<readonly NewFact[]>;

/** Makes the content of an order as it is under its lock; null when there is nothing new. */
export type MakeContent = (
  order: Order,
  facts: readonly Fact[],
) => { readonly hash: string; readonly content: OrderContent } | null;

/** Changes an order under its lock, before its facts are made. */
export interface BeforeFacts {
  /** Affiliates to lock besides that of the order. */
  readonly affiliates: readonly number[];
  readonly change: (opened: OpenTransaction, order: Order) => Promise<void>;
}

export interface AddedFacts extends OrderChange {
  /** How many of the facts were new. */
  readonly added: number;
}

const SCALE_MAX = 12;

/**
 * Stores what happens to an order after it was recorded: adds facts and settles the order, in any status of
 * its commission.
 */
export class OrderChanges {
  constructor(
    private readonly app: Deps,
    private readonly parts: {
      readonly records: OrderRecords;
      readonly settler: Settler;
      /** Makes the record of an order from its referral. */
      readonly adopt: (referral: Referral, name: OrderName) => Promise<Order | null>;
    },
  ) {}

  /** Adds facts to orders and settles each, in one transaction: affiliates first, then the orders by id. */
  async addFacts(
    ids: readonly number[],
    make: MakeFacts,
    cause: LedgerCause,
    before?: BeforeFacts,
  ): Promise<AddedFacts[]> {
    return this.app.transaction(async (trx, afterCommit) => {
      const seen = await store.findOrders(trx, ids);
      const affiliates = [...seen.map((order) => order.affiliate_id), ...(before?.affiliates ?? [])];
      await this.app.ledger.lock(trx, ...affiliates);
      const reported: AddedFacts[] = [];
      for (const { id } of seen)
        reported.push(await this.#addFacts({ trx, afterCommit }, id, { make, before }, cause));
      return reported;
    });
  }

  async #addFacts(
    opened: OpenTransaction,
    id: number,
    { make, before }: { readonly make: MakeFacts; readonly before: BeforeFacts | undefined },
    cause: LedgerCause,
  ): Promise<AddedFacts> {
    const seen = (await store.lockOrder(opened.trx, id))!;
    await before?.change(opened, seen);
    const order = before === undefined ? seen : (await store.lockOrder(opened.trx, id))!;
    const known = await store.factsOfOrder(opened.trx, id);
    const reported = await make(order, known);
    const { added, facts } =
      reported.length === 0
        ? { added: 0, facts: known }
        : await store.addFacts(opened.trx, id, reported, this.parts.records.stamp());
    const refunds = cause.refund === true ? reportedRefunds(newFacts(known, facts)) : [];
    const change = await this.parts.settler.settleLocked(opened, order, facts, { ...cause, refunds });
    await appendDisputes(this.app, opened.trx, order, { known, facts });
    if (seen.customer_id !== order.customer_id || seen.affiliate_id !== order.affiliate_id)
      await this.parts.settler.settleLimits(opened, seen, order);
    return { ...change, added };
  }

  /**
   * The order was paid: its commission is no longer pending. This includes a failed or canceled order that
   * was paid later.
   */
  async complete(order: Order, paid?: number): Promise<SettleResult> {
    return this.#add(order, { kind: 'earned' }, (_order, facts) => {
      const latest = factsOf(facts, 'payment').toSorted(byTime).at(-1);
      const edited = factsOf(facts, 'content').some(({ at }) => at > (latest?.at ?? 0));
      const isKnown =
        latest?.data.state === 'paid' && !edited && (paid === undefined || latest.data.paid_minor === paid);
      return isKnown ? [] : [paymentFact('paid', nextTime(facts, this.app.clock.now()), paid)];
    });
  }

  /** The order as it is now. Before it is paid, the buyer may change too. */
  async update(order: Order, make: MakeContent, before?: BeforeFacts): Promise<SettleResult> {
    const changed = (locked: Order, facts: readonly Fact[]): readonly NewFact[] => {
      const report = make(locked, facts);
      const at = nextTime(facts, this.app.clock.now());
      return report === null ? [] : [contentFact(locked, facts, { ...report, at })];
    };
    return this.#add(order, { kind: 'adjusted', reason: 'order changed' }, changed, before);
  }

  /** A refund of an order that earns in parts. */
  async refundParts(orders: readonly Order[], reported: ReportedRefund): Promise<SettleResult> {
    const facts = await store.factsOfOrders(
      this.app.db,
      orders.map(({ id }) => id),
    );
    const known = [...facts.values()].flat();
    const own = await this.inOrderCurrency(orders[0]!, reported, known);
    const parts = orders.map((order) => ({ order, facts: facts.get(order.id) ?? [] }));
    const shares = new Map(shareRefund(parts, own).map((share, at) => [orders[at]!.id, share]));
    const cause = { kind: 'refunded', refund: true } as const;
    const all = await this.addFacts(
      orders.map(({ id }) => id),
      (locked, seen) => {
        const share = shares.get(locked.id) ?? null;
        if (share === null) return [];
        const fact = refundFact(locked, share, nextTime(seen, this.app.clock.now()));
        return isNews(fact, seen) ? [fact] : [];
      },
      cause,
    );
    const settled = all.map((each) => settledOf(each, cause));
    return settled.find(({ changed }) => changed) ?? settled[0]!;
  }

  async cancel(order: Order, reason: RejectReason): Promise<SettleResult> {
    return this.#add(order, { kind: 'refunded', refund: reason === 'refunded' }, (locked, facts) => {
      if (locked.due_status === 'rejected' && locked.reject_reason === reason) return [];
      return [this.#endFact(locked, reason, nextTime(facts, this.app.clock.now()))];
    });
  }

  /** A dispute as the host reports it. Reporting it again changes nothing. */
  async dispute(order: Order, id: string, state: DisputeState): Promise<SettleResult> {
    return this.#add(order, { kind: 'adjusted', reason: 'dispute' }, (_order, facts) => {
      const last = factsOf(facts, 'dispute')
        .filter((fact) => fact.data.dispute_id === id)
        .toSorted(byTime)
        .at(-1);
      return last?.data.state === state
        ? []
        : [disputeFact(id, state, nextTime(facts, this.app.clock.now()))];
    });
  }

  /** The fact that ends an order for this reason. */
  #endFact(order: Order, reason: RejectReason, at: number): NewFact {
    if (reason === 'disputed') return disputeFact('host', 'lost', at);
    if (reason === 'manual')
      return {
        key: `judgement:${at}`,
        at,
        data: { kind: 'judgement', verdict: 'rejected', reason: null, clears: [] },
      };
    if (reason !== 'refunded') return paymentFact(reason, at);
    const total = order.terms?.grand_total_minor ?? 0;
    if (total <= 0) return paymentFact('voided', at);
    const all = { refund_id: null, gross: total, base: null, currency: order.currency, undone: false };
    return refundFact(order, all, at);
  }

  /**
   * A refund in any form. One in another currency is converted at the host's exchange rate, or the commission
   * is held.
   */
  async refund(order: Order, reported: ReportedRefund): Promise<SettleResult> {
    const own = await this.inOrderCurrency(order, reported, await store.factsOfOrder(this.app.db, order.id));
    const { refund_id: note } = reported;
    const cause: LedgerCause = { kind: 'refunded', refund: true, ...(note !== null && { note }) };
    return this.#add(order, cause, (locked, facts) => {
      const fact = refundFact(locked, own, nextTime(facts, this.app.clock.now()));
      return isNews(fact, facts) ? [fact] : [];
    });
  }

  /**
   * Runs outside any transaction, because it calls the host. A refund that cannot be converted is returned
   * unchanged, and its commission is held.
   */
  async inOrderCurrency(
    order: Pick<Order, 'currency'>,
    reported: ReportedRefund,
    facts: readonly Fact[] = [],
  ): Promise<ReportedRefund> {
    if (reported.currency === order.currency || reported.gross === null || reported.undone) return reported;
    try {
      const rate =
        knownRate(reported, facts) ?? (await this.app.host.exchangeRate?.(reported.currency, order.currency));
      return rate === null || rate === undefined
        ? reported
        : (converted(reported, String(rate), order.currency) ?? reported);
    } catch (error) {
      this.app.log.warn('the host returned no exchange rate', {
        error,
        from: reported.currency,
        to: order.currency,
      });
      return reported;
    }
  }

  /**
   * A person changes the amount or status of a commission. The fact contains what was known at that moment. The caller
   * holds the affiliate's lock and reports the change.
   */
  async review(
    opened: OpenTransaction,
    order: Order,
    change: {
      readonly amount?: number;
      readonly status?: Referral['status'];
      readonly reason?: string | null;
      /** The affiliate may read the reason. */
      readonly isShown?: boolean;
    },
  ): Promise<OrderChange> {
    const { trx } = opened;
    await store.lockOrder(trx, order.id);
    const facts = await store.factsOfOrder(trx, order.id);
    const at = nextTime(facts, this.app.clock.now());
    const referral = order.referral_id === null ? null : await this.app.referrals.find(order.referral_id);
    const around = await contextOf(trx, order, referral ?? { type: 'sale' });
    const known = dueNow(order, facts, { ...around, inPayout: false });
    const entry = { at, reason: change.reason ?? null, isShown: change.isShown ?? false };
    const added = [
      ...(change.amount === undefined ? [] : [correctionFact(change.amount, known, entry)]),
      ...(change.status === undefined ? [] : [reviewFact(VERDICTS[change.status] ?? 'held', known, entry)]),
    ];
    await store.addFacts(trx, order.id, added, this.parts.records.stamp());
    return (await this.parts.settler.settle(opened, order.id, {
      kind: 'adjusted',
      reason: 'manual',
      silent: true,
      ...(entry.reason !== null && { note: entry.reason }),
    }))!;
  }

  /** The record of an order. It is made from its referral when the referral was imported without one. */
  async find(name: OrderName): Promise<Order | null> {
    const key = orderKey(name.provider, name);
    const order = await store.findByKey(this.app.db, key);
    if (order) return order;
    const referral = await this.app.referrals.findByKey(key);
    if (referral !== null) return this.parts.adopt(referral, name);
    const isWhole = name.reference !== '' && name.sub_reference === '';
    return isWhole ? store.findUnplaced(this.app.db, name.provider, name.reference) : null;
  }

  async #add(
    { id }: Order,
    cause: LedgerCause,
    make: MakeFacts,
    before?: BeforeFacts,
  ): Promise<SettleResult> {
    const [reported] = await this.addFacts([id], make, cause, before);
    return settledOf(reported!, cause);
  }
}

/** A refund is converted once: a report of it again takes the rate of the first one. */
function knownRate(reported: ReportedRefund, facts: readonly Fact[]): string | null {
  const known = factsOf(facts, 'refund').find(
    ({ data }) =>
      data.refund_id === reported.refund_id &&
      data.converted?.from === reported.currency &&
      (data.refund_id !== null || data.converted.gross_minor === reported.gross),
  );
  return known?.data.converted?.rate ?? null;
}

/** The refund in the order's currency; null when the rate cannot be used. */
function converted(reported: ReportedRefund, rate: string, currency: string): ReportedRefund | null {
  const value = readDecimal(rate);
  if (!value || value.units <= 0n || Math.abs(value.scale) > SCALE_MAX || reported.gross === null)
    return null;
  const shift = value.scale + currencyDigits(reported.currency);
  const exact = { units: BigInt(reported.gross) * value.units, scale: shift };
  const { refund_id, undone, provisional, by_id } = reported;
  return {
    refund_id,
    undone,
    ...(provisional !== undefined && { provisional }),
    ...(by_id !== undefined && { by_id }),
    base: null,
    gross: Number(toInteger(exact, currencyDigits(currency))),
    currency,
    converted: { from: reported.currency, gross_minor: reported.gross, rate },
  };
}

const VERDICTS: Readonly<Partial<Record<Referral['status'], 'approved' | 'rejected' | 'held'>>> = {
  unpaid: 'approved',
  rejected: 'rejected',
  pending: 'held',
};

/** Is the fact new? A repeat without a time of its own is a fact only when it differs from the last one. */
function isNews({ data }: NewFact, facts: readonly Fact[]): boolean {
  if (data.kind !== 'refund') return true;
  // A refund with an id is one refund, in any reported currency.
  const latest = factsOf(facts, 'refund')
    .filter(
      (fact) =>
        fact.data.refund_id === data.refund_id &&
        (data.refund_id !== null || fact.data.currency === data.currency),
    )
    .toSorted(byTime)
    .at(-1)?.data;
  if (latest === undefined) return !data.undone || data.refund_id === null;
  return (
    latest.gross_minor !== data.gross_minor ||
    latest.base_minor !== data.base_minor ||
    latest.undone !== data.undone ||
    latest.currency !== data.currency ||
    JSON.stringify(latest.parts) !== JSON.stringify(data.parts)
  );
}

/** What the caller gets: what changed, or why nothing did. */
export function settledOf(reported: AddedFacts, cause: Pick<LedgerCause, 'refund'>): SettleResult {
  const { after, changed } = reported;
  return {
    referral: after,
    changed,
    reason: changed ? null : unchangedReason(reported, cause.refund === true),
  };
}

function unchangedReason(
  { order, after, withheld, added, due }: AddedFacts,
  isRefund: boolean,
): UnchangedReason {
  if (order.deleted_at !== null) return 'deleted';
  if (after === null) return 'unknown_order';
  if (withheld) return 'locked';
  if (isRefund && added === 0) return 'unchanged';
  if (isRefund && due?.reasons.includes('currency_mismatch')) return 'currency_mismatch';
  return UNCHANGED_AS[after.status] ?? 'unchanged';
}

/** Why a referral with this status is unchanged. */
const UNCHANGED_AS: Readonly<Partial<Record<Referral['status'], UnchangedReason>>> = {
  rejected: 'rejected',
  cancelled: 'rejected',
  pending: 'locked',
};
