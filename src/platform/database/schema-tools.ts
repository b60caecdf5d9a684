import type { Knex } from 'knex';
import { shortName } from '../../../adapters/database/sql.js';
import type { Db } from './db.js';
import { isTable, type TableName } from '../../../adapters/database/tables.js';

/**
 * The tools of a schema step: it creates tables with the prefix, and columns whose types differ between
 * databases.
 */
export interface SchemaTools {
  /** For rows that a step writes. Each statement must be safe to run again. */
  readonly db: Db;
  readonly schema: Knex.SchemaBuilder;
  readonly name: (table: TableName) => string;
  /** Creates the table with the prefix and in utf8mb4; foreign keys and index names get the prefix too. */
  readonly create: (table: TableName, build: (t: Knex.CreateTableBuilder) => void) => Promise<void>;
  /** Creates an index unless it exists. */
  readonly index: (table: TableName, columns: readonly string[]) => Promise<void>;
  /** Adds a column unless it exists. The definition is SQL that every database understands; JSON is `text`. */
  readonly column: (table: TableName, column: string, definition: string) => Promise<void>;
  /** Text that every database compares byte by byte: ids, tokens and normalized keys. */
  readonly key: (t: Knex.CreateTableBuilder, column: string, length: number) => Knex.ColumnBuilder;
  /** Long text that may be null; JSON is stored as text. */
  readonly json: (t: Knex.CreateTableBuilder, column: string) => Knex.ColumnBuilder;
}

/** Makes the tools of one schema step. They use the pool or the transaction of the step. */
export function schemaTools(db: Db): SchemaTools {
  return {
    db,
    schema: db.knex.schema,
    name: (table) => db.name(table),
    create: (table, build) => createTable(db, table, build),
    index: (table, columns) => db.dialect.createIndex(db, table, columns),
    column: (table, column, definition) => db.dialect.addColumn(db, table, column, definition),
    // every text column is compared by code point (createStatements)
    key: (t, column, length) => t.string(column, length),
    json: (t, column) => t.text(column, 'longtext').nullable(),
  };
}

/** Creates the table unless it exists: a killed step runs again, and two processes may start at once. */
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

// knex names keys after table and columns, and leaves `inTable('affiliates')` without the prefix. This adds
// the prefix and shortens names that are too long.
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
