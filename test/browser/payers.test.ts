import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { paypalPayer } from '../../adapters/index.js';
import { PaypalPayer } from '../support/paypal-payer.mjs';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// An affiliate says where to be paid, a manager sends the money, and the payer has the last word.
const ADA = 1;
const ALICE = 10;
let program: Program;
let browser: Browser;
let paypal: PaypalPayer;
beforeAll(async () => {
  browser = await launchChromium();
  paypal = await new PaypalPayer().start();
  program = await startProgram({
    seed: false,
    payouts: {
      methods: [
        paypalPayer({
          clientId: 'client',
          clientSecret: 'secret',
          webhookId: 'WH1',
          baseUrl: paypal.url,
          allowPrivateNetworks: true,
        }),
      ],
    },
  });
  const { service } = program;
  const { id } = await service.affiliates.create({ user_id: ALICE, status: 'active' });
  await service.conversions.record(null, {
    provider: 'shop',
    reference: '1001',
    type: 'sale',
    status: 'unpaid',
    affiliate: id,
    order: { subtotal: '200.00', total: '200.00' },
  });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
  paypal?.stop();
});

/** PayPal tells what became of the newest payment, and the jobs run. */
async function tell(): Promise<void> {
  const { headers, body } = paypal.event([...paypal.items.values()].at(-1)!);
  const url = `${program.url}${program.service.basePath}/webhooks/payers/paypal`;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  await program.service.payers.followDue();
}

async function enter(page: Page, address: string): Promise<void> {
  await page.goto(`${program.url}/partners/settings`);
  await settled(page);
  await page.getByLabel('Email of your PayPal account').fill(address);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Payment details saved').waitFor();
}

async function pay(page: Page): Promise<void> {
  await open(page, program, '/payouts/new');
  await page.getByRole('combobox', { name: 'Method' }).click();
  await page.getByRole('option', { name: 'PayPal' }).click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('button', { name: /^Create payout of/ }).click();
  await page.getByRole('tab', { name: 'Sending' }).click();
  await page.getByRole('button', { name: 'Send by PayPal' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.locator('.fa-dialog-sum').innerText()).toContain('40.00');
  await dialog.getByRole('button', { name: 'Send payments' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Waits to be sent').first().waitFor();
  await program.service.payers.callDue();
  await tell();
  await page.reload();
  await settled(page);
}

it('an affiliate enters PayPal, a manager sends, a payment comes back, and its correction is paid', async () => {
  const { page: alice, complaints: heard } = await sit(browser, program, ALICE);
  const { page: ada, complaints } = await sit(browser, program, ADA);
  await enter(alice, 'alise@pay.test');

  await pay(ada);
  await ada.locator('tbody').getByText('Paid', { exact: true }).waitFor();
  const [first] = [...paypal.items.values()];
  expect(first).toMatchObject({ receiver: 'alise@pay.test', minor: 4000 });
  expect(await faultsOf(ada)).toEqual([]);

  paypal.move(first!, 'RETURNED');
  await tell();
  await ada.reload();
  await ada.locator('tbody').getByText('Returned').waitFor();
  await alice.goto(`${program.url}/partners/payments`);
  await settled(alice);
  await alice.getByText('This payment did not reach you.').waitFor();
  expect(await faultsOf(alice)).toEqual([]);

  await enter(alice, 'alice@pay.test');
  await pay(ada);
  await ada.locator('tbody').getByText('Paid', { exact: true }).waitFor();
  expect([...paypal.items.values()].map(({ receiver }) => receiver)).toEqual([
    'alise@pay.test',
    'alice@pay.test',
  ]);
  await alice.goto(`${program.url}/partners/payments`);
  await settled(alice);
  await alice.locator('tbody tr').first().getByRole('link').first().click();
  await alice.locator('.fa-sheet').getByText('alice@pay.test').waitFor();
  expect(await program.service.verify()).toEqual([]);
  expect(paypal.invalid).toEqual([]);
  expect([complaints, heard]).toEqual([[], []]);
});
