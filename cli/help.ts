import { USAGE, type Command } from './arguments.js';

interface Help {
  /** A command line that works as it stands, but for its names. */
  readonly example: string;
  /** Its page in the folder `docs` of the package. */
  readonly page: string;
}

const ON = '--database shop.sqlite';

export const HELP: Readonly<Record<Command, Help>> = {
  init: { example: 'init --framework express --ids integer --dir my-shop', page: 'hosts.md' },
  'check-host': { example: 'check-host ./host.ts', page: 'hosts.md' },
  migrate: {
    example: `migrate --from affiliate_wp --source mysql://reader@old.example/wordpress ${ON} --dry-run`,
    page: 'moving-in.md',
  },
  reconcile: { example: `reconcile ${ON}`, page: 'reliability.md' },
  doctor: { example: `doctor ${ON}`, page: 'operating.md' },
  schema: { example: `schema ${ON} --plan`, page: 'operating.md' },
  'export-program': { example: `export-program ${ON} --file program.gz`, page: 'moving-in.md' },
  'import-program': { example: `import-program ${ON} --file program.gz`, page: 'moving-in.md' },
  move: { example: `move ${ON} --to postgres://shop@db.example/shop --dry-run`, page: 'operating.md' },
  'go-live': { example: 'go-live --database copy.sqlite', page: 'operating.md' },
  backup: { example: `backup ${ON} --file copy.sqlite`, page: 'operating.md' },
  'after-restore': { example: `after-restore ${ON} --outbox skip`, page: 'operating.md' },
  outbox: { example: `outbox ${ON} --retry-dead`, page: 'operating.md' },
  person: { example: `person ${ON} --email anna@mail.test`, page: 'operating.md' },
};

/** What `<command> --help` prints: the parts of the usage that concern the command, an example and its page. */
export function helpOf(command: Command): string {
  const [, about = ''] =
    new RegExp(`\n  ${command} +((?:<file>: )?[^\n]*(?:\n {6,}[^\n]*)*)`).exec(USAGE) ?? [];
  const sections = USAGE.split('\n\n').filter(
    (section) =>
      section.startsWith(`${command}\n`) ||
      (section.startsWith('Options') && command !== 'init' && command !== 'check-host'),
  );
  const { example, page } = HELP[command];
  const codes = command === 'migrate' ? ', 3 figures differ from the old system' : '';
  return [
    `affiliate-service ${command}: ${about.replaceAll(/\n +/g, ' ')}`,
    ...sections.map((section) => section.trimEnd()),
    `Example\n  npx affiliate-service ${example}`,
    `Exit codes\n  0 done, 1 something is wrong${codes}, 2 the command line is wrong, 130 stopped by a signal`,
    `Read more in docs/${page} of the package. \`affiliate-service --help\` lists all commands.\n`,
  ].join('\n\n');
}
