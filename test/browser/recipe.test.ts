import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { addColumn } from '../recipe/add-column.js';
import { temporaryFolder } from '../support/folders.js';
import { launchChromium } from './chromium.js';
import type { Program, startProgram } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// The recipe "a new column" of CONTRIBUTING.md, as whoever works with the console sees it.

const ADA = 1;
/** The user of the first affiliate. */
const ALICE = 10;
const PARTS = [
  'src',
  'hooks',
  'adapters',
  'frameworks',
  'cli',
  'client',
  'connected-site',
  'console',
  'testing',
  'package.json',
  'tsconfig.json',
  'vite.lib.config.mjs',
  'test/support',
  'test/browser',
];
const copy = temporaryFolder();
let program: Program;
let browser: Browser;

async function build(): Promise<void> {
  const run = promisify(execFile);
  const vite = join(copy, 'node_modules/vite/bin/vite.js');
  for (const args of [
    ['--import', './test/support/ts-loader.mjs', 'test/support/write-operations.mjs'],
    [vite, 'build', '--config', 'vite.lib.config.mjs', '--logLevel', 'error'],
    [vite, 'build', '--config', 'console/vite.config.mjs', '--logLevel', 'error'],
  ])
    await run(process.execPath, ['--no-warnings', ...args], {
      cwd: copy,
      env: { ...process.env, NODE_ENV: 'production' },
    });
}

beforeAll(async () => {
  addColumn(copy, PARTS);
  await build();
  browser = await launchChromium();
  const shop = (await import(join(copy, 'test/browser/program.mjs'))) as {
    startProgram: typeof startProgram;
  };
  program = await shop.startProgram();
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

it('shows a column that was added to the record in the list, the filters and the forms of the console, and in the portal', async () => {
  const { page, complaints } = await sit(browser, program, ADA);
  await open(page, program, '/affiliates/1?tab=settings');
  await page.getByLabel('Nickname').fill('x'.repeat(51));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('At most 50 characters.').waitFor();
  await page.getByLabel('Nickname').fill('Ally');
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await saved;
  expect(await program.service.affiliates.get(1)).toMatchObject({ nickname: 'Ally' });

  await open(page, program, '/affiliates');
  await page.getByRole('button', { name: 'Columns and density' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Nickname' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Nickname', exact: true }).click();
  await page.waitForURL(/sort=-?nickname/);
  await settled(page);
  expect(await page.locator('main tbody tr').first().locator('[data-label=Nickname]').innerText()).toBe(
    'Ally',
  );
  expect(await faultsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Nickname' }).click();
  await page.getByRole('textbox', { name: 'Nickname' }).fill('ll');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(/nickname=ll/);
  await settled(page);
  expect(await page.locator('main tbody tr').count()).toBe(1);
  expect(complaints).toEqual([]);

  const { page: portal } = await sit(browser, program, ALICE);
  await portal.goto(`${program.url}/partners/settings?tab=profile`);
  await portal.locator('dt', { hasText: 'Nickname' }).waitFor();
  expect(await portal.locator('dd', { hasText: 'Ally' }).count()).toBe(1);
});
