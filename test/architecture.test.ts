import { describe, expect, it } from '@jest/globals';
import { codeFiles, importsOf, readText, sources, type Import } from './support/sources.js';
import { drawnRooms } from './support/structure-picture.js';

// Who may import what. The first row whose pattern fits a file counts;
// a row not in this table is a decision, made in its own commit.
interface Row {
  readonly files: RegExp;
  readonly code: readonly RegExp[];
  readonly types: readonly RegExp[];
}

/** From what everything rests on to what faces the outside. */
const FLOORS = ['program', 'accounting', 'attribution', 'channels'];
/**
 * The rooms of the package from the ground up: folders, and single files of src. A file imports from its own room and
 * from those before it, types included.
 */
const ROOMS = [
  'src/types',
  'src/core',
  'src/errors.ts',
  'client',
  'connected-site',
  'adapters',
  'src/option-checks.ts',
  'src/extension.ts',
  'src/options.ts',
  'src/platform',
  'src/records',
  ...FLOORS.map((floor) => `src/${floor}`),
  'src/app',
  'hooks',
  'src/service',
  'src/index.ts',
  'console',
  'frameworks',
  'testing',
  'cli',
];
/** These files of each module. */
const inModule = (files: string): RegExp => new RegExp(`^src/(?:${FLOORS.join('|')})/[^/]+/${files}`);

const NODE = /^node:/;
const CORE = /^src\/core\//;
const ERRORS = /^src\/errors\.ts$/;
const ACCESS = /^src\/platform\/access\//;
const HTTP = /^src\/platform\/http\//;
/** Records that responses of several modules hold, floor by floor. */
const WIRE = new RegExp(`^src/(?:${FLOORS.join('|')})/api-schemas\\.ts$`);
const SCHEMA = /^src\/platform\/http\/(?:schema|responses)\.ts$/;
const DATABASE = /^(?:src\/platform\/database\/|adapters\/database\/tables\.ts$)/;
const RECORDS = /^src\/records\//;
const ADAPTERS = /^adapters\//;
const DRIVERS = /^adapters\/database\//;
const HOOKS = /^hooks\//;
/** How hooks are declared, and how modules fire them. */
const DECLARED_HOOKS = /^src\/platform\/hooks\//;
const MODULE_HOOKS = inModule('hooks\\.ts');
/** Every part together. */
const APP = /^src\/app\/(?:app|modules|public-api)\.ts$/;
/** What stands below every module. */
const PLATFORM = /^src\/(?:platform\/(?:platform|call-context|secrets)|options)\.ts$/;
const INTERNAL = /^src\/platform\/internal-events\.ts$/;
/** The type of a record is told by its description. */
const OWN_RECORD = /^own-module\/record\.ts$/;
const OWN_TYPES = /^own-module\/types\.ts$/;
/** The closed lists and shapes a record is made of. */
const OWN_WORDS = /^own-module\/words\.ts$/;
const MODULE_TYPES = inModule('types\\.ts');
/** How a module is declared, and where each one is. */
const MODULE = /^src\/platform\/module\.ts$/;
/** How a module chooses what hosts may call. */
const MODULE_API = /^src\/platform\/api\.ts$/;
const MODULES = inModule('index\\.ts');
/** What happens in a module, for those above it to listen to. */
const MODULE_EVENTS = inModule('domain-events\\.ts');
const MODULE_CONTRIBUTIONS = inModule('contributions\\.ts');
const MODULE_SCHEMAS = inModule('schemas\\.ts');
const SERVICES = inModule('service\\.ts');
const ANYTHING = /^/;
/** Replaced by the folder of the module the importing file stands in. */
const OWN = /^own-module\//;
const PACKAGE = /^(?!\.|node:|src\/|hooks\/|adapters\/|frameworks\/|connected-site\/|testing\/|own-module\/)/;

// The types of a module hold no functions, so its closed lists may be read anywhere.
const TABLE: readonly Row[] = [
  { files: /^src\/core\//, code: [CORE, NODE, PACKAGE], types: [] },
  { files: /^src\/errors\.ts$/, code: [CORE], types: [] },
  {
    files: /^src\/options\.ts$/,
    code: [CORE, PACKAGE, /^src\/option-checks\.ts$/],
    types: [ADAPTERS, /^src\/extension\.ts$/],
  },
  { files: /^src\/extension\.ts$/, code: [], types: [CORE, ADAPTERS] },
  { files: /^src\/option-checks\.ts$/, code: [CORE, /^adapters\/database\/host-pool\.ts$/], types: [] },
  { files: /^src\/app\/app\.ts$/, code: [], types: [ANYTHING] },
  { files: /^src\/app\/modules\.ts$/, code: [MODULES], types: [] },
  { files: MODULE, code: [], types: [HTTP, DECLARED_HOOKS, /^src\/platform\/jobs\//] },
  { files: DECLARED_HOOKS, code: [CORE, DECLARED_HOOKS], types: [ADAPTERS, ACCESS] },
  { files: MODULE_API, code: [CORE], types: [] },
  { files: /^src\/app\/public-api\.ts$/, code: [/^src\/app\/modules\.ts$/, MODULE_API], types: [ANYTHING] },
  { files: INTERNAL, code: [], types: [DATABASE] },
  {
    files: /^src\/platform\/(?:platform|call-context)\.ts$/,
    code: [],
    types: [CORE, DATABASE, INTERNAL, DECLARED_HOOKS, PLATFORM, ADAPTERS],
  },
  { files: /^src\/platform\/secrets\.ts$/, code: [CORE, NODE], types: [PLATFORM] },
  {
    files: /^src\/platform\/stored-secrets\.ts$/,
    code: [CORE, /^src\/platform\/secrets\.ts$/],
    types: [PLATFORM],
  },
  {
    files: /^src\/platform\/resealing\.ts$/,
    code: [CORE],
    types: [PLATFORM, /^src\/platform\/secrets\.ts$/],
  },
  {
    files: /^src\/service\/call-gate\.ts$/,
    code: [/^src\/app\/modules\.ts$/],
    types: [/^src\/service\/start\.ts$/],
  },
  { files: /^src\/service\/start\.ts$/, code: [CORE, /^src\/errors\.ts$/], types: [] },
  {
    files: /^src\/platform\/risks\.ts$/,
    code: [CORE, HTTP, /^src\/platform\/resealing\.ts$/],
    types: [PLATFORM],
  },
  {
    files: /^src\/service\/(?:health|metrics)\.ts$/,
    code: [CORE, HTTP],
    types: [ANYTHING],
  },
  {
    // a page that reads several modules
    files: /^src\/service\/plugin-globals\.ts$/,
    code: [CORE, ERRORS, ACCESS, MODULE_TYPES],
    types: [APP, NODE],
  },
  { files: /^src\/platform\/context-logger\.ts$/, code: [CORE], types: [CORE, PLATFORM] },
  {
    files: /^src\/platform\/access\//,
    code: [CORE, ERRORS, ACCESS],
    types: [PLATFORM, ADAPTERS, DATABASE, NODE],
  },
  { files: /^src\/records\//, code: [CORE, ERRORS, RECORDS], types: [DATABASE, /^(?:knex|typebox)$/] },
  { files: /^src\/platform\/database\//, code: [CORE, ERRORS, DATABASE, DRIVERS, NODE], types: [PACKAGE] },
  { files: /^src\/app\/routes\.ts$/, code: [MODULES, /^src\/app\/modules\.ts$/], types: [APP, HTTP] },
  {
    files: /^src\/app\/jobs\.ts$/,
    code: [CORE, /^src\/app\/modules\.ts$/, /^src\/platform\/resealing\.ts$/],
    types: [APP, MODULE, /^src\/platform\/jobs\//],
  },
  {
    // from the descriptions of the records
    files: WIRE,
    code: [CORE, SCHEMA, WIRE, inModule('(?:record|words)\\.ts')],
    types: [PACKAGE],
  },
  {
    files: /^src\/platform\/http\//,
    code: [CORE, ERRORS, ACCESS, HTTP, NODE, PACKAGE],
    types: [PLATFORM, ADAPTERS, DATABASE],
  },
  {
    files: /^src\/platform\/jobs\//,
    code: [CORE, ERRORS, /^src\/platform\/jobs\//, NODE],
    types: [PLATFORM, DATABASE, ADAPTERS],
  },
  { files: /^src\/(?:service\/(?:service|build-app)|index)\.ts$/, code: [ANYTHING], types: [] },
  {
    files: inModule('types\\.ts'),
    code: [CORE, OWN_WORDS, MODULE_TYPES],
    types: [OWN_WORDS, ADAPTERS, ACCESS, HTTP, WIRE, NODE, RECORDS, OWN_RECORD],
  },
  { files: inModule('words\\.ts'), code: [CORE], types: [OWN, MODULE_TYPES] },
  { files: MODULE_EVENTS, code: [INTERNAL], types: [OWN, DATABASE] },
  {
    // rules of the program: the options are their schema
    files: /^src\/program\/settings\/schemas\.ts$/,
    code: [CORE, SCHEMA, WIRE, /^src\/options\.ts$/, OWN, PACKAGE],
    types: [ACCESS],
  },
  {
    // events carry the records of any module below
    files: /^src\/channels\/webhooks\/data-schemas\.ts$/,
    code: [HTTP, WIRE, MODULE_SCHEMAS, inModule('record\\.ts')],
    types: [MODULE_TYPES, PACKAGE],
  },
  {
    files: inModule('schemas\\.ts'),
    code: [CORE, SCHEMA, WIRE, OWN, MODULE_TYPES, PACKAGE],
    types: [ACCESS],
  },
  {
    files: inModule('(?:repository|(?:[\\w-]+-)?queries)\\.ts'),
    code: [CORE, OWN, ERRORS, RECORDS],
    types: [MODULE_TYPES, DATABASE, ACCESS, /^knex$/],
  },
  {
    files: inModule('record\\.ts'),
    code: [
      CORE,
      RECORDS,
      MODULE_TYPES,
      OWN_TYPES,
      OWN_WORDS,
      /^own-module\/rules\.ts$/,
      /^src\/platform\/access\/key-rights\.ts$/,
    ],
    types: [OWN, ADAPTERS],
  },
  {
    files: inModule('presenter\\.ts'),
    code: [CORE, OWN, ACCESS, NODE],
    types: [MODULE_TYPES, ADAPTERS, PLATFORM, HTTP, WIRE],
  },
  { files: MODULES, code: [OWN, MODULE, MODULE_API, /^src\/core\/duration\.ts$/], types: [] },
  { files: MODULE_HOOKS, code: [CORE, DECLARED_HOOKS], types: [MODULE_TYPES, ADAPTERS, OWN] },
  {
    files: inModule('deps\\.ts'),
    code: [],
    types: [PLATFORM, SERVICES, DECLARED_HOOKS, MODULE_HOOKS, OWN, /^src\/platform\/risks\.ts$/],
  },
  {
    files: inModule('(?:[\\w-]+-)?routes\\.ts'),
    code: [CORE, ERRORS, HTTP, WIRE, ACCESS, OWN, MODULE_TYPES, MODULE_SCHEMAS, /^typebox$/],
    types: [PLATFORM, SERVICES, DECLARED_HOOKS],
  },
  {
    files: /^src\/channels\/emails\//,
    code: [
      CORE,
      ERRORS,
      OWN,
      RECORDS,
      MODULE_EVENTS,
      NODE,
      PACKAGE,
      /^adapters\/(?:smtp-)?mailer\.ts$/,
      /^src\/platform\/http\/rate-limit\.ts$/,
    ],
    types: [PLATFORM, DECLARED_HOOKS, DATABASE, MODULE_TYPES, ADAPTERS, HTTP, WIRE],
  },
  {
    // files that come over REST are read where they arrive
    files: /^src\/channels\/imports\/uploads\.ts$/,
    code: [CORE, ERRORS, HTTP, OWN, NODE],
    types: [ADAPTERS],
  },
  {
    // which columns of an affiliate a file can have, its record says
    files: /^src\/channels\/imports\/csv\//,
    code: [CORE, ERRORS, WIRE, OWN, NODE, PACKAGE, /^adapters\/imports\//],
    types: [ADAPTERS],
  },
  {
    files: inModule('.+'),
    code: [CORE, ERRORS, HTTP, WIRE, ACCESS, OWN, NODE, PACKAGE, MODULE_TYPES, MODULE_EVENTS, RECORDS],
    types: [PLATFORM, ADAPTERS, DECLARED_HOOKS, DATABASE, SERVICES, MODULE_CONTRIBUTIONS],
  },
  {
    files: /^hooks\//,
    code: [HOOKS, DECLARED_HOOKS, /^src\/app\/modules\.ts$/, CORE, ERRORS, NODE, /^tapable$/],
    types: [ADAPTERS, ACCESS, APP, MODULE_TYPES],
  },
  {
    files: /^adapters\/contract\//,
    code: [
      /^adapters\/contract\//,
      /^adapters\/host-parts\.ts$/,
      /^src\/core\/big-json\.ts$/,
      /^node:assert/,
    ],
    types: [ADAPTERS, NODE],
  },
  { files: /^adapters\/database\//, code: [DRIVERS, CORE, ERRORS, NODE, /^knex$/], types: [] },
  { files: /^adapters\/commerce\//, code: [/^adapters\/commerce\//, CORE, NODE], types: [ADAPTERS] },
  {
    files: /^adapters\/imports\//,
    code: [/^adapters\/imports\//, CORE, ERRORS, NODE],
    types: [ADAPTERS, /^knex$/],
  },
  {
    files: /^adapters\/payers\//,
    code: [/^adapters\/payers\//, CORE, NODE],
    types: [ADAPTERS],
  },
  { files: /^frameworks\/cms\/payload-nav\.ts$/, code: [/^react$/], types: [] },
  {
    files: /^frameworks\/cms\//,
    code: [/^frameworks\/cms\//, /^(?:src|adapters|frameworks|console\/server)\/index\.ts$/, NODE],
    types: [],
  },
  {
    files: /^frameworks\/nest\.ts$/,
    code: [/^frameworks\//, /^src\/index\.ts$/, /^@nestjs\/core$/],
    types: [],
  },
  { files: /^frameworks\//, code: [/^frameworks\//, NODE], types: [] },
  {
    files: /^connected-site\//,
    code: [
      /^connected-site\//,
      /^src\/core\/(?:site-signature|site-cookie|guarded-fetch|link-value|sub-ids|currency|decimal)\.ts$/,
      NODE,
      PACKAGE,
    ],
    types: [],
  },
  {
    files: /^testing\//,
    code: [
      /^testing\//,
      CORE,
      /^src\/(?:index|service\/service)\.ts$/,
      /^(?:adapters\/memory-host|frameworks\/index|hooks\/catalog)\.ts$/,
      NODE,
    ],
    types: [APP],
  },
  { files: /^client\//, code: [/^client\//], types: [] },
  {
    files: /^console\/server\//,
    code: [/^console\/server\//, /^src\/core\/(?:unknown-key|localized)\.ts$/, NODE],
    types: [
      /^src\/(?:service\/service|platform\/access\/session|core\/extension-parts)\.ts$/,
      /^client\/index\.ts$/,
    ],
  },
  {
    files: /^adapters\//,
    code: [/^adapters\/(?:[^/]+|(?:commerce|payers)\/index)\.ts$/, CORE, ERRORS, NODE, /^nodemailer$/],
    types: [DRIVERS],
  },
];

/** A library is known in as few files as possible. */
const LIBRARIES: Readonly<Record<string, RegExp>> = {
  knex: /^(?:adapters\/database|src\/platform\/database|src\/records)\/|^src\/options\.ts$|queries\.ts$|\/listing\.ts$/,
  express: /^src\/platform\/http\/router\.ts$|^src\/service\/service\.ts$/,
  tapable: /^hooks\/registry\.ts$/,
  ajv: /^src\/(?:options|platform\/http\/(?:validate|keywords))\.ts$/,
  'sanitize-html': /^src\/core\/|^src\/channels\/emails\/layout\.ts$/,
  nodemailer: /^adapters\/smtp-mailer\.ts$/,
};

// `===` beside a name of something secret, unless it asks for nothing, the empty text or a type.
const SECRET =
  "[\\w.#]*(?:signature|secret|token|nonce|hmac|password|code_hash|credential)\\w*(?:\\([^()]*\\))?(?:\\['\\w+'\\])?(?![\\w.])";
const COMPARED = new RegExp(
  `(?<!typeof )(?<![\\w.#])${SECRET}\\s*[!=]==(?!\\s*(?:undefined\\b|null\\b|''))|[!=]==\\s*${SECRET}`,
  'i',
);

const files = sources();
/** The pages. The floors and the table say nothing of them; circles do. */
const consoleFiles = sources(['console/admin', 'console/portal', 'console/shared']);
const isOutside = (to: string): boolean => NODE.test(to) || (!to.includes('.ts') && PACKAGE.test(to));
const moduleOf = (path: string): string | undefined => inModule('').exec(path)?.[0];

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const row = TABLE.find((candidate) => candidate.files.test(from));
  const home = moduleOf(from);
  const target = home !== undefined && to.startsWith(home) ? to.replace(home, 'own-module/') : to;
  return [...(row?.code ?? []), ...(typeOnly ? (row?.types ?? []) : [])].some((pattern) =>
    pattern.test(target),
  );
}

/** Again and again without those that rest on nothing: what is left rests on itself. */
function withoutGround(rests: Map<string, Set<string>>): void {
  for (let before = -1; before !== rests.size;) {
    before = rests.size;
    for (const [room, others] of rests)
      if ([...others].every((other) => !rests.has(other))) rests.delete(room);
  }
}

/** The modules of the list in src/app/modules.ts, in its order, with their folders. */
function listedModules(): { readonly name: string; readonly folder: string }[] {
  const text = readText('src/app/modules.ts');
  const folders = new Map(
    [...text.matchAll(/import \{ (\w+) \} from '\.\.\/([\w/-]+)index\.js'/g)].map(
      ([, name = '', folder = '']) => [name, `src/${folder}`],
    ),
  );
  const list = /const MODULES = \[([^\]]*)\]/.exec(text)?.[1] ?? '';
  return [...list.matchAll(/\w+/g)].map(([name]) => ({ name, folder: folders.get(name) ?? '' }));
}

describe('architecture', () => {
  it('finds the sources', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(300);
  });

  it('keeps to the table of imports', () => {
    const broken = files
      .flatMap(importsOf)
      .filter((line) => !isAllowed(line))
      .map(({ from, to, typeOnly }) => `${from} → ${to}${typeOnly ? ' (type)' : ''}`);
    expect(broken).toEqual([]);
  });

  it('lets a module call those above it in MODULES only', () => {
    const modules = listedModules();
    const names = modules.map(({ name }) => name);
    const upward = files.flatMap(({ path, text }) => {
      const at = modules.findIndex(({ folder }) => moduleOf(path) === folder);
      return at === -1
        ? []
        : [...withoutComments(text).matchAll(/\bapp\s*\.(\w+)/g)]
            .map(([, name]) => name ?? '')
            .filter((name) => names.indexOf(name) > at)
            .map((name) => `${names[at]} → ${name}`);
    });
    expect(names.length).toBeGreaterThan(25);
    expect([...new Set(upward)].toSorted()).toEqual([]);
  });

  it('imports from the own room or a lower one only, types included', () => {
    const ground = new Set(ROOMS.map((room) => room.split('/')[0] ?? ''));
    const roomOf = (path: string): number =>
      ROOMS.findIndex((room) => path === room || path.startsWith(`${room}/`));
    const imports = codeFiles()
      .filter(({ path }) => ground.has(path.split('/')[0] ?? ''))
      .flatMap(importsOf);
    expect(new Set(imports.map(({ from }) => roomOf(from))).size).toBeGreaterThan(15);

    const upward = imports
      .filter(({ from, to }) => roomOf(from) === -1 || roomOf(to) > roomOf(from))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(upward).toEqual([]);
  });

  it('is drawn in CONTRIBUTING.md as it is', () => {
    const places = drawnRooms.map((room) => ROOMS.indexOf(room));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('has no circle between modules, imports of types included', () => {
    const rests = new Map<string, Set<string>>();
    for (const { from, to } of files.flatMap(importsOf)) {
      const [room, other] = [moduleOf(from), moduleOf(to)];
      if (room === undefined || other === undefined || room === other) continue;
      rests.set(room, (rests.get(room) ?? new Set()).add(other));
    }
    expect(rests.size).toBeGreaterThan(15);

    withoutGround(rests);
    expect([...rests.keys()]).toEqual([]);
  });

  it('has no circle between files, imports of types and those made later included', () => {
    const rests = new Map<string, Set<string>>();
    for (const { from, to } of [...files, ...consoleFiles].flatMap(importsOf))
      if (/\.tsx?$/.test(to)) rests.set(from, (rests.get(from) ?? new Set()).add(to));
    expect(rests.size).toBeGreaterThan(600);

    withoutGround(rests);
    expect([...rests.keys()]).toEqual([]);
  });

  it('lets a module call what its deps.ts names, and names there only what it calls', () => {
    const modules = files.filter(({ path }) => moduleOf(path) !== undefined);
    const deps = modules.filter(({ path }) => path.endsWith('/deps.ts'));
    const idle = deps.flatMap(({ path, text }) => {
      const parts = modules.filter((file) => moduleOf(file.path) === moduleOf(path) && file.path !== path);
      const code = parts.map((file) => file.text).join('\n');
      // rights are changed by platform/access, which keeps an audit of it
      const passedOn = code.includes('createPermissions(') ? ['audit'] : [];
      return [...text.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)]
        .map(([, name]) => name ?? '')
        .filter(
          (name) => !new RegExp(`\\bapp\\s*\\.${name}\\b|\\b${name}\\b[^=;]*\\} = [\\w.]*app;`).test(code),
        )
        .filter((name) => !passedOn.includes(name))
        .map((name) => `${path}: ${name}`);
    });
    expect(deps.length).toBeGreaterThan(25);
    expect(idle).toEqual([]);

    const itself = listedModules().filter(({ name, folder }) =>
      deps.some(
        ({ path, text }) => path === `${folder}deps.ts` && new RegExp(`readonly ${name}:`).test(text),
      ),
    );
    expect(itself).toEqual([]);
  });

  it('keeps the modules of a floor together in MODULES, floor by floor', () => {
    const floors = listedModules().map(({ folder }) => FLOORS.indexOf(folder.split('/')[1] ?? ''));
    expect(floors.length).toBeGreaterThan(25);
    expect(floors).not.toContain(-1);
    expect(floors).toEqual(floors.toSorted((a, b) => a - b));
  });

  it('knows each library in few places', () => {
    const broken = files
      .flatMap(importsOf)
      .filter(({ from, to }) => LIBRARIES[to.split('/')[0] ?? '']?.test(from) === false)
      .map(({ from, to }) => `${from} → ${to}`);
    expect(broken).toEqual([]);
  });

  it('starts every random test from the one seed of test/support, so that a run can be repeated', () => {
    const tests = sources(['test']);
    const random = tests
      .filter(
        ({ path, text }) =>
          path !== 'test/support/random.ts' && /from 'fast-check'|Math\.random\(/.test(text),
      )
      .map(({ path }) => path);
    expect(random.filter((path) => path !== 'test/architecture.test.ts')).toEqual([]);
  });

  it('loads TypeBox nowhere: its types are all that is used, and loading it takes longer than loading the library', () => {
    const loading = files
      .flatMap(importsOf)
      .filter(({ to, typeOnly }) => /^typebox(?:\/|$)/.test(to) && !typeOnly)
      .map(({ from }) => from);
    expect(loading).toEqual([]);
  });

  it('lets examples use the public entries only', () => {
    const examples = sources(['examples']);
    const allowed = ({ from, to }: Import): boolean =>
      to.startsWith(from.split('/').slice(0, 2).join('/')) || (isOutside(to) && to !== 'knex');
    expect(examples.length).toBeGreaterThan(5);
    expect(
      examples
        .flatMap(importsOf)
        .filter((line) => !allowed(line))
        .map(({ from, to }) => `${from} → ${to}`),
    ).toEqual([]);
  });

  const SQL =
    /^adapters\/(?:database|contract)\/|^src\/(?:platform\/database|records)\/|\/(?:[\w-]+-)?(?:repository|queries)\.ts$|\/ledger\/invariants\.ts$/;
  it.each([
    [
      'the system time outside the clock',
      /\bDate\.now\(|new Date\(\)/,
      /^src\/(?:core\/clock|attribution\/tracking\/browser-script)\.ts$/,
    ],
    ['the environment', /process\.env/, /^src\/core\/runtime\.ts$/],
    ['the console', /\bconsole\./, /^$/],
    ['raw SQL outside repositories and queries', /\.(?:raw|execute)\(/, SQL],
    [
      'names of knex clients outside the adapters',
      /'(?:better-sqlite3|sqlite3|pg|postgresql|mysql2?|mariadb)'/,
      /^(?:adapters\/database|frameworks\/cms)\/|^src\/option(?:s|-checks)\.ts$/,
    ],
    ['explicit commits, which hide their failure', /\.commit\(\)/, /^$/],
    ['database streams', /\bknex\S*\.stream\(/, /^$/],
    ['names of the machine it was made on', /(?:^|[\s'"`(])(?:\.\.\/shared|\/work)\//m, /^$/],
    [
      'comparisons of bytes in constant time outside the one helper',
      /\btimingSafeEqual\b/,
      /^src\/core\/constant-time\.ts$/,
    ],
    // Two fields of one form may be compared: who sent them knows both.
    [
      'comparisons of secrets that tell where they differ',
      COMPARED,
      /^src\/channels\/registration\/account\.ts$/,
    ],
    ['default exports', /^export default/m, /^$/],
    ['changing state at module level', /^(?:export )?let /m, /^$/],
  ])('has no %s', (_, pattern, allowed) => {
    const found = files
      .filter(({ path, text }) => !allowed.test(path) && pattern.test(withoutComments(text)))
      .map(({ path }) => path);
    expect(found).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '').replaceAll(/\s\/\/ .*$/gm, '');
}
