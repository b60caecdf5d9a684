import type { Knex } from 'knex';
import type { TableName } from './tables.js';

/** What a schema step gets: creation with the prefix, and the column kinds that differ between databases. */
export interface SchemaTools {
  readonly schema: Knex.SchemaBuilder;
  readonly name: (table: TableName) => string;
  /** Creates the table (prefixed, utf8mb4); foreign keys and index names get the prefix too. */
  readonly create: (table: TableName, build: (t: Knex.CreateTableBuilder) => void) => Promise<void>;
  /** Text compared byte by byte on every database (ids, tokens, normalised keys). */
  readonly key: (t: Knex.CreateTableBuilder, column: string, length: number) => Knex.ColumnBuilder;
  /** Long text, nullable; JSON is stored as text. */
  readonly json: (t: Knex.CreateTableBuilder, column: string) => Knex.ColumnBuilder;
}

export interface SchemaStep {
  readonly id: string;
  /** Idempotent: a killed step runs again (MySQL commits DDL as it goes), so `create` skips a table that exists. */
  up(tools: SchemaTools): Promise<void>;
}
