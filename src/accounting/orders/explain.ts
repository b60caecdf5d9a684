import { toIso } from '../../core/dates.js';
import { minor, toDecimal, toWire } from '../../core/money.js';
import type { Referral } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { contextOf } from './order-context.js';
import { dueNow } from './facts.js';
import { shownTime } from './times.js';
import * as store from './repository.js';
import type { DueStatus, Fact, FactData, Order, OrderTerms, Step } from './types.js';

/** One line of the timeline: a fact, or a payout that took the commission or gave it back. */
export interface TimelineEntry {
  readonly at: string;
  readonly kind: FactData['kind'] | 'order' | 'claim' | 'release';
  /** The values in the sentence; amounts are decimal text in the order's currency. */
  readonly values: Readonly<Record<string, string>>;
  readonly text: string;
  readonly actor_id: number | null;
  /** The name of the user who did it; null without a user, or when the host no longer knows the user. */
  readonly actor: string | null;
  readonly source: string;
}

/** Explains a commission. Amounts are decimal numbers of `currency`. */
export interface CommissionExplanation {
  readonly order_id: number;
  readonly currency: string;
  readonly due: { readonly amount: number; readonly status: DueStatus; readonly reason: string | null };
  /** Why it may not be paid yet. `until <time>` means that a commission only waits for that time. */
  readonly reasons: readonly string[];
  readonly steps: readonly (Pick<Step, 'kind' | 'values' | 'causes' | 'text'> & {
    readonly amount: number;
  })[];
  readonly timeline: readonly TimelineEntry[];
  /** The amount of the commission in a payout; null when it is in none. */
  readonly claimed: number | null;
  /** Adjustments that took back money or returned it, both in payouts and open. */
  readonly adjustments: readonly {
    readonly id: number;
    readonly amount: number;
    readonly status: Referral['status'];
  }[];
  /** What was paid but is no longer due. It is not taken back because option `clawback` was `off`. */
  readonly withheld: number;
  readonly terms: OrderTerms;
}

/** Null for a referral without an order. */
export async function explain(app: Deps, referral: Referral): Promise<CommissionExplanation | null> {
  const order = (await store.findByReferrals(app.db, [referral.id]))[0];
  if (order?.terms === undefined || order.terms === null) return null;
  const claimed = referral.status === 'paid';
  const facts = await store.factsOfOrder(app.db, order.id);
  const due = dueNow(order, facts, { inPayout: claimed, ...(await contextOf(app.db, order, referral)) });
  const money = (value: number): number => toWire(minor(value), order.currency);
  const isDeferred =
    due.status === 'unpaid' && referral.payable_at !== null && referral.payable_at > app.clock.now();
  return {
    order_id: order.id,
    currency: order.currency,
    due: { amount: money(due.amount), status: due.status, reason: due.reject_reason },
    reasons: [...due.reasons, ...(isDeferred ? [`until ${toIso(referral.payable_at)}`] : [])],
    steps: due.steps.map(({ kind, values, causes, text, amount_minor }) => ({
      kind,
      values,
      causes,
      text,
      amount: money(amount_minor),
    })),
    timeline: await timelineOf(app, order, facts),
    claimed: claimed ? money(referral.amount_minor) : null,
    adjustments: (await app.referrals.adjustments(referral.id)).map(({ id, amount_minor, status }) => ({
      id,
      amount: money(amount_minor),
      status,
    })),
    withheld: money(order.withheld_minor),
    terms: shownTerms(order.terms),
  };
}

/** The terms without what only computing needs. */
function shownTerms({
  parts: _p,
  paid_minor: _m,
  received_minor: _rm,
  is_paid_told: _t,
  content_hash: _h,
  pricing: _r,
  limit: _l,
  limits: _ls,
  ...terms
}: OrderTerms): OrderTerms {
  return terms;
}

async function timelineOf(app: Deps, order: Order, facts: readonly Fact[]): Promise<TimelineEntry[]> {
  const money = (value: number): string => `${toWire(minor(value), order.currency)} ${order.currency}`;
  const plain = (value: number): string => toDecimal(minor(value), order.currency);
  const claims = order.referral_id === null ? [] : await app.ledger.claimsOf(order.referral_id);
  const entries: (Omit<TimelineEntry, 'at' | 'actor'> & { readonly at: number })[] = [
    {
      at: order.created_at,
      kind: 'order',
      values: { amount: plain(order.terms?.amount_minor ?? 0), total: plain(order.total_minor ?? 0) },
      text:
        `Recorded for affiliate ${order.affiliate_id ?? '–'} (${order.source ?? 'unknown'}): ` +
        `${money(order.terms?.amount_minor ?? 0)} of ${money(order.total_minor ?? 0)}.`,
      actor_id: null,
      source: order.provider,
    },
    ...facts.map((fact) => ({
      at: shownTime(fact),
      kind: fact.data.kind,
      values: factValues(fact.data, plain),
      text: factText(fact.data, order),
      actor_id: fact.actor_id,
      source: fact.source,
    })),
    ...claims.map(({ at, kind, transaction_id: id, amount_minor: amount, actor_id }) => ({
      at,
      kind,
      values: { transaction: String(id), amount: plain(amount) },
      text:
        kind === 'claim'
          ? `Taken into payout transaction ${id}: ${money(amount)}.`
          : `Payout transaction ${id} was undone: ${money(amount)} is open again.`,
      actor_id,
      source: 'payout',
    })),
  ];
  const users = await app.users(entries.map(({ actor_id: id }) => id));
  const nameOf = (id: number | null): string | null =>
    id === null ? null : (users.get(id)?.display_name ?? null);
  return entries
    .toSorted((a, b) => a.at - b.at)
    .map((entry) => ({ ...entry, at: toIso(entry.at), actor: nameOf(entry.actor_id) }));
}

type Money = (value: number, of?: string) => string;
type Of<K extends FactData['kind']> = Extract<FactData, { kind: K }>;

const VERDICTS = { approved: 'approved it', rejected: 'rejected it', held: 'set it to pending' } as const;

const contentText = (data: Of<'content'>, money: Money): string =>
  data.content === null
    ? 'The order was reported again.'
    : `The order was changed: ${money(data.content.amount_minor)} of ${money(data.content.grand_total_minor)}.`;

const TEXTS: { readonly [K in FactData['kind']]: (data: Of<K>, money: Money) => string } = {
  payment: ({ state, paid_minor: paid }, money) =>
    state === 'paid'
      ? `The order was paid${paid === undefined ? '' : `: ${money(paid)}`}.`
      : `The order was ${state}.`,
  content: contentText,
  refund: (data, money) => refundText(data, money),
  refund_list: ({ ids }) =>
    ids.length === 0 ? 'The source lists no refunds.' : `The source lists these refunds: ${ids.join(', ')}.`,
  dispute: ({ dispute_id: id, state }) => `Dispute ${id} was ${state}.`,
  judgement: ({ verdict, reason }) => `A person ${VERDICTS[verdict]}${because(reason)}.`,
  correction: ({ amount_minor: amount, reason }, money) =>
    `A person corrected it to ${money(amount)}${because(reason)}.`,
  moved: ({ from, to, reason }) =>
    `A person gave it from affiliate ${from} to affiliate ${to}${because(reason)}.`,
  flag: ({ word }) => `Marked: ${word}.`,
  deleted: ({ by }) => (by === 'person' ? 'A person deleted it.' : 'It was deleted with its affiliate.'),
};

function factText(data: FactData, { currency }: Order): string {
  const money: Money = (value, of = currency) => `${toWire(minor(value), of)} ${of}`;
  // the table's entry for this kind
  const text = TEXTS[data.kind] as (data: FactData, money: Money) => string;
  return text(data, money);
}

type Values = Readonly<Record<string, string>>;
type Plain = (value: number) => string;

/** The values of the same sentence, for other languages. */
const VALUES: { readonly [K in FactData['kind']]: (data: Of<K>, plain: Plain) => Values } = {
  payment: ({ state, paid_minor: paid }, plain) => ({
    state,
    ...(paid !== undefined && { paid: plain(paid) }),
  }),
  content: ({ content }, plain) => ({
    amount: content === null ? '' : plain(content.amount_minor),
    total: content === null ? '' : plain(content.grand_total_minor),
  }),
  refund: ({ refund_id: id, gross_minor: gross, base_minor: base, undone }, plain) => {
    const amount = gross ?? base;
    return { refund: id ?? '', amount: amount === null ? '' : plain(amount), undone: undone ? 'yes' : '' };
  },
  refund_list: ({ ids }) => ({ ids: ids.join(', ') }),
  dispute: ({ dispute_id: dispute, state }) => ({ dispute, state }),
  judgement: ({ verdict, reason }) => ({ verdict, reason: reason ?? '' }),
  correction: ({ amount_minor: amount, reason }, plain) => ({ amount: plain(amount), reason: reason ?? '' }),
  moved: ({ from, to, referral_id: referral, reason }) => ({
    from_affiliate: String(from),
    to_affiliate: String(to),
    referral: String(referral),
    reason: reason ?? '',
  }),
  flag: ({ word }) => ({ word }),
  deleted: ({ by }) => ({ by }),
};

function factValues(data: FactData, plain: Plain): Values {
  // the table's entry for this kind
  const values = VALUES[data.kind] as (data: FactData, plain: Plain) => Values;
  return values(data, plain);
}

const because = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);

function refundText(data: Of<'refund'>, money: Money): string {
  const which = data.refund_id === null ? 'Refunded so far' : `Refund ${data.refund_id}`;
  const base = data.base_minor === null ? '' : ` ${money(data.base_minor, data.currency)} of the basis`;
  const amount = data.gross_minor === null ? base : ` ${money(data.gross_minor, data.currency)}`;
  const converted = data.converted
    ? ` (${money(data.converted.gross_minor, data.converted.from)} at ${data.converted.rate})`
    : '';
  return `${which}:${amount}${converted}${data.undone ? ', taken back' : ''}.`;
}
