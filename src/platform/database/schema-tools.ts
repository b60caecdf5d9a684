import type { Knex } from 'knex';
import { shortName } from '../../../adapters/database/sql.js';
import type { Db } from './db.js';
import { TABLES, type TableName } from './tables.js';

/** What a schema step gets: creation with the prefix, and the column kinds that differ between databases. */
export interface SchemaTools {
  /** For what a step fills in; each statement may run again. */
  readonly db: Db;
  readonly schema: Knex.SchemaBuilder;
  readonly name: (table: TableName) => string;
  /** Creates the table (prefixed, utf8mb4); foreign keys and index names get the prefix too. */
  readonly create: (table: TableName, build: (t: Knex.CreateTableBuilder) => void) => Promise<void>;
  /** Creates an index unless it is there. */
  readonly index: (table: TableName, columns: readonly string[]) => Promise<void>;
  /** Adds a column unless it is there; the definition is SQL that every database reads. */
  readonly column: (table: TableName, column: string, definition: string) => Promise<void>;
  /** Text compared byte by byte on every database (ids, tokens, normalised keys). */
  readonly key: (t: Knex.CreateTableBuilder, column: string, length: number) => Knex.ColumnBuilder;
  /** Long text, nullable; JSON is stored as text. */
  readonly json: (t: Knex.CreateTableBuilder, column: string) => Knex.ColumnBuilder;
}

/** The tools of one schema step, on the pool or inside the step's transaction. */
export function schemaTools(db: Db): SchemaTools {
  return {
    db,
    schema: db.knex.schema,
    name: (table) => db.name(table),
    create: (table, build) => createTable(db, table, build),
    index: (table, columns) => db.dialect.createIndex(db, table, columns),
    column: (table, column, definition) => db.dialect.addColumn(db, table, column, definition),
    // every text column compares by code point (see createStatements)
    key: (t, column, length) => t.string(column, length),
    json: (t, column) => t.text(column, 'longtext').nullable(),
  };
}

/** Creates the table unless it is there: a killed step runs again, and two processes may start at once. */
async function createTable(
  db: Db,
  table: TableName,
  build: (t: Knex.CreateTableBuilder) => void,
): Promise<void> {
  const exists = (): Promise<boolean> => db.knex.schema.hasTable(db.name(table));
  if (await exists()) return;
  const compiled = db.knex.schema.createTable(db.name(table), build).toSQL() as unknown as readonly {
    readonly sql: string;
  }[];
  const statements = compiled.map(({ sql }) => fitNames(sql, db));
  try {
    for (const statement of db.dialect.createStatements(statements)) await db.knex.raw(statement);
  } catch (error) {
    if (db.inTransaction || !(await exists())) throw error;
  }
}

// knex names keys after table and columns and takes `inTable('affiliates')` as it is:
// the prefix and the length limit come in here.
function fitNames(sql: string, db: Db): string {
  return sql
    .replace(/\breferences (["`])(\w+)\1/g, (text, quote: string, table: string) =>
      isTable(table) ? `references ${quote}${db.name(table)}${quote}` : text,
    )
    .replace(
      /(["`])(\w{64,})\1/g,
      (_text, quote: string, long: string) => `${quote}${shortName(long)}${quote}`,
    );
}

const isTable = (table: string): table is TableName => (TABLES as readonly string[]).includes(table);
