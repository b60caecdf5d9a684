import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Knex } from 'knex';
import { nodeProblem, sqliteDriverProblem } from '../../src/core/runtime.js';
import { clientOf } from './knex-internals.js';

const require = createRequire(import.meta.url);

/**
 * Throws for a Node or a SQLite driver that would crash the process; the error names what to install. It
 * loads no native module.
 */
export function checkOwnDriver(): void {
  refuse(nodeProblem(process.version));
  refuse(sqliteDriverProblem(versionIn(asKnex().resolve('better-sqlite3/package.json')), process.version));
}

/** The path of the driver that knex would load. */
export const sqliteDriverPath = (): string => asKnex().resolve('better-sqlite3');

const asKnex = (): NodeJS.Require => createRequire(require.resolve('knex'));

/** Checks the driver of a host's own knex instance, whose driver is already loaded. */
export function checkDriverOf(knex: Knex): void {
  const { driver } = clientOf(knex);
  const loaded = Object.values(require.cache).find((module) => module?.exports === driver);
  const manifest = loaded && manifestAbove(loaded.filename);
  if (manifest) refuse(sqliteDriverProblem(versionIn(manifest), process.version));
}

function refuse(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

const versionIn = (manifest: string): string =>
  (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;

/** `…/better-sqlite3/lib/index.js` → `…/better-sqlite3/package.json` */
function manifestAbove(file: string): string | null {
  const folder = dirname(file);
  const manifest = join(dirname(folder), 'package.json');
  return /better-sqlite3[^/\\]*[/\\]lib$/.test(folder) ? manifest : null;
}
