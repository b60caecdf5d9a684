import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/folders.js';
import { ROOT } from '../support/sources.js';

interface QueueState {
  readonly waiting: number;
  readonly errors: readonly string[];
}

const CONFIG = {
  site_id: '841920',
  server_token: 'aBcDeF123456',
  site_url: 'https://store.test/shop',
  primary_url: 'https://shop.test',
  api_url: 'http://127.0.0.1:9/',
  param_key: 'ref',
  cookie_duration: 30,
  credit_last_referrer: 'yes',
};

/** The program of a site: makes as many reports as its argument says, and prints how many wait. */
const PROGRAM = `
  import { connectSite } from '${pathToFileURL(join(ROOT, 'connected-site/index.ts')).href}';
  const errors = [];
  const options = { attempts: 1, onError: (error) => errors.push(error.message) };
  const site = connectSite(process.argv[2], { ...options, fetch: () => Promise.reject(new Error('away')) });
  const order = { affiliate_param: 'alice', order: { subtotal: '50.00' } };
  for (let at = 0; at < Number(process.argv[3]); at += 1) await site.recordConversion(null, { ...order, reference: 'A-' + at });
  console.log(JSON.stringify({ waiting: await site.waiting(), errors }));
`;

let app: string;

beforeEach(() => {
  app = temporaryFolder();
  mkdirSync(join(app, 'bin'));
  writeFileSync(join(app, 'package.json'), '{"type":"module"}');
  writeFileSync(join(app, 'bin/site.js'), PROGRAM);
});

function run(config: object, { reports = 0, cwd = app } = {}): QueueState {
  const loader = join(ROOT, 'test/support/ts-loader.mjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', loader, join(app, 'bin/site.js'), JSON.stringify(config), String(reports)],
    { cwd, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout) as QueueState;
}

const folders = (at = app): string[] => readdirSync(at).filter((name) => name.startsWith('affiliate-site-'));

it('finds what waits under a new number and token, and from another working directory', () => {
  expect(run(CONFIG, { reports: 2 }).waiting).toBe(2);
  const again = { ...CONFIG, site_id: '555555', server_token: 'another12345' };
  expect(run(again).waiting).toBe(2);
  expect(run(again, { cwd: temporaryFolder() }).waiting).toBe(2);
  expect(folders()).toEqual([expect.stringMatching(/^affiliate-site-store\.test-shop-[0-9a-f]{8}$/)]);
});

it('takes over the folders of earlier versions, in their order', () => {
  const { site_url: _, ...former } = CONFIG;
  const cwd = temporaryFolder();
  expect(run(former, { reports: 2 }).waiting).toBe(2);
  expect(folders()).toEqual(['affiliate-site-841920']);
  renameSync(join(app, 'affiliate-site-841920'), join(cwd, 'affiliate-site-841920'));

  expect(run(CONFIG, { reports: 1, cwd }).waiting).toBe(3);
  expect(folders(cwd)).toEqual([]);
  const [folder = ''] = folders();
  const references = readdirSync(join(app, folder))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(app, folder, name), 'utf8')).fields.reference as string);
  expect(references).toEqual(['A-0', 'A-1', 'A-0']);
});

it('reports what waits under another number', () => {
  const { site_url: _, ...former } = CONFIG;
  run({ ...former, site_id: '111111' }, { reports: 2 });
  const { waiting, errors } = run(CONFIG);
  expect(waiting).toBe(0);
  expect(errors).toEqual([expect.stringContaining(join(app, 'affiliate-site-111111'))]);
  expect(errors[0]).toMatch(/^2 reports wait in /);
});

it('keeps sites with different addresses apart', () => {
  run(CONFIG, { reports: 1 });
  expect(run({ ...CONFIG, site_url: 'https://store.test/shop2' }).waiting).toBe(0);
  expect(run({ ...CONFIG, site_url: 'https://store.test-shop' }).waiting).toBe(0);
  expect(run({ ...CONFIG, site_url: 'http://STORE.test/shop/' }).waiting).toBe(1);
});
