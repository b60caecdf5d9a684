import { readDecimal, toInteger } from '../../src/core/decimal.js';
import { readTime } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import { col, instant } from './fields.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const TABLE = 'wpam_transactions';
const KEY = 'transactionId';
const PAGE = 5000;
const DECIMALS = 8; // fine enough for the noise of stored floats

/** What a payment paid beyond whole commissions; stored as paid, and taken off what is owed. */
export interface Surplus {
  readonly cents: bigint;
}

export interface Settlement {
  /** Commission → the payment that covers it, on its way or done. */
  readonly paidBy: ReadonlyMap<string, string>;
  readonly covers: ReadonlyMap<string, readonly string[]>;
  readonly carried: ReadonlyMap<string, Surplus>;
  /** Payments that are not confirmed yet. */
  readonly open: ReadonlySet<string>;
  /** Commissions a payment reaches into without covering them. */
  readonly partly: ReadonlySet<string>;
}

interface Entry {
  readonly id: string;
  readonly cents: bigint;
  readonly at: number;
  readonly type: string;
  readonly reference: string;
}

/** A commission with the refunds of its order, or a correction: covered whole or not at all. */
interface Unit {
  readonly entries: readonly Entry[];
  readonly at: number;
}

/** Which commissions an affiliate's payments settle: the oldest first (docs/moving-in.md). */
export class Settlements {
  #known: { readonly last: number; readonly settlement: Promise<Settlement> } | undefined;

  constructor(private readonly db: SourceDb) {}

  /** Worked out once, and again when the table has grown. */
  async current(): Promise<Settlement> {
    const last = await this.db.max(TABLE, KEY);
    if (this.#known?.last !== last) this.#known = { last, settlement: this.#settle() };
    return this.#known.settlement;
  }

  async #settle(): Promise<Settlement> {
    const found = {
      paidBy: new Map<string, string>(),
      covers: new Map<string, string[]>(),
      carried: new Map<string, Surplus>(),
      open: new Set<string>(),
      partly: new Set<string>(),
    };
    for (const entries of (await this.#read(found.open)).values()) settle(entries, found);
    for (const [commission, payment] of found.paidBy)
      found.covers.set(payment, [...(found.covers.get(payment) ?? []), commission]);
    return found;
  }

  async #read(open: Set<string>): Promise<Map<string, Entry[]>> {
    const books = new Map<string, Entry[]>();
    for (let after: string | null = null; ;) {
      const rows: SourceRecord[] = await this.db.page(TABLE, KEY, { after, limit: PAGE, instants: true });
      for (const row of rows.filter(counts)) {
        const type = foldWord(row['type']);
        const cents = centsOf(row);
        if (type === 'payout' && foldWord(row['status']) === 'pending') open.add(String(row[KEY]));
        const own = books.get(String(row['affiliateId'])) ?? [];
        books.set(String(row['affiliateId']), own);
        own.push({
          id: String(row[KEY]),
          cents: type === 'payout' && cents < 0n ? -cents : cents,
          at: readTime(instant(row, 'dateCreated'), 'UTC') ?? 0,
          type,
          reference: String(col(row, 'referenceId') ?? ''),
        });
      }
      if (rows.length < PAGE) return books;
      after = String(rows.at(-1)?.[KEY]);
    }
  }
}

/**
 * Failed ones count nowhere; a commission that still waits for approval is not owed yet.
 * Earlier releases have no status.
 */
const counts = (row: SourceRecord): boolean =>
  foldWord(row['status']) !== 'failed' &&
  (foldWord(row['type']) === 'payout' || foldWord(row['status']) !== 'pending');

function centsOf(row: SourceRecord): bigint {
  const decimal = readDecimal(String(row['amount'] ?? '0'));
  // whole hundredths: a noise of 1e-9 must not leave a commission open
  return decimal === null ? 0n : toInteger({ units: toInteger(decimal, DECIMALS), scale: DECIMALS }, 2);
}

const byAge = (a: Entry, b: Entry): number => a.at - b.at || Number(a.id) - Number(b.id);
const sumOf = (entries: readonly Entry[]): bigint => entries.reduce((sum, { cents }) => sum + cents, 0n);

interface Allocation {
  readonly paidBy: Map<string, string>;
  readonly carried: Map<string, Surplus>;
  readonly partly: Set<string>;
}

/**
 * Each payment in its turn covers the oldest commissions it pays for whole;
 * what remains of it is carried to the next. A payment of exactly what was owed
 * covers everything, deductions too.
 */
function settle(entries: readonly Entry[], { paidBy, carried, partly }: Allocation): void {
  const payments = entries.filter(({ type }) => type === 'payout').sort(byAge);
  let open = unitsOf(entries.filter(({ type }) => type !== 'payout').sort(byAge));
  let rest = 0n;
  for (const payment of payments) {
    const inReach = open.filter(({ at }) => at <= payment.at);
    const total = inReach.reduce((sum, unit) => sum + sumOf(unit.entries), 0n);
    const covered =
      total === payment.cents + rest ? inReach : oldestWithin(inReach, payment.cents + rest, partly);
    const sum = covered.reduce((all, unit) => all + sumOf(unit.entries), 0n);
    // the items of a payment and what it carries on add up to what was paid
    if (payment.cents - sum !== 0n) carried.set(payment.id, { cents: payment.cents - sum });
    rest += payment.cents - sum;
    for (const { id } of covered.flatMap((unit) => unit.entries)) {
      paidBy.set(id, payment.id);
      partly.delete(id);
    }
    open = open.filter((unit) => !covered.includes(unit));
  }
}

/**
 * Refunds go with the commission of their order; one that is refunded in full is not owed, and remains open.
 */
function unitsOf(entries: readonly Entry[]): Unit[] {
  const byOrder = new Map<string, Entry[]>();
  const units: Unit[] = [];
  for (const entry of entries) {
    const order = entry.type === 'adjustment' || entry.reference === '' ? `#${entry.id}` : entry.reference;
    byOrder.set(order, [...(byOrder.get(order) ?? []), entry]);
  }
  for (const own of byOrder.values()) units.push({ entries: own, at: own[0]?.at ?? 0 });
  return units;
}

function oldestWithin(units: readonly Unit[], budget: bigint, partly: Set<string>): Unit[] {
  const covered: Unit[] = [];
  let left = budget;
  for (const unit of units) {
    const sum = sumOf(unit.entries);
    if (sum <= 0n) continue; // deductions wait for a payment of the whole balance
    if (sum > left) {
      if (left > 0n) for (const { id, cents } of unit.entries) if (cents > 0n) partly.add(id);
      break;
    }
    covered.push(unit);
    left -= sum;
  }
  return covered;
}
