// Requests per second of a host with the service, in turns with the baseline of each.
import { ask, startChild } from './child.mjs';

export const TURNS = 4;
const WRITERS = 16;
export const WARM_SECONDS = 3; // what is measured is code that has settled
const ROWS = [
  {
    what: 'page behind the tracker, known cookie',
    scenario: 'known',
    figures: [beyondBare({ sqlite: 10, postgres: 10, mysql: 10 })],
  },
  {
    what: 'page with a new tracked click, stored',
    scenario: 'click',
    figures: [beyondBare({ sqlite: 120, postgres: 150 })],
  },
  {
    what: 'conversion recorded, all of one affiliate',
    scenario: 'conversion',
    byHand:
      'what the service sends for one, sent again by hand and committed each, better-sqlite3 in a bare handler',
    figures: [
      ratio({ sqlite: 1 }),
      {
        name: 'p99 of these orders',
        of: (ours) => median(ours.map(({ p99 }) => p99)),
        unit: 'ms',
        most: { sqlite: 250 },
      },
      {
        name: 'these orders in a second',
        of: (ours) => median(ours.map(({ rate }) => rate)),
        unit: '/s',
        least: { postgres: 400 },
      },
    ],
  },
  {
    what: 'GET /affiliates/{id}, signed in',
    scenario: 'read',
    byHand: 'one select by hand, prepared, better-sqlite3 in a bare handler',
    figures: [ratio({ sqlite: 0.5 })],
  },
  ...[
    ['click', 'a new click'],
    ['patch', 'PATCH /referrals/{id}'],
    ['post', 'POST /referrals'],
  ].map(([scenario, name]) => ({
    what: `${name}, ${WRITERS} connections`,
    scenario,
    connections: WRITERS,
    figures: [{ of: (ours) => median(ours.map(({ rate }) => rate)), unit: '/s' }],
  })),
];

/** Requests in a second beside the baseline's. */
function ratio(least) {
  return { of: (ours, theirs) => median(ours.map(({ rate }, at) => rate / theirs[at].rate)), least };
}

/** Processor time of a request that the bare handler does not need. */
function beyondBare(most) {
  return {
    of: (ours, theirs) => median(ours.map(({ cpu }, at) => cpu - theirs[at].cpu)),
    unit: 'µs',
    most,
  };
}

export async function requests({ engine, database, seconds, connections }) {
  const server = startChild('server.mjs');
  const load = startChild('load.mjs');
  const host = await ask(server, { database });
  await ask(load, { host, connections });
  const rows = [];
  const sent = { click: 0, conversion: 0 };
  const problems = [];
  for (const { what, scenario, connections: own, byHand, figures } of ROWS) {
    const baseline = byHand && host.byHand ? 'byHand' : 'bare';
    const turn = (on, length) =>
      takeTurn({ server, load }, { scenario, server: on, seconds: length, connections: own });
    const [ours, theirs] = [[], []];
    for (const on of [baseline, 'site']) await turn(on, WARM_SECONDS);
    for (let at = 0; at < TURNS; at += 1) {
      theirs.push(await turn(baseline, seconds / TURNS));
      ours.push(await turn('site', seconds / TURNS));
    }
    const wrong = [...ours, ...theirs].reduce((sum, each) => sum + each.wrong, 0);
    if ([...ours, ...theirs].some(({ answered }) => answered === 0))
      problems.push(`${what}: nothing was answered within a turn, so its figures say nothing`);
    if (wrong > 0) problems.push(`${what}: ${wrong} wrong answers`);
    if (scenario in sent) sent[scenario] += ours.reduce((sum, each) => sum + each.answered, 0);
    const against = `${baseline === 'bare' ? 'bare handler' : byHand}: ${told(theirs)}`;
    rows.push(
      ...figures.map(({ name, of, unit, least, most }) => ({
        what: name ?? what,
        got: name ? 'as above' : told(ours),
        against: name ? 'as above' : against,
        figure: of(ours, theirs),
        unit,
        least: least?.[engine.name],
        most: most?.[engine.name],
      })),
    );
  }
  load.disconnect();
  const books = await ask(server, 'end');
  if (books.visits < sent.click) problems.push(`${sent.click} clicks answered, ${books.visits} stored`);
  if (books.referrals < sent.conversion)
    problems.push(`${sent.conversion} conversions answered, ${books.referrals} stored`);
  return {
    rows,
    notes: [`${host.version}; stored: ${books.visits} visits, ${books.referrals} referrals.`],
    problems: [...problems, ...books.violations],
  };
}

/**
 * One turn: the load's figures, and the server's processor time per request,
 * which other work on the machine changes least.
 */
export async function takeTurn({ server, load }, turn) {
  const before = await ask(server, 'usage');
  const figures = await ask(load, turn);
  const after = await ask(server, 'usage');
  return { ...figures, cpu: (after - before) / Math.max(1, figures.answered) };
}

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
export const told = (turns) => {
  const of = (key) => Math.round(median(turns.map((each) => each[key])));
  return `${of('rate')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpu')} µs of processor`;
};
