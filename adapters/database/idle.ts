import type { Knex } from 'knex';

/** A timer or a socket: what is not counted does not keep the process running. */
interface Counted {
  ref?(): unknown;
  unref?(): unknown;
}
/** The connections of pg and mysql2, as far as they name their socket. */
interface Connection {
  readonly connection?: { readonly stream?: Counted };
  readonly stream?: Counted;
}
/** The parts of knex's pool that we use. */
interface Pool {
  readonly interval?: Counted | null;
  on(event: string, listener: (...given: never[]) => void): void;
}

const socketOf = ({ connection, stream }: Connection): Counted | undefined => connection?.stream ?? stream;

/**
 * Lets a process end that has not closed the service: connections nobody uses, and the pool's timer, do not
 * keep it running.
 */
export function letProcessEnd(knex: Knex): Knex {
  const pool = (knex.client as { readonly pool?: Pool }).pool;
  const used = (_event: unknown, connection: Connection): unknown => socketOf(connection)?.ref?.();
  const idle = (connection: Connection): unknown => socketOf(connection)?.unref?.();
  pool?.on('createSuccess', (_event: unknown, connection: Connection) => idle(connection));
  pool?.on('acquireSuccess', used);
  pool?.on('release', idle);
  pool?.on('destroyRequest', used); // closing waits for the server's answer
  pool?.on('startReaping', () => {
    queueMicrotask(() => pool.interval?.unref?.());
  });
  return knex;
}
