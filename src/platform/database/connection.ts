import type { Knex } from 'knex';
import type { FailureKind, WriteRows } from '../../../adapters/database/dialect.js';
import type { OpenedDatabase } from '../../../adapters/database/open.js';
import type { Logger } from '../../core/logger.js';
import { Scope } from '../../core/scope.js';
import { Telemetry } from '../../core/telemetry.js';
import { guardClient } from './bindings.js';
import type { Db } from './db.js';
import { HeldLanes } from './held-lanes.js';
import { readAlone, readOn, type PlainStatement } from './plain-statement.js';
import { guardStatements, repeated } from './statements.js';
import type { TableName } from '../../../adapters/database/tables.js';
import { createPipeline } from './pipeline.js';

/** An open transaction, or a savepoint inside one. */
export interface Level {
  readonly db: Db;
  readonly knex: Knex;
  readonly queue: (() => unknown)[];
  /** What is written right before the transaction's commit. */
  readonly last: LastWrites;
  /**
   * The error of a statement that failed. After it the level can no longer be committed: PostgreSQL would
   * turn COMMIT into a silent ROLLBACK.
   */
  failed: unknown;
  ended: boolean;
  /** The number of savepoints around it; 0 for the transaction itself. */
  readonly depth: number;
  /** Statements that were sent without waiting for their results. They are awaited before the level ends. */
  ahead: Promise<unknown> | undefined;
  /** The lanes whose rows the whole transaction locks. */
  readonly lanes: Set<string>;
}

/** Each function that writes, and the rows it will get. */
export type LastWrites = Map<WriteRows<never>, readonly unknown[]>;

export interface Connection {
  /** Uses the open transaction of the call chain, or the pool when there is none. */
  readonly db: Db;
  readonly opened: OpenedDatabase;
  readonly scope: Scope<Level>;
  readonly telemetry: Telemetry;
  /** How many transactions of this process are open or wait for a connection. */
  readonly underway: { count: number };
  /** The lanes that transactions of this process lock. */
  readonly held: HeldLanes;
  /** A handle for one transaction: it never uses the pool, and throws once the transaction has ended. */
  readonly level: (trx: Knex) => Level;
  /** A handle for a savepoint in the transaction of `outer`. */
  readonly inner: (outer: Level) => Level;
}

/**
 * Makes the function that repositories receive. It works on the pool or on the transaction of the running
 * call chain.
 */
export function createDb(
  opened: OpenedDatabase,
  log: Logger,
  telemetry = new Telemetry(undefined),
): Connection {
  const scope = new Scope<Level>();
  const held = new HeldLanes();
  guardClient(opened.knex, { dialect: opened.dialect, telemetry, onFailure: () => {} });
  guardStatements(opened.knex, opened.dialect, log);
  const db = makeDb(opened, {
    current: () => scope.get()?.knex ?? opened.knex,
    inTransaction: () => scope.get() !== undefined,
    execute: (statement) => {
      const level = scope.get();
      return level
        ? readOn(level.knex, statement)
        : repeated(statement, () => readAlone(opened, statement), { dialect: opened.dialect, log });
    },
    afterCommit: (work) => {
      const level = scope.get();
      if (!level) throw new Error('There is no transaction whose commit could be waited for.');
      queueOn(level, work);
    },
    beforeCommit: () => {
      throw new Error('There is no transaction before whose commit rows could be written.');
    },
    willLock: () => {},
  });
  return {
    db,
    opened,
    scope,
    underway: { count: 0 },
    telemetry,
    held,
    level: (trx) => openTransaction({ opened, scope, telemetry, held }, trx),
    inner: (outer) => makeLevel({ opened, held }, outer.knex, { depth: outer.depth + 1, lanes: outer.lanes }),
  };
}

function openTransaction(
  { opened, scope, telemetry, held }: Pick<Connection, 'opened' | 'scope' | 'telemetry' | 'held'>,
  trx: Knex,
): Level {
  const { dialect } = opened;
  const level = makeLevel({ opened, held }, trx, { depth: 0, lanes: new Set() });
  const onFailure = (error: unknown): void => {
    const current = scope.get();
    const sender = current?.knex === trx ? current : level;
    if (sender.failed === undefined || endsTransaction(dialect.failure(error))) sender.failed = error;
  };
  guardClient(trx, { dialect, telemetry, onFailure });
  return level;
}

/** Does this failure end the whole transaction, and not only the savepoint it happened in? */
export const endsTransaction = (failure: FailureKind): boolean =>
  failure === 'busy' || failure === 'outcome_unknown';

function makeLevel(
  { opened, held }: Pick<Connection, 'opened' | 'held'>,
  trx: Knex,
  { depth, lanes }: Pick<Level, 'depth' | 'lanes'>,
): Level {
  const open = (): Knex => {
    if (level.ended) throw new Error('The transaction has ended; its handle comes too late.');
    return trx;
  };
  const db = makeDb(opened, {
    current: open,
    inTransaction: () => true,
    execute: async (statement) => readOn(open(), statement),
    afterCommit: (work) => {
      queueOn(level, work);
    },
    beforeCommit: (write, rows) => {
      collect(level.last, write, rows);
    },
    willLock: (added) => {
      for (const lane of added) {
        if (lanes.has(lane)) continue;
        lanes.add(lane);
        held.hold(lane);
      }
    },
  });
  const level: Level = {
    db,
    knex: trx,
    queue: [],
    last: new Map(),
    failed: undefined,
    ended: false,
    depth,
    ahead: undefined,
    lanes,
  };
  return level;
}

function queueOn(level: Level, work: () => unknown): void {
  if (level.ended) throw new Error('The transaction has ended; afterCommit comes too late.');
  level.queue.push(work);
}

/** Adds to the rows that this function will write. */
export function collect(last: LastWrites, write: WriteRows<never>, rows: readonly unknown[]): void {
  last.set(write, [...(last.get(write) ?? []), ...rows]);
}

interface StatementContext {
  readonly current: () => Knex;
  readonly inTransaction: () => boolean;
  /** Runs a statement given as SQL text; resolves with the driver's response. */
  readonly execute: (statement: PlainStatement) => Promise<unknown>;
  readonly afterCommit: Db['afterCommit'];
  readonly beforeCommit: Db['beforeCommit'];
  readonly willLock: Db['willLock'];
}

function makeDb(
  opened: OpenedDatabase,
  { current, inTransaction, execute, afterCommit, beforeCommit, willLock }: StatementContext,
): Db {
  const { dialect, tablePrefix } = opened;
  const name = (table: TableName): string => tablePrefix + table;
  const send: Db['send'] = (sql, bindings, { mayFail = false } = {}) => execute({ sql, bindings, mayFail });
  const raw: Db['raw'] = async (sql, bindings = []) => dialect.rows(await execute({ sql, bindings }));
  const readLocal: Db['readLocal'] = async (sql, bindings) =>
    dialect.rows(await execute({ sql, bindings, findsFew: true }));
  const rowByKey = (table: TableName, columns: readonly string[], key: object): string => {
    const conditions = Object.keys(key)
      .map((column) => `${column} = ?`)
      .join(' and ');
    return `select ${columns.join(', ')} from ${name(table)} where ${conditions} limit 1`;
  };
  const findByKey: Db['findByKey'] = async (table, columns, key) =>
    (await readLocal(rowByKey(table, columns, key), Object.values(key)))[0];
  const lockRow: Db['lockRow'] = async (table, columns, key) =>
    (await readLocal(`${rowByKey(table, columns, key)} ${dialect.rowLock}`, Object.values(key)))[0];
  const members = {
    name: { value: name },
    send: { value: send },
    raw: { value: raw },
    readLocal: { value: readLocal },
    findByKey: { value: findByKey },
    lockRow: { value: lockRow },
    execute: {
      value: async (sql: string, bindings: readonly Knex.Value[] = []) =>
        dialect.affected(await execute({ sql, bindings })),
    },
    knex: { get: current },
    dialect: { value: dialect },
    afterCommit: { value: afterCommit },
    beforeCommit: { value: beforeCommit },
    willLock: { value: willLock },
    pipeline: { value: createPipeline(dialect.sendsAhead, inTransaction) },
    inTransaction: { get: inTransaction },
  };
  return Object.defineProperties((table: TableName) => current()(name(table)), members) as unknown as Db;
}
