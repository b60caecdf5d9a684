import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceManager,
  SourcePage,
  Stage,
  StageCounts,
  StageRows,
} from '../types.js';
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
      const rows = await db.page(table.table, table.key, { after: cursor, limit, only: table.only });
      const last = rows.at(-1)?.[table.key];
      return {
        rows: await table.map(rows),
        nextCursor: last === undefined ? null : String(last),
        done: rows.length < limit,
      };
    },
  };
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
export const mapped = (words: Readonly<Record<string, string>>, value: Raw): string =>
  words[String(value ?? '')] ?? String(value ?? '');

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
