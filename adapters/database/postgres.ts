import type { Knex } from 'knex';
import { knexFrom, type ConnectionSettings, type ConnectionSource } from './connection-source.js';
import type { Dialect, FailureKind, Row } from './dialect.js';
import { onConflictWrites } from './on-conflict.js';
import { LOST_STATEMENT, PreparedStatements, type PreparingConnection } from './postgres-statements.js';
import {
  anyColumn,
  byKey,
  connectionFailure,
  errorCodes,
  inChunks,
  likePattern,
  quoteColumn,
  fieldsOf,
  listOrNone,
  slotLength,
  valuesClause,
} from './sql.js';

const FAILURES: Readonly<Record<string, FailureKind>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
  '40001': 'busy',
  '40P01': 'busy',
  '55P03': 'busy',
  '53300': 'busy',
  '57P03': 'busy', // 55P03: lock_timeout
  '25006': 'busy', // read only: another server is the primary now
  '53100': 'full',
  '57014': 'timeout',
  ...Object.fromEntries(LOST_STATEMENT.map((code) => [code, 'busy'])),
  '40003': 'outcome_unknown',
  '57P01': 'outcome_unknown',
  '57P02': 'outcome_unknown',
  '25P03': 'outcome_unknown', // idle_in_transaction_session_timeout ended the session
  '25P04': 'outcome_unknown', // transaction_timeout did
  '57P05': 'outcome_unknown', // idle_session_timeout did
};

/**
 * How the server refuses a connection, so that nothing was stored: the database takes none now, or the rules
 * for this client changed. As an error of a statement, 55000 means something else.
 */
const REFUSED = new Set(['55000', '28000']);
const severityOf = (error: unknown): unknown => (error as { readonly severity?: unknown } | null)?.severity;

export const postgresDialect = ({ sendsAhead }: Pick<Dialect, 'sendsAhead'>): Dialect => ({
  name: 'postgres',
  ...onConflictWrites,
  idsFrom: async (db, table, next) => {
    const sequence = `pg_get_serial_sequence('"${db.name(table)}"', 'id')`;
    await db.raw(`select setval(${sequence}, greatest(nextval(${sequence}), ?), false)`, [next]);
  },
  idsInserted: async (db, table) => {
    const name = db.name(table);
    await db.raw(
      `select setval(pg_get_serial_sequence('"${name}"', 'id'), greatest((select max("id") ` +
        `from "${name}"), nextval(pg_get_serial_sequence('"${name}"', 'id'))))`,
    );
  },
  insertMany: (db, table, rows) =>
    inChunks(rows, async (chunk) => {
      const { text, bindings } = valuesClause(chunk, '"');
      return (await db.raw(`insert into "${db.name(table)}" ${text} returning "id"`, bindings)).map((row) =>
        Number(row['id']),
      );
    }),
  lockRows: (db, table, rows, keyColumn) =>
    inChunks(byKey(rows, keyColumn), async (chunk) => {
      const { text, bindings } = valuesClause(chunk, '"');
      return db.raw(
        `insert into "${db.name(table)}" ${text} on conflict ("${keyColumn}") do update ` +
          `set "${keyColumn}" = excluded."${keyColumn}" returning *`,
        bindings,
      );
    }),
  rowLock: 'for update',
  forUpdate: (query) => query.forUpdate() as typeof query,
  timeText: (ms) => `to_char(to_timestamp((${ms}) / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`,
  emptyLast: (by, direction) => `${by} ${direction} nulls last`,
  // a cast copies only longer texts; substr copies all, which made a sort of a million rows three times as slow
  textStart: (column, length) => `cast(${column} as varchar(${length}))`,
  sizeQuery: 'select pg_database_size(current_database()) as bytes',
  slot: (column, slotMs) => `(${quoteColumn(column, '"')} / ${slotLength(slotMs)})`,
  jsonRows: (list, fields) => ({
    join: `cross join lateral json_array_elements((${listOrNone(list)})::json) j(element)`,
    of: fieldsOf(fields, (field, kind) => {
      const text = `(j.element->>'${field}')`;
      return kind === 'text'
        ? text
        : `case when ${text} ~ '^-{0,1}[0-9]+([.][0-9]+){0,1}$' then ${text}::double precision else 0 end`;
    }),
  }),
  contains: (query, columns, text) =>
    anyColumn(
      query,
      columns,
      (column) => `${quoteColumn(column, '"')} ilike ? escape '!'`,
      likePattern(text),
    ),
  asText: (column) => `cast(${quoteColumn(column, '"')} as text)`,
  jsonInteger: (column, key) => `cast(cast(${quoteColumn(column, '"')} as json) ->> '${key}' as bigint)`,
  jsonObject: (columns) =>
    `json_build_object(${columns.map((name) => `'${name}', ${quoteColumn(name, '"')}`).join(', ')})::text`,
  failure(error) {
    const { code } = errorCodes(error);
    if (REFUSED.has(code) && severityOf(error) === 'FATAL') return 'busy';
    return FAILURES[code] ?? (code.startsWith('08') ? 'outcome_unknown' : connectionFailure(error));
  },
  refusesWrites: (error) => errorCodes(error).code === '25006',
  rows: (response) => (response as { rows?: Row[] }).rows ?? [],
  affected: (response) => (response as { rowCount?: number | null }).rowCount ?? 0,
  transactionConfig: { isolationLevel: 'read committed' }, // part of BEGIN, so it needs no statement of its own
  sendsAhead,
  begin: async () => {},
  limitStatement(connection, seconds) {
    const { connectionParameters: own } = connection as {
      readonly connectionParameters?: { readonly statement_timeout?: unknown };
    };
    return Number(own?.statement_timeout) === CONNECTION.statement_timeout
      ? `set statement_timeout = ${seconds * 1000}`
      : null;
  },
  createStatements: (statements) => [...statements],
  async addColumn(db, table, column, definition) {
    await db.execute(`alter table "${db.name(table)}" add column if not exists "${column}" ${definition}`);
  },
  transactionalSchema: true,
});

/** Is the driver's setting `pipeline` on, in the settings of a host's own knex? */
export const isPipelined = (connection: unknown): boolean =>
  typeof connection === 'object' && connection !== null && Reflect.get(connection, 'pipeline') === true;

/**
 * A statement may take 30 s unless its purpose has another limit, and wait for a lock for 5 s; then the
 * transaction is retried. These limits are sent when the connection starts. Poolers refuse them, or give a
 * server's session to others after each transaction: with the option `pooler`, they are not sent. A limit
 * given in `connection` applies to every purpose.
 */
const CONNECTION = {
  statement_timeout: 30_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 60_000,
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  application_name: 'affiliate-service',
  // a list or a report reads with one processor of the server and leaves the others to clicks and orders
  options: '-c max_parallel_workers_per_gather=0',
} as const;

/** What a pooler in transaction mode refuses or passes on to strangers. */
const NO_SESSION = {
  statement_timeout: false,
  lock_timeout: false,
  idle_in_transaction_session_timeout: false,
  options: '',
} as const;

/** The parts of pg that we use. */
interface Client {
  readonly driver: { readonly Client: new (settings: object) => { readonly pipeline?: boolean } };
  acquireRawConnection(): Promise<Connection>;
}
interface Connection extends PreparingConnection {
  readonly connection: PreparingConnection['connection'] & {
    readonly stream: { cork(): void; uncork(): void };
  };
}

/**
 * The driver sends a statement before the previous one has finished (`pipeline`, since `pg` 8.23), unless
 * `connection` has `pipeline: false`. Statements that are sent often are prepared, unless it has `prepare:
 * false`. Settings given as a function cannot turn these off.
 */
export function openPostgres(
  source: ConnectionSource,
  pool: Knex.PoolConfig,
  { log, pooler }: { readonly log: Knex.Logger; readonly pooler: boolean },
): { readonly knex: Knex; readonly sendsAhead: boolean } {
  const isWanted = (setting: string): boolean => typeof source !== 'object' || source[setting] !== false;
  const pipeline = isWanted('pipeline');
  const complete = (given: ConnectionSettings): object => ({
    ...CONNECTION,
    ...(pooler && NO_SESSION),
    ...(typeof given === 'string' ? { connectionString: given } : given),
    pipeline,
  });
  const knex = knexFrom(source, complete, { client: 'pg', pool, acquireConnectionTimeout: 15_000, log });
  const client = knex.client as Client;
  const sendsAhead = pipeline && new client.driver.Client({ pipeline: true }).pipeline === true;
  const prepared =
    isWanted('prepare') && !pooler ? new PreparedStatements((message) => log.warn?.(message)) : null;
  const acquire = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => {
    const connection = await acquire();
    if (sendsAhead) pipelineStatements(connection);
    return prepared?.on(connection) ?? connection;
  };
  return { knex, sendsAhead };
}

/** All statements of a turn leave in one write, which costs more than many of the statements. */
function pipelineStatements(connection: Connection): void {
  const query = connection.query.bind(connection);
  let waiting = false;
  connection.query = (...args) => {
    if (!waiting) {
      const { stream } = connection.connection;
      stream.cork();
      process.nextTick(() => {
        waiting = false;
        stream.uncork();
      });
      waiting = true;
    }
    return query(...args);
  };
}
