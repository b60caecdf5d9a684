import { isMap } from '../../core/is-map.js';
import { fail } from '../../errors.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { Deps } from './deps.js';
import {
  copiedTable,
  holdsRows,
  PROGRAM_TABLES,
  insertCopied,
  latestStep,
  isCopied,
  pageOfTable,
  setIds,
  type CopiedTable,
} from './repository.js';

const PAGE = 1000;
const FORMAT = 'affiliate-service program 1';

/**
 * The tables of a program; tables that others refer to come first. What belongs to one installation is not
 * copied: secrets, leases, limits, queues and request keys, and the credentials of connected sites and API
 * keys, which are sealed with its secret.
 */
export const COPIED: readonly CopiedTable[] = [
  copiedTable('meta'),
  copiedTable('host_users'),
  copiedTable('options', ['name']),
  copiedTable('affiliates'),
  copiedTable('affiliate_names'),
  copiedTable('affiliate_marks', ['affiliate_id', 'kind', 'mark']),
  copiedTable('customers'),
  copiedTable('customer_names'),
  copiedTable('waiting_names'),
  copiedTable('customers_apart'),
  copiedTable('visits'),
  copiedTable('visit_keys', ['visit_key']),
  copiedTable('payouts'),
  copiedTable('payout_transactions'),
  copiedTable('payout_payees', ['transaction_id']),
  copiedTable('referrals'),
  copiedTable('commission_notes', ['referral_id']),
  copiedTable('payout_items', ['referral_id']),
  copiedTable('payout_plan', ['payout_id', 'affiliate_id']),
  copiedTable('ledger_entries'),
  copiedTable('referral_totals', ['affiliate_id', 'provider', 'currency']),
  copiedTable('reward_sets'),
  copiedTable('affiliate_levels'),
  copiedTable('orders'),
  copiedTable('order_facts'),
  copiedTable('order_refs', ['provider', 'account', 'ref']),
  copiedTable('coupons', ['provider', 'code_key']),
  copiedTable('creatives'),
  copiedTable('creative_affiliates', ['creative_id', 'affiliate_id']),
  copiedTable('creative_groups', ['creative_id', 'group_id']),
  copiedTable('redirect_links'),
  copiedTable('daily_stats', ['scope', 'day']),
  copiedTable('skip_counts', ['day', 'kind', 'reason']),
  copiedTable('skipped_conversions'),
  copiedTable('provider_deliveries'),
  copiedTable('fraud_events'),
  copiedTable('provider_stores', ['provider', 'name']),
  copiedTable('import_runs', ['source']),
  copiedTable('import_rows'),
  copiedTable('audit'),
];

interface Head {
  readonly format: string;
  readonly step: string;
  readonly exported_at: string;
}

/** The whole program as lines of JSON: a head, then one table row per line, then the number of rows. */
export async function* exportProgram(app: Deps): AsyncGenerator<string> {
  const snapshot = await app.snapshot();
  const { db } = snapshot;
  try {
    const head: Head = {
      format: FORMAT,
      step: await latestStep(db),
      exported_at: new Date(app.clock.now()).toISOString(),
    };
    yield JSON.stringify(head);
    let count = 0;
    for (const table of COPIED)
      for await (const row of rowsOf(db, table)) {
        if (table.name === 'options' && !isCopied(String(row['name']))) continue;
        count += 1;
        yield JSON.stringify([table.name, row]);
      }
    yield JSON.stringify({ rows: count });
  } finally {
    await snapshot.end();
  }
}

/** The rows of a table, page by page. */
export async function* rowsOf(db: Db, table: CopiedTable): AsyncGenerator<Row> {
  for (let after: Row | null = null; ;) {
    const rows: Row[] = await pageOfTable(db, table, after, PAGE);
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1) ?? null;
  }
}

/**
 * Imports the lines of another program into an empty one, with the same ids, groups, payouts and facts, in
 * one transaction. Refused when this program holds rows, or the file has another schema or is incomplete.
 */
export async function importProgram(
  app: Deps,
  lines: AsyncIterable<string>,
): Promise<Record<string, number>> {
  return filling(app, async (trx) => {
    const copy = new Copy(trx);
    for await (const line of lines) if (line.trim() !== '') await copy.take(readLine(line));
    const total = await copy.end();
    await refuseBrokenBooks(app);
    await app.audit.write(trx, 'import.program', ['import', 'program'], { after: { rows: total } });
    return copy.counts;
  });
}

/** Fills an empty program in one transaction; afterwards nothing that was read before counts. */
export async function filling<T>(app: Deps, work: (trx: Db) => Promise<T>): Promise<T> {
  try {
    return await app.transaction(async (trx) => {
      if (await holdsRows(trx, PROGRAM_TABLES)) fail('import_not_empty');
      return work(trx);
    });
  } finally {
    app.settings.forget();
    app.tracking.forgetAffiliates();
  }
}

/** Balanced rows only: a file that was cut by hand is refused before anything is committed. */
export async function refuseBrokenBooks({ settings, ledger }: Deps): Promise<void> {
  settings.forget(); // the rows bring their own
  const [first, ...more] = await ledger.verify();
  if (first === undefined) return;
  fail('import_file_invalid', {
    message:
      `The books of that program do not balance: ${1 + more.length} rows break a rule (${first.invariant}: ${first.rule}). ` +
      'Run `affiliate-service reconcile` on it, then try again.',
  });
}

const COPIED_NAMES: ReadonlySet<unknown> = new Set(COPIED.map((table) => table.name));

/** Reads the lines of a file and stores them, page by page for each table. */
class Copy {
  /** Rows by the name of their table. */
  readonly counts: Record<string, number> = {};
  #head: Head | null = null;
  /** The number of rows, from the last line. */
  #stated: number | null = null;
  #total = 0;
  #table: TableName | null = null;
  #rows: Row[] = [];
  readonly #parents = new Map<number, number>();

  constructor(private readonly trx: Db) {}

  async take(line: unknown): Promise<void> {
    if (this.#head === null) this.#head = headOf(line, await latestStep(this.trx));
    else if (Array.isArray(line)) await this.#takeRow(line[0], line[1]);
    else this.#stated = Number((line as { rows?: unknown } | null)?.rows);
  }

  async #takeRow(table: unknown, row: unknown): Promise<void> {
    if (!COPIED_NAMES.has(table) || !isMap(row)) fail('import_file_invalid');
    this.#total += 1;
    if (table !== this.#table || this.#rows.length >= PAGE) await this.#store();
    this.#table = table as TableName; // one of the copied ones
    this.#rows.push(withoutParent(row, this.#parents));
  }

  async #store(): Promise<void> {
    const [name, rows] = [this.#table, this.#rows];
    if (name === null || rows.length === 0) return;
    if (name === 'options') {
      const names = rows.map((row) => String(row['name']));
      await this.trx('options').whereIn('name', names).delete();
    }
    await insertChecked(this.trx, name, rows);
    this.counts[name] = (this.counts[name] ?? 0) + rows.length;
    this.#rows = [];
  }

  /** The number of rows; refuses a file that ends too early. */
  async end(): Promise<number> {
    await this.#store();
    if (this.#head === null || this.#stated !== this.#total)
      fail('import_file_invalid', {
        message:
          `The file is not whole: it holds ${this.#total} rows and should hold ${this.#stated ?? 'more'}. ` +
          'Export the program again.',
      });
    await setIds(this.trx, 'referrals', 'parent_id', this.#parents);
    for (const table of COPIED) if (table.hasId) await this.trx.dialect.idsInserted(this.trx, table.name);
    return this.#total;
  }
}

/**
 * If the database refuses rows, the file is at fault; these errors mean instead that it cannot write at
 * present.
 */
const NOT_NOW: ReadonlySet<unknown> = new Set(['busy', 'timeout', 'full', 'outcome_unknown']);

/** A file with missing or repeated rows is refused with an error about the file, not about the database. */
export async function insertChecked(trx: Db, name: TableName, rows: readonly Row[]): Promise<void> {
  try {
    await insertCopied(trx, name, rows);
  } catch (cause) {
    const kind = trx.dialect.failure(cause);
    if (NOT_NOW.has(kind)) throw cause;
    fail('import_file_invalid', {
      message:
        kind === null
          ? `The rows of ${name} cannot be stored as they are. Copy the program again.`
          : `The rows of ${name} do not fit together: some are missing or repeated. Copy the program again.`,
      cause,
    });
  }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    return fail('import_file_invalid', { message: 'The file has a line that is not JSON.', cause });
  }
}

function headOf(value: unknown, step: string): Head {
  const head = value as Partial<Head> | null;
  if (head?.format !== FORMAT)
    fail('import_file_invalid', { message: 'The file is not an export of a program.' });
  if (head.step !== step)
    fail('import_file_invalid', {
      message:
        `The file was made by a release whose schema is ${String(head.step)}; this one's is ${step}. ` +
        'Use the same release on both sides.',
    });
  return head as Head;
}

/** A referral may refer to a later one; that reference is set at the end. */
export function withoutParent(row: Row, parents: Map<number, number>): Row {
  if (row['parent_id'] === null || row['parent_id'] === undefined) return row;
  parents.set(Number(row['id']), Number(row['parent_id']));
  return { ...row, parent_id: null };
}
