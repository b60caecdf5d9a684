import { divideRounded } from '../../core/decimal.js';
import { shortKey } from '../../core/order-key.js';
import { due as dueOf, clearable } from './due.js';
import type {
  DisputeState,
  Due,
  Fact,
  FactData,
  Inherited,
  NewFact,
  Order,
  OrderLine,
  OrderTerms,
  PaymentState,
} from './types.js';

// Makes facts from reports. The key of a fact is made of its content, so that a repeat has the same key.

/** What was returned of a line. With `gross`, the recorded line divides it into net and tax. */
export interface ToldItem {
  readonly item_id: string;
  readonly net: number;
  readonly tax: number;
  readonly gross?: number;
}

/** A refund as code, shops and sites report it; amounts are minor units of `currency`. */
export interface ToldRefund {
  /** null: `gross` or `base` is the sum of all refunds so far. */
  readonly refund_id: string | null;
  readonly gross: number | null;
  readonly base: number | null;
  readonly items?: readonly ToldItem[];
  readonly shipping?: number;
  readonly shipping_tax?: number;
  readonly currency: string;
  readonly undone: boolean;
  readonly provisional?: boolean;
  readonly by_id?: boolean;
  readonly converted?: RefundData['converted'];
}

export const paymentFact = (state: PaymentState, at: number): NewFact => ({
  key: `payment:${state}:${at}`,
  at,
  data: { kind: 'payment', state },
});

export const disputeFact = (id: string, state: DisputeState, at: number): NewFact => ({
  key: shortKey(`dispute:${state}:${at}:${id}`),
  at,
  data: { kind: 'dispute', dispute_id: id, state },
});

export const flagFact = (word: string, at: number): NewFact => ({
  key: shortKey(`flag:${word}`),
  at,
  data: { kind: 'flag', word },
});

export const listFact = (ids: readonly string[], at: number): NewFact => ({
  key: shortKey(`list:${at}:${ids.join(',')}`),
  at,
  data: { kind: 'refund_list', ids },
});

type RefundData = Extract<FactData, { kind: 'refund' }>;

const refundData = (
  told: ToldRefund,
  measured: { readonly base: number | null; readonly basis: number | null } | null,
): RefundData => ({
  kind: 'refund',
  refund_id: told.refund_id,
  gross_minor: told.gross,
  base_minor: measured?.base ?? null,
  basis_minor: measured?.basis ?? null,
  currency: told.currency,
  undone: told.undone,
  ...(told.provisional === true && { provisional: true }),
  ...(told.by_id === true && { by_id: true }),
  ...(told.converted && { converted: told.converted }),
});

export function refundFact({ terms }: Pick<Order, 'terms'>, told: ToldRefund, at: number): NewFact {
  const data = refundData(told, terms === null ? null : baseOf(terms, told));
  const says = [told.refund_id ?? '', at, told.undone ? 'undone' : 'done', told.currency];
  return {
    key: shortKey(`refund:${[...says, told.gross ?? '', data.base_minor ?? ''].join(':')}`),
    at,
    data,
  };
}

/**
 * The refunded part of the base, when the source or its items give it, under the rules the order was recorded
 * with.
 */
function baseOf(terms: OrderTerms, told: ToldRefund): { base: number; basis: number } | null {
  if (told.base !== null) return { base: told.base, basis: terms.base_minor };
  if (told.items === undefined && told.shipping === undefined) return null;
  const goods = (told.items ?? []).reduce((sum, part) => sum + countedOf(terms, part), 0);
  const shipping = terms.counts.shipping
    ? (told.shipping ?? 0) + (terms.counts.tax ? (told.shipping_tax ?? 0) : 0)
    : 0;
  return { base: Math.max(0, goods + shipping), basis: terms.basis_minor };
}

function countedOf({ lines, counts }: OrderTerms, given: ToldItem): number {
  const line = lines.find(({ id }) => id === given.item_id);
  if (line?.commissionable === false) return 0;
  const part = given.gross === undefined ? given : divided(given.gross, line);
  const net =
    counts.before_discount && line && line.net > 0
      ? Number(divideRounded(BigInt(part.net) * BigInt(line.before), BigInt(line.net)))
      : part.net;
  return net + (counts.tax ? part.tax : 0);
}

function divided(gross: number, line: OrderLine | undefined): { net: number; tax: number } {
  const whole = line ? line.net + line.tax : 0;
  if (!line || whole <= 0) return { net: gross, tax: 0 };
  const net = Number(divideRounded(BigInt(gross) * BigInt(line.net), BigInt(whole)));
  return { net, tax: gross - net };
}

/** The time of facts from code and people: now, but later than every known fact. */
export const nextTime = (facts: readonly Fact[], now: number): number =>
  facts.reduce((latest, { at }) => Math.max(latest, at + 1), now);

export const dueNow = (
  order: Order,
  facts: readonly Fact[],
  context: { readonly inherited: Inherited | null; readonly claimed: boolean },
): Due => dueOf(order.terms!, facts, { currency: order.currency, ...context });

/** The decision of a person, with what was known at that moment. */
export function judgementFact(
  verdict: 'approved' | 'rejected' | 'held',
  known: Due,
  { at, reason }: { at: number; reason: string | null },
): NewFact {
  const clears = verdict === 'approved' ? clearable(known) : [];
  return { key: `judgement:${at}`, at, data: { kind: 'judgement', verdict, reason, clears } };
}

export function correctionFact(
  amount: number,
  known: Due,
  { at, reason }: { at: number; reason: string | null },
): NewFact {
  const left = [String(known.left.top), String(known.left.bottom)] as const;
  return { key: `correction:${at}`, at, data: { kind: 'correction', amount_minor: amount, left, reason } };
}
