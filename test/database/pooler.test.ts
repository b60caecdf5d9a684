import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createAffiliateService, silentLogger } from '../../src/index.js';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { startApp } from '../support/app.js';
import { testDatabase, testEngine } from '../support/databases.js';
import { temporaryFolder } from '../support/folders.js';

// PgBouncer in transaction mode, which gives a server's session to another client after each transaction.

const BOUNCER = ['/usr/sbin/pgbouncer', 'pgbouncer'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
);
let bouncer: ChildProcess | undefined;
afterAll(async () => {
  if (!bouncer || bouncer.exitCode !== null) return;
  bouncer.kill('SIGKILL');
  await once(bouncer, 'exit');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Two sessions for all clients, so that each transaction meets the session of another one. */
async function startBouncer(path: string, to: URL): Promise<string> {
  const port = await freePort();
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const name = to.pathname.slice(1);
  writeFileSync(
    `${folder}/bouncer.ini`,
    [
      '[databases]',
      `${name} = host=${to.hostname} port=${to.port || '5432'} dbname=${name} user=${to.username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 2',
    ].join('\n'),
  );
  const own = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}; // it refuses to run as root
  bouncer = spawn(path, [`${folder}/bouncer.ini`], { stdio: 'ignore', ...own });
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) break;
    await pause(50);
  }
  const url = new URL(to.href);
  [url.hostname, url.port] = ['127.0.0.1', String(port)];
  return url.href;
}

describe('the option `pooler`', () => {
  it('is for PostgreSQL, and true or false', () => {
    const start = (database: object) => () =>
      createAffiliateService(createMemoryHost(), { database } as never);
    const file = { client: 'better-sqlite3', connection: ':memory:' };
    expect(start({ ...file, pooler: true })).toThrow('database.pooler" is for PostgreSQL');
    expect(start({ client: 'pg', connection: 'postgres://x', pooler: 'yes' })).toThrow('database.pooler');
  });

  if (testEngine() !== 'postgres') return;
  if (BOUNCER === undefined && process.env['TEST_TOOLS'] !== 'yes') return; // TEST_TOOLS: the machine has all
  it('lets a program run behind PgBouncer in transaction mode', async () => {
    const own = await testDatabase({ purpose: 'pooler', shared: true });
    const connection = await startBouncer(BOUNCER ?? 'pgbouncer', new URL(own.connection));
    const plain = createAffiliateService(createMemoryHost(), {
      database: { client: 'pg', connection },
      jobs: false,
      logger: silentLogger,
    });
    await expect(plain.ready()).rejects.toThrow(/unsupported startup parameter/u); // what the option is for
    await plain.close();

    const t = await startApp({
      database: { client: 'pg', connection, pooler: true },
      shared: true,
      rate: 10,
    });
    const alice = await t.records.affiliate({ user_id: 2 });
    const order = (reference: string) => ({
      provider: 'shop',
      reference,
      status: 'unpaid' as const,
      order: { subtotal: '100.00' },
      affiliate: alice.id,
    });
    const references = Array.from({ length: 40 }, (_, n) => `P-${n}`);
    const answers = await Promise.all(
      references.map((reference) => t.service.conversions.record(null, order(reference))),
    );
    expect(answers.filter(({ created }) => !created)).toEqual([]);
    await t.records.payout();
    await t.service.jobs.runDue();
    expect(await t.service.affiliates.get(alice.id)).toMatchObject({ referrals: 40 });
    expect(await t.service.verify()).toEqual([]);
    await t.close();
  }, 60_000);
});
