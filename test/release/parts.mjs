// What a release run consists of, and how each part's figures read.
import { randomKills, statementKills } from './kills.mjs';
import { races } from './races.mjs';
import { TITLES } from './engines.mjs';

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

export const PARTS = { races: racing, kills: killing, statements };
