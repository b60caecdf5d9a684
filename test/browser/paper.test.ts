import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { CONSOLE_SCREENS, PORTAL_SCREENS } from './screens.js';
import { open, settled, sit, sitDown } from './seat.js';

// The pages beyond a screen of the usual size: on paper, enlarged, and for people whom movement disturbs.
const ADA = 1;
const ALICE = 10;
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

const backgroundOf = (page: Page): Promise<string> =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

describe('on paper', () => {
  it('a payout and its statement are white, and hold facts only', async () => {
    const { page } = await sit(browser, program, ADA, { dark: true });
    await open(page, program, '/payouts/new');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: /^Create payout of/ }).click();
    await page.waitForURL(/payouts\/\d+$/);
    await settled(page);
    const screen = await backgroundOf(page);
    const changed = page.locator('main tbody time').first();
    expect(await changed.getAttribute('data-paper')).toMatch(/20\d\d$/);
    expect(await page.getByRole('button', { name: 'Mark all as paid' }).isVisible()).toBe(true);

    await page.emulateMedia({ media: 'print' });
    await page.locator('html[data-mantine-color-scheme=light]').waitFor({ state: 'attached' });
    expect(await backgroundOf(page)).toBe('rgb(255, 255, 255)');
    expect(await page.locator('.fa-side').isVisible()).toBe(false);
    expect(await page.locator('main button:visible').allTextContents()).toEqual(
      await page.locator('main th button:visible').allTextContents(),
    );
    expect(
      await page.evaluate<string>(
        `getComputedStyle(document.querySelector('main tbody time'), '::after').content`,
      ),
    ).toMatch(/20\d\d"$/);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
    expect(await backgroundOf(page)).toBe(screen);

    const { page: own } = await sit(browser, program, ALICE, { dark: true });
    await own.goto(`${program.url}/partners/payments`);
    await own.getByRole('link', { name: /^Payout/ }).click();
    await own.getByText('Statement of payment').waitFor();
    await own.emulateMedia({ media: 'print' });
    await own.locator('html[data-mantine-color-scheme=light]').waitFor({ state: 'attached' });
    expect(await backgroundOf(own)).toBe('rgb(255, 255, 255)');
    expect(await own.locator('main button:visible').count()).toBe(0);
  });
});

describe('at 200 %', () => {
  // What a window of 1280 × 900 shows then.
  const enlarged = { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 };
  it.each([
    [ADA, '/affiliate-admin', CONSOLE_SCREENS],
    [ALICE, '/partners/', PORTAL_SCREENS],
  ])('no screen of user %i is wider than its window', async (user, base, screens) => {
    const { page } = await sitDown(browser, {}, enlarged);
    await page.goto(`${program.url}/sign-in/${user}?to=/`);
    const wider: string[] = [];
    for (const path of screens) {
      await page.goto(program.url + base + path);
      await page.locator('main h1, main [role=alert]').first().waitFor();
      await page.locator('[aria-busy=true], .fa-ghost').first().waitFor({ state: 'detached' });
      if (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth + 1'))
        wider.push(path);
    }
    expect(wider).toEqual([]);
  });
});

describe('without movement', () => {
  it('nothing turns or slides, and what says that a page loads slowly still waits', async () => {
    const { page } = await sitDown(browser, {}, { reducedMotion: 'reduce' });
    await page.goto(`${program.url}/sign-in/${ADA}?to=/`);
    await page.route(/assets\/.*\.js/, (route) => route.fulfill({ status: 503 }));
    await page.goto(`${program.url}/affiliate-admin/groups`);
    expect(await page.getByText('This page takes long to load.').isVisible()).toBe(false);
    await page.unroute(/assets\/.*\.js/);
    await open(page, program, '/groups?open=new');
    await page.getByRole('dialog').waitFor();
    const moving = await page.evaluate<number>(
      'document.getAnimations().filter((each) => each.effect.getComputedTiming().duration > 100).length',
    );
    expect(moving).toBe(0);
  });
});
