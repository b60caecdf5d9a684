import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { usage, type Flags } from './arguments.js';
import { environmentFile, FRAMEWORKS, filesFor, runsInNext, tsconfigOf, type Plan } from './init-files.js';
import type { Terminal } from './print.js';

const IDS = ['text', 'integer'] as const;

/**
 * Asks for values that no option sets, and writes the first files of a site. Does not change existing files.
 */
export async function init(flags: Flags, terminal: Terminal): Promise<number> {
  const plan = await planOf(flags, terminal);
  const { framework, language } = plan;
  const folder = flags.dir ?? '.';
  const inside = sourcesOf(plan, folder);
  for (const [name, text] of Object.entries(filesFor(plan)))
    write(terminal, folder, name.startsWith('.env') ? name : join(inside, name), text);
  const end = language === 'typescript' ? 'ts' : 'mjs';
  const isPlugin = framework === 'payload'; // it knows the users, and a Payload project has its settings
  const steps = [
    ...(language === 'typescript' && !isPlugin ? readyForTypeScript(terminal, folder, tsconfigOf(plan)) : []),
    ...(WORK[framework] ?? []),
    ...(isPlugin
      ? []
      : [
          ...(resolve(folder) === resolve('.') ? [] : [`cd ${folder}`]),
          `put your users and sessions into ${join(inside, `people.${end}`)}`,
          `npx affiliate-service check-host ./${join(inside, `host.${end}`)}`,
          `create the first affiliate in the console at /affiliate-admin, or call \`await service.affiliates.create(${FIRST[plan.ids]})\``,
        ]),
    ...(environmentFile(plan) === '.env.affiliates'
      ? ['start with `node --env-file=.env.affiliates …`: the file has the secret and the database']
      : []),
  ];
  terminal.out(`\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
  return 0;
}

async function planOf(flags: Flags, terminal: Terminal): Promise<Plan> {
  const framework = await choose(terminal, flags.framework, {
    name: 'framework',
    question: 'Which framework',
    words: FRAMEWORKS,
  });
  // The plugin reads the kind of ids from Payload's database.
  const ids =
    framework === 'payload'
      ? 'text'
      : await choose(terminal, flags.ids, {
          name: 'ids',
          question: 'What are the ids of your users',
          words: IDS,
        });
  const database =
    flags.database ?? (await ask(terminal, 'Database (a SQLite file, postgres://… or mysql://…)')) ?? '';
  const language = flags.javascript ? 'javascript' : 'typescript';
  return { framework, ids, database: DATABASES[database] ?? database, language };
}

/** Bob of the stand-in for users. */
const FIRST = { text: "{ user: 'u2', status: 'active' }", integer: "{ user_id: 2, status: 'active' }" };

/** Databases of those who name only the kind. */
const DATABASES: Readonly<Record<string, string>> = {
  '': 'affiliates.sqlite',
  sqlite: 'affiliates.sqlite',
  postgres: 'postgres://localhost/affiliates',
  mysql: 'mysql://localhost/affiliates',
};

/** Where code belongs: Next reads its routes from `src/app` where that exists, and Nest compiles `src`. */
function sourcesOf({ framework }: Plan, folder: string): string {
  const sign = framework === 'nest' ? 'main.ts' : runsInNext(framework) ? 'app' : null;
  return sign !== null && existsSync(join(folder, 'src', sign)) ? 'src' : '';
}

/** What the owner of a file still has to do by hand. */
const WORK: Readonly<Partial<Record<Plan['framework'], readonly string[]>>> = {
  express: [
    'your server: `mountAffiliates(app)` from mount, after your sessions, before body parsers and routes',
  ],
  fastify: ['your server: `await app.register(affiliates)` from mount, after your session plugins'],
  koa: ['your server: `app.use(affiliates)` from mount, after your sessions, before body parsers and routes'],
  node: ['put your pages into `page` of server'],
  nest: [
    'your module: `imports: [Affiliates]` from affiliates.module.ts; in JavaScript, call `mountAffiliates(app)` before `app.listen()`',
  ],
  next: ["next.config: `serverExternalPackages: ['affiliate-service'], skipTrailingSlashRedirect: true`"],
  payload: [
    'payload.config: `plugins: [affiliateProgram]` from affiliates; define administrators in `isAdministrator`',
    "next.config: `withPayload({ serverExternalPackages: ['affiliate-service'], skipTrailingSlashRedirect: true })`",
    'npx payload generate:importmap',
  ],
};

function write(terminal: Terminal, folder: string, name: string, text: string): void {
  const path = join(folder, name);
  if (existsSync(path)) {
    terminal.out(`kept     ${name}\n`);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  terminal.out(`written  ${name}\n`);
}

/**
 * TypeScript settings may be in the folder or above it, up to the project's; where there are none, writes
 * `own`.
 */
function readyForTypeScript(terminal: Terminal, folder: string, own: string): string[] {
  const places = upToProject(resolve(folder));
  const settings = firstIn(places, 'tsconfig.json');
  if (settings === null) write(terminal, folder, 'tsconfig.json', own);
  const isScript = /"type":\s*"commonjs"/.test(firstIn(places, 'package.json') ?? '');
  return [
    ...(isScript ? ['npm pkg set type=module'] : []),
    ...(/"(?:rewriteRelative|allowImportingTs)\w+":\s*true/.test(settings ?? own)
      ? []
      : [
          'tsconfig.json: `"rewriteRelativeImportExtensions": true`, since files are imported as `./host.ts`',
        ]),
  ];
}

/** The folder and those above it, up to the nearest with a package.json. */
function upToProject(folder: string): string[] {
  if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return [folder];
  return [folder, ...upToProject(dirname(folder))];
}

/** The text of the nearest file of this name. */
function firstIn(folders: readonly string[], name: string): string | null {
  const path = folders.map((folder) => join(folder, name)).find((each) => existsSync(each));
  return path === undefined ? null : readFileSync(path, 'utf8');
}

async function choose<W extends string>(
  terminal: Terminal,
  given: string | undefined,
  {
    name,
    question,
    words,
  }: { readonly name: string; readonly question: string; readonly words: readonly W[] },
): Promise<W> {
  const choice = given ?? (await ask(terminal, `${question} (${words.join(', ')})`)) ?? '';
  if (choice === '' && given === undefined) return words[0] as W;
  return (
    words.find((word) => word === choice.trim()) ?? usage(`--${name} ${choice}: one of ${words.join(', ')}.`)
  );
}

const ask = async (terminal: Terminal, question: string): Promise<string | undefined> =>
  (await terminal.ask?.(`${question}: `))?.trim();
