// What a release run consists of, and how each part's figures read.
import { runCost } from './cost.mjs';
import { TITLES } from './engines.mjs';
import { randomKills, statementKills } from './kills.mjs';
import { races } from './races.mjs';
import { openedInLibreOffice } from './spreadsheet.mjs';
import { exactSums } from './sums.mjs';
import { millionVisits } from './visits.mjs';

const ALL = ['sqlite', 'postgres', 'mysql'];
const figure = (name, value) => Number(process.env[name] ?? value);

const racing = {
  each: ALL,
  async run({ engine, seconds }) {
    const found = await races(engine, {
      processes: figure('RELEASE_PROCESSES', engine === 'sqlite' ? 8 : 16), referrals: figure('RELEASE_REFERRALS', 20_000), count: figure('RELEASE_ROUNDS', 50), seconds,
    });
    const codes = Object.entries(found.codes).map(([code, count]) => `${count} × \`${code}\``).join(', ');
    return {
      title: `Races: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: ${found.processes} processes, ${found.referrals.toLocaleString('en')} unpaid referrals of 200 affiliates.`,
        `${found.rounds} of ${found.wanted} rounds, ${found.free} of them without the lease, so that row locks and the key of the items alone decide; ${found.milliseconds} ms per round.`,
        `Answers: ${codes}. After every round: each referral in exactly one transaction, the three sums exact, \`verify()\` empty.`,
      ],
      problems: found.problems,
    };
  },
};

const killing = {
  each: ALL,
  async run({ engine, seconds, random }) {
    const found = await randomKills(engine, { count: figure('RELEASE_KILLS', engine === 'sqlite' ? 1000 : 200), seconds, random });
    return {
      title: `Kills at random moments: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: ${found.kills} of ${found.wanted} SIGKILLs during a payout run of 300 referrals (about ${found.milliseconds} ms), each followed by a new start.`,
        `Found afterwards: ${found.before} times nothing of the run, ${found.after} times all of it, ${found.halves} times a half; ${found.acknowledged} runs had been acknowledged, ${found.lost} of them were lost; `
          + `${found.violations.length} rows from \`verify()\`.`,
      ],
      problems: [
        ...(found.halves > 0 ? [`${found.halves} halves`] : []), ...(found.lost > 0 ? [`${found.lost} acknowledged runs lost`] : []),
        ...found.violations.map((violation) => JSON.stringify(violation)),
      ],
    };
  },
};

const statements = {
  each: ALL,
  async run({ engine, seconds }) {
    const { rows, skipped } = await statementKills(engine, { seconds });
    const kills = rows.reduce((sum, row) => sum + row.kills, 0);
    return {
      title: `Kills at every statement: ${TITLES[engine]}`,
      lines: [
        `${kills} SIGKILLs, one before and one after each statement of each operation (BEGIN and COMMIT included); ${skipped} operations left out for want of time.`,
        'Found after the new start: all of the operation or nothing of it, and `verify()` empty.', '',
        '| Operation | statements | kills | nothing of it | all of it |', '|---|---|---|---|---|',
        ...rows.map((row) => `| ${row.operation} | ${row.statements} | ${row.kills} | ${row.undone} | ${row.done} |`),
      ],
      problems: rows.flatMap((row) => row.problems.map((problem) => `${row.operation} ${problem}`)),
    };
  },
};

const cost = {
  each: ALL,
  async run({ engine }) {
    const { title, version, referrals, affiliates, repeats, service, bare, codes, exact } = await runCost(engine);
    const ratio = service / bare;
    return {
      title: `Payout run beside bare SQL: ${title}`,
      lines: [
        `${title} ${version}: ${referrals.toLocaleString('en')} unpaid referrals of ${affiliates.toLocaleString('en')} affiliates, best of ${repeats} each.`,
        `The run ${Math.round(service)} ms, its bare SQL statements ${Math.round(bare)} ms: ${ratio.toFixed(2)} times (at most 3).`,
      ],
      problems: [
        ...(ratio > 3 ? [`${ratio.toFixed(2)} times`] : []), ...(exact ? [] : ['the total is not the sum']), ...codes.filter((code) => code !== 'ok'),
      ],
    };
  },
};

const visits = {
  each: ALL,
  async run({ engine }) {
    const { title, version, pages, growth } = await millionVisits(engine);
    const ratio = ({ times }, page) => times[page] / times[1];
    const numbers = pages.map((row) => Object.keys(row.times).map(Number).sort((a, b) => a - b));
    return {
      title: `A million visits: ${title}`,
      lines: [
        `${title} ${version}, over HTTP, best of five. Deep pages may take 3 times the first one.`, '',
        '| Order, rows per page | page: ms (times page 1) |', '|---|---|',
        ...pages.map((row, at) => `| ${row.order}, ${row.size} | ${numbers[at].map((page) => `${page.toLocaleString('en')}: ${Math.round(row.times[page])} (${ratio(row, page).toFixed(1)})`).join(' · ')} |`), '',
        `\`GET /visits/export?format=csv\`: ${growth.rows.toLocaleString('en')} rows, ${Math.round(growth.bytes / 2 ** 20)} MiB in ${growth.seconds.toFixed(1)} s; `
          + `the process grew from ${Math.round(growth.before)} to at most ${Math.round(growth.peak)} MiB (limit: 100 MB more).`,
      ],
      problems: [
        ...pages.flatMap((row, at) => numbers[at].filter((page) => ratio(row, page) > 3).map((page) => `${row.order}, ${row.size}, page ${page}: ${ratio(row, page).toFixed(1)} times page 1`)),
        ...(growth.peak - growth.before > 95 ? [`the export took ${Math.round(growth.peak - growth.before)} MiB`] : []),
        ...(growth.rows === 1_000_000 ? [] : [`${growth.rows} rows`]),
      ],
    };
  },
};

const sums = {
  async run({ random }) {
    const { rows, stored } = await exactSums(random);
    return {
      title: 'Sums of a million amounts',
      lines: [
        'A million random decimal texts per number of digits, in every currency that has it: read, written back, added; compared with the sum in whole numbers.', '',
        '| digits | currencies | texts that changed | sum exact |', '|---|---|---|---|', ...rows.map((row) => `| ${row.digits} | ${row.codes} | ${row.wrong} | ${row.exact ? 'yes' : 'no'} |`), '',
        `A million random unpaid referrals in one payout (SQLite): payout, transactions and items ${stored.exact ? 'equal' : 'differ from'} the sum in whole numbers, ${stored.expected} minor units.`,
      ],
      problems: [
        ...rows.filter((row) => row.wrong > 0 || !row.exact).map((row) => `${row.digits} digits`), ...(stored.exact && stored.code === 'ok' ? [] : [`stored: ${stored.code}`]),
        ...stored.violations.map((violation) => JSON.stringify(violation)),
      ],
    };
  },
};

const spreadsheet = {
  async run() {
    const found = await openedInLibreOffice();
    if (found === null) return { title: 'Export in LibreOffice', lines: ['LibreOffice is not installed here (apt-get install libreoffice-calc-nogui).'], problems: ['not run'] };
    return {
      title: 'Export in LibreOffice',
      lines: [`${found.version}: ${found.cells} cells of a visits export, ${found.names} of them names and campaigns with commas, quotes, line breaks, emoji, tabs and leading \`= + - @\`: all shown as text, ${found.formulas} formulas.`],
      problems: found.problems,
    };
  },
};

export const PARTS = { races: racing, kills: killing, statements, cost, visits, sums, spreadsheet };
