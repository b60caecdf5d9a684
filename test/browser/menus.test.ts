import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit, type SeatOptions } from './seat.js';

// Every menu is opened in a wide light window and in a narrow dark one.
const ADA = 1;
const ALICE = 10;
const VIEWS: readonly SeatOptions[] = [{}, { width: 390, dark: true }];

let program: Program;
let browser: Browser;
let waiting: number;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram({});
  await program.service.payouts.process({ title: 'January', description: 'For everybody' });
  waiting = (await program.service.referrals.list({ status: 'pending' })).rows[0]!.id;
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

/** Opens what is behind a button: it has no fault, and nothing lies over its first and last entry. */
async function openMenu(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  const entries = menuOf(page).locator('button:enabled, a');
  await entries.first().click({ trial: true, timeout: 10_000 });
  await entries.last().click({ trial: true, timeout: 10_000 });
  expect(await faultsOf(page)).toEqual([]);
}

const menuOf = (page: Page): Locator => page.getByRole('menu').or(page.getByRole('dialog'));

describe.each(VIEWS)('in a window %j', (view) => {
  it.each([
    ['/affiliates', 'Filter'],
    ['/affiliates', 'Saved views'],
    ['/affiliates', 'Columns and density'],
    ['/affiliates/1', 'More'],
    ['/referrals/waiting', 'More'],
    ['/payouts/1', 'Files'],
  ])('the console on %s opens the menu “%s”', async (path, button) => {
    const { page, complaints } = await sit(browser, program, ADA, view);
    await open(page, program, path.replace('waiting', String(waiting)));
    await openMenu(page, button);
    await page.keyboard.press('Escape');
    await menuOf(page).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('a filter is chosen and set without a fault', async () => {
    const { page, complaints } = await sit(browser, program, ADA, view);
    await open(page, program, '/affiliates');
    await openMenu(page, 'Filter');
    await menuOf(page).getByRole('button', { name: 'Status', exact: true }).click();
    await menuOf(page).getByLabel('Active', { exact: true }).check();
    expect(await faultsOf(page)).toEqual([]);
    await menuOf(page).getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/status=active/);
    await menuOf(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Filter');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('the portal opens the menu “Share”', async () => {
    const { page, complaints } = await sit(browser, program, ALICE, view);
    await page.goto(`${program.url}/partners/`);
    await settled(page);
    await openMenu(page, 'Share');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
