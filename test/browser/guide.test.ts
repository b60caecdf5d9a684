import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { startExample, type RunningExample } from '../examples/start-example.mjs';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit, sitDown } from './seat.js';

// The guide to the first payout, on the example host with its invented past: what is left is done by mouse.
let shop: RunningExample;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'guide-'));
beforeAll(async () => {
  browser = await launchChromium();
  shop = await startExample('cms-host', { DATA_DIR: folder, DEMO_DATA: 'yes' });
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('is completed by mouse: the rate, a test mail that is opened, a test order, the way to pay', async () => {
  const { page, complaints } = await sitDown(browser);
  const guide = '/affiliate-admin/system?tab=guide';
  await page.goto(`${shop.url}/login?next=${encodeURIComponent(guide)}`);
  await page.getByLabel('Login').fill('admin');
  await page.getByLabel('Password').fill('admin');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await settled(page);

  const right = page.getByRole('button', { name: 'That’s right' });
  for (const left of [1, 0]) {
    await right.nth(left).waitFor();
    await right.first().click();
    await right.nth(left).waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Create a test order' }).click();
  await page.getByRole('button', { name: 'Create a test order' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Send a test mail' }).click();
  let link = '';
  while (link === '') {
    link = /https?:\/\/\S*guide\S*/.exec(shop.output().split('Mail to admin').at(-1) ?? '')?.[0] ?? '';
    await page.waitForTimeout(200);
  }
  await page.goto(link);
  await page.waitForURL(/\/guide$/); // the page has told it
  await page.goto(`${shop.url}${guide}`);
  await page.getByText('10 of 10').waitFor();
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
});

it.each(['/affiliate-admin/', '/partners/'])('the account menu signs out of %s', async (path) => {
  const { page, complaints } = await sitDown(browser);
  const [login, password] = path === '/partners/' ? ['alice', 'alice'] : ['admin', 'admin'];
  await page.goto(`${shop.url}/login?next=${encodeURIComponent(path)}`);
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await settled(page);
  complaints.length = 0; // the shop's own pages
  await page.locator('.fa-side .fa-user').click();
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith(path));
  expect((await page.context().cookies()).filter(({ name }) => name.includes('session'))).toEqual([]);
  await page.goto(`${shop.url}${path}`);
  await (path === '/partners/'
    ? page.getByRole('textbox', { name: 'Full name' }).waitFor()
    : page.waitForURL(/\/login\?/));
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
});

const DAY = 86_400_000;

describe('the guide on the overview', () => {
  const file = join(folder, 'program.sqlite');
  let program: Program;
  let late = 0;
  beforeAll(async () => {
    program = await startProgram({
      seed: false,
      providers: [],
      clock: { now: () => Date.now() + late },
      database: { client: 'better-sqlite3', connection: { filename: file } },
    });
    await program.service.affiliates.create({ user_id: 10, status: 'active' });
  });
  afterAll(() => program.close());

  it('has the lines to paste, and ticks their step when it checks again', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, program, '/guide');
    const step = page.locator('.fa-way > li', { hasText: 'Clicks are counted' });
    await step.getByText('Open your shop once through an affiliate’s link, then check again.').waitFor();
    const visit = step.getByRole('link', { name: 'Open the shop' });
    expect(await visit.getAttribute('href')).toMatch(/\?ref=/);
    await step.getByText('Lines to paste').click();
    await step.getByRole('button', { name: 'Copy' }).click();
    const lines = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(lines).toBe(`<script src="${program.url}/site-links.js" async></script>`);

    const shopPage = await page.context().newPage();
    await shopPage.route(`${program.url}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>Shop</title>${lines}` }),
    );
    await shopPage.goto(`${program.url}/`, { waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await step.getByText(`Last seen on ${program.url}/.`).waitFor();
    await step.getByText('Lines to paste').waitFor({ state: 'detached' });
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('leads to the setting of a step, also of a ticked one, and back', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await open(page, program, '/guide');
    const step = page.locator('.fa-way > li', { hasText: 'A payout method' });
    await step.getByRole('button', { name: 'That’s right' }).click();
    await step.getByText('Affiliates are paid by PayPal.').waitFor();
    await step.getByRole('link', { name: 'Change' }).click();
    await page
      .getByRole('combobox', { name: 'Affiliates are paid by' })
      .and(page.locator(':focus'))
      .waitFor();
    await page.getByRole('link', { name: 'Going live' }).click();
    await page.getByRole('heading', { name: 'Going live' }).waitFor();

    await page.getByRole('link', { name: 'Connect a shop' }).click();
    await page.getByText('No shop is connected').waitFor();
    await page.getByText('Lines to paste').click();
    expect(await faultsOf(page)).toEqual([]);
    await open(page, program, '/payouts/new');
    expect(await page.getByRole('combobox', { name: 'Method' }).inputValue()).toMatch(/^PayPal/);
    expect(complaints).toEqual([]);
  });

  it('comes back to a manager who closed it when no page asks for the tracker, and when deliveries fail', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await page.goto(`${program.url}/`);
    await page.evaluate("fetch('/site-links.js')");
    await open(page, program, '/');
    const guide = page.getByRole('region', { name: 'Going live' });
    await guide.getByRole('button', { name: 'Hide' }).click();
    await guide.waitFor({ state: 'detached' });

    late = 4 * DAY;
    await open(page, program, '/');
    await guide.getByText('No page has loaded the tracker since').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await guide.getByRole('link', { name: 'Take a look' }).click();
    await page.getByRole('heading', { name: 'Going live' }).waitFor();

    await page.request.get(`${program.url}/site-links.js`, { headers: { referer: `${program.url}/` } });
    do {
      await open(page, program, '/');
      await page.waitForLoadState('networkidle');
    } while (await guide.isVisible()); // the note of the tracker is written after its answer
    deliveryFails(file, Date.now() + late);
    await open(page, program, '/');
    await guide.getByText('The shop’s webhooks are failing').waitFor();
    expect(complaints).toEqual([]);
  });
});

/** What a shop's delivery leaves behind that could not be read. */
function deliveryFails(database: string, now: number): void {
  const db = new Database(database);
  db.prepare(
    `insert into fa_provider_deliveries (provider, delivery_key, topic, status, attempts, received_at, updated_at)
     values ('bookshop', 'one', 'order', 'dead', 9, ?, ?)`,
  ).run(now, now);
  db.close();
}
