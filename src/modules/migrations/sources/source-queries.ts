import type { Knex } from 'knex';
import type { SourceUser } from '../types.js';
import { readStructure, type PhpReading } from '../php.js';

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

/** Reading the tables of an old site. Whole rows are read, so that a column older releases lack is simply absent. */
export class SourceDb {
  readonly #tables = new Map<string, Promise<boolean>>();

  constructor(
    private readonly knex: Knex,
    private readonly prefix: string,
  ) {}

  has(table: string): Promise<boolean> {
    const known = this.#tables.get(table) ?? this.knex.schema.hasTable(this.prefix + table);
    this.#tables.set(table, known);
    return known;
  }

  async count(table: string, only?: Only): Promise<number> {
    if (!(await this.has(table))) return 0;
    const query = await this.#narrowed(table, this.knex(this.prefix + table), only);
    const [row] = (await query.all.count({ n: '*' })) as { n: Value }[];
    return Number(row?.n ?? 0);
  }

  /** Different values of a column above `above` ('' or 0: the ones that say something). */
  async countDistinct(table: string, column: string, above: Value): Promise<number> {
    if (!(await this.hasColumn(table, column))) return 0;
    const [row] = (await this.knex(this.prefix + table)
      .where(column, '>', above)
      .countDistinct({ n: column })) as { n: Value }[];
    return Number(row?.n ?? 0);
  }

  async max(table: string, column: string): Promise<number> {
    if (!(await this.has(table))) return 0;
    const [row] = (await this.knex(this.prefix + table).max({ n: column })) as { n: Value | null }[];
    return Number(row?.n ?? 0);
  }

  /** The next rows by key; a missing table has none. */
  async page(
    table: string,
    key: string,
    { after, limit, only }: { after: string | null; limit: number; only?: Only | undefined },
  ): Promise<SourceRecord[]> {
    if (!(await this.has(table))) return [];
    const { all } = await this.#narrowed(
      table,
      this.knex(this.prefix + table)
        .select('*')
        .orderBy(key)
        .limit(limit),
      only,
    );
    return (after === null ? all : all.where(key, '>', Number(after))) as Promise<SourceRecord[]>;
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
    for (let at = 0; at < values.length; at += CHUNK) {
      found.push(
        ...((await this.knex(this.prefix + table)
          .select([...columns])
          .whereIn(column, values.slice(at, at + CHUNK))) as SourceRecord[]),
      );
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

  /** A WordPress option, parsed without evaluating anything; null when it is absent. */
  async option(name: string): Promise<PhpReading> {
    const [row] = await this.whereIn('options', 'option_name', [name], ['option_value']);
    return readStructure(row?.['option_value']);
  }

  /** Users by id, with their names. */
  async users(ids: readonly unknown[]): Promise<Map<string, SourceUser>> {
    const wanted = [...new Set(ids.map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0);
    const users = new Map<string, Record<string, unknown>>();
    for (const row of await this.whereIn('users', 'ID', wanted)) {
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
    const wanted = [...new Set(values.map(Number))].filter(
      (value) => Number.isSafeInteger(value) && value > 0,
    );
    const ids = new Map<string, string[]>();
    for (const row of await this.whereIn(table, column, wanted, [id, column])) {
      const key = String(row[column]);
      ids.set(key, [...(ids.get(key) ?? []), String(row[id])]);
    }
    return ids;
  }

  /**
   * The commissions of visits: those that name the visit, and the one the visit names when it names no visit itself.
   * `own` is the visit's column, absent in some releases.
   */
  async commissionsOf(
    visits: readonly SourceRecord[],
    { table, id, visit, key, own }: CommissionTable,
  ): Promise<Map<string, string[]>> {
    const found = await this.idsBy(
      table,
      visit,
      id,
      visits.map((row) => row[key]),
    );
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

export interface CommissionTable {
  readonly table: string;
  readonly id: string;
  readonly visit: string;
  readonly key: string;
  readonly own: string;
}
