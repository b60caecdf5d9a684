import { parseArgs } from 'node:util';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const OPTIONS = {
  database: text,
  'table-prefix': text,
  host: text,
  zone: text,
  currency: text,
  help: { ...flag, short: 'h' },
  json: flag,
  from: text,
  source: text,
  'source-prefix': text,
  'source-zone': text,
  'dry-run': flag,
  'map-status': { type: 'string', multiple: true },
  provider: { type: 'string', multiple: true },
  'apply-settings': flag,
  reset: flag,
  'create-users': flag,
  'csv-affiliates': text,
  'csv-customers': text,
  'csv-commissions': text,
  'csv-clicks': text,
  'csv-payouts': text,
  'csv-coupons': text,
  'csv-referrals': text,
  'csv-visits': text,
  preset: text,
  dates: text,
  decimal: text,
  'minor-units': flag,
  variable: text,
  map: { type: 'string', multiple: true },
  'default-status': { type: 'string', multiple: true },
  'coupon-provider': text,
  'ignore-link-columns': flag,
  report: text,
  apply: flag,
  plan: flag,
  file: text,
  to: text,
  'as-copy': flag,
  outbox: text,
  'retry-dead': flag,
  email: text,
  erase: flag,
  yes: flag,
  framework: text,
  ids: text,
  dir: text,
  fixture: text,
  javascript: flag,
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
              and webhooks go on working; stop the host first
  go-live     let a copy that \`move --as-copy\` made send mail
  backup      copy a SQLite database to --file while the program runs; servers have tools of their own
  after-restore   prepare a restored database before the host starts
  outbox      count queued mails and webhooks; --retry-dead retries those that failed for good
  person      print everything stored about --email as JSON; --erase deletes the personal data
  export-program  write the program to --file, for another installation. Not a backup: secrets, API keys,
                  connected sites, webhooks and queued messages are left out
  import-program  fill an empty program from such a --file; ids, groups, payouts and facts stay as they were

Options (defaults in parentheses)
  --database <url>        mysql://…, postgres://… or a SQLite file
  --table-prefix <text>   prefix of the program's tables (fa_)
  --host <file>           module that exports the host adapter, to find users;
                          without it, affiliates are imported without login
  --zone <name>           time zone of the site, if there is no host adapter (UTC)
  --currency <code>       program currency until one is saved (USD);
                          with migrate: that of the old program, saved with the import
  --file <path>           file of backup, export-program and import-program; the last two compress it if its
                          name ends in .gz
  --json                  print the result as JSON

move
  --to <url>              database that receives the program
  --as-copy               make a staging copy with an identity of its own, which sends no mail
  --dry-run               compare schemas and count, without moving

after-restore
  --outbox <what>         send or skip the messages that were waiting in the backup

person
  --email <address>       address of a buyer or an affiliate
  --erase                 delete the personal data; commissions and payments stay
  --yes                   do not ask

init
  --framework <name>      express, fastify, koa, nest, next, node or payload
  --ids <kind>            text or integer: what the ids of your users are
  --dir <folder>          where to write (.)
  --javascript            write JavaScript (.mjs) instead of TypeScript

check-host
  --fixture <file>        module that exports the fixture (<name>.fixture.ts or .mjs beside the host)

migrate
  --from <system>         affiliate_wp, affiliate_manager, solid_affiliate, slicewp, ultimate_affiliate,
                          fluent_affiliate or csv
  --source <url>          database of the old site, which is only read
  --source-prefix <text>  table prefix of the old site (wp_)
  --source-zone <name>    time zone of the times in it, instead of the one it names
  --map-status <old>=<new>  what a status word of the old system means; skip leaves such rows out; may be repeated
  --provider <old>=<new>  name of a shop here, so that refunds find its orders (woocommerce is woo already);
                          may be repeated
  --apply-settings        take over link variable, link form, cookie days, rate and minimum payout of the old program
  --dry-run               import into a temporary database and only print the report
  --reset                 read every row again; take over changes of the old rows that nobody changed here
  --create-users          create users whom the host does not know
  --report <folder>       write rows.csv (rows that were left out or have a remark, each with its reason)
                          and affiliates.csv (affiliates without login or with another balance)
  --csv-affiliates, --csv-customers, --csv-commissions, --csv-clicks, --csv-payouts, --csv-coupons <file>
  --preset <name>         rewardful, tapfiliate, refersion, goaffpro, dub, firstpromoter, tolt or generic
  --map <file>.<column>=<name>   e.g. --map commissions.amount=Commission; may be repeated
  --dates <order>         day-first or month-first, for dates such as 03/04/2024
  --decimal <mark>        point or comma, for files in which all amounts look like 1.234
  --minor-units           amounts are whole cents
  --variable <name>       link variable of the old program
  --default-status <file>=<status>  status of rows that have none, e.g. commissions=unpaid; may be repeated
  --coupon-provider <name>  shop whose orders name the coupons, for rows that do not say it
  --ignore-link-columns   import although columns that old links may use are not read
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
        name === undefined ? 'Which command?' : `Unknown command: ${positionals.join(' ')}`,
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
