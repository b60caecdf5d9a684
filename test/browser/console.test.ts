import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';

// The console as people use it: the built pages in Chromium on a program that looks alive.
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

interface Seat {
  readonly page: Page;
  /** What the page complained about. */
  readonly complaints: string[];
}

async function sit(
  userId: number,
  options: { width?: number; dark?: boolean; locale?: string } = {},
): Promise<Seat> {
  const { width = 1280, dark = false, locale = 'en' } = options;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    locale,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  await page.goto(`${program.url}/sign-in/${userId}?to=/`);
  complaints.length = 0; // the shop's own page
  return { page, complaints };
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${program.url}/affiliate-admin${path}`);
  await page.locator('main h1').first().waitFor();
  await page.locator('[aria-busy=true], .fa-ghost').first().waitFor({ state: 'detached' });
}

/** axe in the page's own world, which the page's policy does not forbid. */
async function violationsOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${AXE};axe.run(document,{resultTypes:['violations']}).then((r)=>JSON.stringify(r.violations.map((v)=>v.id+': '+v.nodes.map((n)=>n.target.join(' ')).slice(0,3).join(', '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value)) as string[];
}

const SCREENS = [
  '/',
  '/affiliates',
  '/affiliates/1',
  '/affiliates/1?tab=settings',
  '/affiliates/1?tab=balance',
  '/affiliates/1?tab=history',
  '/referrals',
  '/referrals?tab=stale',
  '/referrals/5',
  '/payouts',
  '/payouts/new',
  '/customers',
  '/customers/1',
  '/visits',
  '/visits?tab=skipped',
  '/groups',
  '/groups/1',
  '/creatives',
  '/links',
  '/reports',
  '/reports?tab=campaigns',
  '/reports?tab=affiliates',
  '/suspicions',
  '/suspicions?tab=rules',
  '/settings',
  '/settings/rules',
  '/settings/registration',
  '/settings/mails',
  '/settings/features',
  '/settings/managers',
  '/settings/sites',
  '/settings/imports?source=csv',
  '/settings/danger',
  '/system',
  '/system?tab=outbox',
  '/system?tab=inbox',
  '/system?tab=audit',
];

describe('every screen of the console', () => {
  it.each([
    ['wide and light', { width: 1280 }],
    ['narrow and dark', { width: 390, dark: true }],
  ])(
    'is accessible, quiet and fits: %s',
    async (_name, options) => {
      const { page, complaints } = await sit(1, options);
      const found: Record<string, unknown> = {};
      for (const path of SCREENS) {
        await open(page, path);
        const violations = await violationsOf(page);
        const tooWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth + 1');
        if (violations.length > 0 || tooWide) found[path] = { violations, tooWide };
      }
      expect({ found, complaints }).toEqual({ found: {}, complaints: [] });
    },
    600_000,
  );
});

describe('people at the console', () => {
  it('find, filter and sort affiliates, and a reload shows the same', async () => {
    const { page } = await sit(1);
    await open(page, '/affiliates');
    await page.getByRole('searchbox').fill('Rossi');
    await page.waitForURL(/q=Rossi/);
    await page.getByRole('link', { name: 'Chiara Rossi' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Chiara Rossi' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.goBack();
    await page.locator('tbody tr').nth(5).waitFor();
    await page.getByRole('button', { name: 'Earned' }).click();
    await page.waitForURL(/sort=-total_earnings/);
  });

  it('make a payout with two presses, mark it paid, and see it listed', async () => {
    const { page } = await sit(1);
    await open(page, '/payouts/new');
    await page.getByRole('button', { name: 'Show what it pays' }).click();
    await page.getByRole('button', { name: /^Make payout of/ }).click();
    await page.waitForURL(/payouts\/\d+$/);
    await page.getByRole('button', { name: 'Mark all as paid' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.fa-head .fa-status', { hasText: 'Paid' }).waitFor();
    expect(await program.service.verify()).toEqual([]);
  });

  it('are asked before they leave changes, and are told what the server refuses', async () => {
    const { page } = await sit(1);
    await open(page, '/affiliates/1?tab=settings');
    await page.getByRole('textbox', { name: 'Payment e-mail' }).fill('not an address');
    await page.getByRole('link', { name: 'Referrals', exact: true }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.mantine-InputWrapper-error').first().waitFor();
  });

  it('see only what their rights open, and lose it with the next press', async () => {
    await program.service.permissions.setPermissions(2, ['manage_all_affiliates']);
    const { page } = await sit(2);
    await page.goto(`${program.url}/affiliate-admin/affiliates`);
    await page.locator('tbody td').first().waitFor();
    expect(await page.getByRole('link', { name: 'Payouts', exact: true }).count()).toBe(0);
    await program.service.permissions.removePermissions(2);
    await page.getByRole('searchbox').fill('Alice');
    await page
      .getByText(/not open to you|do not have the right/)
      .first()
      .waitFor();
  });

  it('find everything by keyboard', async () => {
    const { page } = await sit(1);
    await open(page, '/affiliates');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('Rossi');
    await page
      .getByRole('option', { name: /Chiara Rossi/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/affiliates\/\d+/);
  });
});
