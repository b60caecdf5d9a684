import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// What people see when something fails: the line, the server, their session, one part of a page.
const ADA = 1;
const ALICE = 10;
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

const TRIED_AGAIN = 'Retrying automatically.';
const OFFLINE = 'You are offline. Nothing is saved now: save again once you are online.';

describe('the console', () => {
  it('says that it is offline, and goes on by itself', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/referrals');
    await page.context().setOffline(true);
    await page.getByRole('status').getByText(OFFLINE).waitFor();
    await page.getByRole('button', { name: 'Commission', exact: true }).click(); // another order, which is not known yet
    expect(await page.locator('main tbody tr').count()).toBeGreaterThan(5); // the old page stays
    expect(await faultsOf(page)).toEqual([]);

    await page.context().setOffline(false);
    await page.getByText(OFFLINE).waitFor({ state: 'detached' });
    await settled(page);
    await page.locator('main th[aria-sort=descending]', { hasText: 'Commission' }).waitFor();
    await page.locator('.fa-stale').waitFor({ state: 'detached' });
  });

  it('keeps a change that could not be saved, and says so', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates/1?tab=settings');
    const note = page.getByRole('textbox', { name: 'Payment email' });
    await note.fill('new@pay.test');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('The server cannot be reached right now.').waitFor();
    // what was typed is not sent by itself, and nothing says so
    expect(await page.getByText(TRIED_AGAIN).count()).toBe(0);
    await page.context().setOffline(false);
    expect(await note.inputValue()).toBe('new@pay.test');
    const saved = page.waitForResponse(
      (response) => response.request().method() === 'PATCH' || response.request().method() === 'POST',
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved;
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect((await program.service.affiliates.find(1))?.payment_email).toBe('new@pay.test');
  });

  it('offers to load a page again whose scripts did not arrive', async () => {
    const { page } = await sit(browser, program, ADA);
    let away = true;
    await page.route(/assets\/.*\.js/, (route) => (away ? route.fulfill({ status: 503 }) : route.continue()));
    await page.goto(`${program.url}/affiliate-admin/groups`);
    const again = page.getByRole('link', { name: 'Load it again' });
    expect(await again.isVisible()).toBe(false);
    await again.waitFor();
    away = false;
    await again.click();
    await settled(page);
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    expect(await again.count()).toBe(0);
  });

  it('offers to load the page again when a part of it did not arrive', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates');
    // The site was updated: what the open page would load now is gone.
    await page.route(/assets\/palette.*\.js/, (route) => route.fulfill({ status: 404 }));
    await page.keyboard.press('Control+k');
    await page.getByRole('status').getByText('A part of this page could not be loaded.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute(/assets\/palette.*\.js/);
    await page.getByRole('link', { name: 'Reload the page' }).click();
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).waitFor();
  });

  it('says in the language of the reader what is refused, and what was done', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de' });
    await open(page, program, '/affiliates/1?tab=settings');
    const name = page.getByRole('textbox', { name: 'Name im Link' });
    const save = page.getByRole('button', { name: 'Speichern', exact: true });
    await name.fill('12345');
    await save.click();
    const refusal = 'Der Linkname braucht einen Buchstaben: Ziffern allein sind Nummern von Affiliates.';
    await page.getByText(refusal).waitFor();
    await name.fill('jo-in-german');
    await save.click();
    await page.getByText('Gespeichert.').waitFor();
    expect(await page.getByText(refusal).count()).toBe(0);
  });

  it('waits for a busy server, and says so', async () => {
    const { page } = await sit(browser, program, ADA);
    let refused = 0;
    // A proxy before the service that turns two requests away.
    await page.route(/\/customers\?/, (route) => {
      refused += 1;
      return refused > 2
        ? route.continue()
        : route.fulfill({
            status: 503,
            headers: { 'retry-after': '1' },
            json: { code: 'busy', message: 'The database is busy. Try again.', data: { status: 503 } },
          });
    });
    await page.goto(`${program.url}/affiliate-admin/customers`);
    await page.getByText(`The server is busy right now. ${TRIED_AGAIN}`).waitFor();
    await page.locator('main tbody tr:not(.fa-ghost)').first().waitFor();
    await page.getByText(TRIED_AGAIN).waitFor({ state: 'detached' });
    expect(refused).toBe(3);
  });

  it('asks to sign in again in a new window, and keeps what was typed', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/groups?open=new');
    const name = page.getByRole('dialog').getByLabel('Name').first();
    await name.fill('Late friends');
    await page.getByRole('dialog').getByLabel('Value').fill('20');
    await page.context().clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await ended.getByRole('link', { name: 'Sign in' }).getAttribute('target')).toBe('_blank');

    const window = await page.context().newPage();
    await window.goto(`${program.url}/sign-in/${ADA}?to=/`);
    await window.close();
    await ended.getByRole('button', { name: 'Continue' }).click();
    await ended.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Late friends');
    await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click();
    await page.waitForURL(/groups\/\d+/);
    await page.getByRole('heading', { name: 'Late friends' }).waitFor();
  });

  it('loses no more than the panel that breaks', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    // An answer no panel can read, as of a proxy that cut it.
    await page.route(/dashboard-stats/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), recent_referrals: 7 } });
    });
    await open(page, program, '/');
    const broken = page.locator('.fa-panel', { hasText: 'Latest commissions' });
    await broken.getByRole('alert').getByText('Something went wrong on this page.').waitFor();
    await page.locator('.fa-panel', { hasText: 'Top affiliates' }).getByRole('link').nth(1).waitFor();
    await page.getByRole('figure').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute(/dashboard-stats/);
    await page.getByRole('group', { name: 'What the chart shows' }).waitFor();
    expect(complaints.filter((each) => !/is not a function|error boundary/i.test(each))).toEqual([]);
  });
});

describe('the portal', () => {
  const portal = (path: string): string => `${program.url}/partners/${path}`;

  it('says that it is offline, and goes on by itself', async () => {
    const { page } = await sit(browser, program, ALICE);
    await page.goto(portal('earnings'));
    await page.locator('main tbody tr:not(.fa-ghost)').first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').getByText(OFFLINE).waitFor();
    expect(await page.locator('main tbody tr').count()).toBeGreaterThan(5);
    expect(await faultsOf(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.getByText(OFFLINE).waitFor({ state: 'detached' });
  });

  it('waits for a busy server, and says so', async () => {
    const { page } = await sit(browser, program, ALICE);
    let refused = 0;
    await page.route(/portal\/overview/, (route) => {
      refused += 1;
      return refused > 2
        ? route.continue()
        : route.fulfill({
            status: 503,
            headers: { 'retry-after': '1' },
            json: { code: 'busy', message: 'The database is busy. Try again.', data: { status: 503 } },
          });
    });
    await page.goto(portal(''));
    await page.getByText(`The server is busy right now. ${TRIED_AGAIN}`).waitFor();
    await page.getByRole('heading', { name: /^Hello/ }).waitFor();
    await page.getByRole('figure').first().waitFor();
    await page.getByText(TRIED_AGAIN).waitFor({ state: 'detached' });
  });

  it('asks to sign in again in a new window, and keeps what was typed', async () => {
    const { page } = await sit(browser, program, ALICE);
    await page.goto(portal('settings?tab=profile'));
    const website = page.getByLabel('Website');
    await website.fill('https://late.test');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    expect(await faultsOf(page)).toEqual([]);

    const window = await page.context().newPage();
    await window.goto(`${program.url}/sign-in/${ALICE}?to=/`);
    await window.close();
    await ended.getByRole('button', { name: 'Continue' }).click();
    await ended.waitFor({ state: 'detached' });
    expect(await website.inputValue()).toBe('https://late.test');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('saved', { exact: false }).waitFor();
    await page.reload();
    expect(await website.inputValue()).toBe('https://late.test');
  });

  it('loses no more than the panel that breaks', async () => {
    const { page } = await sit(browser, program, ALICE);
    await page.route(/portal\/overview/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { overview: object };
      await route.fulfill({ response: answer, json: { overview: { ...body.overview, newest: 7 } } });
    });
    await page.goto(portal(''));
    await page.getByRole('alert').getByText('Something went wrong on this page.').waitFor();
    await page.getByRole('link', { name: 'Earnings', exact: true }).click();
    await page.locator('main tbody tr:not(.fa-ghost)').first().waitFor();
  });

  it('leads home from an address that does not exist', async () => {
    const { page } = await sit(browser, program, ALICE);
    await page.goto(portal('no/such/page'));
    await page.getByText('There is no such page').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Home', exact: true }).last().click();
    await page.getByRole('heading', { name: /^Hello/ }).waitFor();
  });
});
