import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit } from './seat.js';

// What a program manager sets up once: a shop with rates of its own, and the move from another system.
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

describe('a shop', () => {
  it('gets a rate of its own for a product, and is asked for an order whose notice was lost', async () => {
    const { page, complaints } = await sit(browser, program, 1);
    await open(page, program, '/settings/integrations');
    await page.getByRole('link', { name: 'Bookshop' }).click();
    await page.waitForURL(/shop=bookshop/);
    await page.getByLabel('Orders are accepted').check();
    await page.getByLabel('Own rates for products or categories').check();
    await page.getByRole('button', { name: 'Add a rate' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Fill in both fields of each row.').waitFor();
    await page.getByRole('combobox', { name: 'Products' }).fill('atlas');
    await page.getByRole('option', { name: 'Sea atlas' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Rate' }).fill('40');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.fa-second-press', { hasText: 'Products' }).getByText('40%').waitFor();
    await page.getByRole('button', { name: 'Yes, save' }).click();
    await page.getByText('Integration settings saved').waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await page.reload();
    await page.getByRole('textbox', { name: 'Order number' }).fill('B-100');
    await page.getByRole('button', { name: 'Fetch', exact: true }).click();
    await page.getByText('The order was recorded.').waitFor();
    await page.getByRole('link', { name: 'Show the commission' }).click();
    await page.waitForURL(/referrals\/\d+/);
    await page.getByText('€20.00').first().waitFor(); // 40 % of 50.00
    await page.getByRole('row', { name: /^Sea atlas 40%/ }).waitFor();
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });
});

describe('a move from another system', () => {
  const AFFILIATES = [
    'ID,Email,Name,Status,Created At',
    '1,user0@mail.test,Adam Smith,approved,2025-01-02',
    '2,user1@mail.test,Berta Klein,dormant,2025-01-03',
  ];
  const COMMISSIONS = [
    'ID,Affiliate ID,Commission,Currency,Status,Source,Order ID,Created At',
    '1,1,12.50,EUR,settled,books-old,9001,2025-02-01',
    '2,1,7.50,EUR,settled,books-old,9002,2025-02-02',
    '3,2,3.00,EUR,void,books-old,9003,2025-02-03',
  ];
  const upload = (page: Page, at: number, name: string, lines: readonly string[]): Promise<void> =>
    page
      .locator('input[type=file]')
      .nth(at)
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) });

  it('asks for what is missing in words of the page, and does not start before', async () => {
    const { page } = await sit(browser, program, 1, { locale: 'de' });
    await open(page, program, '/settings/imports?source=csv');
    await upload(page, 0, 'affiliates.csv', ['id,email', '1,user0@mail.test', '2,user1@mail.test']);
    await page.getByRole('button', { name: 'Hochladen' }).click();
    await page.getByText('2 Zeilen haben keinen Status. Wählen Sie einen.').waitFor();
    await page.getByText('Summe: 2 · Übernommen: 0').waitFor();
    const start = page.getByRole('button', { name: 'Starten', exact: true });
    expect(await start.isDisabled()).toBe(true);
    await page.getByLabel(/Status von Zeilen/).selectOption('active');
    await page.getByRole('button', { name: 'Hochladen' }).click();
    await page.getByText('Die Dateien sind lesbar').waitFor();
    expect(await start.isDisabled()).toBe(false);
  });

  it('says what its words mean, runs to the end, and shows both sums', async () => {
    const { page } = await sit(browser, program, 1, { width: 390, dark: true });
    await open(page, program, '/settings/imports?source=csv');
    await upload(page, 0, 'affiliates.csv', AFFILIATES);
    await upload(page, 2, 'commissions.csv', COMMISSIONS);
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('The files can be read').waitFor();

    await page.getByLabel('Time zone of the old site').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByLabel('“dormant”').selectOption('inactive');
    await page.getByLabel('“settled”').selectOption('unpaid');
    await page.getByLabel('“void”').selectOption('rejected');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('“settled” becomes').waitFor();
    await page.getByLabel('“books-old”').selectOption('bookshop');
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'Balance sheet' }).waitFor();
    await page
      .getByRole('row', { name: /user0@mail.test/ })
      .getByText('Equal')
      .waitFor();
    const sums = page.getByRole('row', { name: /^Ready to pay/ });
    expect(await sums.innerText()).toMatch(/€20\.00 \(2\)[\s\S]*€0\.00 \(0\)[\s\S]*€20\.00 \(2\)/);
    expect(await faultsOf(page)).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });
});

it('another currency asks with the open payouts and the sums that are owed', async () => {
  const { service } = program;
  const { rows } = await service.affiliates.list({ order_by: 'unpaid_earnings', order_type: 'DESC' });
  const payout = await service.payouts.process({
    title: 'October',
    description: 'One affiliate',
    affiliate_ids: [rows[0]!.id],
  });
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, '/settings');
  const currency = page.getByRole('textbox', { name: 'Currency', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Change the currency?' });
  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, save' }).click();
    await dialog.waitFor();
  };
  const stored = async (): Promise<string> => (await service.settings.referralConfig()).currency;
  await currency.fill('USD');
  await save();
  await dialog.getByRole('link', { name: `Payout ${payout.id}` }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The currency was not changed.').waitFor();
  expect([await stored(), await currency.inputValue()]).toEqual(['EUR', 'USD']);

  await service.payouts.markAllPaid(payout.id);
  await save();
  await dialog.getByText(/Affiliates are owed €[\d,.]+\./).waitFor();
  await dialog.getByRole('button', { name: 'Change the currency' }).click();
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  expect([await stored(), await currency.inputValue()]).toEqual(['USD', 'USD']);
  expect(complaints.filter((text) => !/422/.test(text))).toEqual([]);
  expect(await service.verify()).toEqual([]);
});

it('wrong numbers of the program are all marked at once, and another way to pay says whom it leaves out', async () => {
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, '/settings');
  await page.getByLabel('Days a click counts').fill('');
  await page.getByLabel('Days until a commission can be paid').fill('-3');
  await page.getByLabel('Within days').fill('abc');
  await page.getByRole('combobox', { name: 'Affiliates are paid by' }).click();
  await page.getByRole('option', { name: 'Bank transfer' }).click();
  await page.getByText('Affiliates without bank details have to enter them').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Write a number like 30.').first().waitFor();
  expect(await page.getByText('Write a number like 30.').count()).toBe(3);
  expect(await faultsOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
