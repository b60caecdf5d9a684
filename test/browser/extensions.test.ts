import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit } from './seat.js';

// What extensions add to the pages, and what a text of a mail asks of them.
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram({
    extensions: [
      {
        name: 'points',
        groupFields: [
          {
            name: 'tier',
            label: { en: 'Tier', de: 'Stufe' },
            type: 'select',
            options: [
              { value: 'bronze', label: 'Bronze' },
              { value: 'gold', label: 'Gold' },
            ],
          },
        ],
        affiliateFields: [{ name: 'card', label: 'Card number' }],
        consolePages: [
          {
            title: { en: 'Points', de: 'Punkte' },
            path: 'points',
            module: new URL('../../examples/extension/pages/console.js', import.meta.url),
          },
        ],
      },
    ],
  });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

/** Saves the form and waits for the answer of the server. */
async function save(page: Page): Promise<void> {
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await saved).status()).toBe(200);
}

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

it('a page of an extension is in the menu and is drawn by its module', async () => {
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, '/');
  await page.getByRole('link', { name: 'Points' }).first().click();
  await page.getByRole('heading', { name: 'Points', level: 1 }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Alice Doe:' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('fields of an extension are in the forms of groups and affiliates', async () => {
  const { id } = await program.service.groups.create({ meta_key: 'Loyal', rate_type: 'default' });
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, `/groups/${id}?tab=settings`);
  await page.getByRole('combobox', { name: 'Tier' }).click();
  await page.getByRole('option', { name: 'Gold' }).click();
  await save(page);
  expect((await program.service.groups.get(id)).value['tier']).toBe('gold');

  await open(page, program, '/affiliates/1?tab=settings');
  await page.getByRole('textbox', { name: 'Card number' }).fill('L-1');
  await save(page);
  expect((await program.service.affiliates.get(1)).custom_fields['card']).toBe('L-1');
  expect(await faultsOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('links that filters add are among those an affiliate shares', async () => {
  const { hooks } = program.service;
  hooks.addFilter('portal/additional_sites', (sites) => [
    ...sites,
    { name: 'Outlet', url: 'https://outlet.test/', param: 'ref' },
  ]);
  hooks.addFilter('portal/share_links', (links) => [...links, { title: 'App', url: 'https://app.test/' }]);
  const { page, complaints } = await sit(browser, program, 10);
  await page.goto(`${program.url}/partners/links`);
  await page.getByRole('heading', { name: 'Links to our other sites' }).waitFor();
  await page.getByText('Outlet', { exact: true }).waitFor();
  await page.getByText('App', { exact: true }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('an undo that an extension has stopped is continued on the page of the system', async () => {
  const { hooks, payouts } = program.service;
  const { id } = await payouts.process({ title: 'May', description: 'For everybody' });
  const allow = hooks.addAction('payout/transaction/deleting', () => {
    throw new Error('The bank does not answer.');
  });
  const { page, complaints } = await sit(browser, program, 1);
  await open(page, program, '/system');
  const nonce = await page.evaluate(
    'JSON.parse(document.querySelector(\'script[type="application/json"]\').textContent).nonce',
  );
  // as another manager's script would; the console waits for small payouts
  const undo = await page.request.post(`${program.url}${program.service.basePath}/payouts/${id}/undo`, {
    headers: { 'X-WP-Nonce': String(nonce), Prefer: 'respond-async' },
    data: {},
  });
  expect(undo.status()).toBe(202);
  await page.reload();
  await page.getByText('It was stopped').waitFor({ timeout: 60_000 });
  expect(await faultsOf(page)).toEqual([]);
  allow();
  await page.getByRole('button', { name: 'Continue' }).click();

  await page.getByText('It was stopped').waitFor({ state: 'detached' });
  await open(page, program, `/payouts/${id}`);
  await page.getByText('No payments left').waitFor({ timeout: 60_000 });
  expect(complaints).toEqual([]);
  expect(await program.service.verify()).toEqual([]);
});
