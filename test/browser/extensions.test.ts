import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit } from './seat.js';

// What extensions add to the pages, and what a text of a mail asks of them.
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

it('a card of an extension stands beside the affiliate', async () => {
  program.service.hooks.addFilter('affiliate_widgets', (list) => [
    ...(list as readonly unknown[]),
    { title: 'CRM', content: '<p>Tier: <strong>gold</strong></p><script>1</script>', action: '/crm/1' },
  ]);
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, '/affiliates/1');
  await page.getByRole('heading', { name: 'CRM' }).waitFor();
  await page.getByText('Tier: gold').waitFor();
  expect(await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toBe('/crm/1');
  expect(await faultsOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('a mail whose text has an unknown code says so when it is saved', async () => {
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, '/settings/mails');
  await page.getByRole('button', { name: 'Commission earned' }).click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('{{site.nam}} and {{site.name}}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('{{site.nam}}', { exact: true }).waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await page.getByRole('textbox', { name: 'Subject' }).fill('{{site.name}}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(complaints).toEqual([]);
});
