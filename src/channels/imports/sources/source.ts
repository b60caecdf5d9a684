import { own } from '../../../core/own.js';
import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceBalance,
  SourceLinks,
  SourceManager,
  SourcePage,
  SourceShop,
  SourceWord,
  Stage,
  StageCounts,
  StageRows,
  UnreadContent,
} from '../types.js';
import { readAmount, readCurrency } from '../values.js';
import { foldWord } from '../words.js';
import type { PhpReading, PhpValue } from '../php.js';
import type { Only, SourceDb, SourceRecord } from './source-queries.js';

/** Turns a page of a table's rows into ours. */
type Mapper<S extends Stage> = (rows: readonly SourceRecord[]) => Promise<StageRows[S][]> | StageRows[S][];

export interface StageTable<S extends Stage> {
  readonly table: string;
  readonly key: string;
  readonly only?: Only;
  /** Several table rows make one row of ours: this column tells them apart, beside its empty value. */
  readonly distinct?: { readonly column: string; readonly above: string | number };
  /** TIMESTAMP columns hold instants; `instant` reads them. */
  readonly instants?: boolean;
  readonly map: Mapper<S>;
}
export type StageTables = { readonly [S in Stage]?: StageTable<S> };

export interface SourceSpec {
  readonly slug: string;
  readonly name: string;
  readonly timeZone?: string | undefined;
  /** The table whose presence tells that the system was used. */
  readonly probe: string;
  readonly stages: StageTables;
  readonly managers?: () => Promise<SourceManager[]>;
  readonly program?: () => Promise<ProgramSettings | null>;
  readonly times: 'utc' | 'local';
  readonly links: (program: ProgramSettings | null) => SourceLinks;
  /** Where status words stand, and what they mean here. */
  readonly statuses: readonly StatusColumn[];
  /** How the tables of the system begin. */
  readonly beginnings: readonly string[];
  /** Columns that are read, by table. */
  readonly reads: Readonly<Record<string, readonly string[]>>;
  readonly books?: BooksTable;
  /** Where commissions name the shop of their order. */
  readonly shops?: { readonly table: string; readonly column: string };
  readonly balances?: (ids: readonly string[], currency: string) => Promise<readonly SourceBalance[]>;
}

export interface StatusColumn {
  readonly stage: SourceWord['stage'];
  readonly table: string;
  readonly column: string;
  readonly only?: Only;
  readonly words: Readonly<Record<string, string>>;
}

/** Where the old system's own figures come from: one row per commission. */
export interface BooksTable {
  readonly table: string;
  readonly affiliate: string;
  readonly amount: string;
  readonly currency?: string;
  /** What the row counts as there; null for nothing. */
  readonly counts: (
    rows: readonly SourceRecord[],
  ) => Promise<readonly ('unpaid' | 'processing' | 'paid' | null)[]>;
}

const NOTHING: SourcePage<never> = { rows: [], nextCursor: null, done: true };

/** A migrator over tables that are read by ascending key, one table per stage. */
export function tableMigrator(db: SourceDb, spec: SourceSpec): Migrator {
  const { slug, name, probe, stages, managers, program } = spec;
  return {
    slug,
    name,
    ...(spec.timeZone !== undefined && { timeZone: spec.timeZone }),
    ...(managers && { managers }),
    ...(program && { program }),
    times: spec.times,
    links: spec.links,
    words: () => wordsOf(db, spec.statuses),
    shops: () => shopsOf(db, spec),
    unread: () => unreadOf(db, spec),
    ...(spec.balances ? { balances: spec.balances } : {}),
    ...(spec.books ? { balances: balancesOf(db, spec.books) } : {}),
    isAvailable: () => db.has(probe),
    counts: async () => {
      const counts: Partial<StageCounts> = {};
      for (const [stage, table] of Object.entries(stages)) counts[stage as Stage] = await countOf(db, table);
      return counts;
    },
    migrate: async <S extends Stage>(
      stage: S,
      cursor: string | null,
      limit: number,
    ): Promise<SourcePage<StageRows[S]>> => {
      const table = stages[stage];
      if (table === undefined) return NOTHING;
      const read = async (after: string | null): Promise<SourcePage<StageRows[S]>> => {
        const { only, instants = false } = table;
        const rows = await db.page(table.table, table.key, { after, limit, only, instants });
        const last = rows.at(-1)?.[table.key];
        return {
          rows: await table.map(rows),
          nextCursor: last === undefined ? null : String(last),
          done: rows.length < limit,
        };
      };
      // the type checker does not see that S is 'payouts' here
      return stage === 'payouts' ? (completedFirst(cursor, read as never) as never) : read(cursor);
    },
  };
}

const SECOND = 'second:';

/** Customers come from two tables: those of the second follow those of the first. */
export const inTwoPasses =
  (
    migrate: Migrator['migrate'],
    second: (after: string | null, limit: number) => Promise<SourcePage<StageRows['customers']>>,
  ): Migrator['migrate'] =>
  async (stage, cursor, limit) => {
    if (stage !== 'customers') return migrate(stage, cursor, limit);
    if (!(cursor?.startsWith(SECOND) ?? false)) {
      const page = await migrate(stage, cursor, limit);
      return page.done ? { ...page, nextCursor: SECOND, done: false } : page;
    }
    const page = await second(cursor?.slice(SECOND.length) || null, limit);
    return { ...page, nextCursor: SECOND + (page.nextCursor ?? '') } as never; // a page of the same stage
  };

const OPEN = 'open:';

/**
 * Completed payments first: one that failed or is on its way must not take the commissions another one paid.
 */
export async function completedFirst(
  cursor: string | null,
  read: (after: string | null) => Promise<SourcePage<StageRows['payouts']>>,
): Promise<SourcePage<StageRows['payouts']>> {
  const second = cursor?.startsWith(OPEN) ?? false;
  const page = await read(second ? cursor?.slice(OPEN.length) || null : cursor);
  const rows = page.rows.filter((row) => (row.status === 'paid' && row.problem === undefined) !== second);
  if (second)
    return { rows, nextCursor: page.nextCursor === null ? null : OPEN + page.nextCursor, done: page.done };
  return page.done ? { rows, nextCursor: OPEN, done: false } : { ...page, rows };
}

async function wordsOf(db: SourceDb, statuses: readonly StatusColumn[]): Promise<SourceWord[]> {
  const found: SourceWord[] = [];
  for (const { stage, table, column, only, words } of statuses)
    for (const { word, count } of await db.words(table, column, only))
      found.push({ stage, word: mapped(words, word), count });
  return found;
}

async function shopsOf(db: SourceDb, { shops }: SourceSpec): Promise<SourceShop[]> {
  const found = shops === undefined ? [] : await db.words(shops.table, shops.column);
  return found
    .map(({ word, count }) => ({ name: word.trim(), rows: count }))
    .filter(({ name }) => name !== '');
}

/** Every table of the system, and what of it no stage reads. */
async function unreadOf(db: SourceDb, { beginnings, reads }: SourceSpec): Promise<UnreadContent[]> {
  const found: UnreadContent[] = [];
  for (const table of await db.tables(beginnings)) {
    const read = reads[table];
    const rows = await db.count(table);
    if (rows === 0) continue;
    if (read === undefined) {
      found.push({ table, column: null, rows });
      continue;
    }
    const columns = (await db.columns(table)).filter((column) => !read.includes(column));
    for (const filled of await db.filled(table, columns)) found.push({ table, ...filled });
  }
  return found;
}

/** Adds up the commissions as the old system does, each rounded once to the digits of its currency. */
function balancesOf(db: SourceDb, books: BooksTable) {
  return async (ids: readonly string[], currency: string): Promise<SourceBalance[]> => {
    const rows = await db.whereIn(books.table, books.affiliate, ids.map(Number).filter(Number.isSafeInteger));
    const counts = await books.counts(rows);
    const sums = new BalanceSums();
    for (const [at, row] of rows.entries()) {
      const counted = counts[at];
      if (!counted) continue;
      const own = (books.currency === undefined ? null : readCurrency(col(row, books.currency))) ?? currency;
      sums.add(idOf(row, books.affiliate), own, counted, readAmount(exact(row, books.amount), own) ?? 0);
    }
    return sums.list();
  };
}

/** Balances by affiliate and currency. */
export class BalanceSums {
  readonly #sums = new Map<
    string,
    {
      source_id: string;
      currency: string;
      unpaid_minor: number;
      processing_minor: number;
      paid_minor: number;
    }
  >();

  add(id: string, currency: string, counted: 'unpaid' | 'processing' | 'paid', amount: number): void {
    const key = `${id} ${currency}`;
    const sum = this.#sums.get(key) ?? {
      source_id: id,
      currency,
      unpaid_minor: 0,
      processing_minor: 0,
      paid_minor: 0,
    };
    sum[`${counted}_minor`] += amount;
    this.#sums.set(key, sum);
  }

  list(): SourceBalance[] {
    return [...this.#sums.values()];
  }
}

const countOf = (db: SourceDb, { table, only, distinct }: Omit<StageTable<Stage>, 'map'>): Promise<number> =>
  distinct ? db.countDistinct(table, distinct.column, distinct.above) : db.count(table, only);

/** A column as the database hands it out; objects of drivers (dates, buffers) as text. */
export function col(row: SourceRecord, name: string): Raw {
  const value = row[name];
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number')
    return value;
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.getTime() : null;
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}

export const idOf = (row: SourceRecord, name: string): string => String(row[name]);

/** The word a table of words gives for a stored one; the stored one when it has none. */
export const mapped = (words: Readonly<Record<string, string>>, value: Raw): string => {
  const word = foldWord(value);
  return own(words, word) ?? word;
};

/**
 * A FLOAT column as it was written. Servers print floats with six digits;
 * beyond those the shortest decimal that the float can have come from stands for it.
 */
export function exact(row: SourceRecord, name: string): Raw {
  const full = Number(row[`${name}@exact`] ?? Number.NaN);
  if (!Number.isFinite(full) || Math.abs(full) < 10_000) return col(row, name);
  for (let digits = 6; digits <= 9; digits++) {
    const text = full.toPrecision(digits);
    if (Math.fround(Number(text)) === full) return String(Number(text));
  }
  return String(full);
}

/** A payment neither paid nor failed is on its way. */
export const paymentStatus = (word: string): 'paid' | 'processing' | 'failed' =>
  word === 'paid' || word === 'failed' ? word : 'processing';

/** A TIMESTAMP column as epoch milliseconds; the stored text where it is none. */
export const instant = (row: SourceRecord, name: string): Raw => {
  const ms = Number(row[`${name}@utc`] ?? 0);
  return ms > 0 ? ms : col(row, name);
};

/** Remarks of refused structures: `name_reason`; none when all of them were readable. */
export function refusals(readings: Readonly<Record<string, PhpReading>>): readonly string[] | undefined {
  const found = Object.entries(readings).flatMap(([name, reading]) =>
    reading.ok ? [] : [`${name}_${reading.reason}`],
  );
  return found.length > 0 ? found : undefined;
}

export type PhpMap = Readonly<Record<string, PhpValue>>;

/** A structure with keys; an empty one when it is none or was refused. */
export const mapOf = (reading: PhpReading): PhpMap =>
  reading.ok && reading.value !== null && typeof reading.value === 'object' && !Array.isArray(reading.value)
    ? (reading.value as PhpMap)
    : {};

export const scalar = (value: PhpValue | undefined): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

export function groupRows(
  rows: readonly SourceRecord[],
  key: (row: SourceRecord) => string,
): Map<string, SourceRecord[]> {
  const groups = new Map<string, SourceRecord[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}
