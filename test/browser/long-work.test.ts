import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import createKnex from 'knex';
import type { Browser, Page } from 'playwright-core';
import { fill } from '../release/books.mjs';
import { Child } from '../release/processes.mjs';
import { temporaryFolder } from '../support/folders.js';
import { launchChromium } from './chromium.js';
import { settled, sitDown } from './seat.js';

// A payout of many commissions in a process that is killed, looked at from the console.
const HOST = new URL('../release/host.mjs', import.meta.url);
const COMMISSIONS = 150_000;
const AFFILIATES = 1000;

interface Served {
  readonly site: string;
  readonly headers: { readonly Cookie: string };
}

let browser: Browser;
let host: Child;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await host?.kill();
});

async function serve(file: string): Promise<Served> {
  host = new Child(HOST);
  await host.next();
  return host.ask<Served>({
    do: 'serve',
    pages: true,
    users: Array.from({ length: AFFILIATES }, (_, at) => ({
      id: at + 1,
      login: `u${at}`,
      email: `u${at}@a.test`,
    })),
    database: { client: 'better-sqlite3', connection: file },
    options: { jobs: true },
  });
}

async function openPayouts({ site, headers }: Served, path: string): Promise<Page> {
  const { page } = await sitDown(browser);
  const [name = '', value = ''] = headers.Cookie.split('=');
  await page.context().addCookies([{ name, value, url: site }]);
  await page.goto(`${site}/affiliate-admin${path}`);
  await settled(page);
  return page;
}

/** The progress of the payout, as the page says it. */
const progressOf = (page: Page): ReturnType<Page['locator']> =>
  page.locator('[role=status]', { hasText: / of 150,000 commissions/ }).first();

it('goes on after the tab was closed and after the process was killed, and says how far it is', async () => {
  const file = join(temporaryFolder(), 'long-work.sqlite');
  const first = await serve(file);
  const knex = createKnex({
    client: 'better-sqlite3',
    connection: { filename: file },
    useNullAsDefault: true,
  });
  await fill(knex, { affiliates: AFFILIATES, referrals: COMMISSIONS });

  const tab = await openPayouts(first, '/payouts/new');
  await tab.getByRole('button', { name: 'Preview' }).click();
  await tab.getByRole('button', { name: /^Create payout of/ }).click();
  await progressOf(tab).waitFor();
  await tab.context().close();

  const other = await openPayouts(first, '/payouts');
  await progressOf(other).waitFor();
  await host.kill();
  const { claimed } = (await knex('fa_payout_items').count({ claimed: '*' }).first()) as { claimed: number };
  expect(claimed).toBeGreaterThan(0);
  expect(claimed).toBeLessThan(COMMISSIONS);
  await knex.destroy();
  await other.context().close();

  const again = await openPayouts(await serve(file), '/payouts');
  await progressOf(again).waitFor();
  await progressOf(again).waitFor({ state: 'detached', timeout: 150_000 });
  expect(await again.locator('main tbody tr').allInnerTexts()).toEqual([expect.stringContaining('150,000')]);
  expect(await host.ask({ do: 'verify' })).toEqual([]);
});
