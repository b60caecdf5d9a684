import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit, type SeatOptions } from './seat.js';

// Everybody who may stand before these pages: each kind of manager, affiliates in each status, visitors.
const MIA = 2;
const APPLICANT = 80;
const VIEWS: readonly SeatOptions[] = [
  { width: 1280 },
  { width: 390, dark: true },
  { width: 1280, dark: true, locale: 'ar' },
];
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

const menuOf = (page: Page): Promise<string[]> => page.locator('.fa-side nav a').allTextContents();

describe('a manager', () => {
  const ALWAYS = ['Overview', 'Reports'];
  const AFFILIATES = ['Affiliates', 'Coupons', 'Messages'];
  /** Settings are the administrator's unless the option `access.manageAllDataOpensSettings` says otherwise. */
  const DATA = [...AFFILIATES, 'Commissions', 'Payouts', 'Customers', 'Clicks'];
  it.each([
    ['read_all_affiliates', AFFILIATES, '/affiliates', null],
    ['manage_all_affiliates', AFFILIATES, '/affiliates', 'New affiliate'],
    ['read_all_referrals', ['Commissions'], '/referrals', null],
    ['manage_all_referrals', ['Commissions'], '/referrals', 'New commission'],
    ['read_all_visits', ['Clicks'], '/visits', null],
    ['read_all_payouts', ['Payouts'], '/payouts', null],
    ['manage_all_payouts', ['Payouts'], '/payouts', 'New payout'],
    ['manage_all_data', DATA, '/affiliates', 'New affiliate'],
  ] as const)(
    'with %s finds those lists, and only what may be changed',
    async (right, lists, path, button) => {
      await program.service.permissions.setPermissions(MIA, [right]);
      for (const view of VIEWS) {
        const { page, complaints } = await sit(browser, program, MIA, view);
        const found: string[] = [];
        for (const screen of ['/', path, '/reports']) {
          await open(page, program, screen);
          found.push(...(await faultsOf(page)).map((fault) => `${screen}: ${fault}`));
        }
        expect({ found, complaints }).toEqual({ found: [], complaints: [] });
        if (view.dark !== true) {
          const menu = await menuOf(page);
          expect(menu.toSorted()).toEqual([...ALWAYS, ...lists].toSorted());
          await open(page, program, path);
          const offered = await page
            .getByRole('link', { name: /^New / })
            .or(page.getByRole('button', { name: /^New / }))
            .allTextContents();
          expect([...new Set(offered)]).toEqual(button === null ? [] : [button]); // empty lists offer it twice
        }
        await page.context().close();
      }
    },
  );
});

describe('the portal', () => {
  const stands = async (user: number | null, text: string): Promise<void> => {
    for (const view of VIEWS) {
      const { page, complaints } = await sit(browser, program, user ?? MIA, view);
      if (user === null) await page.context().clearCookies();
      await page.goto(`${program.url}/partners/`);
      await page.locator('h1, h2').first().waitFor();
      if (view.locale === undefined) await page.getByText(text).first().waitFor();
      expect({ faults: await faultsOf(page), complaints }).toEqual({ faults: [], complaints: [] });
      await page.context().close();
    }
  };

  it('shows a visitor the form, and a way to sign in', async () => {
    await stands(null, 'Apply now');
  });

  it('shows who has an account and did not apply the form', async () => {
    await stands(APPLICANT, 'Apply now');
  });

  it.each([
    ['pending', 'We’re reviewing your application'],
    ['inactive', 'Your application was not accepted'],
    ['active', 'Hello, Berta'],
    ['inactive', 'Your account was closed'],
  ] as const)('shows an affiliate who is %s where they stand', async (status, text) => {
    const user = APPLICANT + 1;
    const known = await program.service.affiliates.findByUser(user);
    if (known === null)
      await program.service.affiliates.create({ user_id: user, status, payment_email: 'berta@pay.test' });
    else await program.service.affiliates.update(known.id, { status });
    await stands(user, text);
  });
});
