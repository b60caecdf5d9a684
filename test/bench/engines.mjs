// The databases of a bench: SQLite files in a folder of ours, databases of ours on the
// servers the environment names.
import { join } from 'node:path';
import createKnex from 'knex';

const URLS = { postgres: process.env.BENCH_POSTGRES_URL, mysql: process.env.BENCH_MYSQL_URL };
const SERVERS = [
  {
    name: 'postgres',
    title: 'PostgreSQL',
    client: 'pg',
    create: "create database ?? encoding 'UTF8' template template0",
  },
  {
    name: 'mysql',
    title: 'MariaDB/MySQL',
    client: 'mysql2',
    create: 'create database ?? character set utf8mb4',
  },
];
let made = 0;

/** `fresh()` makes an empty database: the service's option, and how to be rid of it. */
export const enginesIn = (folder) => [
  {
    name: 'sqlite',
    title: 'SQLite file',
    fresh: async () => ({
      database: { client: 'better-sqlite3', connection: join(folder, `bench-${(made += 1)}.sqlite`) },
      drop: async () => {},
    }),
  },
  ...SERVERS.filter(({ name }) => URLS[name]).map((server) => ({
    name: server.name,
    title: server.title,
    fresh: () => onServer(server),
  })),
];

async function onServer({ name, client, create }) {
  const database = `affiliate_bench_${process.pid}_${(made += 1)}`;
  const admin = async (sql) => {
    const knex = createKnex({ client, connection: URLS[name], pool: { min: 0, max: 1 } });
    try {
      await knex.raw(sql, [database]);
    } finally {
      await knex.destroy();
    }
  };
  await admin(create);
  const connection = new URL(URLS[name]);
  connection.pathname = `/${database}`;
  return {
    database: { client, connection: connection.href, pool: { min: 0, max: 20 } },
    drop: () => admin('drop database ??'),
  };
}

/** The bench's own knex on a database it gave the service. */
export const connect = (database) =>
  createKnex({
    ...database,
    useNullAsDefault: true,
    ...(database.client === 'better-sqlite3' ? { connection: { filename: database.connection } } : {}),
  });
