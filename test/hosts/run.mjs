// `npm run test:hosts [name …]`: packs the library, installs it with the real CMS into a temporary folder,
// boots the site of examples/hosts/<name>, runs the contract suite inside and the whole journey from outside.
// Prints what each took.
// TEST_HOSTS_DIR keeps the folders, what is installed in them for the next run, and pictures of what
// Chromium saw. TEST_HOSTS_BUILT=yes packs what `npm run build` has made already.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { browserJourney } from './browser.mjs';
import { journey } from './journey.mjs';
import { SITES } from './sites.mjs';
import { execute, freePort, pack, root, say, seconds, start } from './tools.mjs';
import { answers } from './visitor.mjs';

const keep = process.env.TEST_HOSTS_DIR;
const work = keep ?? mkdtempSync(join(tmpdir(), 'affiliate-hosts-'));
const names = process.argv.slice(2);
const wanted = names.length > 0 ? names : Object.keys(SITES);
const unknown = wanted.filter((name) => !(name in SITES));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(SITES).join(', ')}.`);

/**
 * What makes a site use the Node it wants, which npm brings when it is not the one this runs on: its commands, and the
 * headers for what is compiled at installation.
 */
function nodeFor({ node }) {
  if (node === undefined || node === process.versions.node.split('.')[0]) return {};
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = join(work, `node-${node}`);
  if (!existsSync(folder))
    execute('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${node}`], {
      cwd: root,
    });
  const home = join(folder, 'node_modules', name);
  return { PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`, npm_config_nodedir: home };
}

/**
 * The site in an empty folder: `npm ci`, `npm install affiliate-service`. Sites that are a file each beside one shop
 * are installed together.
 */
function install(name, tarball, env) {
  const { parts } = SITES[name];
  const folder = join(work, parts === undefined ? name : 'frameworks');
  const installed = join(folder, 'node_modules');
  if (existsSync(folder))
    for (const entry of readdirSync(folder))
      if (entry !== 'node_modules') rmSync(join(folder, entry), { recursive: true });
  const from = join(root, 'examples', 'hosts');
  for (const part of parts ?? [name])
    cpSync(join(from, part), parts === undefined ? folder : join(folder, part), { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  if (!existsSync(installed)) {
    try {
      execute('npm', ['ci', ...quiet], { cwd: folder, env });
    } catch {
      // A registry that lacks packages of other platforms makes `npm ci` stop.
      execute('npm', ['install', ...quiet], { cwd: folder, env });
    }
  }
  execute('npm', ['install', '--no-save', ...quiet, tarball], { cwd: folder, env });
  return folder;
}

/** Lines of code of a site, with what it shares with others. */
const linesOf = (name) =>
  (SITES[name].parts ?? [name])
    .map((part) => join(root, 'examples', 'hosts', part))
    .filter((path) => !path.endsWith('.json'))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter(
      (entry) =>
        entry.isFile() && /\.(?:m?js|ts)$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);

/** The contract suite, inside the site: its rules by name. */
async function proveContract(name, url) {
  const answer = await fetch(`${url}/contract`);
  const rules = await answer.json();
  const count = (result) => rules.filter((rule) => rule.result === result).length;
  for (const { rule, result, why } of rules)
    if (result !== 'passed') say(`     ${name}: ${result}: ${rule} (${why})`);
  say(
    `${count('failed') === 0 ? 'ok  ' : 'FAIL'} ${name}: ` +
      `contract suite, ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
  );
  if (count('failed') > 0 || count('passed') < 13) throw new Error('the contract suite failed');
}

async function prove(name, tarball) {
  const site = SITES[name];
  const begun = performance.now();
  const node = nodeFor(site);
  const folder = install(name, tarball, node);
  say(`ok   ${name}: installed (${seconds(begun)})`);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { ...site.env, ...node, PORT: String(port), BASE_URL: url, DATA_DIR: join(folder, 'data') };
  mkdirSync(env.DATA_DIR, { recursive: true });
  const prepared = performance.now();
  await site.prepare({
    folder,
    env,
    run: async (command, args, options) => execute(command, args, { cwd: folder, env, ...options }),
  });
  say(`ok   ${name}: prepared (${seconds(prepared)})`);
  const started = performance.now();
  const server = await start(site.start, folder, env);
  try {
    await Promise.race([
      answers(`${url}${site.base}/affiliates`, 180),
      server.ended.then((code) => Promise.reject(new Error(`the site ended with ${code}`))),
    ]);
    say(`ok   ${name}: serves (${seconds(started)})`);
    await journey({ url, ...site, log: (text) => say(`ok   ${name}: ${text}`) });
    if (site.hasUsers !== false) await proveContract(name, url);
    if (site.signInPage !== undefined) {
      const pictures = keep && join(keep, 'pictures', name);
      const told = { url, base: site.base, site, output: server.output, pictures };
      await browserJourney({ ...told, log: (text) => say(`ok   ${name}: ${text}`) });
    }
    say(`ok   ${name}: ${linesOf(name)} lines of code, ${seconds(begun)} in all`);
  } catch (error) {
    say(server.output().slice(-6000));
    throw error;
  } finally {
    await server.stop();
  }
}

let failed = 0;
try {
  const tarball = pack(work);
  for (const name of wanted) {
    try {
      await prove(name, tarball);
    } catch (error) {
      failed += 1;
      say(`FAIL ${name}: ${error instanceof Error ? error.stack : error}`);
    }
  }
} finally {
  if (keep === undefined) rmSync(work, { recursive: true, force: true });
}
say(
  failed === 0
    ? `Tests: ${wanted.length} passed, ${wanted.length} total`
    : `Tests: ${failed} failed, ${wanted.length - failed} passed, ${wanted.length} total`,
);
process.exitCode = failed === 0 ? 0 : 1;
