import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// From a template to the amount of an order, and why it is that amount, for both sides.
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

const ALICE = 10;

describe('reward rules', () => {
  let referral = 0;

  it('go from a template to active rules, tried and simulated', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await open(page, program, '/settings/rewards');
    await page.getByText('No reward rules are active').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^First order and renewals/ }).click();
    await page.waitForURL(/set=\d+/);

    const first = page.getByRole('group', { name: 'Rule 1: First order' });
    await first.getByRole('textbox', { name: 'Amount' }).fill('35');
    const example = page.locator('.fa-panel', { hasText: 'Nothing is stored.' });
    await example.getByRole('combobox', { name: 'Affiliate' }).fill('alice');
    await page.getByRole('option', { name: /Alice Doe/ }).click();
    await example.getByText('Later orders: 10 % of 100.00 = 10.00').waitFor(); // a buyer nobody knows
    await first.getByRole('textbox', { name: 'Amount' }).fill('600');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await first.getByText('reward/value: A percentage is at most 500.').waitFor();
    await first.getByRole('textbox', { name: 'Amount' }).fill('35');
    await page.getByRole('button', { name: 'Save the draft' }).click();

    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await page.getByText('Affiliates who get more').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Activate…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('In the simulated days, commissions would have changed').waitFor();
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('The rules are active.').waitFor();
    await open(page, program, '/settings/rewards');
    await page.getByText('First order – Sale: 35 % if new customer is yes').waitFor();
    // the form's own refusal of 600 % is a complaint of the browser
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });

  it('are behind the amount of the next order, in the console and in the portal', async () => {
    const alice = await program.service.affiliates.findByUser(ALICE);
    const result = await program.service.conversions.record(null, {
      provider: 'bookshop',
      reference: 'RULES-1',
      status: 'unpaid',
      affiliate: alice!.id,
      order: { subtotal: '80.00' },
      customer: { email: 'somebody-new@mail.test' },
    });
    referral = result.referral!.id;
    expect(result.referral?.amount).toBe(28);
    const admin = await sit(browser, program, 1, { width: 390 });
    await open(admin.page, program, `/referrals/${referral}`);
    await admin.page.getByText('✓ First order: 35 % of 80.00 = 28.00').waitFor();
    await admin.page.getByText('Later orders: another rule came first').waitFor();
    expect(await faultsOf(admin.page)).toEqual([]);
    await open(admin.page, program, `/affiliates/${alice!.id}?tab=rewards`);
    await admin.page.getByText('Sale: 35 % if new customer is yes').waitFor();
    expect(await faultsOf(admin.page)).toEqual([]);
    expect(admin.complaints).toEqual([]);
  });

  it.each([
    ['en', 1280, 'First order: 35 % of 80.00 = 28.00', 'Sale: 35 % if new customer is yes'],
    ['de', 390, 'First order: 35 % von 80.00 = 28.00', 'Verkauf: 35 % wenn Neukunde ist ja'],
    ['es', 1280, 'First order: 35 % de 80.00 = 28.00', 'Venta: 35 % si cliente nuevo es sí'],
    ['fr', 390, 'First order : 35 % de 80.00 = 28.00', 'Vente: 35 % si nouveau client est oui'],
    ['ar', 390, 'First order: ‏35 % من 80.00 = 28.00', 'عملية بيع: 35 % إذا عميل جديد هو نعم'],
  ] as const)('are told to their affiliate in %s', async (locale, width, why, rule) => {
    const { page, complaints } = await sit(browser, program, ALICE, { locale, width, dark: width === 390 });
    await page.goto(`${program.url}/partners/earnings`);
    await settled(page);
    await page.getByText(why).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${program.url}/partners/terms`);
    await settled(page);
    await page.getByText(rule).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each(['de', 'es', 'fr', 'ar'])('have an editor without faults in %s', async (locale) => {
    const { page, complaints } = await sit(browser, program, 1, { locale, width: 390, dark: true });
    const draft = await program.service.rewards.create({ from: 1 });
    await open(page, program, `/settings/rewards?set=${draft.id}`);
    await page.locator('.fa-rule-card').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
