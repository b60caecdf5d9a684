// What the service adds to the start of a host: fresh processes, in turns with a bare Express application;
// as Node does it by itself, and with a cache of what Node compiled (docs/running.md).
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextMessage, startChild } from './child.mjs';

const TURNS = 9;

/**
 * Median milliseconds from the start of the process until it serves, and its memory then,
 * on a database that is there already.
 */
export async function start({ database }) {
  const usual = await inTurns(database);
  const folder = mkdtempSync(join(tmpdir(), 'affiliate-bench-compiled-'));
  const cached = await inTurns(database, folder).finally(() => rmSync(folder, { recursive: true }));
  const row = (what, { ours, theirs }, key, unit, most) => ({
    what,
    unit,
    most,
    got: `${median(ours, key)} ${unit}`,
    against: `bare Express application: ${median(theirs, key)} ${unit}`,
    figure: median(ours, key) - median(theirs, key),
  });
  const processor = ({ ours, theirs }) =>
    `${median(ours, 'processor')} ms, bare ${median(theirs, 'processor')} ms`;
  return {
    rows: [
      row('start: import, create, ready', usual, 'milliseconds', 'ms', 180),
      row('the same with a compile cache', cached, 'milliseconds', 'ms', 120),
      row('memory after the start', usual, 'megabytes', 'MB', 60),
    ],
    notes: [`Processor time of the start: ${processor(usual)}; with a compile cache: ${processor(cached)}.`],
  };
}

/** `compiled` is the folder in which Node keeps what it compiled; none unless given. */
async function inTurns(database, compiled) {
  await started('service', database, compiled); // makes the schema
  const [ours, theirs] = [[], []];
  for (let at = 0; at < TURNS; at += 1) {
    theirs.push(await started('bare', database, compiled));
    ours.push(await started('service', database, compiled));
  }
  return { ours, theirs };
}

async function started(kind, database, compiled) {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  const child = startChild('start-process.mjs', [kind, JSON.stringify(database)], { env });
  const figures = await nextMessage(child);
  await once(child, 'exit');
  return figures;
}

const median = (figures, key) =>
  Math.round(figures.map((each) => each[key]).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]);
