import { moveProgram } from '../src/channels/imports/move.js';
import { minor, toDecimal } from '../src/core/money.js';
import { usage, type Flags } from './arguments.js';
import { withService, type OpenedService } from './open.js';
import { printResult, type Terminal } from './print.js';

/** Moves a program to another database with its identity, or makes a staging copy of it there. */
export async function move(flags: Flags, terminal: Terminal): Promise<number> {
  if (flags.to === undefined) usage('--to is missing. Set it to the database that receives the program.');
  const target = { ...flags, database: flags.to };
  const work = flags['as-copy'] && !flags['dry-run'] ? copy : moveAll;
  return withService(flags, terminal, (from) =>
    withService(target, terminal, (to) => work(from, to, flags, terminal), { migrate: true }),
  );
}

async function moveAll(
  from: OpenedService,
  to: OpenedService,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const isTried = flags['dry-run'];
  const { currency: ours } = await from.app.settings.referralConfig();
  const report = await moveProgram(from.app, to.app, {
    dryRun: isTried,
    asCopy: flags['as-copy'],
    onTable: (name, rows) => {
      if (rows > 0) terminal.err(`${name}: ${rows} rows\n`);
    },
  });
  const sums = report.sums.map(({ figure, currency: code, minor: amount, moved }) => {
    const currency = code || ours;
    const before = toDecimal(minor(amount), currency);
    return [figure, currency, before, ...(moved === undefined ? [] : [toDecimal(minor(moved), currency)])];
  });
  const rows = report.tables.filter((each) => each.rows > 0).map((each) => [each.table, each.rows]);
  printResult(
    flags,
    terminal,
    report,
    [['sum', 'currency', ...(isTried ? ['amount'] : ['old', 'new'])], ...sums],
    ...(isTried ? [[['table', 'rows'], ...rows]] : []),
  );
  terminal.err(
    isTried
      ? 'The new database is empty and has the same schema. Nothing was moved.\n'
      : 'Moved. Change `database` in your host and start it with the same `secret`. Keep the old database as a backup and do not start it again.\n',
  );
  return 0;
}

async function copy(
  from: OpenedService,
  to: OpenedService,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const counts = await to.app.imports.importProgram(from.app.imports.exportProgram());
  await to.app.system.markAsCopy();
  printResult(flags, terminal, counts, [['table', 'rows'], ...Object.entries(counts)]);
  terminal.err(
    'The copy has its own identity and no API keys, sites, webhooks or queued messages. ' +
      'It sends no mail until you run `affiliate-service go-live`.\n',
  );
  return 0;
}

/** Lets a staging copy send mail. */
export function goLive(flags: Flags, terminal: Terminal): Promise<number> {
  return withService(flags, terminal, async ({ app }) => {
    await app.system.markAsCopy(false);
    terminal.err('This program sends mail.\n');
    return 0;
  });
}
