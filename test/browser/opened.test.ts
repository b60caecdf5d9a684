import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// What opens beside a list stands in the address, and keeps what is typed in it.
const ADA = 1;
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram({ fraud: { fastOrder: 'hold', fastOrderSeconds: 86_400 } });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

describe('a dialog', () => {
  it('is shown again by a reload and a shared link, and closed by a step back', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/links');
    await page.getByRole('button', { name: 'New short link' }).first().click();
    await page.waitForURL(/links\?open=new/);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Affiliate').fill('Alice');
    await page.getByRole('option', { name: /Alice Doe/ }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('alices-shop');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await page.waitForURL(/links$/);

    await page.getByRole('button', { name: '/alices-shop' }).click();
    await page.waitForURL(/links\?open=\d+/);
    await page.reload();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('alices-shop');
    expect(await faultsOf(page)).toEqual([]);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it.each(['/groups', '/creatives', '/affiliates', '/referrals'])(
    'of %s is opened by its address',
    async (path) => {
      const { page } = await sit(browser, program, ADA);
      await open(page, program, `${path}?open=new`);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL((url) => url.pathname.endsWith(path) && url.search === '');
    },
  );

  it('asks before a press beside it loses what was typed', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/groups?open=new');
    const name = page.getByRole('dialog').getByLabel('Name').first();
    await name.fill('Friends of the house');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await name.inputValue()).toBe('Friends of the house');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.waitForURL(/groups$/);
  });
});

describe('a suspicion', () => {
  it('shows what the rule saw beside order, buyer and click, and is decided there', async () => {
    const { rows } = await program.service.visits.list({ per_page: 1, order_by: 'created_at' });
    const visit = rows[0]!;
    const { referral } = await program.service.conversions.record(null, {
      provider: 'shop',
      reference: 'S-1',
      type: 'sale',
      status: 'unpaid',
      visit_id: visit.id,
      order: { subtotal: '100.00', total: '100.00' },
      customer: { email: 'hasty@mail.test' },
    });
    expect(referral?.status).toBe('pending');

    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/suspicions');
    await page.getByRole('button', { name: 'Ordered too soon after the click' }).click();
    await page.waitForURL(/open=\d+/);
    await page.reload();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('hasty@mail.test').waitFor();
    await dialog.getByText('Suspicious below').waitFor();
    expect(await dialog.getByText('86,400 seconds').count()).toBe(1);
    await dialog.getByText('Clicked').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('dialog', { name: 'Approve the commission?' })
      .getByRole('button', { name: 'Approve' })
      .click();
    await dialog.locator('.fa-status', { hasText: 'Unpaid' }).waitFor();
    expect(complaints).toEqual([]);
    await settled(page);
    expect(await program.service.verify()).toEqual([]);
  });
});
