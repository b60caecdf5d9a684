// `npm run test:release [-- part …]`: the proofs that take too long for every commit.
// Each part replaces its own section of RESULTS.md.
// RELEASE_ENGINES (sqlite,postgres,mysql), RELEASE_SECONDS (1800 per part and engine), RELEASE_SEED;
// the other figures are in PARTS.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { ENGINES } from './engines.mjs';
import { PARTS } from './parts.mjs';
import { verdict } from './verdict.mjs';

const FILE = new URL('RESULTS.md', import.meta.url);
const HEAD =
  '# Release proofs\n\nWritten by `npm run test:release`. Each section says when and where it was measured.\n';
const engines = (process.env.RELEASE_ENGINES ?? ENGINES.join(',')).split(',');
const seconds = Number(process.env.RELEASE_SECONDS ?? 1800);
const named = process.argv.slice(2);
const seed = Number(process.env.RELEASE_SEED ?? process.env.SEED ?? 1);

for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
  const part = PARTS[name];
  if (!part) throw new Error(`The parts are ${Object.keys(PARTS).join(', ')}; not ${name}.`);
  for (const engine of part.each ? engines.filter((each) => part.each.includes(each)) : ['sqlite']) {
    const began = Date.now();
    const { title, lines, outcome, problems } = await part.run({
      engine,
      seconds,
      seed,
      random: randomOf(seed),
    });
    const took = `${Math.round((Date.now() - began) / 1000)} s`;
    write(
      `## ${title}\n\n${facts(took)}\n\n${lines.join('\n')}\n\n${verdict({ outcome, problems })}\n`,
      title,
    );
    console.log(
      `${title}: ${took}, ${problems.length === 0 ? 'nothing wrong' : problems.slice(0, 5).join('; ')}`,
    );
    if (problems.length > 0) process.exitCode = 1;
  }
}

function facts(took) {
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const machine =
    `${cpus().length} × ${cpus()[0]?.model.trim() || 'unknown'}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)}`;
  return `${date} UTC, Node ${process.version}, ${machine}; seed ${seed}; took ${took}.`;
}

/** Puts a section in the place of its earlier self, else at the end. */
function write(section, title) {
  const [, ...sections] = (existsSync(FILE) ? readFileSync(FILE, 'utf8') : HEAD).split(/^(?=## )/m);
  const kept = sections.filter((other) => !other.startsWith(`## ${title}\n`)).map((other) => other.trimEnd());
  writeFileSync(FILE, `${[HEAD.trimEnd(), ...[...kept, section.trimEnd()].sort()].join('\n\n')}\n`);
}

/** Small and seeded (mulberry32), so that a failing run can be told. */
function randomOf(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
