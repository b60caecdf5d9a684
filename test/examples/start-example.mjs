import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const START_MS = 150_000;

/** Starts a built example on a free port and resolves with its address once it is printed. */
export async function startExample(name, env = {}) {
  const script = fileURLToPath(new URL(`../../examples/${name}/dist/server.js`, import.meta.url));
  if (!existsSync(script)) throw new Error(`${script} is missing: run \`npm run build\` first.`);
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, PORT: '0', DEMO_DATA: 'no', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} printed no address:\n${output}`));
    }, START_MS);
    const read = (chunk) => {
      output += chunk;
      const found = /https?:\/\/localhost:\d+/.exec(output);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[0]);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended with ${code}:\n${output}`));
    });
  });
  return {
    url,
    pid: child.pid,
    exited,
    output: () => output,
    /** Ends the process, politely unless told otherwise, and resolves with its exit code or signal. */
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}
