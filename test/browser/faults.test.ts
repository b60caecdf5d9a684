import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// Faults that people saw, each of which looked small.
const ADA = 1;
const ALICE = 10;
let program: Program;
let browser: Browser;
let payout: number;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram();
  payout = (await program.service.payouts.process({ title: 'May', description: 'For everybody' })).id;
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

async function portal(page: Page, path: string): Promise<void> {
  await page.goto(`${program.url}/partners${path}`);
  await settled(page);
}
const styleOf = (of: Locator, name: string): Promise<string> =>
  of.evaluate(`(each) => getComputedStyle(each)['${name}']`).then(String);
/** The right edge of the last of these on the page. */
const rightEdge = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .evaluateAll((found) => Math.max(...found.map((each) => each.getBoundingClientRect().right)));

describe('the portal', () => {
  it('offers e-mail once where a link is shared', async () => {
    const { page } = await sit(browser, program, ALICE);
    await portal(page, '/');
    await page.getByRole('button', { name: 'Share' }).first().click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem', { name: /e-?mail/i }).count()).toBe(1);
  });

  it('says that a link was copied, on the button and aloud', async () => {
    const { page } = await sit(browser, program, ALICE);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await portal(page, '/');
    await page.getByRole('button', { name: /^Copy/ }).first().click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor({ state: 'attached' });
  });
});

describe('a commission in the portal', () => {
  it('carries a note of the affiliate, changed where it stands', async () => {
    const { page, complaints } = await sit(browser, program, ALICE, { width: 390 });
    await portal(page, '/earnings');
    await page.getByRole('button', { name: 'Add a note' }).first().click();
    const field = page.getByRole('textbox', { name: 'Note that only you can see' });
    await field.fill('From the spring video');
    expect(await faultsOf(page)).toEqual([]);
    await field.press('Enter');
    const note = page.getByRole('button', { name: 'Note: From the spring video' });
    await note.waitFor();
    await page.reload();
    await note.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await note.click();
    await field.press('Escape');
    await note.waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a list of the portal on a phone', () => {
  it.each(['/earnings', '/payments', '/clicks'])('is cards of two lines: %s', async (path) => {
    const { page } = await sit(browser, program, ALICE, { width: 390 });
    await portal(page, path);
    const row = page.locator('main tbody tr:not(.fa-ghost)').first();
    await row.waitFor();
    const top = async (card: string): Promise<number> =>
      (await row.locator(`td[data-card=${card}]`).boundingBox())!.y;
    expect(Math.abs((await top('name')) - (await top('amount')))).toBeLessThan(4);
    expect(Math.abs((await top('state')) - (await top('date')))).toBeLessThan(4);
    expect(await top('state')).toBeGreaterThan(await top('name'));
    expect(await row.locator('td:visible').count()).toBe(4);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});

describe('the console', () => {
  it('shows all days to choose from on a phone', async () => {
    const { page } = await sit(browser, program, ADA, { width: 390 });
    await open(page, program, '/reports');
    await page.getByRole('button', { name: 'Custom', exact: true }).waitFor();
    expect(await rightEdge(page, 'main .fa-range button')).toBeLessThanOrEqual(390);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('writes shares and rates alike in German', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de' });
    await open(page, program, '/affiliates');
    const text = await page.locator('main').innerText();
    const shares = text.match(/\d[\d.,]*\s?%/g) ?? [];
    expect(shares.length).toBeGreaterThan(3);
    expect(shares.filter((share) => !/^\d{1,3}(\.\d{3})*(,\d+)?\u00a0%$/.test(share))).toEqual([]);
    expect(shares.filter((share) => /,\d*0\u00a0%$/.test(share))).toEqual([]);
  });

  it('breaks an address after its signs only', async () => {
    const { page } = await sit(browser, program, ADA, { width: 390 });
    await open(page, program, '/affiliates/1');
    const address = page.locator('.fa-facts dd', { hasText: '@' }).first();
    expect(await address.locator('wbr').count()).toBeGreaterThan(1);
    // each part between two places to break stands on one line
    const lines = (await page.evaluate(`(() => {
      const address = [...document.querySelectorAll('.fa-facts dd')].find((each) => each.innerText.includes('@'));
      return [...address.childNodes]
        .filter((node) => node.nodeType === 3 && node.textContent !== '')
        .map((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getClientRects().length;
        });
    })()`)) as number[];
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((count) => count !== 1)).toEqual([]);
  });

  it('has one button that stands out on a payout, and Undo is not red beside it', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, `/payouts/${payout}`);
    const undo = page.getByRole('button', { name: 'Undo payout' });
    await undo.waitFor();
    const color = await styleOf(undo, 'color');
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number);
    expect(Math.abs(red - green) + Math.abs(red - blue)).toBeLessThan(60);
  });

  it('names the state of a commission in the waiting period in its form, too', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/referrals?state=waiting');
    await page.locator('main tbody tr a').first().click();
    await page.waitForURL(/referrals\/\d+$/);
    await settled(page);
    expect(await page.locator('.fa-head .fa-status').innerText()).toBe('In the waiting period');
    await page.locator('.fa-head').getByRole('button').last().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const status = page.getByRole('dialog').getByRole('combobox', { name: 'Status' });
    expect(await status.inputValue()).toBe('In the waiting period');
  });

  it('shows the words of the consent in the preview of the sign-up, not its HTML', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/settings/registration');
    await page
      .getByText(/I agree|terms/i)
      .first()
      .waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/<a|href=|<\/a>/);
  });
});
