import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startExample, type RunningExample } from '../examples/start-example.mjs';
import { launchChromium } from './chromium.js';
import { settled, sitDown } from './seat.js';

// The guide to the first payout, on the example host with its invented past: what is left is done by mouse.
let shop: RunningExample;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'guide-'));
beforeAll(async () => {
  browser = await launchChromium();
  shop = await startExample('cms-host', { DATA_DIR: folder, DEMO_DATA: 'yes' });
});
afterAll(async () => {
  await browser?.close();
  await shop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('is completed by mouse: the rate, a test mail that is opened, a test order, the way to pay', async () => {
  const { page, complaints } = await sitDown(browser);
  const guide = '/affiliate-admin/system?tab=guide';
  await page.goto(`${shop.url}/login?next=${encodeURIComponent(guide)}`);
  await page.getByLabel('Login').fill('admin');
  await page.getByLabel('Password').fill('admin');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await settled(page);

  const right = page.getByRole('button', { name: 'That is right' });
  for (const left of [1, 0]) {
    await right.nth(left).waitFor();
    await right.first().click();
    await right.nth(left).waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Make a test order' }).click();
  await page.getByRole('button', { name: 'Make a test order' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Send a test mail' }).click();
  let link = '';
  while (link === '') {
    link = /https?:\/\/\S*guide\S*/.exec(shop.output().split('Mail to admin').at(-1) ?? '')?.[0] ?? '';
    await page.waitForTimeout(200);
  }
  await page.goto(link);
  await page.waitForURL(/\/guide$/); // the page has told it
  await page.goto(`${shop.url}${guide}`);
  await page.getByText('10 of 10').waitFor();
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
});
