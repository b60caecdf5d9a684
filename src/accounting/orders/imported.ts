import { minor } from '../../core/money.js';
import { orderKey, shortKey } from '../../core/order-key.js';
import type { Db } from '../../platform/database/db.js';
import type { Referral } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { due as dueOf } from './due.js';
import { correctionFact, reviewFact, nextTime, paymentFact } from './facts.js';
import { asFacts, BLANK } from './order-records.js';
import * as store from './repository.js';
import { openCauses } from './settle.js';
import { factsHashOf } from './facts-hash.js';
import type { Due, Fact, NewFact, NewOrder, OpenReason, Order, OrderName, OrderTerms } from './types.js';

/** An order of another system with its referral here. Amounts are minor units of `currency`. */
export interface ImportedOrder {
  readonly name: OrderName;
  readonly referral: Pick<
    Referral,
    'id' | 'affiliate_id' | 'customer_id' | 'visit_id' | 'status' | 'amount_minor' | 'created_at'
  >;
  readonly currency: string;
  /** The amount the commission was computed from; null when only the commission is known. */
  readonly base_minor: number | null;
  /** The gross amount charged; null: the same as the base. */
  readonly grand_total_minor: number | null;
  readonly subscription_id?: string | null;
  /** What the other system knew about the order in addition to its status. */
  readonly facts?: readonly NewFact[];
}

/** Stores imported orders. Only the data of the referral is known, so its status at import is what is due. */
export async function insertImported(app: Deps, trx: Db, imported: readonly ImportedOrder[]): Promise<void> {
  const stamp = { actor_id: null, source: 'import', now: app.clock.now() };
  const taken = await store.takenKeys(
    trx,
    imported.map(({ name }) => orderKey(name.provider, name)),
  );
  const fresh = new Map(
    imported
      .map((each) => [orderKey(each.name.provider, each.name), each] as const)
      .filter(([key]) => !taken.has(key)),
  );
  await store.insertOrders(
    trx,
    [...fresh].map(([key, each]) => ({
      ...rowOf(each),
      order_key: key,
      created_at: each.referral.created_at,
    })),
    stamp.now,
  );
  const ids = await store.idsByKey(trx, [...fresh.keys()]);
  const facts = [...fresh].flatMap(([key, each]) =>
    factsOf(each).map((fact) => ({ orderId: ids.get(key) ?? 0, fact })),
  );
  await store.insertFacts(trx, facts, stamp);
}

/**
 * A separate row for what another system took back of an imported commission, in minor units; below 0 when it
 * was returned.
 */
export interface ImportedDeduction {
  /** The id of the commission. */
  readonly referral_id: number;
  readonly source_key: string;
  readonly amount_minor: number;
  readonly at: number;
}

/**
 * Records the deductions as refunds of their orders; their rows are already booked. A shop that reports the
 * same refund again then takes nothing twice.
 */
export async function deductImported(
  app: Deps,
  trx: Db,
  deductions: readonly ImportedDeduction[],
): Promise<void> {
  const ids = [...new Set(deductions.map(({ referral_id: id }) => id))];
  const adjusted = await app.referrals.adjustedSums(ids);
  await addToEach(app, trx, ids, ({ order, referral, facts, dueBy }) => {
    const refunds = deductions
      .filter(({ referral_id: id, amount_minor: amount }) => id === referral.id && amount > 0)
      .map((each) => deductionFact(each, { of: order.terms.amount_minor, currency: order.currency }));
    const [before, after] = [dueBy(facts), dueBy([...facts, ...asFacts(refunds, facts.length)])];
    const booked = referral.amount_minor + (adjusted.get(referral.id) ?? 0);
    // A commission that was taken back completely keeps its status from the other system: nothing is due,
    // although it was not rejected.
    return after.status === before.status && after.amount === booked
      ? refunds
      : [correctionFact(booked, before, { at: nextTime(facts, app.clock.now()), reason: 'import' })];
  });
}

/**
 * Stores the changes the other system made since the last import as facts, so that what is due matches the
 * imported rows.
 */
export async function followImported(app: Deps, trx: Db, referralIds: readonly number[]): Promise<void> {
  const ids = [...referralIds, ...(await app.referrals.parentsOfAdjustments(referralIds))];
  const adjusted = await app.referrals.adjustedSums(ids);
  await addToEach(app, trx, ids, ({ referral, facts, dueBy }) =>
    newsOf(
      { status: referral.status, amount: referral.amount_minor + (adjusted.get(referral.id) ?? 0) },
      dueBy(facts),
      nextTime(facts, app.clock.now()),
    ),
  );
}

interface ImportedState {
  readonly order: Order & { readonly terms: OrderTerms };
  readonly referral: Referral;
  readonly facts: readonly Fact[];
  readonly dueBy: (facts: readonly Fact[]) => Due;
}

/**
 * Adds facts to the orders of these referrals. Their rows already have the status and amount that follow from
 * them.
 */
async function addToEach(
  app: Deps,
  trx: Db,
  referralIds: readonly number[],
  make: (known: ImportedState) => readonly NewFact[],
): Promise<void> {
  const stamp = { actor_id: null, source: 'import', now: app.clock.now() };
  const referrals = await app.referrals.findMany(referralIds);
  for (const { id } of await store.findByReferrals(trx, referralIds)) {
    const order = (await store.lockOrder(trx, id))!;
    const { terms, currency } = order;
    const referral = referrals.get(order.referral_id ?? 0);
    if (terms === null || order.deleted_at !== null || referral === undefined) continue;
    const facts = await store.factsOfOrder(trx, id);
    const claimed = referral.status === 'paid';
    const dueBy = (all: readonly Fact[]): Due =>
      dueOf(terms, all, { currency, inherited: null, left_minor: null, inPayout: claimed });
    const news = make({ order: { ...order, terms }, referral, facts, dueBy });
    if (news.length === 0) continue;
    const due = dueBy((await store.addFacts(trx, id, news, stamp)).facts);
    await store.changeOrder(trx, id, dueColumns(due), app.clock.now());
  }
}

const VERDICTS = { unpaid: 'approved', pending: 'held', rejected: 'rejected' } as const;

function newsOf(
  booked: Pick<Referral, 'status'> & { readonly amount: number },
  due: Due,
  at: number,
): NewFact[] {
  const entry = { at, reason: 'import' };
  const status = booked.status === 'paid' ? 'unpaid' : booked.status;
  const verdict = status in VERDICTS ? VERDICTS[status as keyof typeof VERDICTS] : null;
  return [
    ...(booked.amount === due.amount ? [] : [correctionFact(booked.amount, due, entry)]),
    ...(verdict === null || status === due.status ? [] : [reviewFact(verdict, due, entry)]),
  ];
}

const deductionFact = (
  { source_key: key, amount_minor: amount, at }: ImportedDeduction,
  { of, currency }: { readonly of: number; readonly currency: string },
): NewFact => ({
  key: shortKey(`refund:${key}`),
  at,
  data: {
    kind: 'refund',
    refund_id: key,
    gross_minor: null,
    base_minor: amount,
    basis_minor: of,
    currency,
    undone: false,
  },
});

const dueColumns = ({
  amount,
  full,
  status,
  reject_reason,
  reasons,
  causes,
}: Due): Pick<
  Order,
  'due_minor' | 'full_minor' | 'due_status' | 'reject_reason' | 'reasons' | 'open_causes'
> => ({
  due_minor: amount,
  full_minor: full,
  due_status: status,
  reject_reason,
  reasons,
  open_causes: openCauses({ causes }),
});

function rowOf(imported: ImportedOrder): NewOrder {
  const { name, referral, currency, subscription_id = null } = imported;
  const terms = termsOf(imported);
  const claimed = referral.status === 'paid';
  const known = asFacts(factsOf(imported));
  const due = dueOf(terms, known, { currency, inherited: null, left_minor: null, inPayout: claimed });
  return {
    ...BLANK,
    ...name,
    currency,
    subscription_id,
    terms,
    total_minor: minor(terms.grand_total_minor),
    customer_id: referral.customer_id,
    affiliate_id: referral.affiliate_id,
    visit_id: referral.visit_id,
    referral_id: referral.id,
    source: 'import',
    decision: 'recorded',
    facts_seal: factsHashOf(known),
    ...dueColumns(due),
  };
}

const termsOf = ({ referral, base_minor: base, grand_total_minor: total }: ImportedOrder): OrderTerms =>
  givenTerms(referral.amount_minor, total, base);

/** The terms of an order when only its commission and the amount charged are known. */
export function givenTerms(amount: number, total: number | null, known: number | null = null): OrderTerms {
  const base = known ?? total ?? 0;
  const reasons: readonly OpenReason[] = [];
  return {
    amount_minor: amount,
    base_minor: base,
    basis_minor: base,
    grand_total_minor: total ?? base,
    flat_minor: 0,
    flat_rule: 'prorate',
    counts: { before_discount: false, tax: false, shipping: false },
    lines: [],
    reasons,
    level: null,
    rule: null,
    rate: null,
    exchange: null,
    capped_from_minor: null,
  };
}

function factsOf({ referral, facts = [] }: Pick<ImportedOrder, 'referral' | 'facts'>): NewFact[] {
  const at = referral.created_at;
  if (referral.status === 'pending') return [...facts];
  if (referral.status !== 'rejected') return [paymentFact('paid', at), ...facts];
  const data = { kind: 'judgement', verdict: 'rejected', reason: 'import', clears: [] } as const;
  return [{ key: `judgement:${at}`, at, data }, ...facts];
}

/** The order of a referral that was imported without one. */
export function adopted(referral: Referral, name: OrderName, program: string): NewOrder {
  return rowOf(asImported(referral, name, program));
}

export const adoptedFacts = (referral: Referral): NewFact[] => factsOf({ referral });

const asImported = (referral: Referral, name: OrderName, program: string): ImportedOrder => ({
  name,
  referral,
  currency: referral.currency ?? program,
  base_minor: referral.order_total_minor,
  grand_total_minor: referral.order_total_minor,
});
