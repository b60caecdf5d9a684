import type { Db } from '../../platform/database/db.js';
import type { Finding } from '../ledger/types.js';
import type { Referral } from '../referrals/types.js';
import type { Deps } from './deps.js';
import { limitsOf } from './counted-order.js';
import { inheritedFrom, leftOf } from './order-context.js';
import { dueNow } from './facts.js';
import * as store from './repository.js';
import { factsHashOf } from './facts-hash.js';
import { dueAmountOf } from './settle.js';
import type { Due, Fact, Order } from './types.js';

const PAGE = 200;
const LIMIT = 100;

interface BookedCommission {
  readonly referral: Referral | undefined;
  /** The sum of what was taken back, in payouts and open. */
  readonly adjusted: number;
}

/**
 * Finds orders whose books differ from what their facts require, in pages by id; at most 100
 * (docs/reliability.md §2, I15 to I18).
 */
export async function findWrongOrders(
  app: Deps,
  db: Db,
  { settling, limit = LIMIT }: { readonly settling: OpenOrderIds; readonly limit: number | undefined },
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let after: number | null = 0; after !== null && found.length < limit;) {
    const page: WrongOrders = await wrongOrdersAfter(app, db, { after, settling });
    found.push(...page.found);
    after = page.after;
  }
  return found.slice(0, limit);
}

/** First orders whose followers are being settled in steps: what is due for those is not booked yet. */
type OpenOrderIds = ReadonlySet<number>;

interface WrongOrders {
  readonly found: readonly Finding[];
  /** The last order of the page; null when there is none after the given one. */
  readonly after: number | null;
}

/** The wrong ones of one page of the orders after this id. */
export async function wrongOrdersAfter(
  app: Deps,
  db: Db,
  { after, settling }: { readonly after: number; readonly settling: OpenOrderIds },
): Promise<WrongOrders> {
  const orders = await store.ordersAfter(db, after, PAGE);
  const last = orders.at(-1);
  return last
    ? { found: await violationsOf(app, db, orders, settling), after: last.id }
    : { found: [], after: null };
}

/** Checks a page with a fixed number of queries. */
async function violationsOf(
  app: Deps,
  db: Db,
  orders: readonly Order[],
  settling: OpenOrderIds,
): Promise<Finding[]> {
  const facts = await store.factsOfOrders(
    db,
    orders.map(({ id }) => id),
  );
  const credited = orders.filter(
    ({ referral_id, draft, deleted_at, first_order_id: firstId }) =>
      (referral_id ?? draft) !== null && deleted_at === null && !settling.has(firstId ?? 0),
  );
  const firstIds = credited.flatMap(({ first_order_id: id }) => id ?? []);
  const firsts = new Map((await store.findOrders(db, [...new Set(firstIds)])).map((each) => [each.id, each]));
  const referralIds = credited.map(({ referral_id: id }) => id);
  const referrals = await app.referrals.findMany(referralIds);
  const adjusted = await app.referrals.adjustedSums(referralIds.flatMap((id) => id ?? []));
  const unsealed = orders.filter((order) => factsHashOf(facts.get(order.id) ?? []) !== order.facts_seal);
  // Few orders have a limit.
  const limits = new Map<number, number | null>();
  for (const order of credited)
    if (limitsOf(order.terms).length > 0)
      limits.set(order.id, await leftOf(db, limitsOf(order.terms), order));
  const booked = credited.flatMap((order) => {
    const id = order.referral_id ?? 0;
    const first = order.first_order_id === null ? undefined : firsts.get(order.first_order_id);
    const booked = { referral: referrals.get(id), adjusted: adjusted.get(id) ?? 0 };
    return violations(order, facts.get(order.id) ?? [], {
      first,
      booked,
      left: limits.get(order.id) ?? null,
    });
  });
  return [
    ...unsealed.map(({ id }): Finding => ({
      invariant: 'I16',
      table: 'orders',
      id,
      detail:
        'The facts of the order are not those that were reported: one was changed, removed or added by other means.',
    })),
    ...booked,
  ];
}

function violations(
  order: Order,
  facts: readonly Fact[],
  { first, booked, left }: { first: Order | undefined; booked: BookedCommission; left: number | null },
): Finding[] {
  const { referral, adjusted } = booked;
  const wrong = (invariant: Finding['invariant'], detail: string): Finding[] => [
    { invariant, table: 'orders', id: order.id, detail },
  ];
  if (order.draft !== null && order.referral_id === null)
    return uncreditedViolations(order, facts, { first, left }, wrong);
  if (referral === undefined)
    return wrong('I15', 'The referral of the order is missing, and no person deleted it.');
  if (order.terms === null)
    return wrong(
      'I15',
      'The order is credited to an affiliate, but holds no terms to compute a commission by.',
    );
  if (referral.status === 'cancelled' || referral.status === 'processing') return [];
  const claimed = referral.status === 'paid';
  const inherited = first ? inheritedFrom(first, referral.type === 'recurring_sale') : null;
  const due = dueNow(order, facts, { inherited, left_minor: left, inPayout: claimed });
  return [
    ...(claimed ? [] : statusViolations(referral, due, adjusted, wrong)),
    ...bookViolations(order, due, { claimed, booked: { referral, adjusted } }, wrong),
    ...coverViolations(referral, due, { facts, adjusted }, wrong),
  ];
}

/** A commission above what the buyer has paid and not got back is payable only after a person approved it. */
function coverViolations(
  { status, amount_minor: amount, type }: Referral,
  { is_covered: isCovered, refunded_minor: refunded }: Due,
  { facts, adjusted }: { readonly facts: readonly Fact[]; readonly adjusted: number },
  wrong: Wrong,
): Finding[] {
  const isPayable = status === 'unpaid' && amount + adjusted > 0;
  const isReviewed = facts.some(({ data }) => data.kind === 'judgement' && data.verdict === 'approved');
  if (!isPayable || isCovered || isReviewed || type === 'adjustment') return [];
  return wrong('I18', `${amount} is payable for more than was paid; ${refunded} was refunded.`);
}

type Wrong = (invariant: Finding['invariant'], detail: string) => Finding[];

/** An order that earns nothing yet. */
function uncreditedViolations(
  order: Order,
  facts: readonly Fact[],
  { first, left }: { first: Order | undefined; left: number | null },
  wrong: Wrong,
): Finding[] {
  const { draft, terms } = order;
  if (draft === null || draft.refused !== null || terms === null) return [];
  const inherited = first ? inheritedFrom(first, draft.row.type === 'recurring_sale') : null;
  const should = dueAmountOf(dueNow(order, facts, { inherited, left_minor: left, inPayout: false }));
  return should === 0 ? [] : wrong('I15', `Nothing is booked, but due is ${should}.`);
}

function statusViolations(referral: Referral, due: Due, adjusted: number, wrong: Wrong): Finding[] {
  const amount = due.status === 'rejected' ? due.amount : due.amount - adjusted;
  if (referral.status === due.status && referral.amount_minor === amount) return [];
  return wrong(
    'I17',
    `The referral is ${referral.status} with ${referral.amount_minor}, but due is ${due.status} with ${amount}.`,
  );
}

function bookViolations(
  order: Order,
  due: Due,
  { claimed, booked }: { claimed: boolean; booked: { referral: Referral; adjusted: number } },
  wrong: Wrong,
): Finding[] {
  const own = !claimed && due.status === 'rejected' ? 0 : booked.referral.amount_minor;
  const is = own + booked.adjusted + (claimed ? order.withheld_minor : 0);
  const should = dueAmountOf(due);
  return is === should ? [] : wrong('I15', `Booked is ${is}, but due is ${should}.`);
}
