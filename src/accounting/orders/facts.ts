import { shortKey } from '../../core/order-key.js';
import { due as dueOf, clearable, factsOf, type DueContext } from './due.js';
import type {
  DisputeState,
  Due,
  Fact,
  FactData,
  NewFact,
  Order,
  OrderContent,
  PaymentState,
  RefundParts,
} from './types.js';

// Makes facts from reports. The key of a fact is made of its content, so that a repeat has the same key.

/** A refund as code, shops and sites report it; amounts are minor units of `currency`. */
export interface ReportedRefund extends RefundParts {
  /** null: `gross` or `base` is the sum of all refunds so far. */
  readonly refund_id: string | null;
  readonly gross: number | null;
  readonly base: number | null;
  readonly currency: string;
  readonly undone: boolean;
  readonly provisional?: boolean;
  readonly by_id?: boolean;
  readonly converted?: RefundData['converted'];
}

/** `paid` is the money received so far, when the source reports it. */
export const paymentFact = (state: PaymentState, at: number, paid?: number): NewFact => ({
  key: `payment:${state}:${at}${paid === undefined ? '' : `:${paid}`}`,
  at,
  data: { kind: 'payment', state, ...(paid !== undefined && { paid_minor: paid }) },
});

/**
 * The order as its source reports it now; `content` is omitted when the order already has content with this
 * hash.
 */
export function contentFact(
  order: Pick<Order, 'terms'>,
  facts: readonly Fact[],
  report: { readonly hash: string; readonly content: OrderContent; readonly at: number },
): NewFact {
  const { hash, content, at } = report;
  const isKnown =
    order.terms?.content_hash === hash || factsOf(facts, 'content').some(({ data }) => data.hash === hash);
  return {
    key: shortKey(`content:${at}:${hash}`),
    at,
    data: { kind: 'content', hash, content: isKnown ? null : content },
  };
}

export const disputeFact = (id: string, state: DisputeState, at: number): NewFact => ({
  key: shortKey(`dispute:${state}:${at}:${id}`),
  at,
  data: { kind: 'dispute', dispute_id: id, state },
});

export const listFact = (ids: readonly string[], at: number): NewFact => ({
  key: shortKey(`list:${at}:${ids.join(',')}`),
  at,
  data: { kind: 'refund_list', ids },
});

type RefundData = Extract<FactData, { kind: 'refund' }>;

export function refundFact({ terms }: Pick<Order, 'terms'>, reported: ReportedRefund, at: number): NewFact {
  const parts = partsOf(reported);
  const data: RefundData = {
    kind: 'refund',
    refund_id: reported.refund_id,
    gross_minor: reported.gross,
    base_minor: reported.base,
    basis_minor: reported.base === null || terms === null ? null : terms.base_minor,
    currency: reported.currency,
    ...(parts && reported.base === null && { parts }),
    undone: reported.undone,
    ...(reported.provisional === true && { provisional: true }),
    ...(reported.by_id === true && { by_id: true }),
    ...(reported.converted && { converted: reported.converted }),
  };
  return { key: shortKey(`refund:${refundKey(data, at)}`), at, data };
}

function refundKey(
  { refund_id: id, undone, currency, gross_minor, base_minor, parts }: RefundData,
  at: number,
): string {
  const amounts = [gross_minor ?? '', base_minor ?? '', ...(parts ? [JSON.stringify(parts)] : [])];
  return [id ?? '', at, undone ? 'undone' : 'done', currency, ...amounts].join(':');
}

function partsOf({ items, shipping, shipping_tax, fees, other }: ReportedRefund): RefundParts | null {
  const parts = {
    ...(items && { items }),
    ...(shipping !== undefined && { shipping }),
    ...(shipping_tax !== undefined && { shipping_tax }),
    ...(fees !== undefined && { fees }),
    ...(other !== undefined && { other }),
  };
  return Object.keys(parts).length === 0 ? null : parts;
}

/** The timestamp for a fact from code or a person: now, or just after the latest known fact. */
export const nextTime = (facts: readonly Fact[], now: number): number =>
  facts.reduce((latest, { at }) => Math.max(latest, at + 1), now);

/** What is due for a stored order by its facts. */
export const dueNow = (order: Order, facts: readonly Fact[], context: Omit<DueContext, 'currency'>): Due =>
  dueOf(order.terms!, facts, { currency: order.currency, ...context });

/** The decision of a person, with what was known at that moment. */
export function reviewFact(
  verdict: 'approved' | 'rejected' | 'held',
  known: Due,
  { at, reason, isShown = false }: { at: number; reason: string | null; isShown?: boolean },
): NewFact {
  const clears = verdict === 'approved' ? clearable(known) : [];
  const shown = isShown && reason !== null ? ({ shown: true } as const) : {};
  return { key: `judgement:${at}`, at, data: { kind: 'judgement', verdict, reason, ...shown, clears } };
}

export function correctionFact(
  amount: number,
  known: Due,
  { at, reason }: { at: number; reason: string | null },
): NewFact {
  const left = [String(known.left.top), String(known.left.bottom)] as const;
  return { key: `correction:${at}`, at, data: { kind: 'correction', amount_minor: amount, left, reason } };
}
