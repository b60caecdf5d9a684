import createKnex, { type Knex } from 'knex';
import { clientOf } from './knex-internals.js';

/** A URL or the driver's settings. */
export type ConnectionSettings = string | Readonly<Record<string, unknown>>;
export type ConnectionSource = ConnectionSettings | (() => ConnectionSettings | Promise<ConnectionSettings>);

/**
 * A knex whose connections are made from `complete(settings)`. When the settings are a function, it is called
 * before each new connection. With a function of its own, knex would call it only once, or drop every
 * connection in use when the settings have expired.
 */
export function knexFrom(
  source: ConnectionSource,
  complete: (given: ConnectionSettings) => object,
  config: Knex.Config,
): Knex {
  const common = { ...config, compileSqlOnError: false }; // no values in errors, so that none get into logs
  if (typeof source !== 'function') return createKnex({ ...common, connection: complete(source) });
  const knex = createKnex({ ...common, connection: complete({}) });
  const client = clientOf(knex);
  const acquire = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => {
    client.connectionSettings = complete(await source());
    return acquire(); // reads the settings before it waits
  };
  return knex;
}
