import type { Dialect } from './dialect.js';
import { keyedChunks, lastRow, summed } from './sql.js';

type Writes = Pick<Dialect, 'insertIfAbsent' | 'upsert' | 'addTo'>;

/** `insert … on conflict`, which SQLite and PostgreSQL share. */
export const onConflictWrites: Writes = {
  async insertIfAbsent(db, table, row, uniqueColumns) {
    const inserted: { id?: number | string }[] = await db(table).insert(row).onConflict([...uniqueColumns]).ignore().returning('*');
    return inserted[0] ? Number(inserted[0].id ?? 0) : null;
  },

  async upsert(db, table, rows, uniqueColumns, mergeColumns) {
    const merged = mergeColumns.length > 0 ? [...mergeColumns] : uniqueColumns.slice(0, 1);
    for (const chunk of keyedChunks(rows, uniqueColumns, lastRow)) {
      await db(table).insert(chunk).onConflict([...uniqueColumns]).merge(merged);
    }
  },

  async addTo(db, table, rows, uniqueColumns, addColumns) {
    const sum = (column: string): unknown => db.knex.raw('?? + ??', [`${db.name(table)}.${column}`, `excluded.${column}`]);
    for (const chunk of keyedChunks(rows, uniqueColumns, summed(addColumns))) {
      await db(table).insert(chunk).onConflict([...uniqueColumns]).merge(Object.fromEntries(addColumns.map((column) => [column, sum(column)])));
    }
  },
};
