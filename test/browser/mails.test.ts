import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startApp } from '../support/app.js';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit, type SeatOptions } from './seat.js';

let browser: Browser;
let program: Program;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram();
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

/** The width of the page, and the amounts that stand in more than one line. */
const MEASURE = `(() => {
  const lines = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  const amounts = [...document.querySelectorAll('td')].filter((cell) =>
    /^\\S*\\$ ?[\\d.,]+\\S*$/.test(cell.innerText.trim()),
  );
  return {
    width: document.documentElement.scrollWidth,
    broken: amounts.filter((cell) => lines(cell) > 1).map((cell) => cell.innerText),
  };
})()`;

it.each(['en', 'de', 'ar'])(
  'every mail fits into 320 px and keeps amounts in one line: %s',
  async (language) => {
    const t = await startApp({ rate: 10 });
    const site = { ...t.host.site(), language };
    Object.assign(t.host, { site: () => site });
    const { id } = await t.records.affiliate({
      payment_email: 'a.long.address.of.a.person.with.many.names@some-long-domain-name.example',
      note: 'A blog about plants. '.repeat(9),
    });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'ORDER-2026-00001234567890-ABCDEFGHIJKLMNOP',
      status: 'unpaid',
      order: { subtotal: '1234567.89' },
      description: 'Lampe für die Kajüte des Donaudampfschifffahrtsgesellschaftskapitäns',
      affiliate: id,
    });
    const payout = await t.records.payout();
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);

    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    const { emails } = (await t.admin.get('/settings/email-config/emails').expect(200)).body;
    for (const { email_key: key } of emails as { email_key: string }[]) {
      const asked = t.admin.post('/settings/email-config/preview').send({ email_key: key, data: {} });
      await page.setContent((await asked.expect(200)).body.html);
      const seen = await page.evaluate(MEASURE);
      expect([key, seen]).toEqual([key, { width: 320, broken: [] }]);
    }
    await page.close();
  },
);

describe('the text of a mail in one language', () => {
  const MAIL = '/settings/mails?mail=account_approved_to_affiliate';

  async function editor(options: SeatOptions = {}) {
    const { page, complaints } = await sit(browser, program, 1, options);
    await open(page, program, MAIL);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Subject' }).waitFor();
    const choose = async (language: string): Promise<void> => {
      await dialog.getByRole('combobox', { name: 'Language' }).click();
      await page.getByRole('option', { name: language }).click();
    };
    return { page, dialog, choose, complaints };
  }

  it('is chosen, written, previewed and taken back with the mouse', async () => {
    const { page, dialog, choose, complaints } = await editor();
    const subject = dialog.getByRole('textbox', { name: 'Subject' });
    const text = dialog.getByRole('textbox', { name: 'Text' });
    const own = dialog.getByRole('switch', { name: 'Own text for this language' });
    await choose('Deutsch');
    expect(await subject.inputValue()).toBe('Willkommen im Partnerprogramm von {{site.name}}');
    expect(await subject.isEditable()).toBe(false);
    await own.click({ force: true });
    await subject.fill('Servus bei {{site.name}}');
    await dialog.getByText('Plain text', { exact: true }).click();
    await text.fill('Schön, dass Sie da sind.');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText(/^Servus bei \w/).waitFor();
    await dialog.frameLocator('iframe').getByText('Schön, dass Sie da sind.').waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await choose('español');
    await dialog.getByText(/^Le damos la bienvenida al programa de afiliados de \w/).waitFor();
    expect(await own.isChecked()).toBe(false);
    await choose('All languages');
    await dialog.getByText(/^Welcome to the affiliate program of \w/).waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.locator('.fa-rows > div', { hasText: 'Application approved' }).getByText('Own text').waitFor();
    await open(page, program, MAIL);
    await dialog.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Deutsch' }).getByText('Own text').waitFor();
    expect(await page.getByRole('option').getByText('Own text').count()).toBe(1);
    await page.getByRole('option', { name: 'Deutsch' }).click();
    expect(await subject.inputValue()).toBe('Servus bei {{site.name}}');
    await own.click({ force: true });
    expect(await subject.inputValue()).toBe('Willkommen im Partnerprogramm von {{site.name}}');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const mails = await program.service.emails.notifications.list();
    const { settings } = mails.find(({ email_key }) => email_key === 'account_approved_to_affiliate')!;
    expect(settings).not.toHaveProperty('texts');
    expect(complaints).toEqual([]);
  });

  it('is told apart from the one that comes with the service, and its broken codes are named', async () => {
    const { dialog, choose } = await editor();
    const text = dialog.getByRole('textbox', { name: 'Text' });
    await choose('Deutsch');
    await dialog.getByText('To change this text, turn the switch above.').waitFor();
    await dialog.getByRole('switch', { name: 'Own text for this language' }).click({ force: true });
    await dialog.getByText('Plain text', { exact: true }).click();
    await text.fill('Guten Tag {{user.first_nam}} {{oops');
    const warning = dialog.getByRole('alert');
    await warning.getByText('{{user.first_nam}}').waitFor();
    await warning.getByText('{{oops').waitFor();
    await text.fill('Guten Tag');
    await warning.waitFor({ state: 'detached' });
  });

  it.each([
    [1280, false],
    [1280, true],
    [390, false],
    [390, true],
  ])('fits and reads well, %i px wide, dark: %s', async (width, dark) => {
    const { page, dialog, choose, complaints } = await editor({ width, dark });
    await choose('العربية');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('switch', { name: 'Own text for this language' }).click({ force: true });
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'العربية' }).getByText('Own text').waitFor();
    expect(complaints).toEqual([]);
  });
});
