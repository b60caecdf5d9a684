import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createMemoryHost } from '../../adapters/index.js';
import { portalApp } from '../../console/server/index.js';
import { createAffiliateService } from '../../src/index.js';
import { startExample, type RunningExample } from '../examples/start-example.mjs';
import { Visitor } from '../examples/visitor.mjs';
import { launchChromium } from './chromium.js';
import { PORTAL_SCREENS } from './screens.js';

// The portal in a real browser: the life of an affiliate on the example host,
// every screen at both widths and schemes and from right to left, and the portal inside a page of a host.

/** The tracker does not count browsers that call themselves headless. */
const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDER = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

interface AxeAnswer {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

let browser: Browser;
const folders: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'portal-'));
  folders.push(path);
  return path;
};

/** A page of a browser of its own, and everything that went wrong on it. */
async function visit(
  origin: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    userAgent: AGENT,
    locale: 'en-US',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(origin))
      problems.push(`outside: ${request.url()}`);
  });
  return { page, problems };
}

async function signIn(page: Page, url: string, login: string): Promise<void> {
  await page.goto(`${url}/login?next=%2Fpartners%2F`);
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(login);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/partners\//);
}

const isQuiet = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
};

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

describe('the life of an affiliate', () => {
  let shop: RunningExample;
  let admin: Visitor;
  beforeAll(async () => {
    shop = await startExample('cms-host', { DATA_DIR: folder() });
    admin = new Visitor(shop.url);
    await admin.signIn('admin');
  });
  afterAll(() => shop.stop());

  it('leads from the sign-up to the statement of the first payment', async () => {
    const { page, problems } = await visit(shop.url);
    await apply(page, shop, problems);
    const { affiliates } = (await admin.rest('GET', '/affiliates?status=pending')).body;
    await admin.rest('PATCH', `/affiliates/${affiliates.data[0].id}/status`, { status: 'active' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: 'Hello, Eve' }).waitFor();

    const address = await makeLinks(page, shop, problems);
    const buyer = new Visitor(shop.url);
    await buyer.open(address.slice(shop.url.length));
    const lamp = {
      checkout_key: 'lamp of jo',
      items: [{ id: 1, quantity: 1 }],
      email: 'jo@example.test',
      first_name: 'Jo',
      last_name: 'D',
    };
    expect((await buyer.post('/cart/checkout', lamp)).body).toMatchObject({ total: 100 });
    await menu(page, 'Earnings');
    await page.getByText('Ready to pay').waitFor();

    await pay(page, admin);
    await readStatement(page);
    await menu(page, 'Settings');
    await page.getByLabel('Email of your PayPal account').fill('new@example.test');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Payment details saved').waitFor();
    expect(problems).toEqual([]);
  });
});

const menu = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name }).click();

/** The browser tells of every answer that is an error, also of one that was meant. */
const onlyRefusals = (problems: string[]): void => {
  expect(problems.splice(0).filter((text) => !text.includes('422'))).toEqual([]);
};

/** The form with a mistake, then without, and the code from the mail. */
async function apply(page: Page, shop: RunningExample, problems: string[]): Promise<void> {
  await page.goto(`${shop.url}/partners/`);
  await page.getByRole('button', { name: 'Send application' }).click();
  await page.getByText('The e-mail address is required.').waitFor();
  onlyRefusals(problems);
  const answers = {
    'Full name': 'Eve Stone',
    Email: 'eve@example.test',
    Username: 'evestone',
    Password: 'a password',
    'Repeat the password': 'a password',
    'How will you promote us?': 'On my blog',
    'Payment email (PayPal)': 'pay@example.test',
  };
  for (const [label, text] of Object.entries(answers))
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Send application' }).click();
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  const code = /Mail to eve@example\.test[\s\S]*?\b(\d{6})\b/.exec(shop.output())?.[1] ?? '';
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByRole('heading', { name: 'We’re reviewing your application' }).waitFor();
}

/** A link to a page with a campaign, a page elsewhere that is refused, a short link; answers the first. */
async function makeLinks(page: Page, shop: RunningExample, problems: string[]): Promise<string> {
  await menu(page, 'Links');
  await page.getByLabel('Page', { exact: true }).fill('/products/1');
  await page.getByRole('textbox', { name: /^Campaign/ }).fill('spring');
  const link = page.locator('.fa-result code', { hasText: 'spring' });
  await link.waitFor();
  const address = `http://${(await link.textContent()) ?? ''}`;
  expect(address).toContain('/products/1?utm_campaign=spring&ref=evestone');
  await page.getByLabel('Page', { exact: true }).fill('https://elsewhere.test/');
  await page.getByText('This page isn’t on the site').waitFor();
  onlyRefusals(problems);
  await page.getByLabel('Page', { exact: true }).fill('/');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByLabel('Name of the short link').fill('eve');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText(`${shop.url}/go/eve`).waitFor();
  return address;
}

async function pay(page: Page, admin: Visitor): Promise<void> {
  const config = { title: 'First run', description: 'Commissions' };
  const { payout } = (await admin.rest('POST', '/payouts/process-payout', { config })).body;
  await page.reload();
  await page.getByText('On its way').first().waitFor();
  const path = `/payouts/${payout.id}/transactions`;
  const { transactions } = (await admin.rest('GET', path)).body;
  await admin.rest('PATCH', `${path}/${transactions.data[0].id}`, { status: 'paid' });
}

async function readStatement(page: Page): Promise<void> {
  await menu(page, 'Payments');
  await page.getByRole('link', { name: 'First run' }).click();
  await page.getByText('Statement of payment P1-T1').waitFor();
  expect(await page.locator('.fa-sheet').innerText()).toMatch(
    /\$10\.00[\s\S]*Eve Stone[\s\S]*pay@example\.test[\s\S]*Walnut desk lamp/,
  );
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(readFileSync(await file.path(), 'utf8')).toMatch(
    /^commission_id,date,description,amount,currency,order_number,products,note\n1,.*,10,USD,.*\n$/,
  );
}

describe('the screens of the portal', () => {
  let shop: RunningExample;
  beforeAll(async () => {
    shop = await startExample('cms-host', { DATA_DIR: folder(), DEMO_DATA: 'yes' });
  });
  afterAll(() => shop.stop());

  it.each([
    ['wide and light', { colorScheme: 'light' }],
    [
      'narrow, dark and in Arabic',
      { colorScheme: 'dark', viewport: { width: 390, height: 844 }, locale: 'ar' },
    ],
  ] as const)('are sound: %s', async (_name, options) => {
    // axe is put into the page, which the policy of the page would refuse.
    const { page, problems } = await visit(shop.url, { ...options, bypassCSP: true });
    await signIn(page, shop.url, 'alice');
    const found: unknown[] = [];
    for (const screen of PORTAL_SCREENS) {
      await page.goto(`${shop.url}/partners/${screen}`);
      await isQuiet(page);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate<AxeAnswer>('axe.run()');
      found.push(
        ...violations.map(({ id, nodes }) => [screen, id, nodes.slice(0, 3).map(({ html }) => html)]),
      );
      const wider = await page.evaluate<number>(WIDER);
      if (wider > 0) found.push([screen, `${wider} px wider than the window`]);
    }
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('the portal inside a page of a host', () => {
  let server: Server;
  let url = '';
  let close: () => Promise<void>;
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const host = createMemoryHost({
      site: { url, name: 'Shop' },
      users: [{ id: 2, login: 'alice', email: 'alice@shop.test', first_name: 'Alice', last_name: 'Doe' }],
    });
    const service = createAffiliateService(host, {
      database: { client: 'better-sqlite3', connection: ':memory:' },
      secret: 'a secret that is long enough for the tests',
      jobs: false,
    });
    await service.ready();
    await service.affiliates.create({ user_id: 2, status: 'active', payment_email: 'alice@shop.test' });
    const app = express();
    service.mount(app);
    const portal = portalApp(service, { path: '/partners' });
    app.use('/partners', portal);
    app.get('/account', async (req, res) => {
      res.send(`<!doctype html><html lang="en"><head><title>Account</title><style>
        h1 { color: rgb(255, 0, 0) !important; font-size: 60px !important } button { display: none !important }
        a { text-transform: uppercase !important }</style></head>
        <body><h1 id="host">Your account</h1><p id="text">Text of the host</p>${await portal.embed(req)}</body></html>`);
    });
    app.get('/favicon.ico', (_req, res) => {
      res.status(204).end();
    });
    app.get('/sign-in', (_req, res) => {
      res.setHeader('Set-Cookie', host.signIn(2).cookie);
      res.redirect('/account');
    });
    server.on('request', app);
    close = () => service.close();
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await close();
  });

  it('keeps its styles to itself and takes none', async () => {
    const { page, problems } = await visit(url);
    await page.goto(`${url}/sign-in`);
    await page.locator('[data-affiliate-portal] h1').waitFor();
    const styles = await page.evaluate<Record<string, unknown>>(`(() => {
      const inside = document.querySelector('[data-affiliate-portal]').shadowRoot;
      return {
        title: inside.querySelector('h1').textContent,
        portal: getComputedStyle(inside.querySelector('h1')).color,
        button: getComputedStyle(inside.querySelector('button')).display,
        host: getComputedStyle(document.querySelector('#host')).fontSize,
        text: getComputedStyle(document.querySelector('#text')).fontFamily,
        body: getComputedStyle(document.body).backgroundColor,
        global: document.querySelectorAll('head style').length,
      };
    })()`);
    expect(styles).toMatchObject({
      title: 'Hello, Alice',
      host: '60px',
      body: 'rgba(0, 0, 0, 0)',
      global: 1,
    });
    expect(styles['portal']).not.toBe('rgb(255, 0, 0)');
    expect(styles['button']).not.toBe('none');
    expect(styles['text']).not.toContain('Inter');

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Email of your PayPal account').fill('new@shop.test');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Payment details saved').waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
    expect(problems).toEqual([]);
  });
});
