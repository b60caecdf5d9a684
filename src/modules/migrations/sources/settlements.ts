import { readDecimal, toInteger } from '../../../core/decimal.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

const TABLE = 'wpam_transactions';
const KEY = 'transactionId';
const PAGE = 5000;
const DECIMALS = 8; // fine enough for the noise of stored floats

export interface Settlement {
  /** Commission → the payment that completes it, on its way or done. */
  readonly paidBy: ReadonlyMap<string, string>;
  readonly covers: ReadonlyMap<string, readonly string[]>;
  /** Payments that are not confirmed yet. */
  readonly open: ReadonlySet<string>;
  /** Commissions a payment reaches into without covering them. */
  readonly partly: ReadonlySet<string>;
}

interface Books {
  readonly commissions: { id: string; amount: bigint }[];
  readonly payments: { id: string; amount: bigint }[];
}

/** Which commissions an affiliate's payments settle: the oldest first (import-sources §5). */
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
    const open = new Set<string>();
    const books = await this.#read(open);
    const paidBy = new Map<string, string>();
    const partly = new Set<string>();
    for (const each of books.values()) settle(each, paidBy, partly);
    const covers = new Map<string, string[]>();
    for (const [commission, payment] of paidBy)
      covers.set(payment, [...(covers.get(payment) ?? []), commission]);
    return { paidBy, covers, partly, open };
  }

  async #read(open: Set<string>): Promise<Map<string, Books>> {
    const books = new Map<string, Books>();
    for (let after: string | null = null; ;) {
      const rows: SourceRecord[] = await this.db.page(TABLE, KEY, { after, limit: PAGE });
      for (const row of rows.filter(counts)) {
        const own = books.get(String(row['affiliateId'])) ?? { commissions: [], payments: [] };
        books.set(String(row['affiliateId']), own);
        const list = row['type'] === 'payout' ? own.payments : own.commissions;
        const units = amountOf(row);
        if (row['type'] === 'payout' && row['status'] === 'pending') open.add(String(row[KEY]));
        list.push({ id: String(row[KEY]), amount: row['type'] === 'payout' && units < 0n ? -units : units });
      }
      if (rows.length < PAGE) return books;
      after = String(rows.at(-1)?.[KEY]);
    }
  }
}

/** Failed ones count nowhere; a commission that still waits for approval is not owed yet. Earlier releases have no status. */
const counts = (row: SourceRecord): boolean =>
  row['status'] !== 'failed' && (row['type'] === 'payout' || row['status'] !== 'pending');

function amountOf(row: SourceRecord): bigint {
  const decimal = readDecimal(String(row['amount'] ?? '0'));
  // whole hundredths: a noise of 1e-9 must not leave a commission open
  return decimal === null ? 0n : toInteger({ units: toInteger(decimal, DECIMALS), scale: DECIMALS }, 2);
}

function settle({ commissions, payments }: Books, paidBy: Map<string, string>, partly: Set<string>): void {
  let owed = 0n;
  let paid = 0n;
  let at = -1;
  for (const commission of commissions) {
    const before = owed;
    owed += commission.amount;
    while (paid < owed && at + 1 < payments.length) paid += payments[++at]?.amount ?? 0n;
    const payment = payments[Math.max(at, 0)];
    if (owed > paid || payment === undefined) {
      if (paid > before) partly.add(commission.id);
      return;
    }
    paidBy.set(commission.id, payment.id);
  }
}
