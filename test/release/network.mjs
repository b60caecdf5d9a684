// Packets between the service and its database are dropped: the service runs in a network namespace behind a pair of
// virtual interfaces, and one end is taken down. Nobody is told: no connection is closed or refused.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDatabase, TITLES, versionOf } from './engines.mjs';

const NAMESPACE = `affiliate-${process.pid}`;
const [NEAR, FAR] = [`fa${process.pid}`, 'fa-peer'];
const NET = `10.213.${process.pid % 250}`; // so that two runs do not meet
const [HERE, THERE] = [`${NET}.1`, `${NET}.2`];
const REQUESTS = [
  { name: 'page', path: '/?ref=ally' },
  { name: 'read', path: '/affiliates/1' },
  { name: 'write', method: 'PATCH', path: '/affiliates/1', body: { note: 'changed' } },
  { name: 'health', path: '/health' },
];

const ip = (...args) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });

async function makeNetwork() {
  // the interface of the run before goes some time after its namespace
  while (ip('link').includes(`${NEAR}@`)) await sleep(100);
  ip('netns', 'add', NAMESPACE);
  ip('link', 'add', NEAR, 'type', 'veth', 'peer', 'name', FAR, 'netns', NAMESPACE);
  ip('addr', 'add', `${HERE}/30`, 'dev', NEAR);
  ip('link', 'set', NEAR, 'up');
  ip('-n', NAMESPACE, 'addr', 'add', `${THERE}/30`, 'dev', FAR);
  ip('-n', NAMESPACE, 'link', 'set', FAR, 'up');
  ip('-n', NAMESPACE, 'link', 'set', 'lo', 'up');
}

/** Servers often listen on loopback only; this end of the pair leads there. */
async function relayTo({ hostname, port }) {
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  }).listen(0, HERE);
  await once(server, 'listening');
  return server;
}

/** The service in the namespace; `ask` sends a request there and answers its status and milliseconds. */
async function startService(database) {
  const child = spawn(
    'ip',
    [
      ...['netns', 'exec', NAMESPACE, process.execPath, '--no-warnings'],
      new URL('network-worker.mjs', import.meta.url).pathname,
      JSON.stringify({ database }),
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  const waiting = new Map();
  child.once('exit', () => {
    for (const [id, answer] of waiting) if (id > 0) answer({ status: 'ended', ms: Infinity });
  });
  child.on('message', ({ id, ...answer }) => waiting.get(id)?.(answer));
  let last = 0;
  const ask = (request) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      child.send({ id: last, ...request });
    });
  await new Promise((resolve, reject) => {
    waiting.set(0, resolve);
    child.once('exit', () => reject(new Error('The service did not start.')));
  });
  return { ask, kill: () => child.kill('SIGKILL') };
}

/** Asks everything each second, until the time is over; the answers may come later. */
async function askFor(service, ms) {
  const answers = [];
  const end = Date.now() + ms;
  while (Date.now() < end) {
    for (const request of REQUESTS)
      answers.push(service.ask(request).then((answer) => ({ name: request.name, ...answer })));
    await sleep(1000);
  }
  return answers;
}

/** Until everything is answered with 200 again. */
async function recovery(service) {
  const began = Date.now();
  for (;;) {
    const answers = await Promise.all(REQUESTS.map((request) => service.ask(request)));
    if (answers.every(({ status }) => status === 200) || Date.now() - began > 120_000)
      return Date.now() - began;
    await sleep(250);
  }
}

export async function droppedPackets(engine, { dropSeconds }) {
  const database = await newDatabase(engine);
  const url = new URL(database.config.connection);
  await makeNetwork();
  const relay = await relayTo({ hostname: url.hostname, port: url.port });
  url.hostname = HERE;
  url.port = String(relay.address().port);
  const service = await startService({ ...database.config, connection: url.href });
  try {
    const before = await Promise.all(await askFor(service, 2000));
    ip('link', 'set', NEAR, 'down');
    const asked = await askFor(service, dropSeconds * 1000);
    ip('link', 'set', NEAR, 'up');
    const recovered = await recovery(service);
    const during = await Promise.all(asked);
    ip('link', 'set', NEAR, 'down');
    const close = await Promise.race([service.ask({ close: true }), sleep(180_000, { ms: Infinity })]);
    return {
      title: TITLES[engine],
      version: await versionOf(database),
      before,
      during,
      recovered,
      close: close.ms,
    };
  } finally {
    service.kill();
    relay.close();
    ip('netns', 'del', NAMESPACE);
    await database.drop();
  }
}
