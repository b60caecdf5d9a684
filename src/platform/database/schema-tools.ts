import type { Knex } from 'knex';
import { shortName } from '../../../adapters/database/sql.js';
import type { Db } from './db.js';
import { TABLES, type TableName } from './tables.js';
import type { SchemaTools } from './migrate.js';

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
