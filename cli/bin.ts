#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { createInterface } from 'node:readline/promises';

enableCompileCache(); // before the modules it caches are loaded
const { run } = await import('./run.js');

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    stop.abort();
  });

process.exitCode = await run(
  process.argv.slice(2),
  {
    out: (text) => {
      process.stdout.write(text);
    },
    err: (text) => {
      process.stderr.write(text);
    },
    live: process.stderr.isTTY,
    ...(process.stdin.isTTY && { ask }),
  },
  stop.signal,
);
