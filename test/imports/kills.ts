import { fork } from 'node:child_process';
import type { DatabaseOption } from '../../src/index.js';
import type { BuiltSite } from './old-site.js';

export interface Life {
  readonly killed: boolean;
  readonly statements: number;
  readonly violations: readonly unknown[];
}

/** One process that imports; with `dieAt` it is killed (SIGKILL) when it sends that statement. */
export function live(
  site: BuiltSite,
  slug: string,
  database: DatabaseOption,
  dieAt: number | null,
): Promise<Life> {
  const child = fork(
    new URL('worker.ts', import.meta.url),
    [JSON.stringify({ source: site.connection, slug, database, dieAt })],
    {
      execArgv: ['--import', new URL('../support/ts-loader.mjs', import.meta.url).href, '--no-warnings'],
    },
  );
  return new Promise((resolve, reject) => {
    let life: Omit<Life, 'killed'> = { statements: 0, violations: [] };
    child.on('message', (message) => {
      life = message as Omit<Life, 'killed'>;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ killed: true, ...life });
      else if (code === 0) resolve({ killed: false, ...life });
      else reject(new Error(`The importing process ended with ${code ?? signal}.`));
    });
  });
}

/**
 * Kills the import again and again, spread over its whole length, then lets it finish.
 * Answers the number of kills.
 */
export async function killUntilDone(
  site: BuiltSite,
  slug: string,
  database: DatabaseOption,
  plan: { readonly kills: number; readonly statements: number },
): Promise<number> {
  const step = Math.max(10, Math.floor(plan.statements / (plan.kills + 1)));
  let kills = 0;
  for (let n = 0; n < plan.kills; n++) {
    // between "just begun" and a little more than a fair share, so that batches and
    // commits are met at every statement
    const { killed } = await live(site, slug, database, 8 + Math.floor(step * (0.6 + (n % 5) * 0.25)));
    if (killed) kills += 1;
    else break;
  }
  await live(site, slug, database, null);
  return kills;
}
