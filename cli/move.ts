import { moveProgram } from '../src/channels/imports/move.js';
import { required, usage, type Flags } from './arguments.js';
import { openService, terminalLogger, type OpenedService } from './open.js';
import { table, type Terminal } from './print.js';

/** Moves a program to another database with its identity, or makes a staging copy of it there. */
export async function move(flags: Flags, terminal: Terminal): Promise<number> {
  if (flags.to === undefined) usage('--to is missing: the database that receives the program.');
  const logger = terminalLogger((line) => terminal.err(line));
  const from = await openService(
    { ...flags, database: required(flags, 'database') },
    { migrate: false, logger },
  );
  try {
    const to = await openService({ ...flags, database: flags.to }, { migrate: true, logger });
    try {
      return await (flags['as-copy'] ? copy(from, to, terminal) : moveAll(from, to, flags, terminal));
    } finally {
      await to.service.close();
    }
  } finally {
    await from.service.close();
  }
}

async function moveAll(
  from: OpenedService,
  to: OpenedService,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const report = await moveProgram(from.app, to.app, {
    dryRun: flags['dry-run'],
    onTable: (name, rows) => {
      terminal.err(`${name}: ${rows} rows\n`);
    },
  });
  if (flags.json) terminal.out(`${JSON.stringify(report, null, 2)}\n`);
  else
    terminal.out(
      table([
        ['sum', 'currency', 'before', 'after'],
        ...report.sums.map(({ figure, currency, minor, moved }) => [
          figure,
          currency || 'program',
          minor,
          moved,
        ]),
      ]) + table([['table', 'rows'], ...report.tables.map((each) => [each.table, each.rows])]),
    );
  terminal.err(
    flags['dry-run']
      ? 'Nothing was moved.\n'
      : 'Moved. Change `database` in your host and start it with the same `secret`. Keep the old database as a backup and do not start it again.\n',
  );
  return 0;
}

async function copy(from: OpenedService, to: OpenedService, terminal: Terminal): Promise<number> {
  const counts = await to.app.migrations.importProgram(from.app.migrations.exportProgram());
  await to.app.system.markAsCopy();
  terminal.out(table([['table', 'rows'], ...Object.entries(counts)]));
  terminal.err(
    'A copy with an identity of its own, without API keys, sites, webhooks and queued messages. ' +
      'It sends no mail until you run `affiliate-service go-live`.\n',
  );
  return 0;
}

/** Lets a staging copy send mail. */
export async function goLive(flags: Flags, terminal: Terminal): Promise<number> {
  const { service, app } = await openService(flags, { migrate: false });
  try {
    await app.system.markAsCopy(false);
    terminal.err('This program sends mail.\n');
    return 0;
  } finally {
    await service.close();
  }
}
