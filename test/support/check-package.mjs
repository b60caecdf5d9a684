// Packs the package and uses it as strangers do: `npm run check:pkg`.
// Prints one line per check; ends with 1 when one fails.
// `--run-only`, for another version of Node: takes the build that is there and leaves out what no Node changes
// (types, compiling, the look of the tarball).
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkDocuments } from './check-documents.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const work = mkdtempSync(join(tmpdir(), 'affiliate-package-'));
const MOST_BYTES = 2_900_000;
const isRunOnly = process.argv.includes('--run-only');
let failed = 0;

function run(title, command, args, cwd = root, environment = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  report(title, status === 0, `${stdout}${stderr}`);
  return stdout;
}

function report(title, isGood, output) {
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${title}`);
  if (isGood) return;
  failed += 1;
  console.log(output.trim().replaceAll(/^/gm, '     '));
}

const SALE = `
  const host = createMemoryHost({ site: { url: 'https://shop.test' }, users: [{ id: 2, login: 'alice', email: 'alice@shop.test' }] });
  const logger = { debug() {}, info() {}, warn() {}, error: console.error };
  const service = createAffiliateService(host, { database: { client: 'better-sqlite3', connection: 'shop.sqlite' }, logger });
  await service.ready();
  const { id } = await service.affiliates.create({ user_id: 2, status: 'active', payment_email: 'alice@shop.test' });
  const result = await service.conversions.record(null, {
    provider: 'shop', reference: '1', type: 'sale', status: 'unpaid', affiliate: id, order: { subtotal: '100.00' }, customer: { email: 'jo@shop.test' },
  });
  const violations = await service.verify();
  await service.close();
  if (result.referral?.amount_minor !== 2000 || violations.length > 0) throw new Error(JSON.stringify({ result, violations }));
`;

const CONSUMERS = {
  cjs: {
    manifest: { private: true },
    file: 'main.js',
    text: `const { createAffiliateService } = require('affiliate-service');
const { createMemoryHost } = require('affiliate-service/adapters');
const { HookVeto } = require('affiliate-service/hooks');
const { hostContract } = require('affiliate-service/adapters/contract');
if (typeof HookVeto !== 'function' || typeof hostContract !== 'function') throw new Error('an entry is empty');
(async () => {${SALE}})().catch((error) => { console.error(error); process.exit(1); });
`,
  },
  esm: {
    manifest: { private: true, type: 'module' },
    file: 'main.js',
    text: `import { createAffiliateService, HookVeto } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';
import * as hooks from 'affiliate-service/hooks';
import { hostContract } from 'affiliate-service/adapters/contract';
if (HookVeto !== hooks.HookVeto || typeof hostContract !== 'function') throw new Error('an entry is empty');
${SALE}`,
  },
  typescript: {
    manifest: { private: true, type: 'module' },
    file: 'main.ts',
    text: `import { createAffiliateService, type AffiliateService, type HostAdapter } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';
import { HookVeto } from 'affiliate-service/hooks';
import { hostContract } from 'affiliate-service/adapters/contract';
const adapter: HostAdapter = createMemoryHost();
const typed: AffiliateService = createAffiliateService(adapter, { database: { client: 'better-sqlite3', connection: ':memory:' } });
typed.hooks.addFilter('commission', (amount, { affiliate }) => { if (affiliate.id < 0) throw new HookVeto('no'); return amount; });
// @ts-expect-error options are checked
export const wrong = (): unknown => createAffiliateService(adapter, { hookPrefx: 'a' });
await typed.close();
void hostContract;
${SALE}`,
  },
};

// Parts of the service that a package of its own exports, without saying their types.
const SHARED = `import { createMemoryHost } from 'affiliate-service/adapters';
import { createAffiliateService } from 'affiliate-service';
export const service = createAffiliateService(createMemoryHost());
export const parts = { ...service };
export const { hooks, payouts } = service;
export const page = () => service.affiliates.list({});
export const make = (user_id: number) => service.affiliates.create({ user_id, status: 'active' });
`;
const SHARED_NODE16 = `export const start = async () => {
  const { createMemoryHost } = await import('affiliate-service/adapters');
  const { createAffiliateService } = await import('affiliate-service');
  return createAffiliateService(createMemoryHost());
};
export const parts = async () => ({ ...(await start()) });
export const page = async () => (await start()).affiliates.list({});
`;
const SHARERS = {
  'an ES module': { type: 'module', module: 'nodenext', text: SHARED },
  CommonJS: { type: 'commonjs', module: 'nodenext', text: SHARED },
  'CommonJS of node16': { type: 'commonjs', module: 'node16', text: SHARED_NODE16 },
};

// Types of the package must hold without skipLibCheck, in a project without our settings or Express's types.
const TSCONFIGS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

try {
  if (!isRunOnly) run('build', 'npm', ['run', '--silent', 'build']);
  if (failed === 0) checkTarball();
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(failed === 0 ? 'the package is fine' : `${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;

function checkTarball() {
  const [{ filename, files, size }] = JSON.parse(
    run('pack', 'npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work]),
  );
  const tarball = join(work, filename);
  if (!isRunOnly) checkLook(tarball, files, size);
  for (const [name, consumer] of Object.entries(CONSUMERS))
    if (!isRunOnly || name !== 'typescript') checkConsumer(name, consumer, tarball);
  checkDocuments({ root, folder: join(work, 'documents'), tarball, bin, run, report, install, isRunOnly });
}

function checkLook(tarball, files, size) {
  const isSmall = size <= MOST_BYTES;
  console.log(`${isSmall ? 'ok  ' : 'FAIL'} the tarball has ${size.toLocaleString('en')} bytes`);
  failed += isSmall ? 0 : 1;
  const stray = files
    .map(({ path }) => path)
    .filter(
      (path) =>
        !/^(?:dist\/(?:src|hooks|adapters|frameworks|connected-site|cli|client|testing|console\/server)\/[^.]*\.d\.ts$|dist\/(?:[\w/-]+\/(?:index|service|bin)|frameworks\/[\w/-]+|shared\/[\w-]+)\.js$|dist\/console\/app\/(?:manifest\.json|assets\/[\w.-]+\.(?:br|gz))$|(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|(?:hooks|adapters)\/README\.md|docs\/[\w-]+\.md|docs\/pictures\/[\w-]+\.svg)$)/.test(
          path,
        ),
    );
  const kib = Math.round(files.reduce((sum, file) => sum + file.size, 0) / 1024);
  console.log(
    `${stray.length === 0 ? 'ok  ' : 'FAIL'} ${files.length} files, ${kib} KiB, ` +
      `none beside the build ${stray.join(' ')}`,
  );
  failed += stray.length === 0 ? 0 : 1;
  run('publint', bin('publint'), [tarball, '--strict']);
  run('are the types wrong', bin('attw'), [tarball, '--profile', 'esm-only']);
}

function install(folder, ...packages) {
  run(
    `install ${packages.length} packages into ${basename(folder)}`,
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packages],
    folder,
  );
}

function checkConsumer(name, { manifest, file, text }, tarball) {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
  writeFileSync(join(folder, file), text);
  run(
    `install into a ${name} project`,
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball],
    folder,
  );
  if (name !== 'typescript') {
    run(`use from ${name}`, process.execPath, ['--throw-deprecation', file], folder);
    return;
  }
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules', '@types', 'node', 'package.json'), 'utf8'),
  );
  run(
    'install the types of node',
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', `@types/node@${version}`],
    folder,
  );
  const own = join(folder, 'node_modules', 'affiliate-service');
  const foreign = globSync('dist/**/*.d.ts', { cwd: own }).flatMap((path) =>
    [...readFileSync(join(own, path), 'utf8').matchAll(/(?:from|import\()\s*['"]([^.'"][^'"]*)['"]/g)]
      .filter(([, name]) => !isBuiltin(name))
      .map(([, name]) => `${path}: ${name}`),
  );
  report('declarations import no other package', foreign.length === 0, foreign.join('\n'));
  for (const [kind, settings] of Object.entries(TSCONFIGS)) {
    const compilerOptions = {
      ...settings,
      target: 'es2022',
      strict: true,
      skipLibCheck: false,
      types: ['node'],
      outDir: `out-${kind}`,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    run(`compile under ${kind}`, bin('tsc'), ['-p', folder], folder);
  }
  run('use what was compiled', process.execPath, ['out-nodenext/main.js'], folder);
  for (const [kind, { type, module, text: shared }] of Object.entries(SHARERS)) {
    const sharer = join(folder, `${module}-${type}`);
    mkdirSync(sharer);
    writeFileSync(join(sharer, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(sharer, 'main.ts'), shared);
    const compilerOptions = { module, target: 'es2022', strict: true, declaration: true, types: ['node'] };
    writeFileSync(join(sharer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
    run(`declare parts of the service in ${kind}`, bin('tsc'), ['-p', sharer], folder);
  }
}
