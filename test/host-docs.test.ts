import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
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

/** A route by which the test signs in, since the page leaves that to the host. */
const SIGN_IN = "\nimport { signIn } from './people.mjs';\nconsole.log('cookie of admin ' + signIn('u1'));\n";

async function start(name: string, text: string): Promise<{ url: string; cookie: string }> {
  const own = mkdtempSync(join(folder, 'run-'));
  for (const shared of ['people.mjs', 'host.mjs', 'affiliates.mjs'])
    writeFileSync(join(own, shared), blocks.get(shared) ?? '');
  const file = join(own, name);
  writeFileSync(file, SIGN_IN + text.replace('listen(3000', 'listen(0').replace('port: 3000', 'port: 0'));
  const child = spawn(process.execPath, [file], { cwd: own });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: unknown): void => {
      output += String(chunk);
      const port = /listening on (\d+)/.exec(output)?.[1];
      const cookie = /cookie of admin (\S+)/.exec(output)?.[1];
      if (port && cookie) resolve({ url: `http://127.0.0.1:${port}`, cookie });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(output)));
  });
}

type Send = (path: string, init?: RequestInit) => Promise<Response>;

async function journey(send: Send, cookie: string): Promise<void> {
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
  const { users } = await asAdmin<{ users: { ID: number }[] }>('GET', '/settings/options/users?search=bob');
  const { affiliate } = await asAdmin<{ affiliate: { id: number } }>('POST', '/affiliates', {
    user_id: users[0]?.ID,
    status: 'active',
    rate_type: 'default',
    payment_email: 'bob@bank.test',
  });
  const page = await send(`/?ref=${affiliate.id}`, { headers: NAVIGATION });
  expect([page.status, await page.text()]).toEqual([200, '<h1>Shop</h1>']);
  const visitor = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const thanks = await send('/buy', {
    method: 'POST',
    headers: { cookie: visitor, 'content-type': 'application/json', 'user-agent': NAVIGATION['User-Agent'] },
    body: JSON.stringify({ reference: 'A-1', email: 'jo@buyer.test' }),
  });
  expect([thanks.status, await thanks.json()]).toEqual([200, { thanks: true }]);
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
  const portal = await send('/partners/', { headers: NAVIGATION });
  expect([portal.status, await portal.text()]).toEqual([200, expect.stringContaining('<script')]);
}

// Each test starts processes, on a machine that may be busy.
jest.setTimeout(240_000);

describe('docs/hosts.md', () => {
  it.each(['express.mjs', 'fastify.mjs', 'koa.mjs', 'node.mjs'])('%s runs as it stands', async (name) => {
    const { url, cookie } = await start(name, blocks.get(name) ?? '');
    await journey((path, init) => fetch(url + path, init), cookie);
  });

  it('express.mjs runs with Express 4, too', async () => {
    const text = (blocks.get('express.mjs') ?? '').replace("from 'express'", "from 'express4'");
    const { url, cookie } = await start('express.mjs', text);
    await journey((path, init) => fetch(url + path, init), cookie);
  });

  it('web.mjs answers requests', async () => {
    const serve = `
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
const server = createServer(async (req, res) => {
  const body = req.method === 'GET' || req.method === 'HEAD' ? undefined : Readable.toWeb(req);
  const made = await answer(new Request('http://localhost' + req.url, { method: req.method, headers: req.headers, body, duplex: 'half' }));
  res.writeHead(made.status, [...made.headers].flat());
  res.end(Buffer.from(await made.arrayBuffer()));
}).listen(0, () => console.log('listening on ' + server.address().port));
`;
    const { url, cookie } = await start('web.mjs', (blocks.get('web.mjs') ?? '') + serve);
    await journey((path, init) => fetch(url + path, init), cookie);
  });
});

describe('affiliate-service init and check-host', () => {
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
  const site = join(folder, 'site');
  beforeAll(() => {
    mkdirSync(site);
  });

  it('write a host that passes the suite, and keep what is there', () => {
    const made = command(
      'init',
      '--framework',
      'koa',
      '--ids',
      'integer',
      '--database',
      'shop.sqlite',
      '--dir',
      site,
    );
    expect([made.status, made.output]).toEqual([
      0,
      expect.stringMatching(/written {2}host\.mjs[\s\S]*written {2}mount\.mjs/),
    ]);
    expect(readFileSync(join(site, 'host.mjs'), 'utf8')).toContain("ids: 'integer'");
    const again = command(
      'init',
      '--framework',
      'express',
      '--ids',
      'text',
      '--database',
      'x',
      '--dir',
      site,
    );
    expect(again.output).toMatch(/kept {5}host\.mjs/);

    const checked = command('check-host', join(site, 'host.mjs'));
    expect([checked.status, checked.output]).toEqual([
      0,
      expect.stringMatching(/yes +users\.findByEmail[\s\S]*no +mail[\s\S]*passed +forgets who signed out/),
    ]);
    expect(checked.output).toMatch(/passed +failed +skipped\n +\d+ +0 +\d+/);

    const tested = spawnSync(process.execPath, ['--test-reporter=tap', 'host.test.mjs'], {
      cwd: site,
      encoding: 'utf8',
    });
    expect([tested.status, tested.stdout]).toEqual([0, expect.stringMatching(/# pass \d\d[\s\S]*# fail 0/)]);
  });

  it.each(['express', 'fastify', 'koa', 'nest', 'next', 'node'])('write what %s imports', (framework) => {
    const own = join(folder, `init-${framework}`);
    mkdirSync(own);
    const { status } = command(
      'init',
      '--framework',
      framework,
      '--ids',
      'text',
      '--database',
      'a.sqlite',
      '--dir',
      own,
    );
    expect(status).toBe(0);
    const file = framework === 'next' ? 'route.mjs' : framework === 'node' ? 'server.mjs' : 'mount.mjs';
    const text = readFileSync(join(own, file), 'utf8').replace('listen(3000', 'listen(0');
    const probe = join(own, 'probe.mjs');
    writeFileSync(join(own, file), text);
    writeFileSync(
      probe,
      `await import(${JSON.stringify(pathToFileURL(join(own, file)).href)});\nprocess.exit(0);\n`,
    );
    const { status: code, stderr } = spawnSync(process.execPath, [probe], { cwd: own, encoding: 'utf8' });
    expect([code, stderr]).toEqual([0, stderr]);
  });

  it('name what is wrong', () => {
    expect(command('init', '--framework', 'rails')).toMatchObject({
      status: 2,
      output: expect.stringContaining('--framework rails: one of'),
    });
    expect(command('check-host')).toMatchObject({
      status: 2,
      output: expect.stringContaining('name the file'),
    });
    expect(command('check-host', 'nothing.mjs')).toMatchObject({
      status: 2,
      output: expect.stringContaining('no such file'),
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
