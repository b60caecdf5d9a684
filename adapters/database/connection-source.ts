import createKnex, { type Knex } from 'knex';

/** A URL or the driver's settings. */
export type ConnectionSettings = string | Readonly<Record<string, unknown>>;
export type ConnectionSource = ConnectionSettings | (() => ConnectionSettings | Promise<ConnectionSettings>);

interface Client {
  connectionSettings: object;
  acquireRawConnection(): Promise<unknown>;
}

/**
 * A knex whose connections are made of `complete(settings)`;
 * a function in the place of settings is asked before each new connection.
 * knex asks a function of its own once, or drops every connection in use when the answer has expired.
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
    return acquire(); // reads the settings before it waits for anything
  };
  return knex;
}
