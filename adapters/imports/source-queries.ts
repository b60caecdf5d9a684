import type { Knex } from 'knex';
import type { SourceUser } from '../imports.js';
import { readStructure, type PhpReading } from './php.js';

export type SourceRecord = Readonly<Record<string, unknown>>;
export type SourceKnex = Knex;
type Value = string | number;

/** Which rows of a table a stage is about. */
export interface Only {
  readonly column: string;
  readonly values: readonly Value[];
  /** Where the column is missing, every row is meant. */
  readonly optional?: boolean;
}

const CHUNK = 5000; // a whole page at once: old tables lack indexes, so every statement may read all of them
const NAMES = ['first_name', 'last_name'];

/**
 * Reading the tables of an old site. Whole rows are read, so that a column older
 * releases lack is simply absent.
 */
export class SourceDb {
  readonly #tables = new Map<string, Promise<boolean>>();
  #mysql: Promise<boolean> | undefined;
  /** Table and type → its columns. */
  readonly #typed = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly knex: Knex,
    readonly prefix: string,
  ) {}

  has(table: string): Promise<boolean> {
    const known = this.#tables.get(table) ?? this.knex.schema.hasTable(this.prefix + table);
    this.#tables.set(table, known);
    return known;
  }

  async count(table: string, only?: Only): Promise<number> {
    if (!(await this.has(table))) return 0;
    const query = await this.#narrowed(table, this.#from(table), only);
    const [row] = (await query.all.count({ n: '*' })) as { n: Value }[];
    return Number(row?.n ?? 0);
  }

  /** Different values of a column above `above` ('' or 0: the ones with a meaning). */
  async countDistinct(table: string, column: string, above: Value): Promise<number> {
    if (!(await this.hasColumn(table, column))) return 0;
    const [row] = (await this.#from(table).where(column, '>', above).countDistinct({ n: column })) as {
      n: Value;
    }[];
    return Number(row?.n ?? 0);
  }

  async max(table: string, column: string): Promise<number> {
    if (!(await this.has(table))) return 0;
    const [row] = (await this.#from(table).max({ n: column })) as { n: Value | null }[];
    return Number(row?.n ?? 0);
  }

  /** The next rows by key; a missing table has none. */
  async page(
    table: string,
    key: string,
    {
      after,
      limit,
      only,
      instants = false,
    }: { after: string | null; limit: number; only?: Only | undefined; instants?: boolean },
  ): Promise<SourceRecord[]> {
    if (!(await this.has(table))) return [];
    const { all } = await this.#narrowed(
      table,
      this.#from(table).select('*').orderBy(key).limit(limit),
      only,
    );
    for (const column of await this.#columnsOfType(table, 'float'))
      void all.select(this.knex.raw('?? + 0e0 as ??', [column, `${column}@exact`]));
    for (const column of instants ? await this.#columnsOfType(table, 'timestamp') : [])
      void all.select(this.knex.raw('unix_timestamp(??) * 1000 as ??', [column, `${column}@utc`]));
    return (after === null ? all : all.where(key, '>', Number(after))) as Promise<SourceRecord[]>;
  }

  /**
   * `timestamp`: a session reads these columns in its own zone; `<column>@utc` holds the instant.
   * `float`: a server prints six digits of these; `<column>@exact` holds all of them.
   */
  #columnsOfType(table: string, type: 'timestamp' | 'float'): Promise<readonly string[]> {
    const key = `${table} ${type}`;
    const known = this.#typed.get(key) ?? this.#readColumns(table, type);
    this.#typed.set(key, known);
    return known;
  }

  async #readColumns(table: string, type: string): Promise<readonly string[]> {
    if (!(await this.#isMysql())) return [];
    const info = Object.entries(await this.#from(table).columnInfo());
    return info.filter(([, column]) => column.type === type).map(([name]) => name);
  }

  #from(table: string): Knex.QueryBuilder {
    return this.knex(this.prefix + table);
  }

  /** Other databases have no function of this name. */
  #isMysql(): Promise<boolean> {
    return (this.#mysql ??= this.knex.raw('select database() as name').then(
      () => true,
      () => false,
    ));
  }

  /** How often each value of a column occurs. */
  async words(table: string, column: string, only?: Only): Promise<{ word: string; count: number }[]> {
    if (!(await this.hasColumn(table, column))) return [];
    const { all } = await this.#narrowed(
      table,
      this.#from(table).select({ word: column }).count({ n: '*' }).groupBy(column),
      only,
    );
    return ((await all) as { word: unknown; n: Value }[]).map(({ word, n }) => ({
      word: word === null ? '' : String(word),
      count: Number(n),
    }));
  }

  /** Tables whose names begin so, without the prefix of the site. */
  async tables(beginnings: readonly string[]): Promise<string[]> {
    const rows = (await this.#isMysql())
      ? (
          (await this.knex.raw(
            'select table_name as name from information_schema.tables where table_schema = database()',
          )) as [{ name: string }[]]
        )[0]
      : ((await this.knex.raw("select name from sqlite_master where type = 'table'")) as { name: string }[]);
    return rows
      .map((row) => row.name)
      .filter((name) => beginnings.some((beginning) => name.startsWith(this.prefix + beginning)))
      .map((name) => name.slice(this.prefix.length))
      .sort();
  }

  /** Rows per column that hold more than nothing: not null, empty, zero or a zero date. */
  async filled(table: string, columns: readonly string[]): Promise<{ column: string; rows: number }[]> {
    if (columns.length === 0) return [];
    const sums = columns.map((column, at) =>
      this.knex.raw(
        "sum(case when ?? is null or cast(?? as char) in ('', '0', '0.00', '-1.00', '0000-00-00', " +
          `'0000-00-00 00:00:00', '<none>', '[]', '{}', 'a:0:{}') then 0 else 1 end) as c${at}`,
        [column, column],
      ),
    );
    const [row] = (await this.#from(table).select(sums)) as Record<string, Value | null>[];
    return columns
      .map((column, at) => ({ column, rows: Number(row?.[`c${at}`] ?? 0) }))
      .filter(({ rows }) => rows > 0);
  }

  async columns(table: string): Promise<string[]> {
    return (await this.has(table)) ? Object.keys(await this.#from(table).columnInfo()) : [];
  }

  /** In an object, since an awaited query runs. */
  async #narrowed(
    table: string,
    all: Knex.QueryBuilder,
    only: Only | undefined,
  ): Promise<{ readonly all: Knex.QueryBuilder }> {
    if (only && !(only.optional && !(await this.hasColumn(table, only.column))))
      void all.whereIn(only.column, [...only.values]);
    return { all };
  }

  /** Rows whose column holds one of the values; none when table or column is missing. */
  async whereIn(
    table: string,
    column: string,
    values: readonly Value[],
    columns: readonly string[] = ['*'],
  ): Promise<SourceRecord[]> {
    if (values.length === 0 || !(await this.hasColumn(table, column))) return [];
    const found: SourceRecord[] = [];
    const floats = columns[0] === '*' ? await this.#columnsOfType(table, 'float') : [];
    for (let at = 0; at < values.length; at += CHUNK) {
      const query = this.#from(table)
        .select([...columns])
        .whereIn(column, values.slice(at, at + CHUNK));
      for (const each of floats) void query.select(this.knex.raw('?? + 0e0 as ??', [each, `${each}@exact`]));
      for (const row of (await query) as SourceRecord[]) found.push(row);
    }
    return found;
  }

  async hasColumn(table: string, column: string): Promise<boolean> {
    if (!(await this.has(table))) return false;
    const key = `${table}.${column}`;
    const known = this.#tables.get(key) ?? this.knex.schema.hasColumn(this.prefix + table, column);
    this.#tables.set(key, known);
    return known;
  }

  /** Rows by the id that each names in a column: affiliate → its coupons. */
  async rowsBy(table: string, column: string, ids: readonly unknown[]): Promise<Map<string, SourceRecord[]>> {
    return groupRows(await this.whereIn(table, column, realIds(ids)), (row) => String(row[column]));
  }

  /** As `rowsBy`, where each id has one row. */
  async rowBy(table: string, column: string, ids: readonly unknown[]): Promise<Map<string, SourceRecord>> {
    const rows = await this.whereIn(table, column, realIds(ids));
    return new Map(rows.map((row) => [String(row[column]), row]));
  }

  /** A table of meta rows: id → key → value. */
  async metaOf(
    table: string,
    column: string,
    ids: readonly unknown[],
  ): Promise<Map<string, Map<string, string>>> {
    const found = new Map<string, Map<string, string>>();
    for (const row of await this.whereIn(table, column, realIds(ids))) {
      const meta = found.get(String(row[column])) ?? new Map<string, string>();
      found.set(String(row[column]), meta.set(String(row['meta_key']), String(row['meta_value'] ?? '')));
    }
    return found;
  }

  /** A WordPress option, parsed without evaluating anything; null when it is absent. */
  async option(name: string): Promise<PhpReading> {
    const [row] = await this.whereIn('options', 'option_name', [name], ['option_value']);
    return readStructure(row?.['option_value']);
  }

  /** An option as its plain text; null when it is absent or empty. */
  async text(name: string): Promise<string | null> {
    const { value } = { value: null, ...(await this.option(name)) };
    return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : null;
  }

  /** Zone of the old site: its name, else its offset. */
  async siteZone(): Promise<string | null> {
    const name = await this.text('timezone_string');
    if (name !== null) return name;
    const hours = await this.text('gmt_offset');
    if (hours === null || !/^[+-]?\d{1,2}(?:\.\d{1,2})?$/u.test(hours)) return null;
    const minutes = Math.round(Math.abs(Number(hours)) * 60);
    const two = (n: number): string => String(n).padStart(2, '0');
    return `${Number(hours) < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  }

  /** Address of the old site. */
  async siteUrl(): Promise<string | null> {
    return (await this.text('home')) ?? (await this.text('siteurl'));
  }

  /** The currency of the old shop, for systems that have none of their own. */
  shopCurrency(): Promise<string | null> {
    return this.text('woocommerce_currency');
  }

  /** The one currency all rows that name one agree on; null when there is none or several. */
  async onlyCurrency(table: string, column = 'currency'): Promise<string | null> {
    const named = new Set(
      (await this.words(table, column)).map(({ word }) => word.trim().toUpperCase()).filter(Boolean),
    );
    return named.size === 1 ? ([...named][0] ?? null) : null;
  }

  /** Users by id, with their names. */
  async users(ids: readonly unknown[]): Promise<Map<string, SourceUser>> {
    const users = new Map<string, Record<string, unknown>>();
    for (const row of await this.whereIn('users', 'ID', realIds(ids))) {
      users.set(String(row['ID']), {
        login: row['user_login'],
        email: row['user_email'],
        registered_at: row['user_registered'],
      });
    }
    for (const row of await this.whereIn('usermeta', 'user_id', [...users.keys()].map(Number))) {
      const user = users.get(String(row['user_id']));
      if (user && NAMES.includes(String(row['meta_key']))) user[String(row['meta_key'])] = row['meta_value'];
    }
    return users;
  }

  /** Ids of the rows that point at each value: visit → referrals. */
  async idsBy(
    table: string,
    column: string,
    id: string,
    values: readonly unknown[],
  ): Promise<Map<string, string[]>> {
    const ids = new Map<string, string[]>();
    for (const row of await this.whereIn(table, column, realIds(values), [id, column])) {
      const key = String(row[column]);
      ids.set(key, [...(ids.get(key) ?? []), String(row[id])]);
    }
    return ids;
  }

  /**
   * The commissions of visits: those that name the visit, and the one the visit names
   * when it names no visit itself.
   * `own` is the visit's column, absent in some releases.
   */
  async commissionsOf(
    visits: readonly SourceRecord[],
    { table, id, visit, key, own }: CommissionTable,
  ): Promise<Map<string, string[]>> {
    const found = await this.idsBy(table, visit, id, valuesOf(visits, key));
    const named = visits
      .map((row) => [String(row[key]), Number(row[own])] as const)
      .filter(([, referral]) => referral > 0);
    const silent = new Set(
      (await this.whereIn(table, id, [...new Set(named.map(([, referral]) => referral))], [id, visit]))
        .filter((row) => !(Number(row[visit]) > 0))
        .map((row) => Number(row[id])),
    );
    for (const [visitId, referral] of named)
      if (silent.has(referral)) found.set(visitId, [...(found.get(visitId) ?? []), String(referral)]);
    return found;
  }
}

/** What the rows have in a column. */
export const valuesOf = (rows: readonly SourceRecord[], column: string): unknown[] =>
  rows.map((row) => row[column]);

/** Ids without repetition, and without what means none. */
const realIds = (ids: readonly unknown[]): number[] =>
  [...new Set(ids.map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0);

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

export interface CommissionTable {
  readonly table: string;
  readonly id: string;
  readonly visit: string;
  readonly key: string;
  readonly own: string;
}
