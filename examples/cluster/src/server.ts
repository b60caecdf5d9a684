import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { readEnvironment, type Environment } from './environment.js';
import { startWorker } from './worker.js';

const PATIENCE_MS = 10_000;
const RESTART_MS = 1000;

const environment = readEnvironment(process.env);
if (environment === null) {
  process.stderr.write(
    'Several processes need a database server: set POSTGRES_URL=postgres://… or MYSQL_URL=mysql://… ' +
      '(SQLite is for one process).\n',
  );
  process.exitCode = 1;
} else if (cluster.isPrimary) lead({ ...environment, port: environment.port || (await freePort()) });
else await startWorker(environment);

/** Starts the workers, replaces one that dies, and ends them one and all when asked. */
function lead({ workers, port, secret }: Environment): void {
  let stopping = false;
  let waiting = workers;
  const start = (): void => {
    const worker = cluster.fork({ SECRET: secret, PORT: port });
    worker.once('message', () => {
      waiting -= 1;
      if (waiting === 0)
        process.stdout.write(`Listening on http://localhost:${port} with ${workers} workers\n`);
    });
    worker.once('exit', (code, signal) => {
      if (stopping) return;
      process.stderr.write(`Worker ${worker.id} ended (${signal ?? code}), starting another\n`);
      setTimeout(() => {
        if (!stopping) start();
      }, RESTART_MS);
    });
  };
  for (let at = 0; at < workers; at += 1) start();
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    for (const worker of running()) worker.send('stop');
    setTimeout(() => {
      for (const worker of running()) worker.kill('SIGKILL');
    }, PATIENCE_MS).unref();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** The workers share one port, and links carry it, so it is known before they start. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

const running = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
