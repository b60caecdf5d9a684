// A Galera cluster of its own on loopback ports, in a temporary folder:
// Debian's mariadb-server and galera-4, no service of the machine touched.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex from 'knex';

const PROVIDER = [
  '/usr/lib/galera/libgalera_smm.so',
  '/usr/lib64/galera-4/libgalera_smm.so',
  '/usr/lib/libgalera_smm.so',
].find((file) => existsSync(file));
const NEEDED = ['mariadbd', 'mariadb-install-db', 'rsync'];
const SILENT = { warn() {}, error() {}, debug() {}, deprecate() {} };
const PATIENCE = 90_000;
// rsync's daemon gives up root's rights, and could not write into root's folder then.
const AS = process.getuid() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(which) {
  const found = spawnSync('id', [which, 'mysql'], { encoding: 'utf8' });
  return found.status === 0 ? Number(found.stdout) : 0;
}

/** Why there can be no cluster here, or null. */
export function missingForGalera() {
  const missing = NEEDED.filter(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
  if (PROVIDER === undefined) missing.push('galera-4');
  return missing.length === 0
    ? null
    : `not found: ${missing.join(', ')} (apt-get install mariadb-server galera-4 rsync)`;
}

export class GaleraCluster {
  nodes = [];
  #folder = mkdtempSync(join(tmpdir(), 'affiliate-galera-'));

  constructor() {
    if (AS.uid !== undefined) chownSync(this.#folder, AS.uid, AS.gid);
    // servers outlive whoever started them, unless told
    process.once('exit', () => {
      for (const node of this.nodes) node.end();
    });
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => {
        process.exit(1);
      });
  }

  /** The first node begins the cluster, the others join one after another. */
  async start(size = 3) {
    const ports = await freePorts(size * 5);
    for (let at = 0; at < size; at += 1)
      this.nodes.push(new GaleraNode(join(this.#folder, `node${at + 1}`), ports.slice(at * 5, at * 5 + 5)));
    const address = `gcomm://${this.nodes.map(({ group }) => `127.0.0.1:${group}`).join(',')}`;
    for (const [at, node] of this.nodes.entries()) {
      node.install();
      await node.start(address, { first: at === 0 });
    }
    await this.settled(size);
  }

  /** Every node that is up knows of `size` members and takes queries. */
  async settled(size) {
    for (const node of this.nodes)
      if (node.isUp)
        await node.until(
          async () =>
            (await node.status('wsrep_cluster_size')) === String(size) &&
            (await node.status('wsrep_ready')) === 'ON',
        );
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

class GaleraNode {
  #child = null;
  #address = '';

  constructor(folder, [port, group, increments, transfer, extra]) {
    Object.assign(this, { folder, port, group, increments, transfer, extra });
  }

  get isUp() {
    return this.#child !== null;
  }

  url(database = '') {
    return `mysql://proof:proof@127.0.0.1:${this.port}/${database}`;
  }

  install() {
    mkdirSync(this.folder);
    if (AS.uid !== undefined) chownSync(this.folder, AS.uid, AS.gid);
    execFileSync(
      'mariadb-install-db',
      [
        '--no-defaults',
        `--datadir=${this.folder}/data`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ],
      { ...AS, stdio: 'pipe' },
    );
  }

  async start(address = this.#address, { first = false } = {}) {
    this.#address = address;
    const log = openSync(join(this.folder, 'log'), 'a');
    const position = first ? [] : this.#recovered();
    this.#child = spawn(
      'mariadbd',
      [
        ...this.#options(),
        ...position,
        `--wsrep-cluster-address=${address}`,
        ...(first ? ['--wsrep-new-cluster'] : []),
      ],
      { ...AS, stdio: ['ignore', log, log] },
    );
    this.#child.once('exit', () => {
      this.#child = null;
    });
    await this.until(async () => (await this.status('wsrep_local_state_comment', 'root')) === 'Synced');
    if (first)
      await this.query(
        "grant all on *.* to 'proof'@'127.0.0.1' identified by 'proof' with grant option",
        'root',
      );
  }

  #options() {
    return [
      '--no-defaults',
      `--datadir=${this.folder}/data`,
      `--socket=${this.folder}/socket`,
      `--pid-file=${this.folder}/pid`,
      '--bind-address=127.0.0.1',
      `--port=${this.port}`,
      '--skip-name-resolve',
      '--skip-log-bin',
      '--binlog-format=ROW',
      '--default-storage-engine=InnoDB',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-flush-log-at-trx-commit=1',
      '--innodb-buffer-pool-size=128M',
      '--innodb-log-file-size=64M',
      '--max-connections=200',
      '--character-set-server=utf8mb4',
      '--wsrep-on=ON',
      `--wsrep-provider=${PROVIDER}`,
      '--wsrep-cluster-name=affiliate',
      `--wsrep-node-address=127.0.0.1:${this.group}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${this.transfer}`,
      `--wsrep-provider-options=base_host=127.0.0.1;base_port=${this.group};gmcast.listen_addr=tcp://127.0.0.1:${this.group};ist.recv_addr=127.0.0.1:${this.increments};gcache.size=64M`,
    ];
  }

  /** Where a killed node stands: with it the others send only what it missed, else everything. */
  #recovered() {
    if (!existsSync(join(this.folder, 'data', 'grastate.dat'))) return [];
    const { stderr } = spawnSync('mariadbd', [...this.#options(), '--wsrep-recover'], {
      ...AS,
      encoding: 'utf8',
    });
    const position = [...stderr.matchAll(/Recovered position: (\S+)/g)].at(-1)?.[1];
    return position === undefined ? [] : [`--wsrep-start-position=${position}`];
  }

  end() {
    this.#child?.kill('SIGKILL');
  }

  async kill() {
    if (this.#child === null) return;
    const gone = new Promise((resolve) => {
      this.#child.once('exit', resolve);
    });
    this.end();
    await gone;
  }

  async query(sql, user = 'proof') {
    const settings = user === 'root' ? { socketPath: join(this.folder, 'socket'), user: 'root' } : this.url();
    const knex = createKnex({
      client: 'mysql2',
      connection: settings,
      pool: { min: 0, max: 1 },
      acquireConnectionTimeout: 5000,
      log: SILENT,
    });
    try {
      await knex.raw('set wsrep_sync_wait = 1').catch(() => {});
      return (await knex.raw(sql))[0];
    } finally {
      await knex.destroy();
    }
  }

  async status(name, user) {
    return (await this.query(`show global status like '${name}'`, user))[0]?.Value;
  }

  async until(isSo) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      if (await isSo().catch(() => false)) return;
      if (this.#child === null) throw new Error(`The node in ${this.folder} ended: ${tail(this.folder)}`);
      if (Date.now() > end) throw new Error(`The node in ${this.folder} is not ready: ${tail(this.folder)}`);
      await sleep(200);
    }
  }
}

const tail = (folder) =>
  readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .filter((l) => /ERROR|WSREP_SST/.test(l))
    .slice(-15)
    .join('\n');

/** Ports nobody listens on now. */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const server = createServer()
            .once('error', reject)
            .listen(0, '127.0.0.1', () => {
              resolve(server);
            });
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve) => {
          server.close(resolve);
        }),
    ),
  );
  return ports;
}
