import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { isolated, moneyText, percentText } from '../../src/core/figures.js';
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
    await example.getByText('Later orders: 10% of €100.00 = €10.00').waitFor(); // a buyer nobody knows
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
    await page.getByText('First order – Sale: 35% if new customer is yes').waitFor();
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
    await admin.page.getByText('✓ First order: 35% of €80.00 = €28.00').waitFor();
    await admin.page.getByText('Later orders: another rule came first').waitFor();
    expect(await faultsOf(admin.page)).toEqual([]);
    await open(admin.page, program, `/affiliates/${alice!.id}?tab=rewards`);
    await admin.page.getByText('Sale: 35% if new customer is yes').waitFor();
    expect(await faultsOf(admin.page)).toEqual([]);
    expect(admin.complaints).toEqual([]);
  });

  it.each([
    ['en', 1280, 'of', 'Sale: {rate} if new customer is yes'],
    ['de', 390, 'von', 'Verkauf: {rate} wenn Neukunde ist ja'],
    ['es', 1280, 'de', 'Venta: {rate} si cliente nuevo es sí'],
    ['fr', 390, 'de', 'Vente: {rate} si nouveau client est oui'],
    ['ar', 390, 'من', 'عملية بيع: {rate} إذا عميل جديد هو نعم'],
  ] as const)('read the same in both apps and in the preview: %s', async (locale, width, of, sentence) => {
    const own = (text: string): string => isolated(text, locale);
    const money = (amount: string): string => own(moneyText(amount, { currency: 'EUR', digits: 2 }, locale));
    const rate = own(percentText('35', locale));
    const explanation = `${rate} ${of} ${money('80')} = ${money('28')}`;
    const rule = sentence.replace('{rate}', rate);
    const portal = await sit(browser, program, ALICE, { locale, width, dark: width === 390 });
    for (const [path, text] of [
      ['earnings', explanation],
      ['terms', rule],
    ] as const) {
      await portal.page.goto(`${program.url}/partners/${path}`);
      await settled(portal.page);
      await portal.page.getByText(text).waitFor();
      expect(await faultsOf(portal.page)).toEqual([]);
    }
    const admin = await sit(browser, program, 1, { locale, width });
    await open(admin.page, program, `/referrals/${referral}`);
    await admin.page.getByText(explanation).waitFor();
    await open(admin.page, program, '/settings/rewards');
    await admin.page.getByText(rule).waitFor();
    // the rate of her group, in the deal that stands above the rules
    const common = percentText('18', locale);
    await portal.page.locator('dd', { hasText: common }).first().waitFor();
    expect([...portal.complaints, ...admin.complaints]).toEqual([]);
    await portal.page.context().close();
    await admin.page.context().close();
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

  it('say what is wrong at its field, and offer all affiliates again after a choice', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await open(page, program, '/settings/rewards');
    await page.getByRole('button', { name: /^First order and renewals/ }).click();
    await page.waitForURL(/set=\d+/);
    const first = page.getByRole('group', { name: 'Rule 1: First order' });
    await first.getByRole('textbox', { name: 'Amount' }).fill('600');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    const amount = first.getByRole('textbox', { name: 'Amount', exact: true });
    await first.getByText('The percentage must be at most 500.').waitFor();
    await amount.fill('abc');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await first.getByText('Write a number like 8.5.').waitFor();
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    expect(await amount.evaluate((input) => input.matches(':focus'))).toBe(true);
    expect(await page.locator('main').innerText()).not.toContain('validation_failed');
    expect(await faultsOf(page)).toEqual([]);

    const example = page.locator('.fa-panel', { hasText: 'Nothing is stored.' });
    await example.getByRole('combobox', { name: 'Affiliate' }).fill('alice');
    await page.getByRole('option', { name: /Alice Doe/ }).click();
    // opened again, it offers all, and typing replaces the name
    const chooser = example.getByRole('combobox', { name: 'Affiliate' });
    await chooser.blur();
    await chooser.click();
    await page.getByRole('option').nth(3).waitFor();
    expect(await page.evaluate('getSelection().toString()')).toContain('Alice Doe');
    await page.keyboard.press('Escape');
    // the form's own refusals are complaints of the browser
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });
});
