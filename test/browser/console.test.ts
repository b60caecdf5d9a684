import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { CONSOLE_SCREENS } from './screens.js';
import { faultsOf, open, sit } from './seat.js';

// The console as people use it: the built pages in Chromium on a program that looks alive.
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram();
  const { affiliates, payouts } = program.service;
  const [first] = (await affiliates.list({ order_by: 'unpaid_earnings', order_type: 'DESC' })).rows;
  await payouts.process({ title: 'September', description: 'One', affiliate_ids: [first!.id] });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

describe('every screen of the console', () => {
  it.each([
    ['wide and light', { width: 1280 }],
    ['wide and dark', { width: 1280, dark: true }],
    ['narrow and light', { width: 390 }],
    ['narrow, dark and Arabic', { width: 390, dark: true, locale: 'ar' }],
  ])(
    'is accessible, quiet and fits: %s',
    async (_name, options) => {
      const { page, complaints } = await sit(browser, program, 1, options);
      const found: Record<string, unknown> = {};
      for (const path of CONSOLE_SCREENS) {
        await open(page, program, path);
        const faults = await faultsOf(page);
        if (faults.length > 0) found[path] = faults;
      }
      expect({ found, complaints }).toEqual({ found: {}, complaints: [] });
    },
    600_000,
  );
});

describe('people at the console', () => {
  it('find, filter and sort affiliates, and a reload shows the same', async () => {
    const { page } = await sit(browser, program, 1);
    await open(page, program, '/affiliates');
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
    const { page } = await sit(browser, program, 1);
    await open(page, program, '/payouts/new');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: /^Create payout of/ }).click();
    await page.waitForURL(/payouts\/\d+$/);
    await page.getByRole('tab', { name: 'Commissions' }).click();
    await page.locator('tbody .fa-status', { hasText: 'On its way' }).first().waitFor();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('from the beginning').waitFor();
    await page.getByText('No minimum').waitFor();
    await page.getByRole('tab', { name: 'Payments' }).click();
    await page.getByRole('button', { name: 'Mark all as paid' }).click();
    await page.getByRole('dialog').getByText('after five minutes').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.fa-head .fa-status', { hasText: 'Paid' }).waitFor();
    expect(await program.service.verify()).toEqual([]);
    await open(page, program, '/system?tab=outbox');
    await page
      .getByText(/^Leaves in \d minutes/)
      .first()
      .waitFor();
  });

  it('reopen a paid payout to undo it, and see what it was', async () => {
    const { page } = await sit(browser, program, 1);
    const { rows } = await program.service.payouts.list({ search: 'September' });
    await program.service.payouts.markAllPaid(rows[0]!.id);
    await open(page, program, `/payouts/${rows[0]!.id}`);
    await page.getByText('To undo this payout, reopen its payments first.').waitFor();
    const total = await page.locator('.fa-figure-value').first().innerText();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Reopen' }).click();
    await dialog.getByRole('button', { name: 'Reopen' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo payout' }).click();
    await dialog.getByRole('button', { name: 'Undo payout' }).click();
    await page.getByText('This payout was undone').waitFor();
    await page.locator('dd', { hasText: total }).waitFor();
    await page.getByText('Undone by').waitFor();
    expect(await program.service.verify()).toEqual([]);
  });

  it('correct a balance with a plus sign, and are told at the field that a commission is not below 0', async () => {
    const { page } = await sit(browser, program, 1);
    await open(page, program, '/affiliates/1?tab=balance&open=correct');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Record', exact: true }).waitFor();
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('+5.00');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Thank-you bonus');
    await dialog.getByRole('button', { name: /^Record .*5/ }).click();
    await dialog.getByRole('button', { name: 'Yes, save' }).click();
    await page.locator('tbody tr', { hasText: 'Balance corrected' }).getByText('Thank-you bonus').waitFor();
    const { rows } = await program.service.referrals.list({ status: 'unpaid', per_page: 1 });
    await open(page, program, `/referrals/${rows[0]!.id}?open=edit`);
    await dialog.getByRole('textbox', { name: 'Commission' }).fill('-5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter 0 or more.').waitFor();
  });

  it('reject a commission, approve it again, and read both with the reason in the statement', async () => {
    const { rows } = await program.service.referrals.list({ status: 'unpaid' });
    const { id, affiliate_id: affiliate } = rows.find(({ type }) => type === 'sale')!;
    const { page } = await sit(browser, program, 1);
    await open(page, program, `/referrals/${id}`);
    expect(await page.locator('.fa-timeline li').first().innerText()).toContain('Recorded');
    await page.getByText(/^Once, to/).waitFor();
    await page.getByText('Came by').waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Returned unused');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.locator('.mantine-Notification-root').getByText('Commission rejected').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.mantine-Notification-root').getByText('Commission approved').waitFor();
    await open(page, program, `/affiliates/${affiliate}?tab=balance`);
    await page
      .getByRole('row', { name: /Commission approved/ })
      .first()
      .waitFor();
    await page.getByRole('row', { name: /Commission canceled.*Returned unused/ }).waitFor();
  });

  it('are asked before they leave changes, and are told what the server refuses', async () => {
    const { page } = await sit(browser, program, 1);
    await open(page, program, '/affiliates/1?tab=settings');
    await page.getByRole('textbox', { name: 'Payment email' }).fill('not an address');
    await page.getByRole('link', { name: 'Commissions', exact: true }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.mantine-InputWrapper-error').first().waitFor();
  });

  it('see only what their rights open, and lose it with the next press', async () => {
    await program.service.permissions.setPermissions(2, ['manage_all_affiliates']);
    const { page } = await sit(browser, program, 2);
    await page.goto(`${program.url}/affiliate-admin/affiliates`);
    await page.locator('tbody td').first().waitFor();
    expect(await page.getByRole('link', { name: 'Payouts', exact: true }).count()).toBe(0);
    await program.service.permissions.removePermissions(2);
    await page.getByRole('searchbox').fill('Alice');
    await page
      .getByText(/You don’t have access|do not have the right/)
      .first()
      .waitFor();
  });

  it('merge two accounts of one person after they saw what it moves', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await open(page, program, '/affiliates/4');
    const kept = await page.locator('main h1').innerText();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Merge…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('The other account of this person').fill(kept);
    await page.getByText('No matches').waitFor(); // not itself
    await dialog.getByLabel('The other account of this person').fill('Bram');
    await page.getByRole('option', { name: /Bram de Vries/ }).click();
    await dialog.getByText(`All links of Bram de Vries credit ${kept} from now on.`).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await dialog.getByRole('button', { name: 'Merge permanently' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type “Bram de Vries” to confirm').fill('Bram de Vries');
    await dialog.getByRole('button', { name: 'Merge permanently' }).click();
    await dialog.waitFor({ state: 'detached' });

    await open(page, program, '/affiliates?q=Bram');
    await page.getByText('No matches').first().waitFor();
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });

  it('find everything by keyboard', async () => {
    const { page } = await sit(browser, program, 1);
    await open(page, program, '/affiliates');
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
