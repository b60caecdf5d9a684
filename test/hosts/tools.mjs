// What `npm run test:hosts` and `npm run test:init` share: commands, the packed library, servers.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`;
export const say = (text) => process.stdout.write(`${text}\n`);

export function execute(command, args, { cwd, env = {}, quiet = true, input }) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    input: input ?? '',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0 || !quiet) say(`${stdout}${stderr}`.trim());
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return stdout;
}

export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** The library as npm would publish it. */
export function pack(work) {
  mkdirSync(work, { recursive: true });
  if (process.env.TEST_HOSTS_BUILT !== 'yes') {
    execute('npm', ['run', '--silent', 'build:lib'], { cwd: root });
    execute('npm', ['run', '--silent', 'build:console'], { cwd: root });
  }
  const [{ filename }] = JSON.parse(
    execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: root }),
  );
  return join(work, filename);
}

export async function start(command, folder, env) {
  const child = spawn('node', command, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    output: () => output,
    ended,
    stop: async () => {
      child.kill();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
