import { parseArgs } from 'node:util';

/** Options of one kind, by their names. */
const optionsOf =
  <O>(option: O) =>
  <K extends string>(...names: readonly K[]): Record<K, O> =>
    Object.fromEntries(names.map((name) => [name, option])) as Record<K, O>; // an entry for each
const flags = optionsOf({ type: 'boolean', default: false } as const);
const texts = optionsOf({ type: 'string' } as const);
const lists = optionsOf({ type: 'string', multiple: true } as const);

const OPTIONS = {
  help: { type: 'boolean', default: false, short: 'h' },
  ...flags(
    'json',
    'dry-run',
    'apply',
    'plan',
    'as-copy',
    'retry-dead',
    'erase',
    'yes',
    'javascript',
    'resume',
  ),
  ...flags('apply-settings', 'reset', 'create-users', 'minor-units', 'ignore-link-columns'),
  ...texts('database', 'table-prefix', 'host', 'zone', 'currency', 'file', 'to', 'outbox', 'email'),
  ...texts('framework', 'ids', 'dir', 'fixture', 'from', 'source', 'source-prefix', 'source-zone', 'report'),
  ...texts('csv-affiliates', 'csv-customers', 'csv-commissions', 'csv-clicks', 'csv-payouts', 'csv-coupons'),
  ...texts('csv-referrals', 'csv-visits', 'preset', 'dates', 'decimal', 'variable', 'coupon-provider'),
  ...lists('map-status', 'provider', 'map', 'default-status'),
} as const;

export const COMMANDS = [
  'init',
  'check-host',
  'migrate',
  'reconcile',
  'doctor',
  'schema',
  'export-program',
  'import-program',
  'move',
  'go-live',
  'backup',
  'after-restore',
  'operations',
  'outbox',
  'person',
] as const;
export type Command = (typeof COMMANDS)[number];
export type Flags = ReturnType<
  typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>
>['values'];

export const USAGE = `affiliate-service <command> --database <url> [options]

Commands
  init        write the first files of a site: host adapter, mounting, environment, contract test; keeps existing files
  check-host  <file>: check a host adapter: list its optional parts and run the contract suite
  migrate     import the data of another affiliate system; can be stopped and repeated at any time
  reconcile   recount every affiliate whose figures disagree, and report what changed
  doctor      check connection, schema, durability and the books; changes nothing
  schema      show whether the tables are up to date; --plan prints what the missing steps do and whether they
              lock a table, --apply creates or changes the tables
  move        move the program to the empty database --to, with its identity: cookies, links, API keys, sites
              and webhooks keep working; stop the host first
  go-live     let a copy that \`move --as-copy\` made send mail
  backup      copy a SQLite database to --file while the program runs; database servers have their own tools
  after-restore   prepare a restored database before the host starts
  operations  list long operations with their progress, such as payouts and imports; for stopped ones, the reason and
              how to continue; --resume resumes them
  outbox      count queued mails and webhooks; --retry-dead retries those that failed for good
  person      print everything stored about --email as JSON; --erase deletes the personal data
  export-program  write the program to --file, for another installation. Not a backup: secrets, API keys,
                  connected sites, webhooks and queued messages are not in the file
  import-program  fill an empty program from such a --file; IDs, groups, payouts and facts do not change

Options (defaults in parentheses)
  --database <url>        mysql://…, postgres://… or a SQLite file
  --table-prefix <text>   prefix of the program's tables (fa_)
  --host <file>           module that exports the host adapter, to find users;
                          without it, affiliates are imported without login
  --zone <name>           time zone of the site, if there is no host adapter (UTC)
  --currency <code>       program currency until one is saved (USD);
                          with migrate: currency of the old program, saved with the import
  --file <path>           file of backup, export-program and import-program; the last two compress it if its
                          name ends in .gz
  --json                  print the result as JSON

move
  --to <url>              database that receives the program
  --as-copy               make a staging copy with its own identity, which sends no mail
  --dry-run               compare schemas and count, without moving

after-restore
  --outbox <what>         send or skip the messages that were waiting in the backup

person
  --email <address>       address of a buyer or an affiliate
  --erase                 delete the personal data; commissions and payments stay
  --yes                   do not ask

init
  --framework <name>      express, fastify, koa, nest, next, node or payload
  --ids <kind>            text or integer: type of your user IDs
  --dir <folder>          where to write (.)
  --javascript            write JavaScript (.mjs) instead of TypeScript

check-host
  --fixture <file>        module that exports the fixture (<name>.fixture.ts or .mjs beside the host)

migrate
  --from <system>         affiliate_wp, affiliate_manager, solid_affiliate, slicewp, ultimate_affiliate,
                          fluent_affiliate or csv
  --source <url>          database of the old site, which is only read
  --source-prefix <text>  table prefix of the old site (wp_)
  --source-zone <name>    time zone of the times in it, instead of the one stored there
  --map-status <old>=<new>  maps a status of the old system; <new> can be skip; may be repeated
  --provider <old>=<new>  name of a shop here, so that refunds find its orders (woocommerce is woo already);
                          may be repeated
  --apply-settings        import link variable, link form, cookie days, rate and minimum payout of the old program
  --dry-run               import into a temporary database and only print the report
  --reset                 read every row again, and update changed rows that were not changed here
  --create-users          create users that the host does not have
  --report <folder>       write rows.csv (rows that were skipped or have a remark, each with its reason)
                          and affiliates.csv (affiliates without login or with a different balance)
  --csv-affiliates, --csv-customers, --csv-commissions, --csv-clicks, --csv-payouts, --csv-coupons <file>
  --preset <name>         rewardful, tapfiliate, refersion, goaffpro, dub, firstpromoter, tolt or generic
  --map <file>.<column>=<name>   e.g. --map commissions.amount=Commission; may be repeated
  --dates <order>         day-first or month-first, for dates such as 03/04/2024
  --decimal <mark>        point or comma, for files in which all amounts look like 1.234
  --minor-units           amounts are whole cents
  --variable <name>       link variable of the old program
  --default-status <file>=<status>  status of rows that have none, e.g. commissions=unpaid; may be repeated
  --coupon-provider <name>  shop of the coupons, for rows without a provider
  --ignore-link-columns   import without reading columns that old links may use
`;

/** A mistake in the command line: printed with the usage and without a stack. */
export class UsageError extends Error {}

export function readArguments(argv: readonly string[]): {
  readonly command: Command | null;
  readonly flags: Flags;
  /** The word after the command: the file of `check-host`. */
  readonly file: string | undefined;
} {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
    const [name, ...more] = positionals;
    const command = COMMANDS.find((each) => each === name) ?? null;
    if (!values.help && (command === null || more.length > (command === 'check-host' ? 1 : 0)))
      throw new UsageError(
        name === undefined
          ? `Set a command: ${COMMANDS.join(', ')}.`
          : `Unknown command: ${positionals.join(' ')}`,
      );
    return { command, flags: values, file: more[0] };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Node adds more about arguments that begin with a dash
    throw new UsageError(String((error as Error).message).replace(/ To specify a positional.*/su, ''));
  }
}

export function required(flags: Flags, name: 'database' | 'from' | 'source' | 'file'): string {
  return flags[name] ?? usage(`--${name} is missing.`);
}

export function usage(message: string): never {
  throw new UsageError(message);
}
