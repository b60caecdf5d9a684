import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { wordpressMigrators } from '../../src/index.js';
import { loadDump } from '../imports/dumps.js';
import { mysqlReachable, type BuiltSite } from '../imports/old-site.js';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit } from './seat.js';

// The database an AffiliateWP left behind, moved in by a person at the screen.
let site: BuiltSite;
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  site = await loadDump((await mysqlReachable()) ? 'mysql' : 'sqlite', 'affiliatewp-2.8.2');
  const migrators = wordpressMigrators({ knex: site.knex, tablePrefix: 'aw_' });
  program = await startProgram({ seed: false, migrators });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
  await site?.drop();
});

describe('a move from AffiliateWP', () => {
  it('is looked at, told which shop is which, run, and shown with the sums of both sides', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await open(page, program, '/settings/imports?source=affiliate_wp');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    const shop = page.getByRole('group', { name: 'Which shop is which?' }).getByRole('combobox').first();
    await shop.waitFor();
    const trial = page.locator('table', { hasText: 'Would be imported' });
    const cells = await trial.getByRole('row', { name: /^Commissions/ }).innerText();
    expect(cells.split(/\s+/u).slice(1)).toEqual(['9', '0', '1']);
    await page.getByRole('heading', { name: 'Rows that would be skipped' }).waitFor();
    expect(await program.service.ledger.verify()).toEqual([]);
    expect(await faultsOf(page)).toEqual([]);
    await shop.selectOption('bookshop');

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Balance sheet' }).waitFor();
    const unpaid = page.getByRole('row', { name: /^Ready to pay/ }).first();
    expect(await unpaid.innerText()).toContain('€5.00 (1)');
    expect(await faultsOf(page)).toEqual([]);

    const remarked = page.locator('.fa-panel', { hasText: 'Rows with a remark' });
    const english = await remarked.locator('.fa-risks li').allInnerTexts();
    expect(english.length).toBeGreaterThan(0);
    const { page: german } = await sit(browser, program, 1, { locale: 'de' });
    await open(german, program, '/settings/imports?source=affiliate_wp');
    await german.locator('.fa-risks li').first().waitFor();
    const risks = await german.locator('.fa-risks li').allInnerTexts();
    expect(risks).toHaveLength(english.length);
    expect(risks.filter((text) => /\b(?:the|this|here)\b/i.test(text))).toEqual([]);

    await open(page, program, '/referrals');
    expect(await page.locator('tbody tr').count()).toBe(9);
    await open(page, program, '/payouts');
    await page.locator('tbody tr').first().waitFor();
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });
});
