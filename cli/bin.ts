#!/usr/bin/env node
import { run } from './run.js';

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
  },
  stop.signal,
);
