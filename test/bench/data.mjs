// A program of a million visits (BENCH_VISITS) beside one of a hundredth with as many affiliates:
// lists, reports, the export, and a payout run.
import { connect } from './engines.mjs';
import { exportFigures } from './export.mjs';
import { deepPages, growth, listsByHand } from './lists.mjs';
import { openProgram } from './program.mjs';
import { LARGE, SMALL } from './seed.mjs';
import { payoutCost } from '../release/cost.mjs';

const REPEATS = Number(process.env.BENCH_REPEATS ?? 9);
const visitsOf = ({ visits }) => `${visits.toLocaleString('en')} visits`;
const ms = (value) => `${value.toFixed(1)} ms`;

/** Deep pages, growth and the export. */
export async function data({ engine, database }) {
  const other = await engine.fresh();
  const large = await openProgram({ engine: engine.name, database, size: LARGE });
  const small = await openProgram({ engine: engine.name, database: other.database, size: SMALL });
  const knex = connect(database);
  const hand = await listsByHand(knex);
  try {
    const deep = await deepPages(large.get, { repeats: REPEATS, hand });
    const grown = await growth(large.get, small.get, { repeats: REPEATS });
    const exported = await exportFigures(large, database);
    return {
      rows: [
        ...worst(deep, 2).map(({ row, of, met }) => ({
          what: `deep page: ${listOf(row)}, worst of ${of} (${met} within the target)`,
          figure: row.ratio,
          most: 2,
          got: `page ${row.page.toLocaleString('en')} of ${row.size}${queryOf(row)}: ${ms(row.value)}`,
          against: `the same page in two steps by hand: ${ms(row.base)}`,
        })),
        ...worst(grown, 2).map(({ row, of, met }) => ({
          what: `${visitsOf(LARGE)}: ${listOf(row)}${of > 1 ? `, worst of ${of} (${met} within the target)` : ''}`,
          figure: row.ratio,
          most: 2,
          got: `${ms(row.value)}${queryOf(row)}`,
          against: `${visitsOf(SMALL)}: ${ms(row.base)}`,
        })),
        ...exportRows(exported),
      ],
      notes: [`The slowest deep page took ${ms(Math.max(...deep.map(({ value }) => value)))}.`],
      problems: [
        ...(await violations(large, 'large')),
        ...(await violations(small, 'small')),
        ...(exported.service.rows === LARGE.visits ? [] : [`${exported.service.rows} rows exported`]),
      ],
    };
  } finally {
    hand.close();
    await knex.destroy();
    await large.host.kill();
    await small.host.kill();
    await other.drop();
  }
}

const listOf = ({ path }) => path.split('?')[0];
const queryOf = ({ path }) => (path.includes('?') ? ` (${path.split('?')[1]})` : '');

/** One row per list: the order or filter with the highest ratio. */
function worst(rows, most) {
  const lists = Map.groupBy ? Map.groupBy(rows, listOf) : grouped(rows);
  return [...lists.values()].map((list) => ({
    row: list.reduce((a, b) => (b.ratio > a.ratio ? b : a)),
    of: list.length,
    met: list.filter(({ ratio }) => ratio <= most).length,
  }));
}

function grouped(rows) {
  const lists = new Map();
  for (const row of rows) lists.set(listOf(row), [...(lists.get(listOf(row)) ?? []), row]);
  return lists;
}

function exportRows({ service, driver, before, peak }) {
  const rate = ({ rows, seconds }) => rows / seconds;
  const shown = (figures) => `${Math.round(rate(figures)).toLocaleString('en')} rows/s`;
  return [
    {
      what: `CSV export of ${visitsOf(LARGE)}`,
      got: shown(service),
      against: `cursor of the driver and CSV writer: ${shown(driver)}`,
      figure: rate(service) / rate(driver),
      least: 0.6,
    },
    {
      what: 'memory of the export',
      got: `${Math.round(peak)} MiB`,
      against: `before: ${Math.round(before)} MiB`,
      figure: peak - before,
      unit: 'MiB',
      most: 64,
    },
  ];
}

async function violations({ host }, name) {
  return (await host.ask({ do: 'verify' })).map((violation) => `${name}: ${JSON.stringify(violation)}`);
}

/** One run over 100,000 referrals of 2,000 affiliates beside the bare statements it consists of. */
export async function payout({ engine, database }) {
  const knex = connect(database);
  try {
    const { service, bare, codes, exact, referrals } = await payoutCost({
      engine: engine.name,
      config: database,
      knex,
    });
    return {
      rows: [
        {
          what: `payout run of ${referrals.toLocaleString('en')} referrals`,
          got: ms(service),
          against: `its bare SQL statements: ${ms(bare)}`,
          figure: service / bare,
          most: 2,
        },
      ],
      problems: [
        ...codes.filter((code) => code !== 'ok'),
        ...(exact ? [] : ['the total of the payout is not the sum']),
      ],
    };
  } finally {
    await knex.destroy();
  }
}
