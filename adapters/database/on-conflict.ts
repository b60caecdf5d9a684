import type { Db, Dialect, NewRow } from './dialect.js';
import type { TableName } from './tables.js';
import {
  hitsByKey,
  inChunks,
  indexStatement,
  insertRowsWith,
  keyedChunks,
  lastRow,
  summed,
  valuesClause,
} from './sql.js';

type SharedMembers = Pick<
  Dialect,
  | 'insert'
  | 'insertRows'
  | 'insertIfAbsent'
  | 'upsert'
  | 'addTo'
  | 'countHits'
  | 'addSelected'
  | 'createIndex'
>;

const list = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ');

const sum =
  (db: Db, table: TableName) =>
  (column: string): string =>
    `"${column}" = "${db.name(table)}"."${column}" + excluded."${column}"`;

interface Merge {
  readonly rows: readonly NewRow[];
  readonly uniqueColumns: readonly string[];
  readonly set: readonly string[];
}

async function merge(db: Db, table: TableName, { rows, uniqueColumns, set }: Merge): Promise<void> {
  const { text, bindings } = valuesClause(rows, '"');
  await db.execute(
    `insert into "${db.name(table)}" ${text} on conflict (${list(uniqueColumns)}) do update set ${set.join(', ')}`,
    bindings,
  );
}

/**
 * The statements that SQLite and PostgreSQL share: an insert that returns its id, `insert … on conflict` and
 * `create index if not exists`.
 */
export const onConflictWrites: SharedMembers = {
  async insert(db, table, row) {
    const [id] = await db.dialect.insertMany(db, table, [row]);
    return Number(id);
  },

  insertRows: insertRowsWith('"'),

  async createIndex(db, table, columns) {
    await db.execute(
      indexStatement(db.name(table), columns, { create: 'create index if not exists', quote: '"' }),
    );
  },

  async addSelected(db, table, { columns, text, bindings }, uniqueColumns, addColumns) {
    await db.execute(
      // without "where" SQLite reads "on conflict" as part of a join
      `insert into "${db.name(table)}" (${list(columns)}) select * from (${text}) selected where 1 = 1 ` +
        `on conflict (${list(uniqueColumns)}) do update set ${addColumns.map(sum(db, table)).join(', ')}`,
      bindings,
    );
  },

  async insertIfAbsent(db, table, row, uniqueColumns) {
    const { text, bindings } = valuesClause([row], '"');
    const [inserted] = await db.raw(
      `insert into "${db.name(table)}" ${text} on conflict (${list(uniqueColumns)}) do nothing returning *`,
      bindings,
    );
    return inserted ? Number(inserted['id'] ?? 0) : null;
  },

  async upsert(db, table, rows, uniqueColumns, mergeColumns) {
    const merged = mergeColumns.length > 0 ? [...mergeColumns] : uniqueColumns.slice(0, 1);
    for (const chunk of keyedChunks(rows, uniqueColumns, lastRow)) {
      await merge(db, table, {
        rows: chunk,
        uniqueColumns,
        set: merged.map((column) => `"${column}" = excluded."${column}"`),
      });
    }
  },

  countHits(db, hits, { now, limit }) {
    const name = `"${db.name('rate_limits')}"`;
    return inChunks(hitsByKey(hits), async (chunk) => {
      const { text, bindings } = valuesClause(chunk, '"');
      return db.raw(
        `insert into ${name} ${text} on conflict ("limit_key") do update set ` +
          `"points" = excluded."points" + case when ${name}."expires_at" > ? then ${name}."points" else 0 end, ` +
          `"expires_at" = case when ${name}."expires_at" > ? and ${name}."points" >= ? ` +
          `then ${name}."expires_at" else excluded."expires_at" end returning "limit_key", "points"`,
        [...bindings, now, now, limit],
      );
    });
  },

  async addTo(db, table, rows, uniqueColumns, addColumns) {
    for (const chunk of keyedChunks(rows, uniqueColumns, summed(addColumns))) {
      await merge(db, table, { rows: chunk, uniqueColumns, set: addColumns.map(sum(db, table)) });
    }
  },
};
