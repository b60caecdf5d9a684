// What the service adds to the start of a host: fresh processes, in turns with a bare Express application.
import { fork } from 'node:child_process';
import { once } from 'node:events';

const TURNS = 9;

/**
 * Median milliseconds from the start of the process until it serves, and its memory then,
 * on a database that is there already.
 */
export async function start({ database }) {
  await started('service', database); // makes the schema
  const [ours, theirs] = [[], []];
  for (let at = 0; at < TURNS; at += 1) {
    theirs.push(await started('bare', database));
    ours.push(await started('service', database));
  }
  const row = (what, key, unit, most) => ({
    what,
    unit,
    most,
    got: `${median(ours, key)} ${unit}`,
    against: `bare Express application: ${median(theirs, key)} ${unit}`,
    figure: median(ours, key) - median(theirs, key),
  });
  return {
    rows: [
      row('start: require, create, ready', 'milliseconds', 'ms', 150),
      row('memory after the start', 'megabytes', 'MB', 60),
    ],
    notes: [
      `Processor time of the start: ${median(ours, 'processor')} ms, bare ${median(theirs, 'processor')} ms.`,
    ],
  };
}

async function started(kind, database) {
  const child = fork(new URL('start-process.mjs', import.meta.url), [kind, JSON.stringify(database)]);
  const [figures] = await once(child, 'message');
  await once(child, 'exit');
  return figures;
}

const median = (figures, key) =>
  Math.round(figures.map((each) => each[key]).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]);
