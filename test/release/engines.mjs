// The databases of a release run: new SQLite files, and logical databases of their own on the two servers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';

const SERVERS = {
  postgres: {
    client: 'pg',
    url: process.env.TEST_POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/postgres',
    create: "create database ?? encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8' template template0",
  },
  mysql: {
    client: 'mysql2',
    url: process.env.TEST_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306',
    create: 'create database ?? character set utf8mb4',
  },
};
const VERSION = {
  sqlite: 'select sqlite_version() as v',
  postgres: 'show server_version',
  mysql: 'select version() as v',
};

export const ENGINES = ['sqlite', 'postgres', 'mysql'];
export const TITLES = { sqlite: 'SQLite file', postgres: 'PostgreSQL', mysql: 'MariaDB/MySQL' };

let made = 0;

/**
 * A new, empty database: `config` for the service, `knex()` for plain statements on it, `drop()` at the end.
 */
export async function newDatabase(engine, { pool = { min: 0, max: 3 } } = {}) {
  made += 1;
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(process.env.RELEASE_FOLDER ?? tmpdir(), 'affiliate-release-'));
    const filename = join(folder, 'release.sqlite');
    return {
      engine,
      config: { client: 'better-sqlite3', connection: filename },
      drop: async () => {
        rmSync(folder, { recursive: true, force: true });
      },
      knex: () => createKnex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true }),
    };
  }
  const { client, url, create } = SERVERS[engine];
  const name = `affiliate_release_${process.pid}_${made}`;
  await once(client, url, create, name);
  const connection = new URL(url);
  connection.pathname = `/${name}`;
  return {
    engine,
    config: { client, connection: connection.href, pool },
    knex: () => createKnex({ client, connection: connection.href, pool: { min: 0, max: 2 } }),
    drop: () =>
      once(
        client,
        url,
        engine === 'postgres' ? 'drop database if exists ?? with (force)' : 'drop database if exists ??',
        name,
      ),
  };
}

async function once(client, url, sql, name) {
  const knex = createKnex({ client, connection: url, pool: { min: 0, max: 1 } });
  try {
    await knex.raw(sql, [name]);
  } finally {
    await knex.destroy();
  }
}

/** Rows of a raw statement on any engine. */
export function rowsOf(answer) {
  if (!Array.isArray(answer)) return answer.rows;
  return Array.isArray(answer[0]) ? answer[0] : answer;
}

export async function versionOf(database) {
  const knex = database.knex();
  try {
    return String(Object.values(rowsOf(await knex.raw(VERSION[database.engine]))[0])[0]);
  } finally {
    await knex.destroy();
  }
}
