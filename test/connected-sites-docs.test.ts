import { once } from 'node:events';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { siteKey, siteSignature } from '../src/core/site-signature.js';
import { startApp, type TestApp } from './support/app.js';
import { temporaryFolder } from './support/folders.js';
import { connectChild } from './support/sites.js';
import { readText, ROOT } from './support/sources.js';
import { NAVIGATION } from './support/tracker.js';

// docs/connected-sites.md: its vectors are what the service computes, and its programs compute them too.

const page = readText('docs/connected-sites.md');
const [, table = ''] = /<!-- vectors -->\n([\s\S]*?)\n<!-- \/vectors -->/.exec(page) ?? [];
const vectors = table
  .split('\n')
  .slice(2)
  .map((row) => {
    const [method = '', path = '', body = '', signature = ''] = row
      .replace(/^\| | \|$/g, '')
      .split(' | ')
      .map((cell) => cell.replaceAll('`', ''));
    return { method, path, body, signature };
  });
const [SITE, TOKEN, TIMESTAMP, NONCE] = ['841920', 'aBcDeF123456', '1768489200', '0123456789abcdef'];
const blockOf = (kind: string): string =>
  new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

/** A program that prints a signature per line, one for each vector, in this language. */
const PROGRAMS: Readonly<Record<string, { file: string; run: readonly string[]; text: string }>> = {
  JavaScript: {
    file: 'sign.mjs',
    run: [process.execPath],
    text: `${blockOf('js sign')}\nfor (const { method, path, body } of ${JSON.stringify(vectors)}) console.log(sign({ siteId: '${SITE}', token: '${TOKEN}', method, path, timestamp: '${TIMESTAMP}', nonce: '${NONCE}', body }));`,
  },
  Python: {
    file: 'sign.py',
    run: ['python3'],
    text: `${blockOf('python sign')}\nfor v in ${JSON.stringify(vectors)}: print(sign("${SITE}", "${TOKEN}", v["method"], v["path"], "${TIMESTAMP}", "${NONCE}", v["body"]))`,
  },
  PHP: {
    file: 'sign.php',
    run: ['php'],
    text: `<?php\n${blockOf('php sign')}\nforeach (json_decode('${JSON.stringify(vectors)}', true) as $v) echo sign('${SITE}', '${TOKEN}', $v['method'], $v['path'], '${TIMESTAMP}', '${NONCE}', $v['body']), "\\n";`,
  },
  shell: {
    file: 'sign.sh',
    run: ['sh'],
    text: `${blockOf('sh sign')}\n${vectors.map(({ method, path, body }) => `sign ${SITE} ${TOKEN} ${method} '${path}' ${TIMESTAMP} ${NONCE} '${body}'`).join('\n')}`,
  },
};
const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('docs/connected-sites.md', () => {
  it('has the vectors that the service computes', () => {
    expect(vectors).toHaveLength(3);
    for (const { signature, ...parts } of vectors)
      expect(siteSignature(siteKey(SITE, TOKEN), { ...parts, timestamp: TIMESTAMP, nonce: NONCE })).toBe(
        `v1=${signature}`,
      );
  });

  // Languages this machine lacks are not run, unless TEST_TOOLS says that it has all; JavaScript and the shell always are.
  it.each(
    Object.entries(PROGRAMS).filter(
      ([name, { run }]) =>
        ['JavaScript', 'shell'].includes(name) || process.env['TEST_TOOLS'] === 'yes' || isThere(run[0]!),
    ),
  )('computes them in %s', (_name, { file, run, text }) => {
    const path = join(temporaryFolder(), file);
    writeFileSync(path, text);
    const { stdout, stderr } = spawnSync(run[0]!, [...run.slice(1), path], { encoding: 'utf8' });
    expect([stderr, stdout.trim().split('\n')]).toEqual(['', vectors.map(({ signature }) => signature)]);
  });

  const script = /<script>([\s\S]*?)<\/script>/.exec(blockOf('html static'))?.[1] ?? '';
  /** What a static page is left with: its cookie and where its links lead. */
  function visit(
    search: string,
    cookie = '',
    navigator: object = {},
    broken?: string,
  ): { cookie: string; links: string[] } {
    const hrefs = ['https://shop.example/a?b=1', 'https://other.example/'];
    const links = (broken === undefined ? hrefs : [broken, 'https://shop.example/']).map((href) => ({
      href,
    }));
    const document = { cookie, querySelectorAll: () => links };
    runInNewContext(script, { navigator, document, location: { search }, URLSearchParams, URL });
    return { cookie: document.cookie, links: links.map(({ href }) => href) };
  }

  it('takes the affiliate of a static page along to the primary', () => {
    const came = visit('?ref=jo');
    expect(came).toEqual({
      cookie: 'f_aff_841920=jo; path=/; SameSite=Lax; max-age=2592000',
      links: ['https://shop.example/a?b=1&ref=jo', 'https://other.example/'],
    });
    expect(visit('', 'x=1; f_aff_841920=jo').links[0]).toBe('https://shop.example/a?b=1&ref=jo');
    for (const value of ['joe@mail.test', 'müller', 'a+b', "o'neil"]) {
      const encoded = encodeURIComponent(value);
      const first = visit(`?x=1&amp;PARTNER=${encoded}`);
      expect(first.cookie).toBe(`f_aff_841920=${encoded}; path=/; SameSite=Lax; max-age=2592000`);
      const link = visit('', `f_aff_841920=${encoded}`, {}, 'https://[').links.at(-1)!;
      expect(new URL(link).searchParams.get('ref')).toBe(value);
    }
    const untouched = { cookie: '', links: ['https://shop.example/a?b=1', 'https://other.example/'] };
    expect([visit(''), visit('?ref=a%7Cb'), visit('?ref=jo', '', { globalPrivacyControl: true })]).toEqual([
      untouched,
      untouched,
      untouched,
    ]);
  });
});

describe('a site after the document', () => {
  const running: ChildProcess[] = [];
  afterEach(() => {
    for (const site of running.splice(0)) site.kill();
  });

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    return port;
  }

  interface Site {
    readonly t: TestApp;
    readonly alice: { readonly id: number };
    readonly ask: (path: string, cookie?: string) => Promise<Response>;
  }

  /** The program of the document, connected to a primary. */
  async function start(run: (port: number, folder: string) => readonly [string, ...string[]]): Promise<Site> {
    const t = await startApp({ rate: 10, clock: { now: Date.now } });
    const alice = await t.records.affiliate();
    const port = await freePort();
    const { site_id, server_token } = await connectChild(t, `http://localhost:${port}`);
    const { port: primary } = t.server.address() as AddressInfo;
    const config = {
      site_id,
      server_token,
      site_url: `http://localhost:${port}`,
      primary_url: 'https://shop.test',
      api_url: `http://127.0.0.1:${primary}${t.service.basePath}`,
      param_key: 'ref',
      cookie_duration: 30,
      credit_last_referrer: 'yes',
    };
    const [program, ...args] = run(port, temporaryFolder());
    const env = { ...process.env, AFFILIATE_SITE: JSON.stringify(config), PORT: String(port) };
    running.push(spawn(program, args, { env, stdio: 'ignore' }));
    const ask = async (path: string, cookie = ''): Promise<Response> => {
      for (let tries = 0; ; tries++)
        try {
          return await fetch(`http://localhost:${port}${path}`, { headers: { ...NAVIGATION, cookie } });
        } catch (error) {
          if (tries > 100) throw error;
          await sleep(50);
        }
    };
    return { t, alice, ask };
  }

  async function journey({ t, alice, ask }: Site): Promise<void> {
    const landing = await ask('/page?ref=alice');
    const cookie = (landing.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(decodeURIComponent(cookie)).toMatch(new RegExp(`^f_aff_\\d{6}=${alice.id}\\|\\d+`));
    expect(await t.app.db('visits').select('url')).toEqual([
      { url: expect.stringMatching(/^http:\/\/localhost:\d+\/page$/) },
    ]);
    expect(await (await ask('/buy', cookie)).json()).toMatchObject({
      created: true,
      referral: { affiliate_id: alice.id, amount: 5, status: 'unpaid' },
    });
    expect(await (await ask('/refund', cookie)).json()).toMatchObject({ referral: { amount: 2.5 } });
    expect((await t.app.db('referrals').first()).visit_id).not.toBeNull();
  }

  const node = (_port: number, folder: string): readonly [string, ...string[]] => {
    const text = blockOf('js node site')
      .replace(
        "'affiliate-service/connected-site'",
        `'${pathToFileURL(join(ROOT, 'connected-site/index.ts')).href}'`,
      )
      .replace('{ onError', '{ allowPrivateNetworks: true, onError');
    const file = join(folder, 'site.mjs');
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(file, text);
    return [process.execPath, '--no-warnings', '--import', join(ROOT, 'test/support/ts-loader.mjs'), file];
  };
  /** The functions of the document, behind addresses like those of the site in Node, and with a primary to switch off. */
  const PHP = `<?php
${blockOf('php sign')}
${blockOf('php site')}
$path = strtok($_SERVER['REQUEST_URI'], '?');
$order = ['reference' => 'A-1001', 'status' => 'unpaid', 'order' => ['subtotal' => '50.00']];
if ($path === '/down') { file_put_contents(__DIR__ . '/down', ''); exit; }
if ($path === '/up') { unlink(__DIR__ . '/down'); exit; }
if (file_exists(__DIR__ . '/down')) $site['api_url'] = 'http://127.0.0.1:9';
if ($path === '/buy') echo json_encode(record_order($site, $queue, $order));
elseif ($path === '/refund') echo json_encode(change_order($site, $queue, 'A-1001', ['refunded_total' => '25.00']));
elseif ($path === '/send') send_waiting($site, $queue);
else { track_visit($site); echo 'page'; }
`;
  const php = (port: number, folder: string): readonly [string, ...string[]] => {
    writeFileSync(join(folder, 'site.php'), PHP);
    return ['php', '-S', `localhost:${port}`, join(folder, 'site.php')];
  };

  async function whileAway({ t, alice, ask }: Site): Promise<void> {
    await ask('/down');
    const landing = await ask('/page?ref=alice');
    const cookie = (landing.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(decodeURIComponent(cookie)).toMatch(/=alice\|$/);
    expect(await (await ask('/buy', cookie)).json()).toBeNull();
    expect(await (await ask('/refund', cookie)).json()).toBeNull();
    await ask('/send');
    await ask('/up');
    await ask('/send');
    const [row] = await t.app.db('referrals').select('affiliate_id', 'amount_minor');
    expect([Number(row.affiliate_id), Number(row.amount_minor)]).toEqual([alice.id, 250]);
  }

  // A machine without PHP runs the site in Node only.
  it.each(
    [
      ['reports visits, orders and refunds in Node', node, journey] as const,
      ['reports visits, orders and refunds in PHP', php, journey] as const,
      ['keeps orders and refunds in PHP while the primary is away', php, whileAway] as const,
    ].filter(([, program]) => program === node || isThere('php')),
  )('%s', async (_name, program, proof) => {
    await proof(await start(program));
  });
});
