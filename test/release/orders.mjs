// The races on orders of the suite, for many rounds: two processes, sixteen changes at once,
// books and facts compared after each round.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TITLES } from './engines.mjs';

export async function orderRaces(engine, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'order-races-'));
  const report = join(folder, 'report.json');
  try {
    const { code, output } = await suite(engine, {
      RACE_ORDER_ROUNDS: String(rounds),
      RACE_ORDER_REPORT: report,
    });
    const problems = code === 0 ? [] : [output.slice(-2000)];
    return {
      title: TITLES[engine],
      problems,
      codes: code === 0 ? JSON.parse(readFileSync(report, 'utf8')).codes : {},
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The test file on one engine. */
function suite(engine, env) {
  const args = ['test/support/run-databases.mjs', engine, 'test/races/orders.test.ts'];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output }));
  });
}
