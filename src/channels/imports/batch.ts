import { own } from '../../core/own.js';
import type { ReferralStatus } from '../../accounting/referrals/types.js';
import type { Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { idsByKey, putRemarks } from './repository.js';
import { emptySum } from './state.js';
import type { AnyRow, Raw } from '../../../adapters/imports.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { ImportRemark, ImportRun, RunState, SumTally } from './types.js';
import type { OwnersHere } from './users.js';
import type { Stage } from '../../core/imports/stages.js';
import { readRef, readText, readTime } from '../../core/imports/values.js';
import { foldWord, providerOf } from '../../core/imports/words.js';

const REASON_MAX = 191;
/** Remarks that a later run makes on a row that was imported before. */
const NEWS = new Set(['changed_here', 'changed_there', 'user_linked_later']);
export type RowResult = 'imported' | 'existing' | 'skipped';

export interface BatchSetup {
  readonly app: Deps;
  readonly run: ImportRun;
  readonly stage: Stage;
  /** The name of the old system. */
  readonly sourceName: string;
  readonly timeZone: string;
  /** The currency of the program, of the counters. */
  readonly currency: string;
  /** Affiliates of this program that rows name by e-mail address. */
  readonly owners: OwnersHere;
}

interface OfAffiliate {
  readonly affiliate_id?: Raw;
}

interface Remark {
  outcome: ImportRemark['outcome'];
  readonly reasons: string[];
  readonly row: object;
  detail: string | null;
}

/**
 * One page of rows while it is imported: what happened to each row, and the state of the run that is stored
 * with them.
 */
export class Batch {
  readonly app: Deps;
  readonly stage: Stage;
  readonly currency: string;
  readonly state: RunState;
  readonly #setup: BatchSetup;
  readonly #remarks = new Map<string, Remark>();
  readonly #existing = new Set<string>();

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

  /** The key of the affiliate that a row names. */
  ownerKey({ affiliate_id: id }: OfAffiliate): string {
    return this.key(readRef(id) ?? '');
  }

  /** The ids of what was imported of these rows, by the keys of the rows. */
  idsOf(db: Db, table: TableName, rows: readonly AnyRow[]): Promise<Map<string, number>> {
    return idsByKey(
      db,
      table,
      rows.map((row) => this.key(row.id)),
    );
  }

  /** The ids of the affiliates that these rows name, by the keys of the affiliates. */
  async ownersOf(db: Db, rows: readonly OfAffiliate[]): Promise<Map<string, number>> {
    const keys = rows.map((row) => this.ownerKey(row));
    const imported = await idsByKey(db, 'affiliates', keys);
    for (const [email, id] of this.#setup.owners) {
      const key = this.key(email);
      if (!imported.has(key)) imported.set(key, id);
    }
    return imported;
  }

  get source(): string {
    return this.#setup.run.source;
  }

  get sourceName(): string {
    return this.#setup.sourceName;
  }

  /** Currency of rows that name none. */
  get sourceCurrency(): string {
    return this.state.setup?.currency ?? this.currency;
  }

  /**
   * When the row was created, in epoch milliseconds like `others`. A date that cannot be used leaves a
   * remark; then the first usable one of `others` counts, else the start of the run.
   */
  time(row: DatedRow, ...others: readonly (number | null | undefined)[]): number {
    const zone = row.is_local_time === true ? this.state.setup?.site_zone : undefined;
    const own = this.readTime(row.created_at, zone);
    if (own !== null) return own;
    if (row.id !== undefined && row.created_at !== undefined)
      this.note({ ...row, id: row.id }, 'date_unusable', String(row.created_at ?? ''));
    for (const value of row.other_dates ?? []) {
      const time = this.readTime(value, zone);
      if (time !== null) return time;
    }
    return others.find((time) => typeof time === 'number') ?? this.#setup.run.created_at;
  }

  /** A time of the source as epoch milliseconds; null when it is none. */
  readTime(value: unknown, zone: string = this.#setup.timeZone): number | null {
    return readTime(value, zone);
  }

  /** The meaning of a status word of the source, as it was given at the start. */
  word(value: unknown): string {
    const word = foldWord(value);
    return own(this.state.setup?.status_words ?? {}, word) ?? word;
  }

  /** The name of the provider in this program. */
  provider(name: string | null): string | null {
    if (name === null) return null;
    return providerOf(name, this.state.setup?.providers ?? {});
  }

  count(row: AnyRow, outcome: RowResult): void {
    const tally = this.state.stages[this.stage];
    tally.found += 1;
    tally[outcome] += 1;
    if (outcome === 'existing') this.#existing.add(row.id);
    if (outcome !== 'existing') for (const note of row.notes ?? []) this.note(row, note);
  }

  /** Counts a row as existing, skipped (with a reason) or imported. */
  countRow(row: AnyRow, isHere: boolean, reason: string | null | undefined): RowResult {
    if (isHere) this.count(row, 'existing');
    else if (typeof reason === 'string') this.skip(row, reason);
    else this.count(row, 'imported');
    return isHere ? 'existing' : typeof reason === 'string' ? 'skipped' : 'imported';
  }

  skip(row: AnyRow, reason: string, detail?: string): void {
    this.#remark(row, reason, detail).outcome = 'skipped';
    this.count(row, 'skipped');
  }

  /** Skips something that is not a row of the stage: it gets a remark and is not counted. */
  leave(row: { readonly id: string }, reason: string): void {
    this.#remark(row, reason).outcome = 'skipped';
  }

  note(row: { readonly id: string }, reason: string, detail?: string): void {
    this.#remark(row, reason, detail);
  }

  /** Adds a referral to the sums the report compares. */
  sum(status: ReferralStatus, currency: string, outcome: RowResult, amount: number, rounding: bigint): void {
    const key = `${status} ${currency}`;
    const sum: SumTally = (this.state.sums[key] ??= emptySum());
    sum.found += 1;
    sum.found_minor += amount;
    sum[outcome] += 1;
    sum[`${outcome}_minor`] += amount;
    sum.rounding_e12 = String(BigInt(sum.rounding_e12) + rounding);
  }

  /** Counts a commission that was not paid in the old system and is in an open payout here. */
  countClaim(status: string, currency: string, amount: number): void {
    const claim = (this.state.claims[`${status} ${currency}`] ??= { n: 0, minor: 0 });
    claim.n += 1;
    claim.minor += amount;
  }

  async storeRemarks(trx: Db): Promise<void> {
    for (const [id, remark] of this.#remarks) {
      if (!this.#existing.has(id) || remark.outcome === 'skipped') continue;
      // remarks from the first import of the row are not replaced
      const news = remark.reasons.filter((reason) => NEWS.has(reason));
      if (news.length === 0) this.#remarks.delete(id);
      else remark.reasons.splice(0, remark.reasons.length, ...news);
    }
    const remarks = this.remarks().map(({ remark }) => remark);
    if (remarks.length > 0) await putRemarks(trx, this.#setup.run.source, remarks, this.app.clock.now());
  }

  /** The remarks on rows, with the line of each where the source has lines. */
  remarks(): readonly { readonly remark: ImportRemark; readonly line: number | null }[] {
    return [...this.#remarks].map(([id, { outcome, reasons, row, detail }]) => ({
      line: (row as { readonly line?: number }).line ?? null, // AnyRow, or a user whose rights are imported
      remark: {
        stage: this.stage,
        source_id: id.slice(0, 100),
        outcome,
        reason: reasons.join(', ').slice(0, REASON_MAX),
        affiliate:
          factOf(row, 'affiliate_id', 191) ?? (this.stage === 'affiliates' ? id.slice(0, 191) : null),
        amount: factOf(row, 'amount', 60),
        currency:
          factOf(row, 'amount', 1) === null ? null : (factOf(row, 'currency', 10) ?? this.sourceCurrency),
        detail: detail === null ? null : readText(detail, 500),
      },
    }));
  }

  #remark(row: { readonly id: string }, reason: string, detail?: string): Remark {
    const remark = this.#remarks.get(row.id) ?? { outcome: 'noted', reasons: [], row, detail: null };
    if (!remark.reasons.includes(reason)) remark.reasons.push(reason);
    if (!remark.detail) remark.detail = detail ?? remark.detail;
    this.#remarks.set(row.id, remark);
    return remark;
  }
}

interface DatedRow {
  readonly id?: string;
  readonly created_at?: unknown;
  readonly other_dates?: readonly unknown[] | undefined;
  readonly is_local_time?: boolean | undefined;
}

function factOf(row: object, name: string, max: number): string | null {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' || typeof value === 'number' ? readText(value, max) : null;
}
