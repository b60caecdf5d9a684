import createKnex, { type Knex } from 'knex';
import { letProcessEnd } from './idle.js';

/** A `pg.Pool`, as far as it is used. */
export interface PgPool {
  readonly totalCount: number;
  connect(): Promise<unknown>;
  query(...given: never[]): unknown;
}
/** A pool of `mysql2`, with callbacks or promises, as far as it is used. */
export interface MysqlPool {
  getConnection(...given: never[]): unknown;
  query(...given: never[]): unknown;
}
/** An open database of `better-sqlite3`, as far as it is used. */
export interface SqliteHandle {
  readonly inTransaction: boolean;
  prepare(sql: string): unknown;
  pragma(sql: string): unknown;
}
export type HostPool = PgPool | MysqlPool | SqliteHandle;

type Parts = Readonly<Record<string, unknown>>;

const has = (value: Parts, ...names: readonly string[]): boolean =>
  names.every((name) => typeof value[name] === 'function');

const isPgPool = (value: Parts): boolean => has(value, 'connect', 'query') && 'totalCount' in value;
const isMysqlPool = (value: Parts): boolean => has(value, 'getConnection', 'query');
const isSqliteHandle = (value: Parts): boolean => has(value, 'prepare', 'pragma') && 'inTransaction' in value;

/** Is this a pool or a handle of the host, and not our own settings? */
export const isHostPool = (option: unknown): option is HostPool =>
  typeof option === 'object' &&
  option !== null &&
  [isPgPool, isMysqlPool, isSqliteHandle].some((test) => test(option as Parts));

/** A knex on the host's own connections, which it neither configures nor closes. */
export function knexOn(pool: HostPool, log: Knex.Logger): Knex {
  const parts = pool as unknown as Parts;
  const common = { compileSqlOnError: false, log }; // no values in errors, so that none get into logs
  if (isSqliteHandle(parts)) return onHandle(pool, common);
  return createKnex({
    ...common,
    client: isPgPool(parts) ? 'pg' : 'mysql2',
    connectionPool: pool,
  } as unknown as Knex.Config); // pools of other types, of which knex needs these methods only
}

function onHandle(handle: HostPool, config: Knex.Config): Knex {
  const knex = createKnex({
    ...config,
    client: 'better-sqlite3',
    connection: { filename: ':memory:' }, // never opened
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  Object.assign(knex.client as object, {
    acquireRawConnection: async () => handle,
    destroyRawConnection: async () => {},
  });
  return letProcessEnd(knex);
}

const KNOWN: readonly (readonly [isIt: (value: Parts) => boolean, advice: string])[] = [
  [
    (value) => has(value, '$connect', '$disconnect'),
    'This is a Prisma client, which keeps its connections to itself. Pass the address of the database, or a pg.Pool that the Prisma adapter shares.',
  ],
  [
    (value) => has(value, 'initialize', 'createQueryRunner'),
    'This is a TypeORM DataSource. Pass its pool: dataSource.driver.master (PostgreSQL), .pool (MySQL) or .databaseConnection (SQLite).',
  ],
  [(value) => '$client' in value, 'This is a Drizzle database. Pass its client: db.$client.'],
  [
    (value) => has(value, 'authenticate', 'define'),
    'This is a Sequelize instance, which keeps its connections to itself. Pass the address of the database.',
  ],
  [(value) => has(value, 'release', 'query'), 'This is one connection of a pool. Pass the pool.'],
  [(value) => has(value, 'connect', 'query', 'end'), 'This is one connection. Pass a pool.'],
];

/** What to pass instead of an object that cannot be used as `database`; null when it is not known. */
export const adviceFor = (option: unknown): string | null =>
  typeof option === 'object' && option !== null
    ? (KNOWN.find(([isIt]) => isIt(option as Parts))?.[1] ?? null)
    : null;
