import type { Knex } from 'knex';
import type { OpenedDatabase } from '../../../adapters/database/open.js';
import type { Logger } from '../../core/logger.js';
import { Scope } from '../../core/scope.js';
import { guardClient } from './bindings.js';
import type { Db } from './db.js';
import { answerAlone, answerOn, type PlainStatement } from './plain-statement.js';
import { guardStatements, repeated } from './statements.js';
import type { TableName } from './tables.js';
import { createTogether } from './together.js';

/** An open transaction, or a savepoint inside one. */
export interface Level {
  readonly db: Db;
  readonly knex: Knex;
  readonly queue: (() => unknown)[];
  /**
   * A statement that failed: the level can not be committed any more (PostgreSQL would answer
   * COMMIT with a silent ROLLBACK).
   */
  failed: unknown;
  ended: boolean;
}

export interface Connection {
  /** Runs on the transaction open in the call chain, else on the pool. */
  readonly db: Db;
  readonly opened: OpenedDatabase;
  readonly scope: Scope<Level>;
  /**
   * A handle tied to one transaction: it never falls back to the pool,
   * and throws once the transaction has ended.
   */
  readonly level: (trx: Knex) => Level;
}

/** The callable that repositories receive, over the pool and the transaction of the running call chain. */
export function createDb(opened: OpenedDatabase, log: Logger): Connection {
  const scope = new Scope<Level>();
  guardClient(opened.knex, opened.dialect, () => {});
  guardStatements(opened.knex, opened.dialect, log);
  const db = makeDb(opened, {
    current: () => scope.get()?.knex ?? opened.knex,
    inTransaction: () => scope.get() !== undefined,
    answer: (statement) => {
      const level = scope.get();
      return level
        ? answerOn(level.knex, statement)
        : repeated(statement, () => answerAlone(opened, statement), { dialect: opened.dialect, log });
    },
  });
  return { db, opened, scope, level: (trx) => openLevel(opened, trx) };
}

function openLevel(opened: OpenedDatabase, trx: Knex): Level {
  const level: Level = {
    db: makeDb(opened, {
      current: () => trx,
      inTransaction: () => true,
      answer: (statement) => answerOn(trx, statement),
    }),
    knex: trx,
    queue: [],
    failed: undefined,
    ended: false,
  };
  const transient = (error: unknown): boolean =>
    ['busy', 'outcome_unknown'].includes(opened.dialect.failure(error) ?? '');
  guardClient(trx, opened.dialect, (error) => {
    if (level.failed === undefined || transient(error)) level.failed = error;
  });
  return level;
}

interface Where {
  readonly current: () => Knex;
  readonly inTransaction: () => boolean;
  /** The driver's answer to a statement of our own text. */
  readonly answer: (statement: PlainStatement) => Promise<unknown>;
}

function makeDb(opened: OpenedDatabase, { current, inTransaction, answer }: Where): Db {
  const { dialect, tablePrefix } = opened;
  const name = (table: TableName): string => tablePrefix + table;
  const raw: Db['raw'] = async (sql, bindings = []) => dialect.rows(await answer({ sql, bindings }));
  const few: Db['few'] = async (sql, bindings) =>
    dialect.rows(await answer({ sql, bindings, findsFew: true }));
  const lookUp: Db['lookUp'] = async (table, columns, key) => {
    const conditions = Object.keys(key)
      .map((column) => `${column} = ?`)
      .join(' and ');
    const sql = `select ${columns.join(', ')} from ${name(table)} where ${conditions} limit 1`;
    return (await few(sql, Object.values(key)))[0];
  };
  const members = {
    name: { value: name },
    raw: { value: raw },
    few: { value: few },
    lookUp: { value: lookUp },
    execute: {
      value: async (sql: string, bindings: readonly Knex.Value[] = []) =>
        dialect.affected(await answer({ sql, bindings })),
    },
    knex: { get: current },
    dialect: { value: dialect },
    together: { value: createTogether(dialect.sendsAhead) },
    inTransaction: { get: inTransaction },
  };
  return Object.defineProperties((table: TableName) => current()(name(table)), members) as unknown as Db;
}
