import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  csvMigrator,
  openSource,
  silentLogger,
  wordpressMigrators,
  type AffiliateService,
  type CsvFile,
  type CsvSource,
  type Migrator,
} from '../src/index.js';
import { CSV_FILES, PRESET_NAMES, type CsvFileName } from '../src/channels/imports/csv/presets.js';
import type { AffiliateComparison, AffiliatePage, ImportSettings } from '../src/channels/imports/types.js';
import { required, usage, type Flags } from './arguments.js';
import { writeLists } from './lists.js';
import { openService, withService, type OpenedService } from './open.js';
import { differencesText, printViolations, progressBar, reportText, type Terminal } from './print.js';

/** Exit status when the import is complete but money or links differ from the old system's. */
const DIFFERS = 3;

interface Source {
  readonly migrator: Migrator;
  close(): Promise<void>;
}

/** Imports data. A signal stops it after the current batch; the next call continues there. */
export async function migrate(flags: Flags, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const source = openMigrator(flags);
  try {
    if (!(await source.migrator.isAvailable())) {
      terminal.err(`${source.migrator.name}: no data found. Check --source and --source-prefix.\n`);
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
      migrator: csvMigrator({
        ...csvForms(flags),
        ...csvFiles(flags),
        timeZone: timeZone ?? flags.zone ?? 'UTC',
      }),
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
    usage(`--from must be one of: ${migrators.map((each) => each.slug).join(', ')}, csv.`);
  return { migrator, close: () => knex.destroy() };
}

type Files = Partial<Record<CsvFileName, CsvFile>>;
const EARLIER: Readonly<Record<string, CsvFileName>> = { referrals: 'commissions', visits: 'clicks' };
const fileName = (name: string): CsvFileName =>
  EARLIER[name] ??
  CSV_FILES.find((each) => each === name) ??
  usage(`${name}: the file must be one of: ${CSV_FILES.join(', ')}.`);

type Columns = Partial<Record<CsvFileName, Record<string, string>>>;

/** Reads `--map commissions.amount=Commission`: our name of a column, and the name in the file. */
function columnsByFile(entries: readonly string[]): Columns {
  const columns: Columns = {};
  for (const entry of entries) {
    const match = /^(\w+)\.(\w+)=(.+)$/u.exec(entry);
    if (!match) usage(`--map ${entry}: the form is commissions.amount=Commission.`);
    const [, file = '', column = '', name = ''] = match;
    (columns[fileName(file)] ??= {})[column] = name;
  }
  return columns;
}

function csvFiles(flags: Flags): Files {
  const columns = columnsByFile(flags.map ?? []);
  const files: Files = {};
  for (const name of [...CSV_FILES, 'referrals', 'visits'] as const) {
    const path = flags[`csv-${name}`];
    if (path === undefined) continue;
    if (!existsSync(path)) usage(`--csv-${name}: the file ${path} does not exist.`);
    files[fileName(name)] = { path, columns: columns[fileName(name)] ?? {} };
  }
  for (const name of Object.keys(columns) as CsvFileName[])
    if (!files[name]) usage(`--map ${name}.…: --csv-${name} is missing.`);
  return Object.keys(files).length > 0
    ? files
    : usage(`--from csv needs at least one of: ${CSV_FILES.map((name) => `--csv-${name}`).join(', ')}.`);
}

const word = <T extends string>(
  flags: Flags,
  name: 'preset' | 'dates' | 'decimal',
  known: readonly T[],
): T | undefined => {
  const given = flags[name];
  if (given === undefined) return undefined;
  return known.find((each) => each === given) ?? usage(`--${name} must be one of: ${known.join(', ')}.`);
};

const csvForms = (flags: Flags): Omit<CsvSource, CsvFileName> => ({
  preset: word(flags, 'preset', PRESET_NAMES),
  dates: word(flags, 'dates', ['day-first', 'month-first'] as const),
  decimalMark: word(flags, 'decimal', ['point', 'comma'] as const),
  minorUnits: flags['minor-units'] || undefined,
  variable: flags.variable,
  defaultStatus: defaultStatus(flags['default-status'] ?? []),
  couponProvider: flags['coupon-provider'],
  ignoreLinkColumns: flags['ignore-link-columns'],
});

/** Reads `--default-status commissions=unpaid`. */
const defaultStatus = (entries: readonly string[]): CsvSource['defaultStatus'] =>
  Object.fromEntries(
    Object.entries(pairs('default-status', entries)).map(([file, status]) => [fileName(file), status]),
  );

const importSettings = (flags: Flags): ImportSettings => ({
  currency: flags.currency,
  source_zone: flags['source-zone'],
  status_words: pairs('map-status', flags['map-status']),
  providers: pairs('provider', flags.provider),
  apply_settings: flags['apply-settings'],
});

function pairs(name: string, entries: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries(
    (entries ?? []).map((entry) => {
      const at = entry.lastIndexOf('=');
      return at > 0
        ? [entry.slice(0, at), entry.slice(at + 1)]
        : usage(`--${name} ${entry}: the form is old=new.`);
    }),
  );
}

const EMAILS = 20;

/** The first rows whose e-mail address cannot be used. */
async function badEmailsText(service: AffiliateService, slug: string): Promise<string> {
  const lines: string[] = [];
  for (let after = 0; ;) {
    const rows = await service.imports.remarks(slug, after);
    for (const { reason, stage, source_id: id, detail } of rows)
      if (reason.split(', ').includes('email_unusable')) lines.push(`  ${stage} ${id}: ${detail ?? ''}\n`);
    const last = rows.at(-1);
    if (last === undefined || lines.length >= EMAILS) break;
    after = last.id;
  }
  return lines.length === 0
    ? ''
    : `E-mail addresses that are not valid:\n${lines.slice(0, EMAILS).join('')}\n`;
}

/** Every affiliate whose figures differ from those of the old system. */
async function differences(service: AffiliateService, slug: string): Promise<AffiliateComparison[]> {
  const found: AffiliateComparison[] = [];
  for (let cursor: string | null = null; ;) {
    const page: AffiliatePage = await service.imports.compareAffiliates(slug, cursor);
    found.push(...page.rows.filter((row) => row.differs));
    if (page.done || page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

interface Work {
  readonly source: Source;
  readonly signal: AbortSignal;
}

/** Runs the import into a temporary database. Users of the host are looked up, never created. */
async function dryRun(flags: Flags, terminal: Terminal, work: Work): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'affiliate-service-'));
  try {
    const target = {
      ...flags,
      database: join(folder, 'dry-run.sqlite'),
      'table-prefix': 'fa_',
      'create-users': false,
    };
    await checkTarget(flags, terminal, work);
    const code = await importInto(target, terminal, work);
    terminal.err('This was a dry run: nothing was stored.\n');
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Refuses what an import into the real database would refuse. A database without tables refuses nothing. */
async function checkTarget(flags: Flags, terminal: Terminal, { source: { migrator } }: Work): Promise<void> {
  const database = required(flags, 'database');
  if (!/^\w+:\/\//u.test(database) && !existsSync(database)) return;
  let opened;
  try {
    opened = await openService(flags, { migrate: false, migrators: [migrator], logger: silentLogger });
  } catch {
    terminal.err(
      'The database of --database has no tables yet or cannot be reached, so only the old data is checked.\n',
    );
    return;
  }
  try {
    await opened.service.imports.check(migrator.slug, importSettings(flags));
  } finally {
    await opened.service.close();
  }
}

async function importInto(
  flags: Flags,
  terminal: Terminal,
  { source: { migrator }, signal }: Work,
): Promise<number> {
  if (flags.host === undefined)
    terminal.err(
      'Without --host, affiliates are imported without users. Import again with --host to connect them with users.\n',
    );
  const work = async ({ service }: OpenedService): Promise<number> => {
    await service.imports.start(migrator.slug, flags.reset, importSettings(flags));
    const run = await service.imports.run(migrator.slug, {
      signal,
      createUsers: flags['create-users'],
      onProgress: progressBar(terminal),
    });
    const isLikeOld = await printReport(flags, terminal, { service, slug: migrator.slug });
    if (run.stage !== 'completed') {
      terminal.err('Stopped. Run the same command again to continue.\n');
      return 130;
    }
    return printViolations(terminal, await service.verify()) || (isLikeOld ? 0 : DIFFERS);
  };
  return withService(flags, terminal, work, { migrators: [migrator] });
}

/** Prints and writes what was imported. Returns whether money and links are the same as in the old system. */
async function printReport(
  flags: Flags,
  terminal: Terminal,
  { service, slug }: { readonly service: AffiliateService; readonly slug: string },
): Promise<boolean> {
  const report = await service.imports.report(slug);
  const differing = await differences(service, slug);
  if (report)
    terminal.out(
      flags.json
        ? `${JSON.stringify({ ...report, differing }, null, 2)}\n`
        : reportText(report) + (await badEmailsText(service, slug)) + differencesText(differing),
    );
  if (flags.report !== undefined) {
    const lists = await writeLists(service, slug, flags.report);
    terminal.err(
      `${flags.report}: ${lists.rows} rows with a reason, ${lists.withoutLogin} affiliates without a user, ` +
        `${lists.differing} with balances that differ from the old system.\n`,
    );
  }
  return differing.length === 0 && (report?.links?.wrong.length ?? 0) === 0;
}
