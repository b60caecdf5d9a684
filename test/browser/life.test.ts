import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { startExample, type RunningExample } from '../examples/start-example.mjs';
import { launchChromium } from './chromium.js';
import { settled, sitDown } from './seat.js';

// The whole life of a program on the example host, with nothing but pages, mouse and keyboard:
// an applicant, an administrator and a buyer, each in a browser of their own.
let shop: RunningExample;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'life-'));
beforeAll(async () => {
  browser = await launchChromium();
  shop = await startExample('cms-host', { DATA_DIR: folder });
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const person = async (): Promise<Page> => (await sitDown(browser)).page;

async function signIn(page: Page, login: string, to: string): Promise<void> {
  await page.goto(`${shop.url}/login?next=${encodeURIComponent(to)}`);
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(login);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await settled(page);
}

const menu = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click();
  await settled(page);
};
/** The second press of what moves something. */
const confirm = async (page: Page, name: string): Promise<void> => {
  const dialog: Locator = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
};

async function signUp(page: Page): Promise<void> {
  await page.goto(`${shop.url}/partners/`);
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

async function approve(page: Page): Promise<void> {
  await menu(page, 'Affiliates');
  await page.getByRole('link', { name: 'Eve Stone' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Eve Stone is approved').waitFor();
}

/** Days a commission waits before it can be paid. */
async function setHold(page: Page, days: string): Promise<void> {
  await menu(page, 'Settings');
  await page.getByLabel('Days until a commission can be paid').fill(days);
  const [answer] = await Promise.all([
    page.waitForResponse(
      (got) => got.url().includes('/referral-config') && got.request().method() === 'POST',
    ),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  expect(answer.status()).toBe(200);
}

/** A buyer of their own comes by the link and pays for one of the product. */
async function buy(link: string, product: number, name: string): Promise<void> {
  const page = await person();
  await page.goto(link);
  await page.goto(`${shop.url}/products/${product}`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByLabel('First name').fill(name);
  await page.getByLabel('Last name').fill('Customer');
  await page.getByLabel(/e-?mail/i).fill(`${name.toLowerCase()}@buyer.test`);
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.waitForURL(/\/orders\//);
  await page.context().close();
}

async function makePayout(page: Page): Promise<void> {
  await menu(page, 'Payouts');
  await page.getByRole('link', { name: 'New payout' }).first().click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('In the waiting period').first().waitFor();
  await page.getByRole('button', { name: /^Create payout of \$10\.00/ }).click();
  await page.waitForURL(/payouts\/\d+$/);
  await settled(page);
}

it('is lived by mouse and keyboard alone, from the sign-up to the statement', async () => {
  const [eve, admin] = [await person(), await person()];
  await signUp(eve);
  await signIn(admin, 'admin', '/affiliate-admin/');
  await approve(admin);
  await eve.getByRole('button', { name: 'Check again' }).click();
  await eve.getByRole('heading', { name: 'Hello, Eve' }).waitFor();
  const link = (await eve.locator('.fa-yours-address').textContent()) ?? '';
  expect(link).toMatch(/ref=/);
  const address = link.startsWith('http') ? link : `http://${link}`;

  await setHold(admin, '14');
  await buy(address, 1, 'Hugo'); // waits for its hold
  await setHold(admin, '0');
  await buy(address, 1, 'Rita'); // given back
  await buy(address, 1, 'Paul'); // paid for

  await admin.goto(`${shop.url}/admin/orders`);
  await admin.getByRole('row', { name: /Rita/ }).getByRole('button', { name: 'Refund' }).click();
  await admin.goto(`${shop.url}/affiliate-admin/`);
  await settled(admin);
  await eve.getByRole('navigation').getByRole('link', { name: 'Earnings' }).click();
  await eve.getByText('In the waiting period').first().waitFor();
  await eve.getByText('The order was refunded.').first().waitFor();
  await eve.getByText('Ready to pay').first().waitFor();

  // A payout made too early is undone, and made again.
  await makePayout(admin);
  await admin.getByRole('button', { name: 'Undo', exact: true }).click();
  await confirm(admin, 'Undo payment');
  await makePayout(admin);
  await admin.getByRole('button', { name: 'Files' }).click();
  const [file] = await Promise.all([
    admin.waitForEvent('download'),
    admin.getByRole('menuitem', { name: /PayPal/ }).click(),
  ]);
  expect(readFileSync(await file.path(), 'utf8')).toMatch(/pay@example\.test,10(?:\.00)?,USD/);
  await admin.getByRole('button', { name: 'Mark all as paid' }).click();
  await confirm(admin, 'Mark as paid');
  await admin.locator('.fa-head .fa-status', { hasText: 'Paid' }).waitFor();

  await eve.getByRole('navigation').getByRole('link', { name: 'Payments' }).click();
  await eve.getByRole('link', { name: /^Payout / }).click();
  await eve.getByText(/Statement of payment/).waitFor();
  expect(await eve.locator('.fa-sheet').innerText()).toMatch(/\$10\.00[\s\S]*pay@example\.test/);

  const books = await admin.request.get(`${shop.url}/admin/verify`);
  expect(await books.json()).toEqual({ violations: [], unsettled_orders: [] });
});
