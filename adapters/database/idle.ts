import type { Knex } from 'knex';
import { clientOf, socketOf, type PooledConnection } from './knex-internals.js';

/**
 * Lets a process end that has not closed the service: unused connections, and the pool's timer, do not
 * prevent it.
 */
export function letProcessEnd(knex: Knex): Knex {
  const { pool } = clientOf(knex);
  const used = (_event: unknown, connection: PooledConnection): unknown => socketOf(connection)?.ref?.();
  const idle = (connection: PooledConnection): unknown => socketOf(connection)?.unref?.();
  pool?.on('createSuccess', (_event: unknown, connection: PooledConnection) => idle(connection));
  pool?.on('acquireSuccess', used);
  pool?.on('release', idle);
  pool?.on('destroyRequest', used); // closing waits for the server's response
  pool?.on('startReaping', () => {
    queueMicrotask(() => pool.interval?.unref?.());
  });
  return knex;
}
