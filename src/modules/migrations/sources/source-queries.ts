import type { Knex } from 'knex';
import type { SourceUser } from '../types.js';
import { readStructure, type PhpValue } from '../php.js';

export type SourceRecord = Readonly<Record<string, unknown>>;
export type SourceKnex = Knex;
type Value = string | number;

/** Which rows of a table a stage is about. */
export interface Only { readonly column: string; readonly values: readonly Value[] }

const CHUNK = 1000;
const NAMES = ['first_name', 'last_name'];

/** Reading the tables of an old site. Whole rows are read, so that a column older releases lack is simply absent. */
export class SourceDb {
  readonly #tables = new Map<string, Promise<boolean>>();

  constructor(private readonly knex: Knex, private readonly prefix: string) {}

  has(table: string): Promise<boolean> {
    const known = this.#tables.get(table) ?? this.knex.schema.hasTable(this.prefix + table);
    this.#tables.set(table, known);
    return known;
  }

  async count(table: string, only?: Only): Promise<number> {
    if (!(await this.has(table))) return 0;
    const query = this.knex(this.prefix + table);
    const [row] = await (only ? query.whereIn(only.column, [...only.values]) : query).count({ n: '*' }) as { n: Value }[];
    return Number(row?.n ?? 0);
  }

  /** Different values of a column above `above` ('' or 0: the ones that say something). */
  async countDistinct(table: string, column: string, above: Value): Promise<number> {
    if (!(await this.hasColumn(table, column))) return 0;
    const [row] = await this.knex(this.prefix + table).where(column, '>', above).countDistinct({ n: column }) as { n: Value }[];
    return Number(row?.n ?? 0);
  }

  async max(table: string, column: string): Promise<number> {
    if (!(await this.has(table))) return 0;
    const [row] = await this.knex(this.prefix + table).max({ n: column }) as { n: Value | null }[];
    return Number(row?.n ?? 0);
  }

  /** The next rows by key; a missing table has none. */
  async page(table: string, key: string, { after, limit, only }: { after: string | null; limit: number; only?: Only | undefined }): Promise<SourceRecord[]> {
    if (!(await this.has(table))) return [];
    const query = this.knex(this.prefix + table).select('*').orderBy(key).limit(limit);
    if (only) void query.whereIn(only.column, [...only.values]);
    return (after === null ? query : query.where(key, '>', Number(after))) as Promise<SourceRecord[]>;
  }

  /** Rows whose column holds one of the values; none when table or column is missing. */
  async whereIn(table: string, column: string, values: readonly Value[], columns: readonly string[] = ['*']): Promise<SourceRecord[]> {
    if (values.length === 0 || !(await this.hasColumn(table, column))) return [];
    const found: SourceRecord[] = [];
    for (let at = 0; at < values.length; at += CHUNK) {
      found.push(...await this.knex(this.prefix + table).select([...columns]).whereIn(column, values.slice(at, at + CHUNK)) as SourceRecord[]);
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

  /** A WordPress option, parsed without evaluating anything; null when it is absent or refused. */
  async option(name: string): Promise<PhpValue> {
    const [row] = await this.whereIn('options', 'option_name', [name], ['option_value']);
    const reading = readStructure(row?.['option_value']);
    return reading.ok ? reading.value : null;
  }

  /** Users by id, with their names. */
  async users(ids: readonly unknown[]): Promise<Map<string, SourceUser>> {
    const wanted = [...new Set(ids.map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0);
    const users = new Map<string, Record<string, unknown>>();
    for (const row of await this.whereIn('users', 'ID', wanted)) {
      users.set(String(row['ID']), { login: row['user_login'], email: row['user_email'], registered_at: row['user_registered'] });
    }
    for (const row of await this.whereIn('usermeta', 'user_id', [...users.keys()].map(Number))) {
      const user = users.get(String(row['user_id']));
      if (user && NAMES.includes(String(row['meta_key']))) user[String(row['meta_key'])] = row['meta_value'];
    }
    return users;
  }

  /** Ids of the rows that point at each value: visit → referrals. */
  async idsBy(table: string, column: string, id: string, values: readonly unknown[]): Promise<Map<string, string[]>> {
    const wanted = [...new Set(values.map(Number))].filter((value) => Number.isSafeInteger(value) && value > 0);
    const ids = new Map<string, string[]>();
    for (const row of await this.whereIn(table, column, wanted, [id, column])) {
      const key = String(row[column]);
      ids.set(key, [...(ids.get(key) ?? []), String(row[id])]);
    }
    return ids;
  }
}
