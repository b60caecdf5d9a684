import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withPrograms } from './support/docs.js';
import { readText, ROOT } from './support/sources.js';
import { NAVIGATION } from './support/tracker.js';

// docs/hosts.md as a newcomer meets it: the blocks become files, import the built package
// by its name, and are started. In DOCUMENTS_FOLDER, where that is given, they import what is installed there.

const blocks = new Map(
  [...readText('docs/hosts.md').matchAll(/```js file=([\w.]+)\n([\s\S]*?)```/g)].map(
    ([, name = '', text = '']) => [name, text] as const,
  ),
);
const clean = process.env['DOCUMENTS_FOLDER'];
// Inside the package, which finds itself by name there.
const folder = mkdtempSync(join(clean ?? join(ROOT, 'dist'), '.host-docs-'));
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

const SERVERS = ['express.mjs', 'fastify.mjs', 'koa.mjs', 'hono.mjs', 'node.mjs'];
// `npm run test:init vendure` runs plugin.mjs, with the real Vendure.
const SHOPS = ['medusa.mjs', 'subscriber.mjs', 'middleware.mjs', 'vendure.mjs', 'plugin.mjs'];
const SHARED = ['people.mjs', 'host.mjs', 'affiliates.mjs', 'html.mjs'];

async function start(name: string, text = blocks.get(name) ?? ''): Promise<Send> {
  const own = mkdtempSync(join(folder, 'run-'));
  for (const shared of SHARED) writeFileSync(join(own, shared), blocks.get(shared) ?? '');
  writeFileSync(join(own, name), text);
  const child = spawn(process.execPath, [name], { cwd: own, env: { ...process.env, PORT: '0' } });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: unknown): void => {
      output += String(chunk);
      const port = /listening on (\d+)/.exec(output)?.[1];
      if (port)
        resolve((path, init) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init }));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(output)));
  });
}

type Send = (path: string, init?: RequestInit) => Promise<Response>;

const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
const post = (send: Send, path: string, form: Record<string, string>, cookie = ''): Promise<Response> =>
  send(path, {
    method: 'POST',
    headers: { cookie, 'user-agent': NAVIGATION['User-Agent'] },
    body: new URLSearchParams(form),
  });

async function journey(send: Send): Promise<void> {
  const wrong = await post(send, '/login', { email: 'admin@shop.test', password: 'no' });
  expect([wrong.status, wrong.headers.get('location'), cookieOf(wrong)]).toEqual([303, '/login', '']);
  const signedIn = await post(send, '/login', {
    email: 'admin@shop.test',
    password: 'Correct-horse-battery-7',
  });
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/']);
  const cookie = cookieOf(signedIn);
  const base = '/api/affiliate-service/v2';
  const json = async <T>(sent: Promise<Response>): Promise<T> => {
    const answer = await sent;
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, text]);
    return JSON.parse(text) as T;
  };
  const { nonce } = await json<{ nonce: string }>(send(`${base}/nonce`, { headers: { cookie } }));
  const asAdmin = <T>(method: string, path: string, body?: object): Promise<T> =>
    json<T>(
      send(base + path, {
        method,
        headers: { cookie, 'x-wp-nonce': nonce, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
  const { users } = await asAdmin<{ users: { ID: number }[] }>('GET', '/settings/options/users?search=alice');
  const { affiliate } = await asAdmin<{ affiliate: { id: number } }>('POST', '/affiliates', {
    user_id: users[0]?.ID,
    status: 'active',
    rate_type: 'default',
    payment_email: 'alice@bank.test',
  });
  const page = await send(`/?ref=${affiliate.id}`, { headers: NAVIGATION });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Buy for 100')]);
  const thanks = await post(send, '/buy', { email: 'jo@buyer.test' }, cookieOf(page));
  expect([thanks.status, await thanks.text()]).toEqual([200, 'Thank you!']);
  const { referrals } = await asAdmin<{ referrals: { data: { amount: number; status: string }[] } }>(
    'GET',
    '/referrals',
  );
  expect(referrals.data).toMatchObject([{ amount: 20, status: 'unpaid' }]);
  await asAdmin('POST', '/payouts/process-payout', { config: { title: 'January', description: 'Run' } });
  const { payouts } = await asAdmin<{ payouts: { data: { id: number }[] } }>('GET', '/payouts');
  await asAdmin('PATCH', `/payouts/${payouts.data[0]?.id}/transactions/bulk-action`, {
    action: 'mark_as_paid',
  });
  expect(await asAdmin('GET', '/referrals')).toMatchObject({ referrals: { data: [{ status: 'paid' }] } });
  for (const path of ['/partners/', '/affiliate-admin/']) {
    const shown = await send(path, { headers: { ...NAVIGATION, cookie } });
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('<script')]);
  }
}

// Each test starts processes, on a machine that may be busy.
jest.setTimeout(240_000);

describe('docs/hosts.md', () => {
  it('holds the programs of examples/hosts; `npm run docs` writes them', () => {
    const page = readText('docs/hosts.md');
    expect(page).toBe(withPrograms(page, readText));
    expect([...blocks.keys()].toSorted()).toEqual([...SHARED, ...SERVERS, ...SHOPS].toSorted());
  });

  it.each(SERVERS)('%s runs as it stands', async (name) => {
    await journey(await start(name));
  });

  it('express.mjs runs with Express 4, too', async () => {
    const text = (blocks.get('express.mjs') ?? '').replace("from 'express'", "from 'express4'");
    await journey(await start('express.mjs', text));
  });
});

describe('affiliate-service init and check-host', () => {
  const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const BIN = join(
    clean === undefined ? ROOT : join(clean, 'node_modules', 'affiliate-service'),
    'dist/cli/bin.js',
  );
  const command = (...args: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  const init = (
    framework: string,
    into: string,
    ...more: string[]
  ): { status: number | null; output: string } =>
    command(
      ...`init --framework ${framework} --ids integer --database shop.sqlite --dir`.split(' '),
      into,
      ...more,
    );
  /** A folder as `npm init -y` leaves it, after the step that `init` asks for. */
  const project = (name: string): string => {
    const own = join(folder, name);
    mkdirSync(own);
    writeFileSync(join(own, 'package.json'), '{ "name": "shop", "type": "commonjs" }');
    mkdirSync(join(own, 'node_modules'));
    const installed = clean === undefined ? ROOT : join(clean, 'node_modules', 'affiliate-service');
    symlinkSync(installed, join(own, 'node_modules', 'affiliate-service'));
    return own;
  };
  const asModule = (own: string): void =>
    writeFileSync(join(own, 'package.json'), '{ "name": "shop", "type": "module" }');
  const contractTest = (own: string, file: string): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, ['--test-reporter=tap', file], { cwd: own, encoding: 'utf8' });
  const PASSED = { status: 0, stdout: expect.stringMatching(/# pass \d\d[\s\S]*# fail 0/) };
  const site = join(folder, 'site');
  beforeAll(() => {
    mkdirSync(site);
  });

  it('write a host in TypeScript that type-checks, passes the suite as it is and compiled', () => {
    const own = project('typescript');
    expect(init('express', own)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/written {2}host\.ts[\s\S]*tsconfig\.json[\s\S]*npm pkg set type=module/),
    });
    asModule(own);
    const compiled = spawnSync(process.execPath, [TSC, '-p', own], { encoding: 'utf8' });
    expect(compiled).toMatchObject({ status: 0, stdout: '' });
    expect(contractTest(join(own, 'dist'), 'host.test.js')).toMatchObject(PASSED);
    // Node reads TypeScript since 22.18.
    const asItIs = Boolean(process.features.typescript);
    if (asItIs) expect(contractTest(own, 'host.test.ts')).toMatchObject(PASSED);
    expect(command('check-host', join(own, 'host.ts'))).toMatchObject({
      status: asItIs ? 0 : 2,
      output: expect.stringMatching(
        asItIs ? /yes +users\.findByEmail[\s\S]*passed +forgets who signed out/ : /cannot read TypeScript/,
      ),
    });
  });

  it.each(['fastify', 'koa', 'node'])('write TypeScript for %s that type-checks', (framework) => {
    const own = project(`types-${framework}`);
    expect(init(framework, own)).toMatchObject({ status: 0 });
    asModule(own);
    expect(spawnSync(process.execPath, [TSC, '-p', own, '--noEmit'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: '',
    });
  });

  /** What a project with Next or Payload has installed, as far as the written files use it. */
  const INSTALLED = `declare module 'payload' { export function getPayload(options: { config: object }): Promise<object> }
declare module 'next/server' { export type NextRequest = Request; export const NextResponse: { next(): Response } }`;

  it('write TypeScript for Next that type-checks with the settings written beside it', () => {
    const own = project('types-next');
    expect(init('next', own)).toMatchObject({
      status: 0,
      output: expect.stringContaining('written  tsconfig.json\n'),
    });
    writeFileSync(join(own, 'installed.d.ts'), INSTALLED);
    expect(spawnSync(process.execPath, [TSC, '-p', own], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: '',
    });
  });

  it('write the plugin for Payload, below src where its routes are, and no host', () => {
    const own = project('payload');
    mkdirSync(join(own, 'src', 'app'), { recursive: true });
    const { status, output } = command(
      'init',
      '--framework',
      'payload',
      '--database',
      'a.sqlite',
      '--dir',
      own,
    );
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(
        /^(?:written {2}src\/(?:affiliates|instrumentation|proxy)\.ts\n){3}written {2}\.env\.local\n\nNext:\n {2}payload\.config: `plugins: \[affiliateProgram\]`/,
      ),
    ]);
    writeFileSync(
      join(own, 'src', 'payload.config.ts'),
      "import { affiliateProgram } from './affiliates';\nexport default affiliateProgram({ collections: [{ slug: 'users' }] });\n",
    );
    writeFileSync(join(own, 'src', 'installed.d.ts'), INSTALLED);
    const compilerOptions = {
      module: 'esnext',
      moduleResolution: 'bundler',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    };
    writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    expect(spawnSync(process.execPath, [TSC, '-p', own], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('leave the settings of a project to its owner, and put Next below src where its routes are', () => {
    const own = project('next-with-src');
    mkdirSync(join(own, 'src', 'app'), { recursive: true });
    writeFileSync(join(own, 'tsconfig.json'), '{ "compilerOptions": { "noEmit": true } }');
    const { output } = init('next', own);
    expect(output).toMatch(/written {2}src\/affiliates\.ts[\s\S]*written {2}src\/app\/partners/);
    expect(output).toContain('written  .env.local\n'); // Next reads no other
    expect(output).toMatch(/tsconfig\.json: `"rewriteRelativeImportExtensions": true`/);
    expect(readFileSync(join(own, 'tsconfig.json'), 'utf8')).toBe(
      '{ "compilerOptions": { "noEmit": true } }',
    );
  });

  it('write a host in JavaScript that passes the suite, and keep what is there', () => {
    const made = init('koa', site, '--javascript');
    expect([made.status, made.output]).toEqual([
      0,
      expect.stringMatching(/written {2}host\.mjs[\s\S]*written {2}mount\.mjs/),
    ]);
    expect(readFileSync(join(site, 'host.mjs'), 'utf8')).toContain("ids: 'integer'");
    expect(existsSync(join(site, 'tsconfig.json'))).toBe(false);
    expect(init('express', site, '--javascript').output).toMatch(/kept {5}host\.mjs/);

    const checked = command('check-host', join(site, 'host.mjs'));
    expect([checked.status, checked.output]).toEqual([
      0,
      expect.stringMatching(/yes +users\.findByEmail[\s\S]*no +mail[\s\S]*passed +forgets who signed out/),
    ]);
    expect(checked.output).toMatch(/passed +failed +skipped\n +\d+ +0 +\d+/);
    expect(contractTest(site, 'host.test.mjs')).toMatchObject(PASSED);
  });

  it.each(['express', 'fastify', 'koa', 'nest', 'next', 'node', 'payload'])(
    'write JavaScript that %s imports',
    (framework) => {
      const own = join(folder, `init-${framework}`);
      mkdirSync(own);
      expect(init(framework, own, '--javascript').status).toBe(0);
      const file =
        framework === 'next'
          ? 'app/partners/[[...path]]/route.js'
          : framework === 'node'
            ? 'server.mjs'
            : framework === 'payload'
              ? 'affiliates.js'
              : 'mount.mjs';
      const text = readFileSync(join(own, file), 'utf8').replace('listen(3000', 'listen(0');
      writeFileSync(join(own, file), text);
      const probe = join(own, 'probe.mjs');
      writeFileSync(
        probe,
        `await import(${JSON.stringify(pathToFileURL(join(own, file)).href)});\nprocess.exit(0);\n`,
      );
      const { status: code, stderr } = spawnSync(process.execPath, [probe], { cwd: own, encoding: 'utf8' });
      expect([code, stderr]).toEqual([0, stderr]);
    },
  );

  it('write a secret of their own, which production does not start without', () => {
    const [one, two] = ['secret-one', 'secret-two'].map((name) => {
      const own = project(name);
      asModule(own);
      expect(init('express', own, '--javascript').status).toBe(0);
      return own;
    });
    const secretIn = (own = ''): string =>
      /AFFILIATES_SECRET=(\w{32,})\n/.exec(readFileSync(join(own, '.env.affiliates'), 'utf8'))?.[1] ?? '';
    expect(secretIn(one)).toHaveLength(48);
    expect(secretIn(two)).not.toBe(secretIn(one));
    writeFileSync(join(one!, 'probe.mjs'), "await import('./host.mjs');\nconsole.log('loaded');\n");
    const load = (...args: readonly string[]): string => {
      const { stdout, stderr } = spawnSync(process.execPath, [...args, 'probe.mjs'], {
        cwd: one,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      });
      return stdout + stderr;
    };
    expect(load()).toContain('AFFILIATES_SECRET is not set. Start with: node --env-file=.env.affiliates');
    expect(load('--env-file=.env.affiliates')).toBe('loaded\n');
    const next = project('secret-next');
    init('next', next);
    expect(readFileSync(join(next, '.env.local'), 'utf8')).toMatch(/AFFILIATES_SECRET=\w{48}\n/);
  });

  it('name what is wrong', () => {
    expect(command('init', '--framework', 'rails')).toMatchObject({
      status: 2,
      output: expect.stringContaining('--framework rails: one of'),
    });
    expect(command('check-host')).toMatchObject({
      status: 2,
      output: expect.stringContaining('needs the file that exports the host'),
    });
    expect(command('check-host', 'nothing.mjs')).toMatchObject({
      status: 2,
      output: expect.stringContaining('file not found'),
    });
    writeFileSync(join(site, 'half.mjs'), 'export const host = { site: () => ({ url: "x" }) };\n');
    const half = command('check-host', join(site, 'half.mjs'));
    expect([half.status, half.output]).toEqual([
      1,
      expect.stringMatching(/`can` must be a function[\s\S]*`site\(\)\.url`/),
    ]);
    writeFileSync(
      join(site, 'loose.mjs'),
      "export { fixture } from './loose.fixture.mjs';\nexport { host } from './host.mjs';\n",
    );
    writeFileSync(
      join(site, 'loose.fixture.mjs'),
      "import { fixture as good } from './host.fixture.mjs';\nexport const fixture = async () => { const made = await good(); return { ...made, host: { ...made.host, can: async () => 1 } }; };\n",
    );
    const loose = command('check-host', join(site, 'loose.mjs'));
    expect([loose.status, loose.output]).toEqual([
      1,
      expect.stringMatching(/failed +tells who may manage: `can\(administrator/),
    ]);
  });
});

describe('docs/hosts.md §7', () => {
  /** Runs a script beside the files of the page; it prints JSON at its end. */
  function drive(script: string): unknown {
    const own = mkdtempSync(join(folder, 'shop-'));
    for (const [name, text] of blocks) writeFileSync(join(own, name), text);
    writeFileSync(join(own, 'drive.mjs'), script);
    const env = { ...process.env, DATABASE: 'shop.sqlite' };
    const { stdout, stderr } = spawnSync(process.execPath, ['drive.mjs'], {
      cwd: own,
      env,
      encoding: 'utf8',
    });
    try {
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    } catch {
      throw new Error(stdout + stderr);
    }
  }

  it('Medusa: a subscriber credits an order, and the middleware answers the pages', () => {
    const answer = drive(`
import express from 'express';
import { AffiliatesModule } from './medusa.mjs';
import affiliatesSubscriber, { config } from './subscriber.mjs';
import { affiliates } from './middleware.mjs';

const module = new AffiliatesModule();
const order = {
  id: 'order_1', display_id: 7, status: 'pending', currency_code: 'usd', email: 'jo@buyer.test', total: 110,
  created_at: new Date().toISOString(), updated_at: new Date().toISOString(), metadata: {},
  items: [{ id: 'item_1', product_id: 'p', title: 'Mug', quantity: 1, unit_price: 100, subtotal: 100, total: 110, tax_total: 10 }],
  payment_collections: [{ id: 'c', status: 'completed', captured_amount: 110, payments: [
    { id: 'pay_1', amount: 110, captured_at: new Date().toISOString(), captures: [{ id: 'cap', amount: 110 }], refunds: [] }] }],
};
const query = { graph: async ({ entity, filters }) => ({ data: entity === 'order' && filters.id === order.id ? [order] : [] }) };
const container = { resolve: (name) => ({ affiliates: module, query })[name] };

const app = express();
app.use((req, res, next) => { req.scope = container; next(); });
app.use((req, res, next) => affiliates(req, res, next).catch(next));
const server = app.listen(0);
const url = 'http://127.0.0.1:' + server.address().port;
const { service } = await module.start(query);
const { id } = await service.affiliates.create({ user: 'u2', status: 'active' });
order.metadata = await service.checkoutMetadata({ headers: { cookie: (await fetch(url + '/?ref=' + id, { headers: {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  Accept: 'text/html', 'Sec-Fetch-Dest': 'document' } })).headers.get('set-cookie').split(';')[0] } });
const pages = [];
for (const path of ['/partners/', '/affiliate-admin/']) pages.push((await fetch(url + path, { redirect: 'manual' })).status);
for (const name of config.event.filter((each) => each.startsWith('order.placed')))
  await affiliatesSubscriber({ event: { name, data: { id: order.id } }, container });
const { rows } = await service.referrals.list({});
console.log(JSON.stringify({ pages, rows: rows.map(({ provider, provider_id, amount, status, affiliate_id }) => ({ provider, provider_id, amount, status, mine: affiliate_id === id })) }));
process.exit(0);
`);
    expect(answer).toEqual({
      pages: [200, 302],
      rows: [{ provider: 'medusa', provider_id: 'order_1', amount: 20, status: 'unpaid', mine: true }],
    });
  });

  it('Vendure: transitions of orders and refunds become a commission, mounted before the body parser', () => {
    const answer = drive(`
import express from 'express';
import { service, pages } from './affiliates.mjs';
import { orderChanged, refundChanged, withAffiliates } from './vendure.mjs';

const config = withAffiliates({ apiOptions: { middleware: [] } }, service, pages);
const mounted = config.apiOptions.middleware.length;
withAffiliates(config, service, pages); // as Vendure does after runMigrations
const again = config.apiOptions.middleware.length - mounted;
const app = express();
for (const { route, handler, beforeListen } of config.apiOptions.middleware) if (beforeListen) app.use(route, handler);
app.use(express.json());
app.get('/', (req, res) => res.send('Shop'));
const server = app.listen(0);
const url = 'http://127.0.0.1:' + server.address().port;
const { id } = await service.affiliates.create({ user: 'u2', status: 'active' });
const seen = await fetch(url + '/?ref=' + id, { headers: {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  Accept: 'text/html', 'Sec-Fetch-Dest': 'document' } });
const req = { headers: { cookie: seen.headers.get('set-cookie').split(';')[0] }, socket: {} };
const order = { code: 'V1', currencyCode: 'USD', subTotal: 10000, subTotalWithTax: 12000, shipping: 500, shippingWithTax: 600,
  couponCodes: [], customer: { id: 5, emailAddress: 'jo@buyer.test' } };
const steps = [];
const look = async () => { const { rows } = await service.referrals.list({}); steps.push(rows.map(({ amount, status }) => [amount, status])); };
await orderChanged(service, { ctx: { req }, order, toState: 'ArrangingPayment' });
await look();
order.subTotal = 20000; order.subTotalWithTax = 24000;
await orderChanged(service, { ctx: { req: { headers: {} } }, order, toState: 'PaymentSettled' });
await look();
await refundChanged(service, { order, refund: { id: 1, total: 12300 }, toState: 'Settled' });
await look();
const page = await fetch(url + '/partners/');
console.log(JSON.stringify({ page: page.status, again, steps, violations: await service.verify() }));
process.exit(0);
`);
    expect(answer).toEqual({
      page: 200,
      again: 0,
      steps: [[[20, 'pending']], [[40, 'unpaid']], [[expect.any(Number), 'unpaid']]],
      violations: [],
    });
    expect((answer as { steps: number[][][] }).steps[2]?.[0]?.[0]).toBeCloseTo(20, 0);
  });
});
