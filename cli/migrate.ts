import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvMigrator, openSource, wordpressMigrators, type CsvFile, type Migrator } from '../src/index.js';
import { required, usage, type Flags } from './arguments.js';
import { writeLists } from './lists.js';
import { openService, terminalLogger } from './open.js';
import { progressBar, reportText, type Terminal } from './print.js';

interface Source {
  readonly migrator: Migrator;
  close(): Promise<void>;
}

/** Moves data in. Stopped by a signal it ends after the batch at hand, and the next call goes on there. */
export async function migrate(flags: Flags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const source = openMigrator(flags);
  try {
    if (!(await source.migrator.isAvailable())) {
      terminal.err(`${source.migrator.name}: no data found there. Are address and --source-prefix right?\n`);
      return 1;
    }
    return flags['dry-run']
      ? await dryRun(flags, terminal, { source, signal })
      : await importInto(flags, terminal, { source, signal });
  } finally {
    await source.close();
  }
}

function openMigrator(flags: Flags): Source {
  const from = required(flags, 'from');
  const timeZone = flags['source-zone'];
  if (from === 'csv')
    return {
      migrator: csvMigrator({ ...csvFiles(flags), ...(timeZone && { timeZone }) }),
      close: async () => {},
    };
  const knex = openSource(required(flags, 'source'));
  const migrators = wordpressMigrators({
    knex,
    tablePrefix: flags['source-prefix'] ?? 'wp_',
    ...(timeZone && { timeZone }),
  });
  const migrator =
    migrators.find((each) => each.slug === from) ??
    usage(`--from ${from}: one of ${migrators.map((each) => each.slug).join(', ')} or csv.`);
  return { migrator, close: () => knex.destroy() };
}

function csvFiles(flags: Flags): { affiliates?: CsvFile; referrals?: CsvFile; visits?: CsvFile } {
  const columns: Record<string, Record<string, string>> = {};
  for (const entry of flags.map ?? []) {
    const match = /^(affiliates|referrals|visits)\.(\w+)=(.+)$/u.exec(entry);
    if (!match) usage(`--map ${entry}: write it as referrals.amount=Commission.`);
    const [, file = '', column = '', name = ''] = match;
    (columns[file] ??= {})[column] = name;
  }
  const file = (name: 'affiliates' | 'referrals' | 'visits'): Record<string, CsvFile> => {
    const path = flags[`csv-${name}`];
    return path === undefined ? {} : { [name]: { path, columns: columns[name] ?? {} } };
  };
  const files = { ...file('affiliates'), ...file('referrals'), ...file('visits') };
  return Object.keys(files).length > 0
    ? files
    : usage('--from csv needs --csv-affiliates, --csv-referrals or --csv-visits.');
}

interface Work {
  readonly source: Source;
  readonly signal: AbortSignal;
}

/** The same import into a database that is thrown away. Host users are looked up, never created. */
async function dryRun(flags: Flags, terminal: Terminal, work: Work): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'affiliate-service-'));
  try {
    const target = {
      ...flags,
      database: join(folder, 'dry-run.sqlite'),
      'table-prefix': 'fa_',
      'create-users': false,
    };
    const code = await importInto(target, terminal, work);
    terminal.err('This was a dry run: nothing was stored.\n');
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function importInto(
  flags: Flags,
  terminal: Terminal,
  { source: { migrator }, signal }: Work,
): Promise<number> {
  const { service } = await openService(flags, {
    migrators: [migrator],
    logger: terminalLogger((line) => terminal.err(line)),
  });
  try {
    await service.migrations.start(migrator.slug, flags.reset);
    const run = await service.migrations.run(migrator.slug, {
      signal,
      createUsers: flags['create-users'],
      onProgress: progressBar(terminal),
    });
    const report = await service.migrations.report(migrator.slug);
    if (report) terminal.out(flags.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
    if (flags.report !== undefined) {
      const lists = await writeLists(service, migrator.slug, flags.report);
      terminal.err(
        `${flags.report}: ${lists.rows} rows with a reason, ${lists.withoutLogin} affiliates without login, ${lists.differing} with other earnings than the old system says.\n`,
      );
    }
    if (run.stage !== 'completed') {
      terminal.err('Stopped. The same command goes on where it stands.\n');
      return 130;
    }
    const violations = await service.verify();
    for (const { invariant, table, id, detail } of violations.slice(0, 20))
      terminal.err(`${invariant} ${table} ${id ?? ''}: ${detail}\n`);
    return violations.length === 0 ? 0 : 1;
  } finally {
    await service.close();
  }
}
