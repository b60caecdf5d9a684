import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { open, settled, sit } from './seat.js';

// A day at the console by keyboard alone: nothing is clicked.
const ADA = 1;
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram();
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

type Role = 'button' | 'link' | 'tab' | 'textbox';
const MOST_TABS = 150;

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement);

type Place = Pick<Page, 'getByRole'>;

/** Tabs to it and sees that the focus shows. */
async function reach(page: Page, role: Role, name: string | RegExp, place: Place = page): Promise<void> {
  const target = place.getByRole(role, { name, exact: true }).first();
  await target.waitFor();
  for (let tabs = 0; !(await isFocused(target)); tabs += 1) {
    if (tabs === MOST_TABS) throw new Error(`no way by keyboard to the ${role} ${String(name)}`);
    await page.keyboard.press('Tab');
  }
  const shown = await target.evaluate((element) => {
    const { outlineStyle, borderColor, boxShadow } =
      element.ownerDocument.defaultView!.getComputedStyle(element);
    return outlineStyle !== 'none' || boxShadow !== 'none' || borderColor !== '';
  });
  expect([name, shown]).toEqual([name, true]);
}

async function press(page: Page, role: Role, name: string | RegExp, place: Place = page): Promise<void> {
  await reach(page, role, name, place);
  await page.keyboard.press('Enter');
}

/** Typed letters go into the search once it has the focus. */
async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('.fa-palette-input input:focus').waitFor();
}

/** To a screen by the search over everything. */
async function go(page: Page, name: string): Promise<void> {
  await openSearch(page);
  await page.keyboard.type(name);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await settled(page);
}

async function pay(page: Page): Promise<void> {
  await go(page, 'Payouts');
  await press(page, 'link', 'New payout');
  await press(page, 'button', 'Preview');
  await press(page, 'button', /^Create payout of/);
  await page.waitForURL(/payouts\/\d+$/);
  await settled(page);
  await press(page, 'button', 'Mark all as paid');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await press(page, 'button', 'Mark as paid', dialog);
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.fa-head .fa-status', { hasText: 'Paid' }).waitFor();
}

async function noteOfChiara(page: Page, note: string): Promise<void> {
  await go(page, 'Affiliates');
  await page.keyboard.press('/');
  await page.keyboard.type('Rossi');
  await page.waitForURL(/q=Rossi/);
  await settled(page);
  await press(page, 'link', 'Chiara Rossi');
  await page.getByRole('heading', { level: 1, name: 'Chiara Rossi' }).waitFor();
  await reach(page, 'tab', 'Summary');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.waitForURL(/tab=settings/);
  await reach(page, 'textbox', 'Note');
  await page.keyboard.type(note);
  await press(page, 'button', 'Save');
  await page
    .getByRole('status')
    .filter({ hasText: /saved|updated/i })
    .first()
    .waitFor();
}

async function findOrder(page: Page, order: string): Promise<void> {
  await openSearch(page);
  await page.keyboard.type(order);
  await page
    .getByRole('option', { name: new RegExp(order) })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Why this amount' }).waitFor();
}

it('pays affiliates, finds one of them and an order, and changes a note', async () => {
  const { page, complaints } = await sit(browser, program, ADA);
  await open(page, program, '/');
  await pay(page);
  await noteOfChiara(page, 'Calls on Fridays');
  const chiara = await program.service.affiliates.list({ search: 'Rossi' });
  expect(chiara.rows[0]?.note).toBe('Calls on Fridays');
  const { rows } = await program.service.referrals.list({});
  await findOrder(page, String(rows[0]?.provider_id));

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  expect(await program.service.verify()).toEqual([]);
});

it('finds what the menus offer, and says why a record is found', async () => {
  const { page, complaints } = await sit(browser, program, ADA);
  await open(page, program, '/');
  await openSearch(page);
  const input = page.locator('.fa-palette-input input');
  for (const [text, found] of [
    ['new coupon', 'Assign a coupon'],
    ['new creative', 'New creative'],
    ['new short', 'New short link'],
    ['approve', 'Applications to decide'],
    ['language', 'Language: Deutsch'],
  ] as const) {
    await input.fill(text);
    await page.getByRole('option', { name: found }).first().waitFor();
  }
  await input.fill('rossi');
  await page
    .getByRole('option', { name: /Customer · Chiara Rossi$/ })
    .first()
    .waitFor();
  await input.fill('dark');
  await page.getByRole('option', { name: 'Colors: Dark' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  expect(complaints).toEqual([]);
});
