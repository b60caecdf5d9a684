import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ERRORS } from '../src/errors.js';
import { allRoutes } from '../src/app/routes.js';
import { INVARIANTS } from '../src/accounting/ledger/invariants-table.js';
import { startApp } from './support/app.js';
import { optionRows, tables, withEvents, withTables } from './support/docs.js';
import { SKIP_REASONS } from '../src/attribution/conversions/types.js';
import { FRAUD_RULES } from '../src/attribution/fraud/index.js';
import { flowPicture } from './support/flow-picture.js';
import { structurePicture } from './support/structure-picture.js';
import { codeFiles, readText, ROOT } from './support/sources.js';
import { NAVIGATION } from './support/tracker.js';

const readme = readText('README.md');
const reference = readText('docs/reference.md');

/** First cells of the table under a marker. */
function names(marker: string, column = 0): string[] {
  const [, body = ''] =
    new RegExp(`<!-- ${marker} -->\\n([\\s\\S]*?)\\n<!-- /${marker} -->`).exec(reference) ?? [];
  return body
    .split('\n')
    .slice(2)
    .map((row) => (row.split(' | ')[column] ?? '').replaceAll(/^\| |`/g, ''));
}

const markdownOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

it('docs/tracking.md explains every reason why an order earns nothing', () => {
  const [, table = ''] = /^## 6\. .*?\n(.*?)^## 7\./ms.exec(readText('docs/tracking.md')) ?? [];
  const reasons = SKIP_REASONS.filter((reason) => !(FRAUD_RULES as readonly string[]).includes(reason));
  expect(reasons.length).toBeGreaterThan(15);
  expect(reasons.filter((reason) => !table.includes(`\`${reason}\``))).toEqual([]);
});

it('docs/operating.md names metrics that there are', async () => {
  const t = await startApp();
  const text = await t.service.metrics('prometheus');
  const named = readText('docs/operating.md').match(/\baffiliate_\w+/g) ?? [];
  expect(named.length).toBeGreaterThan(3);
  expect([...new Set(named)].filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
});

it('docs/how-it-works.md and CONTRIBUTING.md show the drawings that `npm run docs` makes', () => {
  expect(readText('docs/pictures/how-it-works.svg')).toBe(flowPicture());
  expect(readText('docs/pictures/structure.svg')).toBe(structurePicture());
});

describe('docs/reference.md', () => {
  it('holds the tables of the source; `npm run docs` writes them', () => {
    expect(reference).toBe(withTables(reference));
    const events = readText('docs/events.md');
    expect(events).toBe(withEvents(events));
    expect(Object.keys(tables())).toEqual(['options', 'endpoints', 'errors']);
  });

  it('names every option, endpoint and error and no other', () => {
    expect(names('options')).toEqual(optionRows().map(({ name }) => name));
    expect(names('endpoints', 1).toSorted()).toEqual(
      allRoutes()
        .map((route) => route.paths[0])
        .toSorted(),
    );
    expect(names('errors')).toEqual(Object.keys(ERRORS));
  });
});

describe('docs/reliability.md', () => {
  it('holds name and rule of every invariant as `verify()` answers them', () => {
    const [, body = ''] =
      /<!-- invariants -->\n([\s\S]*?)\n<!-- \/invariants -->/.exec(readText('docs/reliability.md')) ?? [];
    const rows = Object.entries(INVARIANTS).map(
      ([code, { name, rule }]) => `| ${code} | ${name} | ${rule} |`,
    );
    expect(body.split('\n').slice(2)).toEqual(rows);
  });
});

describe('what comments and pages cite', () => {
  const numbers = (file: string): string[] =>
    [...readText(file).matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number);

  it('stands in docs: file and numbered heading', () => {
    const cited = codeFiles().flatMap(({ path, text }) =>
      [...text.matchAll(/\b(docs\/[\w-]+\.md)((?: §[\d.]*\d)?(?:, §[\d.]*\d)*)/g)].flatMap(
        ([, file = '', sections = '']): { path: string; file: string; number: string | null }[] =>
          sections === ''
            ? [{ path, file, number: null }]
            : [...sections.matchAll(/§([\d.]*\d)/g)].map(([, number = '']) => ({ path, file, number })),
      ),
    );
    const missing = cited.filter(
      ({ file, number }) =>
        !existsSync(join(ROOT, file)) || (number !== null && !numbers(file).includes(number)),
    );
    expect(missing).toEqual([]);
    expect(cited.length).toBeGreaterThan(200);
  });

  it('is named with its file', () => {
    const loose = codeFiles().flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => /§/.test(line.replaceAll(/docs\/[\w-]+\.md(?:,? §[\d.]*\d)*/g, '')))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(loose.filter((line) => !line.startsWith('test/docs.test.ts'))).toEqual([]);
  });

  it('also from one page to another', () => {
    const missing = markdownOf('docs').flatMap((page) =>
      [...readText(page).matchAll(/\]\(([\w-]+\.md)\)((?:,? §[\d.]*\d)+)/g)].flatMap(
        ([, file = '', sections = '']) =>
          [...sections.matchAll(/§([\d.]*\d)/g)]
            .filter(([, number = '']) => !numbers(join('docs', file)).includes(number))
            .map(([section]) => `${page}: ${file} ${section}`),
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('README.md', () => {
  it('is short, and every page it and the others point to is there', () => {
    expect(readme.split('\n').length).toBeLessThan(120);
    const pages = ['README.md', 'CONTRIBUTING.md', ...markdownOf('docs'), ...markdownOf('adapters')];
    const broken = pages.flatMap((page) =>
      [...readText(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, link = '']) => join(dirname(page), link))
        .filter((path) => !existsSync(join(ROOT, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(broken).toEqual([]);
  });

  it('and the other pages of the package point only to what is in the package', () => {
    const { files } = JSON.parse(readText('package.json')) as { files: string[] };
    const patterns = [...files.filter((file) => !file.startsWith('!')), 'README.md', 'LICENSE'];
    const left = files.filter((file) => file.startsWith('!')).map((file) => file.slice(1));
    const isPacked = (path: string): boolean =>
      patterns.some((file) => path === file || path.startsWith(`${file}/`)) &&
      !left.some((file) => matchesGlob(path, file));
    const pages = [...patterns.filter((file) => file.endsWith('.md')), ...markdownOf('docs')];
    const outside = pages.flatMap((page) =>
      [...readText(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, link = '']) => join(dirname(page), link))
        .filter((path) => !isPacked(path))
        .map((path) => `${page}: ${path}`),
    );
    expect(outside).toEqual([]);
    expect(pages.length).toBeGreaterThan(25);
  });

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const named = [...`${readme}\n${readText('CONTRIBUTING.md')}`.matchAll(/`npm run ([\w:]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(named.length).toBeGreaterThan(3);
  });
});

describe('the example of README.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'affiliate-readme-'));
  const children: ChildProcess[] = [];
  afterAll(async () => {
    await Promise.all(
      children
        .filter((child) => child.exitCode === null)
        .map(
          (child) =>
            new Promise((resolve) => {
              child.once('exit', resolve);
              child.kill();
            }),
        ),
    );
    rmSync(folder, { recursive: true });
  });

  it('is short and runs: a visit by a link, a sale, its commission', async () => {
    const { address, printed } = await start(example());

    const visit = await request(address).get('/?ref=alice').set(NAVIGATION).expect(200);
    const cookie = String(visit.headers['set-cookie']).split(';')[0] ?? '';
    const buy = (headers: Readonly<Record<string, string>>): Promise<unknown> =>
      request(address)
        .post('/buy')
        .type('form')
        .set(headers)
        .send({ email: 'jo@example.test' })
        .expect(200, 'Thank you!')
        .then(() => undefined);
    await buy({ ...NAVIGATION, Cookie: cookie });
    await buy({ ...NAVIGATION, 'User-Agent': 'curl/8.5.0' });

    expect(printed()).toContain('alice earns 20\n');
    expect(printed()).toContain('nobody earns: robot\n');
    expect(printed()).toContain('No affiliate was credited for an order: the request comes from a robot');
  });

  it('refuses the interface to strangers', async () => {
    const { address } = await start(example());
    await request(address).get('/wp-json/affiliate-service/v2/affiliates').expect(401);
  });

  function example(): string {
    const [, text = ''] = /<!-- example -->\n```js\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(25);
    return text;
  }

  /**
   * The package's names are led to the sources, so that no build is needed, unless DOCUMENTS_FOLDER names
   * a folder where the package is installed; the port is a free one.
   */
  async function start(text: string): Promise<{ address: string; printed: () => string }> {
    const source = (path: string): string => pathToFileURL(join(ROOT, path)).href;
    const clean = process.env['DOCUMENTS_FOLDER'];
    const file = join(
      clean ?? join(ROOT, 'node_modules'),
      `.readme-example-${process.pid}-${children.length}.mjs`,
    );
    const fromSources = (example: string): string =>
      example
        .replace("'affiliate-service'", `'${source('src/index.ts')}'`)
        .replace("'affiliate-service/adapters'", `'${source('adapters/index.ts')}'`);
    writeFileSync(file, (clean === undefined ? fromSources(text) : text).replace('listen(3000', 'listen(0'));
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--import', source('test/support/ts-loader.mjs'), file],
      { cwd: mkdtempSync(join(folder, 'run-')) },
    );
    children.push(child);
    let output = '';
    try {
      return await new Promise((resolve, reject) => {
        const read = (chunk: unknown): void => {
          output += String(chunk);
          const port = /listening on (\d+)/.exec(output)?.[1];
          if (port) resolve({ address: `http://127.0.0.1:${port}`, printed: () => output });
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        child.once('exit', () => {
          reject(new Error(output));
        });
      });
    } finally {
      rmSync(file);
    }
  }
});
