// What a release run consists of, and how each part's figures read.
import { galeraProof } from '../cluster/galera-proof.mjs';
import { longWorkKills } from './long-work.mjs';
import { killedWorkers } from '../cluster/workers-proof.mjs';
import { countedClicks } from './clicks.mjs';
import { runCost } from './cost.mjs';
import { TITLES } from './engines.mjs';
import { importKills, largeImports } from './imports.mjs';
import { randomKills, statementKills } from './kills.mjs';
import { payersProof } from './payers.mjs';
import { races } from './races.mjs';
import { SYSTEMS } from './old-systems.mjs';
import { LARGE } from '../bench/seed.mjs';
import { toldEvents } from './events.mjs';
import {
  BYTES_PER_SECOND,
  LATENCY_MS,
  MOST_COLD_MS,
  MOST_MS,
  REPEATS,
  SLOWDOWN,
  shownLists,
} from './screens.mjs';
import { soak } from './soak.mjs';
import { orderRaces } from './orders.mjs';
import { droppedPackets } from './network.mjs';
import { openedInLibreOffice } from './spreadsheet.mjs';
import { exactSums } from './sums.mjs';
import { millionVisits } from './visits.mjs';

const ALL = ['sqlite', 'postgres', 'mysql'];
const figure = (name, value) => Number(process.env[name] ?? value);

const payers = {
  each: ALL,
  async run({ engine, seconds, random }) {
    const found = await payersProof(engine, {
      payments: figure('RELEASE_PAYMENTS', 2000),
      processes: figure('RELEASE_PROCESSES', 3),
      kills: figure('RELEASE_KILLS', 100),
      random,
      seconds,
    });
    return {
      title: `Payments that leave: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: ${found.payments.toLocaleString('en')} payments, ${found.processes} processes ` +
          `that send and follow them, ${found.kills} SIGKILLs, a clock 60 times as fast.`,
        'The payer answered late, with 5xx before and after doing the work, cut connections, held and returned ' +
          'payments, ran out of money, and sent its events repeatedly and in any order.',
        `${found.batches} batches, ${found.attempts.toLocaleString('en')} attempts, ` +
          `${found.requests.toLocaleString('en')} requests, each in the form that PayPal documents; ` +
          `${found.paid.toLocaleString('en')} paid, ${found.returned.toLocaleString('en')} owed again.`,
      ],
      outcome:
        'both books agree to the cent, nobody was paid twice, nothing is paid that the payer does not call so, ' +
        'and `verify()` is empty.',
      problems: [
        ...found.problems,
        ...(found.kills < found.wanted ? [`only ${found.kills} kills`] : []),
        ...(found.rounds === null ? ['some payments did not end'] : []),
      ],
    };
  },
};

const slowest = (answers) => `${(Math.max(...answers.map(({ ms }) => ms)) / 1000).toFixed(1)} s`;
const network = {
  each: ['postgres', 'mysql'],
  async run({ engine }) {
    const dropSeconds = figure('RELEASE_DROP_SECONDS', 30);
    const found = await droppedPackets(engine, { dropSeconds });
    const of = (name) => found.during.filter((answer) => answer.name === name);
    const statuses = (name) => [...new Set(of(name).map(({ status }) => status))].join(', ');
    const names = ['page', 'read', 'write', 'health'];
    // what is repeated when the network is back may succeed
    const isRight = ({ name, status }) => status === 200 || (name !== 'page' && status === 503);
    const isTold = names.slice(1).every((name) => of(name).some(({ status }) => status === 503));
    const late = found.during.filter(({ name, ms }) => ms > (name === 'page' ? 2000 : 60_000));
    return {
      title: `Dropped packets: ${found.title}`,
      lines: [
        `${found.title} ${found.version} behind a network that drops every packet for ${dropSeconds} s: the service runs in a ` +
          'network namespace, and the other end of its interface is down. It is asked for a page with a click, a read, ' +
          'a write and its health every second.',
        '',
        '| | answers | status | slowest |',
        '|---|---|---|---|',
        ...names.map((name) => `| ${name} | ${of(name).length} | ${statuses(name)} | ${slowest(of(name))} |`),
        '',
        `Everything was answered with 200 again ${(found.recovered / 1000).toFixed(1)} s after the network was back. ` +
          `\`close()\` while packets are dropped took ${(found.close / 1000).toFixed(1)} s.`,
      ],
      outcome:
        'pages are served within 2 seconds; reads, writes and health get 503, or 200 when a repetition reaches the ' +
        'database after the network is back, within a minute; the service recovers within 15 seconds and closes within a minute.',
      problems: [
        ...found.before
          .filter(({ status }) => status !== 200)
          .map(({ name, status }) => `${name} before: ${status}`),
        ...found.during.filter((answer) => !isRight(answer)).map(({ name, status }) => `${name}: ${status}`),
        ...(isTold ? [] : ['nothing got 503']),
        ...late.map(({ name, ms }) => `${name} took ${Math.round(ms)} ms`),
        ...(found.recovered > 15_000 ? ['recovered late'] : []),
        ...(found.close > 60_000 ? ['closed late'] : []),
      ],
    };
  },
};

const racing = {
  each: ALL,
  async run({ engine, seconds }) {
    const found = await races(engine, {
      processes: figure('RELEASE_PROCESSES', engine === 'sqlite' ? 8 : 16),
      referrals: figure('RELEASE_REFERRALS', 20_000),
      count: figure('RELEASE_ROUNDS', 50),
      seconds,
    });
    const codes = Object.entries(found.codes)
      .map(([code, count]) => `${count} × \`${code}\``)
      .join(', ');
    return {
      title: `Races: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: ${found.processes} processes, ` +
          `${found.referrals.toLocaleString('en')} unpaid referrals of 200 affiliates.`,
        `${found.rounds} of ${found.wanted} rounds, ${found.free} of them without the lease, ` +
          `so that row locks and the key of the items alone decide; ${found.milliseconds} ms per round.`,
        `Answers: ${codes}.`,
      ],
      outcome:
        'after every round each referral is in exactly one transaction, the three sums are exact, `verify()` is empty.',
      problems: found.problems,
    };
  },
};

const orderRacing = {
  each: ALL,
  async run({ engine }) {
    const rounds = figure('RELEASE_ROUNDS', 200);
    const { title, problems, codes } = await orderRaces(engine, rounds);
    return {
      title: `Races on orders: ${title}`,
      lines: [
        `${rounds} rounds: two processes change six orders of three affiliates, sixteen changes at once ` +
          '(refunds, refunds undone, totals, cancellations, payments, corrections, payout runs, transactions ' +
          'paid and deleted; in every fourth round an affiliate is deleted, created again and its order told again).',
        `Answers: ${list(codes)}.`,
      ],
      outcome:
        'after every round `verify()` is empty and the books are what a naive model makes of the stored facts.',
      problems,
    };
  },
};

const telling = {
  each: ALL,
  async run({ engine, seconds, random }) {
    const [changes, kills] = [figure('RELEASE_CHANGES', 2000), figure('RELEASE_KILLS', 50)];
    const found = await toldEvents(engine, { changes, kills, seconds, random });
    const { taken, refused, limited, cut, hung } = found.answers;
    return {
      title: `Outgoing events: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: three processes that change affiliates and deliver, ` +
          `${found.kills} SIGKILLs, ` +
          `${found.acknowledged.size.toLocaleString('en')} acknowledged changes, a clock 300 times as fast.`,
        `The endpoint took ${taken.toLocaleString('en')} requests, answered ${refused} with 500, ${limited} with 429 ` +
          `and Retry-After, cut ${cut} off and left ${hung} without an answer.`,
        `${found.events.toLocaleString('en')} events in line; ${found.violations.length} rows from \`verify()\`. ` +
          `The last one arrived ${Math.round(found.drained)} s after the last change.`,
      ],
      outcome:
        'every event in line arrived, in order for each affiliate, with a signature that standardwebhooks accepts, ' +
        'and nothing of what was rolled back.',
      problems: [...found.problems, ...found.violations.map((row) => JSON.stringify(row))],
    };
  },
};

const soaking = {
  async run() {
    const [seconds, visitors] = [figure('RELEASE_SOAK_SECONDS', 3600), figure('RELEASE_VISITORS', 8)];
    const { statuses, orders, wrong, memory, late } = await soak({ seconds, visitors });
    const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    return {
      title: `Load on the example host, ${Math.round(seconds / 60)} minutes`,
      lines: [
        `${seconds} s, ${visitors} visitors who click and buy without a pause and an administrator who reads lists: ` +
          `${requests.toLocaleString('en')} requests, ${orders.toLocaleString('en')} orders, ` +
          `${wrong.length} without an answer or with a 5xx.`,
        `Answers: ${list(statuses)}.`,
        'Resident memory (with the settings of docs/running.md, "Memory"): ' +
          `${memory[0]} MiB at the start, ${Math.max(...memory)} at most, ${memory.at(-1)} at the end; ` +
          `every five minutes ${memory.filter((_, at) => at % 5 === 0).join(', ')}. ` +
          `The machine kept the visitors' own timer waiting for at most ${(late / 1000).toFixed(1)} s.`,
      ],
      problems: wrong,
    };
  },
};

const killing = {
  each: ALL,
  async run({ engine, seconds, random }) {
    const found = await randomKills(engine, {
      count: figure('RELEASE_KILLS', engine === 'sqlite' ? 1000 : 200),
      seconds,
      random,
    });
    return {
      title: `Kills at random moments: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: ${found.kills} of ${found.wanted} SIGKILLs during a payout run of ` +
          `300 referrals (about ${found.milliseconds} ms), each followed by a new start.`,
        `Found afterwards: ${found.before} times nothing of the run, ${found.after} times all of it, ` +
          `${found.halves} times a half; ${found.acknowledged} runs had been acknowledged, ` +
          `${found.lost} of them were lost; ` +
          `${found.violations.length} rows from \`verify()\`.`,
      ],
      problems: [
        ...(found.halves > 0 ? [`${found.halves} halves`] : []),
        ...(found.lost > 0 ? [`${found.lost} acknowledged runs lost`] : []),
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
        `${kills} SIGKILLs, one before and one after each statement of each operation (BEGIN and COMMIT included); ` +
          `${skipped} operations left out for want of time.`,
        '',
        '| Operation | statements | kills | nothing of it | all of it |',
        '|---|---|---|---|---|',
        ...rows.map(
          (row) => `| ${row.operation} | ${row.statements} | ${row.kills} | ${row.undone} | ${row.done} |`,
        ),
      ],
      outcome: 'after the new start all of the operation is there or nothing of it, and `verify()` is empty.',
      problems: rows.flatMap((row) => row.problems.map((problem) => `${row.operation} ${problem}`)),
    };
  },
};

const cost = {
  each: ALL,
  async run({ engine }) {
    const { title, version, referrals, affiliates, repeats, service, bare, codes, exact } =
      await runCost(engine);
    const ratio = service / bare;
    return {
      title: `Payout run beside bare SQL: ${title}`,
      lines: [
        `${title} ${version}: ${referrals.toLocaleString('en')} unpaid referrals of ` +
          `${affiliates.toLocaleString('en')} affiliates, best of ${repeats} each.`,
        `The run ${Math.round(service)} ms, its bare SQL statements ${Math.round(bare)} ms: ` +
          `${ratio.toFixed(2)} times (at most 3).`,
      ],
      problems: [
        ...(ratio > 3 ? [`${ratio.toFixed(2)} times`] : []),
        ...(exact ? [] : ['the total is not the sum']),
        ...codes.filter((code) => code !== 'ok'),
      ],
    };
  },
};

const visits = {
  each: ALL,
  async run({ engine }) {
    const { title, version, pages, growth } = await millionVisits(engine);
    const { service, before, peak } = growth;
    return {
      title: `A million visits: ${title}`,
      lines: [
        `${title} ${version}, over HTTP, best of nine. Deep pages may take 3 times the first one.`,
        '',
        '| List, rows per page | page 1 | deep page | times | before any place is known |',
        '|---|---|---|---|---|',
        ...pages.map(
          (row) =>
            `| ${row.path}, ${row.size} | ${row.base.toFixed(1)} ms ` +
            `| ${row.page.toLocaleString('en')}: ${row.value.toFixed(1)} ms | ${row.ratio.toFixed(1)} | ` +
            `${Math.round(row.cold)} ms |`,
        ),
        '',
        `\`GET /visits/export?format=csv\`: ${service.rows.toLocaleString('en')} rows, ` +
          `${Math.round(service.bytes / 2 ** 20)} MiB in ${service.seconds.toFixed(1)} s; ` +
          `the process grew from ${Math.round(before)} to at most ${Math.round(peak)} MiB (limit: 100 MB more).`,
      ],
      problems: [
        ...pages
          .filter(({ ratio }) => ratio > 3)
          .map((row) => `${row.path}, ${row.size}, page ${row.page}: ${row.ratio.toFixed(1)} times page 1`),
        ...(peak - before > 95 ? [`the export took ${Math.round(peak - before)} MiB`] : []),
        ...(service.rows === LARGE.visits ? [] : [`${service.rows} rows`]),
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
        'A million random decimal texts per number of digits, in every currency that has it: read, written back, ' +
          'added; compared with the sum in whole numbers.',
        '',
        '| digits | currencies | texts that changed | sum exact |',
        '|---|---|---|---|',
        ...rows.map((row) => `| ${row.digits} | ${row.codes} | ${row.wrong} | ${row.exact ? 'yes' : 'no'} |`),
        '',
        'A million random unpaid referrals in one payout (SQLite): payout, transactions and items ' +
          `${stored.exact ? 'equal' : 'differ from'} the sum in whole numbers, ${stored.expected} minor units.`,
      ],
      problems: [
        ...rows.filter((row) => row.wrong > 0 || !row.exact).map((row) => `${row.digits} digits`),
        ...(stored.exact && stored.code === 'ok' ? [] : [`stored: ${stored.code}`]),
        ...stored.violations.map((violation) => JSON.stringify(violation)),
      ],
    };
  },
};

const spreadsheet = {
  async run() {
    const found = await openedInLibreOffice();
    if (found === null)
      return {
        title: 'Export in LibreOffice',
        lines: ['LibreOffice is not installed here (apt-get install libreoffice-calc-nogui).'],
        problems: ['not run'],
      };
    return {
      title: 'Export in LibreOffice',
      lines: [
        `${found.version}: ${found.cells} cells of a visits export, ${found.names} of them names and campaigns with ` +
          `commas, quotes, line breaks, emoji, tabs and leading \`= + - @\`; ${found.formulas} formulas.`,
      ],
      outcome: 'every cell is shown as the text that was exported.',
      problems: found.problems,
    };
  },
};

/** Every system into a file, one into each server; RELEASE_SYSTEMS names others. */
const systemsFor = (engine) =>
  process.env.RELEASE_SYSTEMS?.split(',') ?? (engine === 'sqlite' ? SYSTEMS : ['affiliate_wp']);
const number = (value) => Math.round(value).toLocaleString('en');

const imports = {
  each: ALL,
  async run({ engine }) {
    const size = {
      affiliates: figure('RELEASE_AFFILIATES', 2000),
      referrals: figure('RELEASE_REFERRALS', 50_000),
      visits: figure('RELEASE_VISITS', 200_000),
    };
    const { title, version, rows } = await largeImports(engine, { systems: systemsFor(engine), size });
    const visits = figure('RELEASE_VISITS', 200_000) === 200_000 ? '' : `, ${number(size.visits)} visits`;
    return {
      title: `Moving in to ${title}${visits}`,
      lines: [
        `${title} ${version}: ${number(size.affiliates)} affiliates, ${number(size.referrals)} commissions, ` +
          `${number(size.visits)} visits of each system, with deleted users, duplicate addresses, float noise, ` +
          'zero dates, serialized values and deleted parents.',
        'Counts and sums per status and currency are compared with SQL over the source (with the generator for the ' +
          'files), to the cent; then everything is imported once more.',
        '',
        '| From | rows | imported | left out, with a reason | held by open payments | rows/s, visits/s ' +
          '| processor s | MiB in the quarters | second run: imported, s |',
        '|---|---|---|---|---|---|---|---|---|',
        ...rows.map(
          (row) =>
            `| ${row.slug} (${row.from}) | ${number(row.rows)} | ${number(row.imported)} | ${number(row.left)} ` +
            `| ${number(row.moved)} | ${number(row.rows / row.took)}, ` +
            `${number(row.visitsPerSecond)} | ${row.cpu.toFixed(1)} ` +
            `| ${row.memory.map(Math.round).join(' / ')} | ${row.again}, ${row.secondTook.toFixed(1)} |`,
        ),
      ],
      outcome: 'counts and sums are those of the source, and the second import left all tables as they were.',
      problems: rows.flatMap((row) => row.problems),
    };
  },
};

const killedImports = {
  each: ALL,
  async run({ engine, random }) {
    const size = {
      affiliates: figure('RELEASE_AFFILIATES', 150),
      referrals: figure('RELEASE_REFERRALS', 2000),
      visits: figure('RELEASE_VISITS', 9000),
    };
    const { title, version, rows } = await importKills(engine, {
      systems: systemsFor(engine),
      size,
      count: figure('RELEASE_KILLS', 50),
      random,
    });
    return {
      title: `Imports killed on the way: ${title}${size.visits === 9000 ? '' : `, ${number(size.visits)} visits`}`,
      lines: [
        `${title} ${version}: ${size.affiliates} affiliates, ${number(size.referrals)} commissions, ` +
          `${number(size.visits)} visits of each system. The importing process is killed (SIGKILL) before a random ` +
          'statement, started again, killed again; the last life finishes.',
        '',
        '| From | rows | statements without kills | kills | s with all kills | MiB of the last life | result |',
        '|---|---|---|---|---|---|---|',
        ...rows.map(
          (row) =>
            `| ${row.slug} (${row.from}) | ${number(row.rows)} | ${number(row.statements)} | ${row.kills} ` +
            `| ${number(row.seconds)} | ${number(row.memory)} | ` +
            `${row.problems.length === 0 ? 'the same' : 'another one'} |`,
        ),
      ],
      outcome:
        'every table is as after a run without kills, with the sums of SQL over the source, and `verify()` is empty.',
      problems: rows.flatMap((row) => row.problems),
    };
  },
};

const clicks = {
  each: ['postgres', 'mysql'],
  async run({ engine, random }) {
    const found = await countedClicks(engine, {
      clicks: figure('RELEASE_CLICKS', 100_000),
      processes: figure('RELEASE_CLICK_PROCESSES', 4),
      random,
    });
    const answers = Object.entries(found.answers)
      .map(([message, count]) => `${count.toLocaleString('en')} × \`${message}\``)
      .join(', ');
    return {
      title: `Clicks at four processes: ${found.title}`,
      lines: [
        `${found.title} ${found.version}: ${found.clicks.toLocaleString('en')} clicks of 1,000 visitors on ` +
          `50 affiliates, each at a random one of ${found.processes} processes, 64 at a time, ` +
          `in ${found.rounds} rounds with 7 to 42 simulated minutes between them; ` +
          `${Math.round(found.clicks / found.seconds)} clicks per second. ` +
          'A fifth of the visitors keep their cookie, 120 share three addresses.',
        `Answers: ${answers}.`,
        `A model of the rule, computed from the requests alone, counts ${found.expected.toLocaleString('en')} visits.`,
      ],
      outcome:
        'there are as many rows, each with the id and affiliate that were answered, and every counter equals its rows.',
      problems: found.problems,
    };
  },
};

const list = (counts) =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} × \`${name}\``)
    .join(', ') || 'none';

const workers = {
  each: ALL,
  async run({ engine, seconds: limit, random }) {
    const kills = figure('RELEASE_WORKER_KILLS', 1000);
    const found = await killedWorkers(engine, { kills, seconds: limit, random });
    const { title, version, processes, visitors, seconds, told, stored, refused, problems } = found;
    return {
      title: `Kills under mixed load: ${title}`,
      lines: [
        `${title} ${version}: ${processes} processes, ${visitors} visitors who click at one, buy at another and ` +
          'send goods back, two payers at once, a clerk, an office that changes settings and notes; ' +
          `${found.kills} of ${found.wanted} times a process was killed (SIGKILL) and replaced, ` +
          `in ${Math.round(seconds)} s.`,
        `Answered with success: ${told.visits} clicks, ${told.orders} orders, ${told.refunds} refunds, ` +
          `${told.payouts} payouts. Stored: ${stored.visits}, ${stored.orders}, ${stored.refunds}, ` +
          `${stored.payouts}, with ${stored.items} referrals paid.`,
        `What callers saw, and repeated: ${list(refused)}.`,
      ],
      outcome:
        'after every twentieth kill and at the end `verify()` is empty and settings and notes are as acknowledged; ' +
        'nothing that was acknowledged is lost, and each referral is paid once.',
      problems,
    };
  },
};

const galera = {
  async run({ random }) {
    const found = await galeraProof({
      seconds: figure('RELEASE_GALERA_SECONDS', 60),
      kills: figure('RELEASE_GALERA_KILLS', 3),
      random,
    });
    const title = 'Galera, writers on three nodes';
    if (found.missing) return { title, lines: [`Skipped, ${found.missing}.`], problems: [] };
    const { stored, told, waiting, mails } = found;
    return {
      title,
      lines: [
        `MariaDB ${found.version}: three nodes, ${found.processes} processes with two on each, 12 visitors who click ` +
          `at one process and buy at another, three payers at once, two clerks; ${Math.round(found.seconds)} s.`,
        `${found.kills} times a node was killed (SIGKILL) under this load and came back ${found.away.join(', ')} ` +
          's later; ' +
          'its processes went to another node meanwhile.',
        '',
        `Answered with success: ${told.visits} clicks, ${told.orders} orders, ${told.payouts} payouts. ` +
          `Stored: ${stored.visits}, ${stored.orders}, ${stored.payouts}, with ${stored.items} referrals paid.`,
        `Mails sent ${mails.sent}, marked as sent ${mails.marked}.`,
        `Tried again by the library: ${list(found.retries)}. Seen by callers, and repeated by them: ` +
          `${list(found.refused)}.`,
        '',
        `Without \`wsrep_sync_wait\` ${found.unlinked} of ${found.orders} orders came to a node that had not applied ` +
          'their click yet, so their visit is not known. ' +
          `With \`wsrep_sync_wait = 1\` ${waiting.unlinked} of ${waiting.orders}.`,
      ],
      outcome:
        'every acknowledged write is stored on every node and credited to the right affiliate, each referral is paid ' +
        'once, the tables of the nodes have equal checksums, and `verify()` is empty on each.',
      problems: [
        ...found.problems,
        ...waiting.broken,
        ...found.violations.filter((count) => count > 0).map((count) => `${count} rows from verify()`),
        ...(waiting.unlinked > 0
          ? [`${waiting.unlinked} orders without their click with wsrep_sync_wait`]
          : []),
        ...(mails.sent < mails.marked ? ['mails marked that were not sent'] : []),
      ],
    };
  },
};

const screens = {
  async run() {
    const { version, rows } = await shownLists();
    return {
      title: 'Lists on the screen, at a million visits',
      lines: [
        `SQLite file of ${number(LARGE.affiliates)} affiliates, ${number(LARGE.referrals)} referrals, ` +
          `${number(LARGE.visits)} visits; Chromium ${version}, slowed down ${SLOWDOWN} times, ` +
          `${LATENCY_MS} ms away from the server on a line of ${(BYTES_PER_SECOND * 8) / 1e6} Mbit/s. From the press ` +
          `to the painted rows, median of ${REPEATS}; the page was loaded anew before each press, so that nothing but ` +
          'its code is known. A whole page is cold when the browser’s cache was cleared, warm when it has the files.',
        '',
        '| App | List | ms | at most |',
        '|---|---|---|---|',
        ...rows.map(
          ({ app, what, took, most }) =>
            `| ${app} | ${what} | ${number(took)} | ${most === null ? '' : number(most)} |`,
        ),
      ],
      outcome:
        `every list opened from the menu is shown within ${number(MOST_MS)} ms; ` +
        `a whole page within ${number(MOST_COLD_MS)} ms cold and ${number(MOST_MS)} ms warm.`,
      problems: rows
        .filter(({ took, most }) => most !== null && took > most)
        .map(({ app, what, took, most }) => `${app}: ${what}: ${number(took)} ms, at most ${number(most)}`),
    };
  },
};

const longWork = {
  each: ALL,
  async run({ engine, seconds, random }) {
    const referrals = figure('RELEASE_LONG_REFERRALS', 3000);
    const kills = figure('RELEASE_KILLS', 200);
    const { title, version, rows, problems } = await longWorkKills(engine, {
      kills,
      referrals,
      seconds,
      random,
    });
    return {
      title: `Kills of long work: ${title}`,
      lines: [
        `${title} ${version}: ${referrals.toLocaleString('en')} commissions of 600 affiliates, merges and retention of ` +
          '4,000 visits. A process was killed (SIGKILL) at random moments of each operation, and another one went on.',
        '',
        '| Operation | kills | ended meanwhile |',
        '|---|---|---|',
        ...rows.map((row) => `| ${row.operation} | ${row.kills} | ${row.ended} |`),
      ],
      outcome:
        'each operation ended. After every kill `verify()` found nothing wrong (after the end of a recount or a wipe). ' +
        'No affiliate was paid twice, or more than planned.',
      problems,
    };
  },
};

export const PARTS = {
  races: racing,
  orders: orderRacing,
  kills: killing,
  'long-work': longWork,
  statements,
  cost,
  visits,
  sums,
  spreadsheet,
  imports,
  'import-kills': killedImports,
  clicks,
  workers,
  soak: soaking,
  events: telling,
  galera,
  screens,
  payers,
  network,
};
