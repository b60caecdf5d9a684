import createKnex, { type Knex } from 'knex';

/** A URL or the driver's settings. */
export type ConnectionSettings = string | Readonly<Record<string, unknown>>;
export type ConnectionSource = ConnectionSettings | (() => ConnectionSettings | Promise<ConnectionSettings>);

interface Client {
  connectionSettings: object;
  acquireRawConnection(): Promise<unknown>;
}

/**
 * A knex whose connections are made from `complete(settings)`. When the settings are a function, it is called
 * before each new connection. With a function of its own, knex would call it only once, or drop every
 * connection in use when the answer has expired.
 */
export function knexFrom(
  source: ConnectionSource,
  complete: (given: ConnectionSettings) => object,
  config: Knex.Config,
): Knex {
  const common = { ...config, compileSqlOnError: false }; // values stay out of errors and so out of logs
  if (typeof source !== 'function') return createKnex({ ...common, connection: complete(source) });
  const knex = createKnex({ ...common, connection: complete({}) });
  const client = knex.client as Client;
  const acquire = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => {
    client.connectionSettings = complete(await source());
    return acquire(); // reads the settings before it waits
  };
  return knex;
}
