import { randomBytes } from 'node:crypto';

export interface Environment {
  readonly database: {
    readonly client: 'pg' | 'mysql2';
    readonly connection: string;
    readonly pool: { readonly min: number; readonly max: number };
  };
  readonly workers: number;
  readonly port: number;
  /** The same in every worker: signs cookies, sessions and nonces. */
  readonly secret: string;
}

/**
 * Null when no database server is named: processes cannot share a SQLite file or memory and do this work.
 */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment | null {
  const { POSTGRES_URL: postgres, MYSQL_URL: mysql } = env;
  const connection = postgres ?? mysql;
  if (!connection) return null;
  return {
    // each worker has a pool of its own: workers × max must fit into the server's max_connections
    database: {
      client: postgres ? 'pg' : 'mysql2',
      connection,
      pool: { min: 0, max: Number(env['POOL'] ?? 5) },
    },
    workers: Number(env['WORKERS'] ?? 4),
    port: Number(env['PORT'] ?? 3000),
    secret: env['SECRET'] ?? randomBytes(32).toString('hex'),
  };
}
