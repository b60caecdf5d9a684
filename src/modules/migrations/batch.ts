import type { App } from '../../app.js';
import type { Db } from '../../database/db.js';
import { putRemarks } from './repository.js';
import { emptySum } from './state.js';
import type { AnyRow, ImportRemark, ImportRun, RunState, Stage, SumTally } from './types.js';
import { readTime } from './values.js';

const REASON_MAX = 191;
type Outcome = 'imported' | 'existing' | 'skipped';

export interface BatchSetup {
  readonly app: App;
  readonly run: ImportRun;
  readonly stage: Stage;
  readonly timeZone: string;
  readonly currency: string;
}

/** One page of rows on its way in: what became of each row, and the run's state as it will be stored with them. */
export class Batch {
  readonly app: App;
  readonly stage: Stage;
  readonly currency: string;
  readonly state: RunState;
  readonly #setup: BatchSetup;
  readonly #remarks = new Map<string, { outcome: ImportRemark['outcome']; reasons: string[] }>();

  constructor(setup: BatchSetup) {
    this.#setup = setup;
    this.app = setup.app;
    this.stage = setup.stage;
    this.currency = setup.currency;
    this.state = structuredClone(setup.run.state); // a retried transaction starts from the stored one again
  }

  key(id: string | number): string {
    return `${this.#setup.run.source}:${id}`;
  }

  /** When the row came to be; a zero date takes the next best known, at last the start of the run. */
  time(row: { readonly created_at?: unknown }, ...others: readonly unknown[]): number {
    for (const value of [row.created_at, ...others]) {
      const time = this.readTime(value);
      if (time !== null) return time;
    }
    return this.#setup.run.created_at;
  }

  /** A time of the source as epoch milliseconds; null when it is none. */
  readTime(value: unknown): number | null {
    return readTime(value, this.#setup.timeZone);
  }

  count(row: AnyRow, outcome: Outcome): void {
    const tally = this.state.stages[this.stage];
    tally.found += 1;
    tally[outcome] += 1;
    if (outcome !== 'existing') for (const note of row.notes ?? []) this.note(row, note);
  }

  skip(row: AnyRow, reason: string): void {
    this.#remark(row.id, reason).outcome = 'skipped';
    this.count(row, 'skipped');
  }

  /** Something beside the rows of the stage that was left out: it is told, and counts nowhere. */
  leave(row: { readonly id: string }, reason: string): void {
    this.#remark(row.id, reason).outcome = 'skipped';
  }

  note(row: { readonly id: string }, reason: string): void {
    this.#remark(row.id, reason);
  }

  /** Adds a referral to the sums the report compares. */
  sum(status: string, currency: string, outcome: Outcome, amount: number, rounding: bigint): void {
    const key = `${status} ${currency}`;
    const sum: SumTally = (this.state.sums[key] ??= emptySum());
    sum.found += 1;
    sum.found_minor += amount;
    sum[outcome] += 1;
    sum[`${outcome}_minor`] += amount;
    sum.rounding_e12 = String(BigInt(sum.rounding_e12) + rounding);
  }

  /** A commission that was not paid in the old system, and stands in an open payout here. */
  claim(status: string, currency: string, amount: number): void {
    const claim = (this.state.claims[`${status} ${currency}`] ??= { n: 0, minor: 0 });
    claim.n += 1;
    claim.minor += amount;
  }

  async storeRemarks(trx: Db): Promise<void> {
    const remarks = [...this.#remarks].map(([id, { outcome, reasons }]): ImportRemark => ({
      stage: this.stage,
      source_id: id.slice(0, 100),
      outcome,
      reason: reasons.join(', ').slice(0, REASON_MAX),
    }));
    if (remarks.length > 0) await putRemarks(trx, this.#setup.run.source, remarks, this.app.clock.now());
  }

  #remark(id: string, reason: string): { outcome: ImportRemark['outcome']; reasons: string[] } {
    const remark = this.#remarks.get(id) ?? { outcome: 'noted', reasons: [] };
    if (!remark.reasons.includes(reason)) remark.reasons.push(reason);
    this.#remarks.set(id, remark);
    return remark;
  }
}
