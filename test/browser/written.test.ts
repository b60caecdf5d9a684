import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit, sitDown } from './seat.js';

// Numbers, addresses and copied texts as readers of German see and hear them.
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

describe('in German', () => {
  it('shares and rates are written alike everywhere', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de' });
    await open(page, program, '/');
    const conversion = page.locator('.fa-figure-note', { hasText: 'der Klicks' }).first();
    await conversion.waitFor();
    expect(await conversion.innerText()).toMatch(/(^|\s)\d+(,\d+)?\u00a0% der Klicks/);
    const { rows } = await program.service.referrals.list({ status: 'unpaid', per_page: 1 });
    await open(page, program, `/referrals/${rows[0]!.id}`);
    await page
      .getByText(/\d\u00a0% \(/)
      .first()
      .waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/\d%/);
  });

  it('all periods can be chosen on a phone', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de', width: 390 });
    await open(page, program, '/');
    const boxes = await Promise.all(
      (await page.locator('.fa-range button').all()).map((button) => button.boundingBox()),
    );
    expect(boxes.length).toBe(7);
    for (const box of boxes) expect(box!.x + box!.width).toBeLessThanOrEqual(390);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('the sign-up form is shown without tags', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de' });
    await open(page, program, '/settings/registration');
    await page.getByRole('switch').first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain('<a');
  });

  it('a copied link says so, and mail is offered once', async () => {
    await program.service.settings.features.save('social_media_share', { is_enabled: 'yes' });
    const { page } = await sit(browser, program, ALICE, { locale: 'de' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${program.url}/partners/links`);
    await settled(page);
    await page.getByRole('button', { name: 'Kopieren' }).first().click();
    await page.getByRole('button', { name: 'Kopiert' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Kopiert' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Teilen' }).first().click();
    await page.getByRole('menuitem').nth(1).waitFor();
    expect(await page.getByRole('menuitem', { name: /^e-?mail$/i }).count()).toBe(1);
  });

  it('the number in an application is the one that was typed', async () => {
    const { fields, settings } = await program.service.registration.list();
    const question = { name: 'readers', type: 'number', label: 'Readers', enabled: 'yes', required: 'no' };
    await program.service.registration.save([...fields, question], settings);
    const { page } = await sitDown(browser, { locale: 'de' });
    await page.goto(`${program.url}/partners`);
    const readers = page.getByLabel('Readers');
    const body = page.waitForRequest((request) => request.method() === 'POST');
    await readers.fill('1.23');
    await readers.fill('1.500');
    await readers.press('Enter');
    expect((await body).postDataJSON()).toMatchObject({ readers: '1500' });
  });
});
