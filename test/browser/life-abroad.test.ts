import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { isolated } from '../../src/core/figures.js';
import { startExample, type RunningExample } from '../examples/start-example.mjs';
import { ROOT } from '../support/sources.js';
import { launchChromium } from './chromium.js';
import { faultsOf, settled, sitDown } from './seat.js';

// The life of a program on a telephone, in German and from right to left in Arabic, along the guide: from an empty
// database over sign-up, approval, a sale and a payout to its statement and the last tick. What is pressed is found by
// the texts of the catalogs.
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

type Say = (english: string, values?: Readonly<Record<string, string>>) => string;
function sayIn(locale: string, ...parts: readonly string[]): Say {
  const texts = Object.assign(
    {},
    ...parts.map(
      (part) =>
        JSON.parse(readFileSync(join(ROOT, 'console', part, 'texts', `${locale}.json`), 'utf8')) as object,
    ),
  ) as Readonly<Record<string, string>>;
  return (english, values = {}) =>
    (texts[english] ?? english).replaceAll(/\{(\w+)\}/gu, (whole, name: string) =>
      name in values ? isolated(values[name] ?? '', locale) : whole,
    );
}

async function signUp(page: Page, url: string, say: Say, mails: () => string): Promise<void> {
  await page.goto(`${url}/partners/`);
  const terms = page.getByRole('link', { name: say('terms and conditions') });
  expect(await terms.getAttribute('href')).toBe(`${url}/pages/terms`);
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
    await page
      .getByRole('textbox', { name: say(label), exact: true })
      .or(page.getByLabel(say(label), { exact: true }))
      .first()
      .fill(text);
  await page.getByRole('checkbox').check();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: say('Send application'), exact: true }).click();
  await page.getByRole('heading', { name: say('Check your inbox') }).waitFor();
  const code = /Mail to eve@example\.test[\s\S]*?\b(\d{6})\b/.exec(mails())?.[1] ?? '';
  await page.getByLabel(say('Code')).fill(code);
  await page.getByRole('button', { name: say('Finish') }).click();
  await page.getByRole('heading', { name: say('We’re reviewing your application') }).waitFor();
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/login?next=${encodeURIComponent('/affiliate-admin/')}`);
  await page.getByLabel('Login').fill('admin');
  await page.getByLabel('Password').fill('admin');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await settled(page);
}

/** The menu of a narrow window. */
async function menu(page: Page, say: Say, name: string): Promise<void> {
  await page
    .locator('.fa-top')
    .getByRole('button', { name: say('Menu') })
    .click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: say(name), exact: true })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await settled(page);
}

async function buy(link: string, url: string): Promise<void> {
  const { page } = await sitDown(browser);
  await page.goto(link);
  await page.goto(`${url}/products/1`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByLabel('First name').fill('Paul');
  await page.getByLabel('Last name').fill('Customer');
  await page.getByLabel(/e-?mail/i).fill('paul@buyer.test');
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.waitForURL(/\/orders\//);
  await page.context().close();
}

/** The guide, from the overview. */
async function openGuide(page: Page, say: Say): Promise<void> {
  await menu(page, say, 'Overview');
  await page.getByRole('link', { name: say('Continue'), exact: true }).click();
  await page.locator('.fa-way').waitFor();
  await settled(page);
}

const done = (page: Page, say: Say, count: number): Promise<void> =>
  page
    .getByText(say('{done} of {count}', { done: String(count), count: '10' }))
    .first()
    .waitFor();

/** The page with the terms, which applicants agree to. */
async function setTerms(page: Page, say: Say, url: string): Promise<void> {
  await page.getByRole('link', { name: say('Set the page') }).click();
  const dialog = page.getByRole('dialog');
  const address = dialog.getByLabel(say('Page with your terms'));
  const finish = dialog.getByRole('button', { name: say('Save'), exact: true });
  await address.fill('fernway.test/terms');
  await finish.click();
  await dialog.getByText(say('Enter a URL that begins with https:// or http://.')).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await address.fill(`${url}/pages/terms`);
  await finish.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: say('Discard') }).waitFor({ state: 'detached' });
}

/** What is true is said to be, a test mail is sent and its link opened, and the page with the terms is set. */
async function confirmFacts(page: Page, say: Say, shop: RunningExample): Promise<void> {
  const right = page.getByRole('button', { name: say('That’s right') });
  for (const left of [1, 0]) {
    await right.nth(left).waitFor();
    await right.first().click();
    await right.nth(left).waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: say('Send a test mail') }).click();
  let link = '';
  while (link === '') {
    link = /https?:\/\/\S*guide\S*/.exec(shop.output().split('Mail to admin').at(-1) ?? '')?.[0] ?? '';
    await page.waitForTimeout(200);
  }
  await page.goto(link);
  await page.waitForURL(/\/guide$/);
  await settled(page);
  await setTerms(page, say, shop.url);
}

async function payOut(page: Page, say: Say): Promise<void> {
  await page.getByRole('button', { name: say('Preview') }).click();
  const [before = ''] = say('Create payout of {amount}').split('{amount}');
  const [, after = ''] = say('Create payout of {amount}').split('{amount}');
  await page
    .getByRole('button', { name: (before + after).trim().split(' ')[0]! })
    .last()
    .click();
  await page.waitForURL(/payouts\/\d+$/);
  await settled(page);
  await page.getByRole('button', { name: say('Mark all as paid') }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('Mark as paid'), exact: true })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('.fa-head .fa-status', { hasText: say('Paid') }).waitFor();
}

describe.each(['de', 'ar'])('in %s', (locale) => {
  const folder = mkdtempSync(join(tmpdir(), 'life-'));
  let shop: RunningExample;
  beforeAll(async () => {
    shop = await startExample('cms-host', { DATA_DIR: folder });
  });
  afterAll(async () => {
    await shop?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is lived in a window of 390 px, from the sign-up to the statement', async () => {
    const inConsole = sayIn(locale, 'shared', 'admin', 'admin/settings');
    const inPortal = sayIn(locale, 'shared', 'portal');
    const sit = { width: 390, locale };
    const [eve, admin] = [await sitDown(browser, sit), await sitDown(browser, sit)];
    await signIn(admin.page, shop.url);
    await openGuide(admin.page, inConsole);
    expect(await faultsOf(admin.page)).toEqual([]);
    await confirmFacts(admin.page, inConsole, shop);
    await signUp(eve.page, shop.url, inPortal, () => shop.output());

    await menu(admin.page, inConsole, 'Affiliates');
    await admin.page.getByRole('link', { name: 'Eve Stone' }).click();
    await admin.page.getByText('On my blog').first().waitFor(); // the answers come first
    expect(await faultsOf(admin.page)).toEqual([]);
    await admin.page.getByRole('button', { name: inConsole('Approve'), exact: true }).click();
    await admin.page.getByText(inConsole('{name} is approved', { name: 'Eve Stone' })).waitFor();
    await eve.page.getByRole('button', { name: inPortal('Check again') }).click();
    const address = await eve.page.locator('.fa-yours-address').innerText();
    expect(await faultsOf(eve.page)).toEqual([]);
    await buy(address.startsWith('http') ? address : `http://${address}`, shop.url);
    await openGuide(admin.page, inConsole);
    const test = admin.page.getByRole('button', { name: inConsole('Create a test order') });
    await test.click();
    await test.waitFor({ state: 'detached' });
    await done(admin.page, inConsole, 9);
    await admin.page.getByRole('link', { name: inConsole('New payout') }).click();
    await payOut(admin.page, inConsole);
    expect(await faultsOf(admin.page)).toEqual([]);
    await admin.page.goto(`${shop.url}/affiliate-admin/system?tab=guide`);
    await done(admin.page, inConsole, 10);
    await admin.page.getByText(inConsole('Everything is done')).waitFor();
    expect(await faultsOf(admin.page)).toEqual([]);

    await menu(eve.page, inPortal, 'Payments');
    await eve.page.locator('main tbody a, main .fa-list a').first().click();
    await eve.page.locator('.fa-sheet').waitFor();
    expect(await eve.page.locator('.fa-sheet').innerText()).toContain('pay@example.test');
    expect(await faultsOf(eve.page)).toEqual([]);
    expect(await eve.page.evaluate<string>('document.documentElement.dir')).toBe(
      locale === 'ar' ? 'rtl' : 'ltr',
    );
    expect([...eve.complaints, ...admin.complaints]).toEqual([]);
    const books = await admin.page.request.get(`${shop.url}/admin/verify`);
    expect(await books.json()).toEqual({ violations: [], unsettled_orders: [] });
  }, 400_000);
});
