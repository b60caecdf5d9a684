import type { TableName } from '../../adapters/database/tables.js';
import type { TestApp } from './app.js';
import type { Wire } from './records.js';

type Started = Pick<TestApp, 'app'>;

/**
 * Stores rows by the thousand without their accounts; requests would take minutes. `service.ledger.reconcile()`
 * counts them afterwards.
 */
export async function insertMany(t: Started, table: TableName, rows: readonly object[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 250)
    await t.app.db(table).insert(rows.slice(from, from + 250));
}

/** The rows of a table that no list shows, by id. Databases return large integers as text; these are numbers. */
export async function storedRows(t: Started, table: TableName): Promise<Wire[]> {
  const rows: Record<string, unknown>[] = await t.app.db(table).select().orderBy('id');
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' && /^-?\d{1,15}$/u.test(value) ? Number(value) : value,
      ]),
    ),
  );
}

/** All rows of these tables as text, to find a value that must not be stored anywhere. */
export const storedText = async (t: Started, ...tables: TableName[]): Promise<string> =>
  JSON.stringify(await Promise.all(tables.map((table) => t.app.db(table).select())));

/** How many rows each of these tables has. No list shows the tables this is used for. */
export const rowsIn = async (t: Started, ...tables: TableName[]): Promise<number[]> =>
  Promise.all(tables.map(async (table) => (await t.app.db(table).select()).length));
