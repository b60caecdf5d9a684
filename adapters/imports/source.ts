import { BalanceSums } from '../../src/core/imports/balance-sums.js';
import { readAmount, readCurrency } from '../../src/core/imports/values.js';
import { foldWord } from '../../src/core/imports/words.js';
import type {
  ImportedCookie,
  Migrator,
  ProgramSettings,
  SourceBalance,
  SourceManager,
  SourcePage,
  SourceShop,
  SourceWord,
  Stage,
  StageCounts,
  StageRows,
  UnreadContent,
} from '../imports.js';
import { col, columnList, exact, idOf, mapped, type StageTable } from './fields.js';
import type { SourceDb, SourceRecord } from './source-queries.js';

export type StageTables = { readonly [S in Stage]?: StageTable<StageRows[S]> };

export interface SourceSpec {
  readonly slug: string;
  readonly name: string;
  readonly timeZone?: string | undefined;
  /** The table whose presence shows that the system was used. */
  readonly probe: string;
  readonly stages: StageTables;
  readonly managers?: () => Promise<SourceManager[]>;
  /** Its settings; zone and address of the site are added. */
  readonly program: () => Promise<ProgramSettings>;
  readonly times: 'utc' | 'local';
  /** The usual link variable, which the settings may replace, and what carries the affiliate beside it. */
  readonly links: {
    readonly variable: string;
    readonly older?: readonly string[];
    readonly cookies: readonly ImportedCookie[];
  };
  /** How the tables of the system begin. */
  readonly beginnings: readonly string[];
  /** Columns that are read, of tables beside those of the stages. */
  readonly reads: Readonly<Record<string, string>>;
  readonly books?: Books;
  /** The column in which commissions name the shop of their order. */
  readonly shops?: string;
  readonly balances?: (ids: readonly string[], currency: string) => Promise<readonly SourceBalance[]>;
}

/** What a commission counts as in the old system's own figures; null for nothing. */
export type CountedAs = 'unpaid' | 'processing' | 'paid' | null;

/** The columns of the commissions that the old system's own figures come from. */
interface Books {
  readonly amount: string;
  readonly currency?: string;
  readonly counts: (rows: readonly SourceRecord[]) => Promise<readonly CountedAs[]>;
}

/** As the status says; paid commissions of a payment that `isOpen` are not paid yet. */
export const countedByStatus = (
  rows: readonly SourceRecord[],
  isOpen: (row: SourceRecord) => boolean = () => false,
): CountedAs[] =>
  rows.map((row) => {
    const status = foldWord(row['status']);
    if (status === 'paid') return isOpen(row) ? 'processing' : 'paid';
    return status === 'unpaid' ? 'unpaid' : null;
  });

const NOTHING: SourcePage<never> = { rows: [], nextCursor: null, done: true };

/** A migrator over tables that are read by ascending key, one table per stage. */
export function tableMigrator(db: SourceDb, spec: SourceSpec): Migrator {
  const { slug, name, probe, stages, managers, links } = spec;
  return {
    slug,
    name,
    ...(spec.timeZone !== undefined && { timeZone: spec.timeZone }),
    ...(managers && { managers }),
    program: async () => ({
      ...(await spec.program()),
      time_zone: await db.siteZone(),
      site_url: await db.siteUrl(),
    }),
    times: spec.times,
    links: (program) => ({
      variables: [String(program?.referral_variable ?? '') || links.variable, ...(links.older ?? [])],
      cookies: links.cookies,
    }),
    words: () => wordsOf(db, stages),
    shops: () => shopsOf(db, spec),
    unread: () => unreadOf(db, spec),
    ...(spec.balances ? { balances: spec.balances } : {}),
    ...(spec.books ? { balances: balancesOf(db, stages.referrals?.table ?? '', spec.books) } : {}),
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
      const table: StageTable<StageRows[S]> | undefined = stages[stage];
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

async function wordsOf(db: SourceDb, stages: StageTables): Promise<SourceWord[]> {
  const found: SourceWord[] = [];
  for (const stage of ['affiliates', 'referrals', 'payouts'] as const) {
    const { table = '', only, status } = stages[stage] ?? {};
    if (status === undefined) continue;
    for (const { word, count } of await db.words(table, status.column, status.only ?? only))
      found.push({ stage, word: mapped(status.words, word), count });
  }
  return found;
}

async function shopsOf(db: SourceDb, { stages, shops }: SourceSpec): Promise<SourceShop[]> {
  const found = shops === undefined ? [] : await db.words(stages.referrals?.table ?? '', shops);
  return found
    .map(({ word, count }) => ({ name: word.trim(), rows: count }))
    .filter(({ name }) => name !== '');
}

/** Every table of the system, and what of it no stage reads. */
async function unreadOf(db: SourceDb, spec: SourceSpec): Promise<UnreadContent[]> {
  const read = columnsRead(spec);
  const found: UnreadContent[] = [];
  for (const table of await db.tables(spec.beginnings)) {
    const known = read.get(table);
    const rows = await db.count(table);
    if (rows === 0) continue;
    if (known === undefined) {
      found.push({ table, column: null, rows });
      continue;
    }
    const columns = (await db.columns(table)).filter((column) => !known.has(column));
    for (const filled of await db.filled(table, columns)) found.push({ table, ...filled });
  }
  return found;
}

/** Table → the columns that its stages read, and those of `reads`. */
function columnsRead({ stages, reads }: SourceSpec): Map<string, Set<string>> {
  const read = new Map(
    Object.entries(reads).map(([table, columns]) => [table, new Set(columnList(columns))]),
  );
  for (const { table, columns } of Object.values(stages))
    read.set(table, new Set([...(read.get(table) ?? []), ...columns]));
  return read;
}

/** Adds up the commissions as the old system does, each rounded once to the digits of its currency. */
function balancesOf(db: SourceDb, table: string, books: Books) {
  return async (ids: readonly string[], currency: string): Promise<SourceBalance[]> => {
    const rows = await db.whereIn(table, 'affiliate_id', ids.map(Number).filter(Number.isSafeInteger));
    const counts = await books.counts(rows);
    const sums = new BalanceSums();
    for (const [at, row] of rows.entries()) {
      const counted = counts[at];
      if (!counted) continue;
      const own = (books.currency === undefined ? null : readCurrency(col(row, books.currency))) ?? currency;
      sums.add(idOf(row, 'affiliate_id'), own, counted, readAmount(exact(row, books.amount), own) ?? 0);
    }
    return sums.list();
  };
}

const countOf = (db: SourceDb, { table, only, distinct }: Omit<StageTable<never>, 'map'>): Promise<number> =>
  distinct ? db.countDistinct(table, distinct.column, distinct.above) : db.count(table, only);
