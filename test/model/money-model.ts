// What is owed for an order, computed from scratch from a list of everything that was ever reported;
// amounts in cents. An order earns 20 %.

export type ModelFact =
  | { do: 'paid' | 'failed'; at: number }
  | { do: 'refund'; id: string; gross: number; undone: boolean; at: number }
  | { do: 'refundTotal'; gross: number; at: number }
  | { do: 'dispute'; id: string; state: 'opened' | 'won' | 'lost'; at: number }
  | { do: 'correct'; amount: number; left: number; at: number }
  | { do: 'approve' | 'reject' | 'hold'; clears: readonly string[]; at: number };

export interface ModelOrder {
  readonly total: number;
  readonly facts: ModelFact[];
}
export interface Owed {
  readonly amount: number;
  readonly status: 'unpaid' | 'pending' | 'rejected';
  /** Cents of the order that were not refunded. */
  readonly left: number;
  readonly causes: readonly string[];
}

const last = <T>(list: readonly T[]): T | undefined => list.at(-1);
const round = (top: number, bottom: number): number => Math.floor((2 * top + bottom) / (2 * bottom));
const of = <K extends ModelFact['do']>(order: ModelOrder, ...kinds: K[]): Extract<ModelFact, { do: K }>[] =>
  order.facts
    .filter((each): each is Extract<ModelFact, { do: K }> => (kinds as string[]).includes(each.do))
    .toSorted((a, b) => a.at - b.at);

export function owed(order: ModelOrder): Owed {
  const left = leftOf(order);
  const amount = amountOf(order, left);
  const verdict = last(of(order, 'approve', 'reject', 'hold'));
  const payment = last(of(order, 'paid', 'failed'));
  const disputes = disputesOf(order);
  const ends = [
    ...(verdict?.do === 'reject' ? ['manual'] : []),
    ...disputes.filter(([, state]) => state === 'lost').map(([id, , at]) => `lost:${id}:${at}`),
    ...(left === 0 ? [`refunded:${of(order, 'refund').filter((each) => each.undone).length}`] : []),
    ...(payment?.do === 'failed' ? [`failed:${payment.at}`] : []),
  ];
  const waits = [
    ...(verdict?.do === 'hold' ? ['held'] : []),
    ...(payment === undefined ? ['unpaid_order'] : []),
    ...disputes.filter(([, state]) => state === 'opened').map(([id]) => `open:${id}`),
  ];
  const cleared = of(order, 'approve').flatMap(({ clears }) => clears);
  const counts = countsUnless(cleared, amount);
  const [ended, waiting] = [ends.filter(counts), waits.filter(counts)];
  return { amount, status: statusOf(ended, waiting), left, causes: [...ended, ...waiting] };
}

function leftOf(order: ModelOrder): number {
  const byId = new Map(of(order, 'refund').map((each) => [each.id, each]));
  const ids = [...byId.values()].reduce((sum, each) => sum + (each.undone ? 0 : each.gross), 0);
  const total = Math.max(0, ...of(order, 'refundTotal').map((each) => each.gross));
  return Math.max(0, order.total - Math.max(ids, total));
}

function amountOf(order: ModelOrder, left: number): number {
  const correction = last(of(order, 'correct'));
  if (correction === undefined) return round(left, 5);
  return left < correction.left ? round(correction.amount * left, correction.left) : correction.amount;
}

/** The last state of a dispute counts. */
function disputesOf(order: ModelOrder): [id: string, state: string, at: number][] {
  const disputes = new Map(of(order, 'dispute').map(({ id, state, at }) => [id, { state, at }]));
  return [...disputes].map(([id, { state, at }]) => [id, state, at]);
}

/** What was approved away counts no more; a commission of nothing stays refunded. */
const countsUnless =
  (clears: readonly string[], amount: number) =>
  (cause: string): boolean =>
    !clears.includes(cause) || (cause.startsWith('refunded:') && amount === 0);

const statusOf = (ended: readonly string[], waiting: readonly string[]): Owed['status'] =>
  ended.length > 0 ? 'rejected' : waiting.length > 0 ? 'pending' : 'unpaid';
