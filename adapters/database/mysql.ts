import type { Knex } from 'knex';
import type { TableName } from './tables.js';
import { knexFrom, type ConnectionSettings, type ConnectionSource } from './connection-source.js';
import type { Db, Dialect, FailureKind, NewRow, Row } from './dialect.js';
import {
  anyColumn,
  byKey,
  connectionFailure,
  errorCodes,
  hitsByKey,
  inChunks,
  indexStatement,
  insertRowsWith,
  keyedChunks,
  lastRow,
  likePattern,
  quoteColumn,
  shortName,
  fieldsOf,
  listOrNone,
  slotLength,
  summed,
  valuesClause,
} from './sql.js';

export interface MysqlDialectOptions {
  /** True when we opened the connection and set its isolation level; otherwise every transaction sets it. */
  readonly owned: boolean;
}

// Galera: 1213 at COMMIT is a write that conflicted with one of another node. 1047 comes from a node that is
// not in its cluster now. 1180: COMMIT failed because the node lost the others at that moment; they may still
// have received the write.
const FAILURES: Readonly<Record<number, FailureKind>> = {
  1062: 'unique',
  1586: 'unique',
  1451: 'foreign_key',
  1452: 'foreign_key',
  1216: 'foreign_key',
  1217: 'foreign_key',
  3819: 'check',
  4025: 'check',
  1213: 'busy',
  1205: 'busy',
  1020: 'busy',
  1047: 'busy',
  1040: 'busy',
  1129: 'busy', // the server refuses the connection: this host, or too many of this user
  1130: 'busy',
  1203: 'busy',
  1226: 'busy',
  1290: 'busy',
  1836: 'busy',
  3: 'full', // full disk: 3 and 1026 while writing a file, 1021 on the server, 1114 for a table
  1021: 'full',
  1026: 'full',
  1114: 'full',
  1969: 'timeout',
  3024: 'timeout',
  1317: 'timeout',
  1053: 'outcome_unknown',
  1180: 'outcome_unknown',
  1927: 'outcome_unknown',
  2006: 'outcome_unknown',
  2013: 'outcome_unknown',
};

const NO_WRITES = new Set([1047, 1290, 1836]);

type Values = readonly (string | number | boolean | null)[];

function insertStatement(
  db: Db,
  table: TableName,
  rows: readonly NewRow[],
): { readonly sql: string; readonly bindings: Values } {
  const { text, bindings } = valuesClause(rows, '`');
  return { sql: `insert into \`${db.name(table)}\` ${text}`, bindings };
}

const insertId = (response: unknown): number =>
  (response as readonly [{ readonly insertId: number }])[0].insertId;

/** Inserts rows. When the unique key is already stored, `set` changes the stored row. */
async function merge(
  db: Db,
  table: TableName,
  rows: readonly NewRow[],
  set: readonly string[],
): Promise<void> {
  const { sql, bindings } = insertStatement(db, table, rows);
  await db.execute(`${sql} on duplicate key update ${set.join(', ')}`, bindings);
}

/** MySQL 8 and MariaDB. */
export function mysqlDialect({ owned }: MysqlDialectOptions): Dialect {
  let isMariaDb: boolean | undefined;
  /** MariaDB can return the ids of all rows of a statement, MySQL cannot. */
  const returnsIds = async (db: Db): Promise<boolean> =>
    (isMariaDb ??= /mariadb/i.test(String((await db.raw('select version() as version'))[0]?.['version'])));
  return {
    name: 'mysql',
    async insert(db, table, row) {
      const { sql, bindings } = insertStatement(db, table, [row]);
      return insertId(await db.send(sql, bindings));
    },
    async insertMany(db, table, rows) {
      if (rows.length > 1 && (await returnsIds(db)))
        return inChunks(rows, async (chunk) => {
          const { sql, bindings } = insertStatement(db, table, chunk);
          // The ids ascend in the order of the rows, but are returned in any order.
          const rows = await db.raw(`${sql} returning id`, bindings);
          return rows.map((row) => Number(row['id'])).sort((a, b) => a - b);
        });
      // MySQL returns only the first id of several rows. The others depend on the server's step and lock
      // mode.
      const ids: number[] = [];
      for (const row of rows) ids.push(await this.insert(db, table, row));
      return ids;
    },
    insertRows: insertRowsWith('`'),
    async insertIfAbsent(db, table, row, uniqueColumns) {
      // INSERT IGNORE hides truncated values, and ON DUPLICATE KEY does not report whether it inserted. A
      // duplicate ends only its statement.
      const { sql, bindings } = insertStatement(db, table, [row]);
      try {
        return insertId(await db.send(sql, bindings, { mayFail: true }));
      } catch (error) {
        if (
          errorCodes(error).errno === 1062 &&
          isKey(errorCodes(error).message, db.name(table), uniqueColumns)
        )
          return null;
        throw error;
      }
    },
    async upsert(db, table, rows, uniqueColumns, mergeColumns) {
      const merged = mergeColumns.length > 0 ? [...mergeColumns] : uniqueColumns.slice(0, 1);
      const set = merged.map((column) => `\`${column}\` = values(\`${column}\`)`);
      for (const chunk of keyedChunks(rows, uniqueColumns, lastRow)) await merge(db, table, chunk, set);
    },
    async addTo(db, table, rows, uniqueColumns, addColumns) {
      const set = addColumns.map((column) => `\`${column}\` = \`${column}\` + values(\`${column}\`)`);
      for (const chunk of keyedChunks(rows, uniqueColumns, summed(addColumns)))
        await merge(db, table, chunk, set);
    },
    countHits: (db, hits, { now, limit }) =>
      inChunks(hitsByKey(hits), async (chunk) => {
        const { sql, bindings } = insertStatement(db, 'rate_limits', chunk);
        // MySQL assigns from left to right: `points` is already the new sum when `expires_at` is chosen.
        await db.execute(
          `${sql} on duplicate key update points = values(points) + if(expires_at > ?, points, 0), ` +
            'expires_at = if(points - values(points) >= ?, expires_at, values(expires_at))',
          [...bindings, now, limit],
        );
        const keys = chunk.map((row) => String(row['limit_key']));
        return db.raw(
          `select limit_key, points from ${db.name('rate_limits')} where limit_key in (${keys.map(() => '?').join(', ')})`,
          keys,
        );
      }),
    async lockRows(db, table, rows, keyColumn) {
      await this.upsert(db, table, byKey(rows, keyColumn), [keyColumn], []);
      return db(table).whereIn(
        keyColumn,
        rows.map((row) => row[keyColumn] as string),
      );
    },
    async addSelected(db, table, { columns, text, bindings }, _uniqueColumns, addColumns) {
      const name = db.name(table);
      const sums = addColumns.map((column) => `${column} = \`${name}\`.${column} + values(${column})`);
      await db.execute(
        `insert into \`${name}\` (${columns.join(', ')}) select * from (${text}) selected ` +
          `on duplicate key update ${sums.join(', ')}`,
        bindings,
      );
    },
    idsInserted: async () => {},
    // the server uses the larger of this and the next id of the rows
    idsFrom: async (db, table, next) => {
      await db.execute(`alter table \`${db.name(table)}\` auto_increment = ${Math.trunc(next)}`);
    },
    rowLock: 'for update',
    forUpdate: (query) => query.forUpdate() as typeof query,
    timeText: (ms) =>
      `date_format(date_add('1970-01-01 00:00:00', interval ((${ms}) div 1000) second), '%Y-%m-%d %H:%i:%s')`,
    // null is the smallest value here
    emptyLast: (by, direction) => (direction === 'desc' ? `${by} desc` : `${by} is null, ${by}`),
    textStart: (column, length) => `substr(${column}, 1, ${length})`,
    sizeQuery:
      'select sum(data_length + index_length) as bytes from information_schema.tables ' +
      'where table_schema = database()',
    slot: (column, slotMs) => `(${quoteColumn(column, '`')} div ${slotLength(slotMs)})`,
    jsonRows: (list, fields) => {
      const columns = Object.entries(fields).map(([field, kind]) =>
        kind === 'text'
          ? `${field} varchar(255) path '$.${field}' null on error`
          : `${field} double path '$.${field}' default '0' on empty default '0' on error`,
      );
      return {
        join: `join json_table(${listOrNone(list)}, '$[*]' columns (${columns.join(', ')})) j`,
        of: fieldsOf(fields, (field, kind) => (kind === 'text' ? `j.${field}` : `coalesce(j.${field}, 0)`)),
      };
    },
    contains: (query, columns, text) =>
      anyColumn(
        query,
        columns,
        (column) => `lower(${quoteColumn(column, '`')}) like ? escape '!'`,
        likePattern(text.toLowerCase()),
      ),
    asText: (column) => `cast(${quoteColumn(column, '`')} as char)`,
    jsonInteger: (column, key) =>
      `cast(json_unquote(json_extract(${quoteColumn(column, '`')}, '$.${key}')) as signed)`,
    jsonObject: (columns) =>
      `json_object(${columns.map((name) => `'${name}', ${quoteColumn(name, '`')}`).join(', ')})`,
    failure: (error) => FAILURES[errorCodes(error).errno] ?? connectionFailure(error),
    refusesWrites: (error) => NO_WRITES.has(errorCodes(error).errno),
    rows: (response) => (Array.isArray(response) && Array.isArray(response[0]) ? (response[0] as Row[]) : []),
    affected: (response) =>
      (Array.isArray(response) ? (response[0] as { affectedRows?: number }) : {}).affectedRows ?? 0,
    transactionConfig: owned ? {} : { isolationLevel: 'read committed' },
    sendsAhead: false,
    begin: async () => {},
    limitStatement: (_connection, seconds) =>
      `set /*M! max_statement_time = ${seconds} */ /*!50708 max_execution_time = ${seconds * 1000} */`,
    createStatements,
    async createIndex(db, table, columns) {
      try {
        await db.execute(indexStatement(db.name(table), columns, { create: 'create index', quote: '`' }));
      } catch (error) {
        if (errorCodes(error).errno !== 1061) throw error; // it exists; MySQL has no "if not exists" here
      }
    },
    async addColumn(db, table, column, definition) {
      try {
        await db.execute(`alter table \`${db.name(table)}\` add column \`${column}\` ${definition}`);
      } catch (error) {
        if (errorCodes(error).errno !== 1060) throw error; // it exists
      }
    },
    transactionalSchema: false,
  };
}

/**
 * True when the duplicate violates the given key: "Duplicate entry 'x' for key
 * 'fa_visits_source_key_unique'".
 */
function isKey(message: string, table: string, columns: readonly string[]): boolean {
  const key = /for key '(?:[^']*\.)?([^'.]+)'$/.exec(message)?.[1];
  return key === 'PRIMARY' || key === shortName(`${table}_${columns.join('_')}_unique`.toLowerCase());
}

// MySQL commits each DDL statement at once. Keys and foreign keys are part of CREATE TABLE, so a table exists
// completely or not at all, and a killed step can run again. Ids are signed, like the columns that refer to
// them. Text is compared by code point and with its trailing blanks, as on the other databases. MySQL and
// MariaDB have different names for this collation, so each reads only one of the two comments.
const COLLATION = 'collate /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */';

function createStatements(statements: readonly string[]): string[] {
  const [create = '', ...rest] = statements;
  const clauses = rest.map((statement) => statement.replace(/^alter table `\w+` add /, ''));
  const body = create.replaceAll('bigint unsigned', 'bigint').replace(/\)[^)]*$/, '');
  const parts = [body, ...clauses].join(', ');
  return [`${parts}) engine = InnoDB default character set utf8mb4 ${COLLATION}`];
}

const SESSION = 'set session transaction isolation level read committed';
// MariaDB reads one of the two comments, MySQL the other: their statement limits have different names.
const LIMITS =
  "set session sql_mode = 'TRADITIONAL', time_zone = '+00:00', innodb_lock_wait_timeout = 5, " +
  // these optimizations read and sort two long indexes where one of them already has the order
  "optimizer_switch = 'index_merge_intersection=off' " +
  '/*M! , max_statement_time = 30 */ /*!50708 , max_execution_time = 30000 */';

interface RawConnection {
  query(sql: string, done: (error: unknown) => void): void;
}

/**
 * A statement (on MySQL only one that reads) may take 30 s unless its purpose has another limit. It waits for
 * a lock for at most 5 s; then the transaction is retried.
 */
export function openMysql(source: ConnectionSource, pool: Knex.PoolConfig, log: Knex.Logger): Knex {
  const complete = (given: ConnectionSettings): object => ({
    connectTimeout: 5_000,
    ...(typeof given === 'string' ? { uri: given } : given),
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    multipleStatements: false,
  });
  const afterCreate = (raw: RawConnection, done: (error: unknown, raw: RawConnection) => void): void => {
    raw.query(SESSION, (error) => {
      if (error) done(error, raw);
      else
        raw.query(LIMITS, (failure) => {
          done(failure, raw);
        });
    });
  };
  return knexFrom(source, complete, {
    client: 'mysql2',
    pool: { ...pool, afterCreate },
    acquireConnectionTimeout: 15_000,
    log,
  });
}
