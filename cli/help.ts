import { USAGE, type Command } from './arguments.js';

interface Help {
  /** A command line that works unchanged, except for its names. */
  readonly example: string;
  /** Its page in the folder `docs` of the package. */
  readonly page: string;
  /** The common options that it reads. */
  readonly reads: string;
}

const ON = '--database shop.sqlite';

export const HELP: Readonly<Record<Command, Help>> = {
  init: {
    example: 'init --framework express --ids integer --dir my-shop',
    page: 'hosts.md',
    reads: 'database',
  },
  'check-host': { example: 'check-host ./host.ts', page: 'hosts.md', reads: '' },
  migrate: {
    example: `migrate --from affiliate_wp --source mysql://reader@old.example/wordpress ${ON} --dry-run`,
    page: 'moving-in.md',
    reads: 'database table-prefix host zone currency json',
  },
  reconcile: { example: `reconcile ${ON}`, page: 'reliability.md', reads: 'database table-prefix json' },
  doctor: { example: `doctor ${ON}`, page: 'operating.md', reads: 'database table-prefix json' },
  schema: { example: `schema ${ON} --plan`, page: 'operating.md', reads: 'database table-prefix json' },
  'export-program': {
    example: `export-program ${ON} --file program.gz`,
    page: 'moving-in.md',
    reads: 'database table-prefix file',
  },
  'import-program': {
    example: `import-program ${ON} --file program.gz`,
    page: 'moving-in.md',
    reads: 'database table-prefix file json',
  },
  move: {
    example: `move ${ON} --to postgres://shop@db.example/shop --dry-run`,
    page: 'operating.md',
    reads: 'database table-prefix json',
  },
  'go-live': {
    example: 'go-live --database copy.sqlite',
    page: 'operating.md',
    reads: 'database table-prefix',
  },
  backup: { example: `backup ${ON} --file copy.sqlite`, page: 'operating.md', reads: 'database file' },
  'after-restore': {
    example: `after-restore ${ON} --outbox skip`,
    page: 'operating.md',
    reads: 'database table-prefix json',
  },
  operations: {
    example: `operations ${ON}`,
    page: 'operating.md',
    reads: 'database table-prefix json',
  },
  outbox: { example: `outbox ${ON} --retry-dead`, page: 'operating.md', reads: 'database table-prefix json' },
  person: {
    example: `person ${ON} --email anna@mail.test`,
    page: 'operating.md',
    reads: 'database table-prefix host',
  },
};

/** What `<command> --help` prints: the parts of the usage that concern the command, an example and its page. */
export function helpOf(command: Command): string {
  const [, about = ''] =
    new RegExp(`\n  ${command} +((?:<file>: )?[^\n]*(?:\n {6,}[^\n]*)*)`).exec(USAGE) ?? [];
  const { example, page, reads } = HELP[command];
  const sections = USAGE.split('\n\n').flatMap((section) =>
    section.startsWith(`${command}\n`)
      ? [section]
      : section.startsWith('Options')
        ? common(section, reads)
        : [],
  );
  const codes = command === 'migrate' ? ', 3 figures differ from the old system' : '';
  return [
    `affiliate-service ${command}: ${about.replaceAll(/\n +/g, ' ')}`,
    ...sections.map((section) => section.trimEnd()),
    `Example\n  npx affiliate-service ${example}`,
    `Exit codes\n  0 done, 1 something is wrong, 2 the command line is wrong${codes}, 130 stopped by a signal`,
    `Read more in docs/${page} of the package. \`affiliate-service --help\` lists all commands.\n`,
  ].join('\n\n');
}

/** The lines of the common options that a command reads. */
function common(section: string, reads: string): string[] {
  const [title, ...options] = section.split(/\n(?= {2}--)/);
  const kept = options.filter((text) => reads.split(' ').includes(/--([\w-]+)/.exec(text)?.[1] ?? ''));
  return kept.length === 0 ? [] : [[title, ...kept].join('\n')];
}
