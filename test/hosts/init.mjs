// `npm run test:init [framework …]`: a new project with each framework, as its owner begins one. The framework's own
// generator or a first file of it, `npm install` of the packed library, `npx affiliate-service init`, the owner's lines,
// build, start, a click, an order, a commission. Prints the owner's lines and the time from `init` to the commission,
// and fails where they are more than LINES or SECONDS. Where `init` knows no framework, the files of examples/hosts are
// copied.
// TEST_HOSTS_BUILT=yes packs what `npm run build` has made already.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PROJECTS } from './new-projects.mjs';
import { execute, freePort, pack, root, say, seconds, start } from './tools.mjs';
import { answers, Visitor } from './visitor.mjs';

const LINES = 10;
const SECONDS = 180;
const BASE = '/api/affiliate-service/v2';
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline'];
/** A line for the program, or for its first affiliate, with its indentation. */
const MARKED = /^( *)([+*]) (.*)$/;

const work = mkdtempSync(join(tmpdir(), 'affiliate-init-'));
const names = process.argv.slice(2);
const wanted = names.length > 0 ? names : Object.keys(PROJECTS);
const unknown = wanted.filter((name) => !(name in PROJECTS));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(PROJECTS).join(', ')}.`);

const lines = (text) => text.split('\n');
const before = (text) =>
  lines(text)
    .filter((line) => !MARKED.test(line))
    .join('\n');
const after = (text) =>
  lines(text)
    .map((line) => line.replace(MARKED, '$1$3'))
    .join('\n');
const marked = (text) => lines(text).filter((line) => MARKED.exec(line)?.[2] === '+').length;

const put = (folder, name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

/** The project before it has a program. */
function begin(name, tarball) {
  const { create, files, light, packages } = PROJECTS[name];
  const folder = join(work, name, 'shop');
  mkdirSync(dirname(folder), { recursive: true });
  if (create !== undefined) execute(create[0], create.slice(1), { cwd: dirname(folder) });
  mkdirSync(folder, { recursive: true });
  if (create === undefined) execute('npm', ['init', '-y'], { cwd: folder });
  for (const [file, text] of Object.entries(files)) put(folder, file, before(text));
  if (light) symlinkSync(join(installLight(tarball), 'node_modules'), join(folder, 'node_modules'));
  else execute('npm', ['install', ...QUIET, tarball, ...packages], { cwd: folder });
  return folder;
}

/** Small frameworks share what is installed. */
function installLight(tarball) {
  const folder = join(work, 'light');
  if (existsSync(folder)) return folder;
  const all = wanted.flatMap((name) => (PROJECTS[name].light ? PROJECTS[name].packages : []));
  put(folder, 'package.json', '{ "private": true }');
  execute('npm', ['install', ...QUIET, tarball, ...all, 'typescript', '@types/node@24'], { cwd: folder });
  return folder;
}

/** Writes the owner's lines and counts them. */
function addLines(folder, { files, edits }) {
  let count = 0;
  for (const [file, text] of Object.entries(files)) {
    count += marked(text);
    put(folder, file, after(text));
  }
  for (const [file, changes] of Object.entries(edits)) {
    let text = readFileSync(join(folder, file), 'utf8');
    for (const [from, to] of changes) {
      assert.ok(text.includes(from), `${file} has no ${from}`);
      count += marked(to);
      text = text.replace(from, () => after(to));
    }
    put(folder, file, text);
  }
  return count;
}

/** The library's files in the project: `init` writes them, or they are copied from the example. */
function takeFiles(name, folder, npx) {
  const { example } = PROJECTS[name];
  if (example !== undefined) {
    cpSync(join(root, 'examples', 'hosts', name), join(folder, example), { recursive: true });
    return;
  }
  const told = npx('init', '--framework', name, '--ids', 'text', '--database', 'sqlite');
  if (told.includes('npm pkg set type=module'))
    execute('npm', ['pkg', 'set', 'type=module'], { cwd: folder });
}

/** A click, an order, and the commission as the database has it. */
async function firstOrder({ buyer, npx, earned }) {
  assert.equal((await buyer.open('/?ref=1')).status, 200);
  const bought = await buyer.send('POST', '/buy', { body: { email: 'jo@buyer.test' } });
  assert.ok(bought.status < 300, `the shop answers ${bought.status}: ${bought.text.slice(0, 200)}`);
  const asked = npx('person', '--database', 'affiliates.sqlite', '--email', 'jo@buyer.test');
  const rows = JSON.parse(asked).buyer.referrals.map(({ status, amount }) => [status, amount]);
  assert.deepEqual(rows, [['unpaid', 20]]);
  earned();
}

async function prove(name, tarball) {
  const project = PROJECTS[name];
  const begun = performance.now();
  const folder = begin(name, tarball);
  say(`ok   ${name}: begun and installed (${seconds(begun)})`);

  const since = performance.now();
  const npx = (...args) => execute('npx', ['affiliate-service', ...args], { cwd: folder });
  takeFiles(name, folder, npx);
  const count = addLines(folder, project);
  for (const [command, ...args] of project.build) execute(command, args, { cwd: folder });

  const port = await freePort();
  const url = `http://localhost:${port}`;
  let took = Infinity;
  const server = await start(project.start, folder, { PORT: String(port), SITE_URL: url });
  try {
    await Promise.race([
      answers(`${url}${BASE}/affiliates`, 60),
      server.ended.then((code) => Promise.reject(new Error(`the server ended with ${code}`))),
    ]);
    const earned = () => (took = performance.now() - since);
    const [manager, buyer] = [new Visitor(url, BASE), new Visitor(url, BASE)];
    await (project.journey ?? firstOrder)({ manager, buyer, npx, earned });
  } catch (error) {
    say(server.output().slice(-6000));
    throw error;
  } finally {
    await server.stop();
  }
  say(
    `ok   ${name}: ${count} lines of the owner, a commission ${(took / 1000).toFixed(0)} s after ${project.example ? 'the example was copied' : '`init` began'}`,
  );
  assert.ok(count <= LINES, `${count} lines are more than ${LINES}`);
  assert.ok(took <= SECONDS * 1000, 'the first commission took too long');
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
  rmSync(work, { recursive: true, force: true });
}
say(
  failed === 0
    ? `Tests: ${wanted.length} passed, ${wanted.length} total`
    : `Tests: ${failed} failed, ${wanted.length - failed} passed, ${wanted.length} total`,
);
process.exitCode = failed === 0 ? 0 : 1;
