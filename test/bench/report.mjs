import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

const FLUSHES = 101;

export const machine = () => ({
  date: new Date().toISOString().slice(0, 16).replace('T', ' '),
  cores: cpus().length,
  model: cpus()[0]?.model.trim() || 'unknown',
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: `${process.platform} ${release()}`,
  node: process.version,
  load: loadavg()[0].toFixed(1),
});

/** How long the disk takes until 4 KiB are safe, in ms: what every commit on SQLite waits for. */
export function flushTime() {
  const folder = mkdtempSync(join(tmpdir(), 'affiliate-bench-disk-'));
  const file = openSync(join(folder, 'flushed'), 'w');
  try {
    const times = Array.from({ length: FLUSHES }, () => {
      writeSync(file, Buffer.alloc(4096, 1));
      const began = performance.now();
      fsyncSync(file);
      return performance.now() - began;
    });
    return times.toSorted((a, b) => a - b)[(FLUSHES - 1) / 2];
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

const withUnit = (value, unit) =>
  unit === undefined ? value.toFixed(2) : `${Math.round(value * 10) / 10} ${unit}`;
const targetOf = ({ least, most, unit }) =>
  least !== undefined ? `≥ ${withUnit(least, unit)}` : most !== undefined ? `≤ ${withUnit(most, unit)}` : '';
const metOf = ({ figure, least = -Infinity, most = Infinity }) =>
  figure >= least && figure <= most ? 'yes' : 'no';

const lineOf = (row) => {
  const target = targetOf(row);
  const cells = [
    row.what,
    row.got,
    row.against,
    withUnit(row.figure, row.unit),
    target,
    target && metOf(row),
  ];
  return `| ${cells.join(' | ')} |`;
};

const BASELINES = `## Baselines

| Baseline | What it is |
|---|---|
| bare handler | the same page or address in the same Express process, without the service |
| what the service sends for one, by hand | the statements of one conversion as the service sent them, taken down once, prepared, sent again in a handler with the values of each new order; one commit each, so it is as slow as the disk, while the service shares commits |
| one select by hand | the row of the affiliate by its key, sent as JSON as it is |
| the same page in two steps by hand | a count, the ids of the page by its order, their rows by id, sent as JSON by a bare node:http server over the same driver |
| its own median | the middle one of the same requests in the same seconds, sixteen of them on their way all the time; a list with several orders shows the one where the slowest wait longest beside it |
| fewer visits | the same request to the same service with a hundredth of the visits |
| cursor of the driver | every row of the table read by the driver alone and written as CSV |
| its bare SQL statements | what must be written for a payout, as one transaction of set-based statements |
| without (an endpoint) | the same requests while the endpoint of events is switched off |
| without (reward rules) | the same orders while no rule set is active |
`;

const shared = ({ cores }, { load }) =>
  load <= 2 * cores
    ? ''
    : `\n\n**Other work had most of the processor during this run (load ${load} on ${cores} cores): times and rates are many times those of an ` +
      'idle machine, and a figure tells neither that a target is met nor that it is missed. Run it again alone.**';

/** The text of RESULTS.md. */
export function report({ facts, size, measured }) {
  const parts = measured.map(({ title, rows, notes, problems }) =>
    [
      `## ${title}`,
      [
        '| What | measured | baseline | figure | target | met |',
        '|---|---|---|---|---|---|',
        ...rows.map(lineOf),
      ].join('\n'),
      [
        ...notes,
        problems.length === 0
          ? 'Nothing answered was lost; the books balance.'
          : `Problems: ${problems.join('; ')}`,
      ].join(' '),
    ].join('\n\n'),
  );
  return (
    `# Bench\n\nWritten by \`npm run bench\`. Host, load${measured.length > 1 ? ', database servers' : ''} ` +
    'and everything else shared one machine, so only the ratios travel. ' +
    'Service and baseline ran in turns; a ratio is the median of its turns.\n\n' +
    `${facts.date} UTC, ${facts.cores} × ${facts.model}, ${facts.memory}, ${facts.system}, Node ${facts.node}, ` +
    `load average at the start ${facts.load}, at the end ${size.load}, ` +
    `a flush of the disk ${facts.flush.toFixed(2)} ms; ` +
    `${size.connections} connections, ${size.seconds} s per row; Express 5, one process.` +
    `${shared(facts, size)}\n\n${parts.join('\n\n')}\n\n${BASELINES}`
  );
}
