import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit } from './seat.js';

// Amounts and rates that people type: what is typed is what is stored, in the language of the reader.
const ADA = 1;
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

/** What the console says in a language. */
function speaks(locale: string): (english: string) => string {
  const read = (part: string): Readonly<Record<string, string>> =>
    JSON.parse(
      readFileSync(new URL(`../../console/${part}/texts/${locale}.json`, import.meta.url), 'utf8'),
    ) as Readonly<Record<string, string>>;
  const texts = locale === 'en' ? {} : { ...read('admin/settings'), ...read('admin'), ...read('shared') };
  return (english) => texts[english] ?? english;
}

/** An order of 100.00 with a commission that is not paid yet. */
async function referralOf(reference: string): Promise<{ readonly id: number; readonly affiliate: number }> {
  const { rows } = await program.service.affiliates.list({ status: 'active', per_page: 1 });
  const affiliate = rows[0]!.id;
  const { referral } = await program.service.conversions.record(null, {
    provider: 'shop',
    reference,
    status: 'unpaid',
    affiliate,
    order: { subtotal: '100.00', total: '100.00' },
  });
  return { id: referral!.id, affiliate };
}

const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ');
const questionOf = async (page: Page): Promise<string> => {
  const question = page.locator('.fa-second-press');
  await question.waitFor();
  return spaced(await question.innerText());
};

const LANGUAGES = [
  {
    locale: 'es',
    refused: ['12,50,1', '1.23,4'],
    example: '8,50',
    commission: { typed: '12,50', stored: 12.5, shown: '12,50' },
    minimum: { typed: '1234,5', stored: 1234.5, shown: '1234,50' },
    correction: { typed: '-3,75', stored: -3.75 },
    rate: { shown: '7,5', typed: '8.25', stored: 8.25, after: '8,25' },
  },
  {
    locale: 'de',
    refused: ['1,234.50', '8,505'],
    example: '8,50',
    commission: { typed: '8.50', stored: 8.5, shown: '8,50' },
    minimum: { typed: '1.234,50', stored: 1234.5, shown: '1234,50' },
    correction: { typed: '7,25', stored: 7.25 },
    rate: { shown: '7,5', typed: '9', stored: 9, after: '9' },
  },
  {
    locale: 'en',
    refused: ['1,23,456', '€5'],
    example: '8.50',
    commission: { typed: '1,5', stored: 1.5, shown: '1.50' },
    minimum: { typed: '30.50', stored: 30.5, shown: '30.50' },
    correction: { typed: '1,234.50', stored: 1234.5 },
    rate: { shown: '7.5', typed: '10,25', stored: 10.25, after: '10.25' },
  },
] as const;

describe.each(LANGUAGES)('in $locale', ({ locale, refused, example, ...cases }) => {
  const say = speaks(locale);
  const button = (page: Page, name: string): ReturnType<Page['getByRole']> =>
    page.getByRole('button', { name: say(name), exact: true });

  it('a commission is what was typed, and asks before it changes', async () => {
    const { id } = await referralOf(`typed-${locale}`);
    const { page, complaints } = await sit(browser, program, ADA, { locale });
    await open(page, program, `/referrals/${id}?open=edit`);
    const dialog = page.getByRole('dialog');
    const amount = dialog.getByRole('textbox', { name: say('Commission') });
    for (const typed of refused) {
      await amount.fill(typed);
      await amount.press('Enter');
      await dialog.getByText(say('Write a number like {example}.').replace('{example}', example)).waitFor();
    }
    await amount.fill('101');
    await amount.press('Enter');
    expect(await questionOf(page)).toContain('101');
    await dialog
      .getByRole('alert')
      .filter({ hasText: '101' }) // above its order
      .waitFor();
    await button(page, 'Back').click();
    await amount.fill(cases.commission.typed);
    await amount.press('Enter');
    expect(await questionOf(page)).toMatch(new RegExp(`12.00.*${say('becomes')}.*${cases.commission.shown}`));
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    expect((await program.service.referrals.get(id)).amount_minor).toBe(1200); // nothing was saved
    await button(page, 'Yes, save').click();
    await dialog.waitFor({ state: 'detached' });
    expect((await program.service.referrals.get(id)).amount_minor).toBe(cases.commission.stored * 100);
    expect(complaints).toEqual([]);
  });

  it('the minimum of a payout is what was typed, and the field shows what is stored', async () => {
    await program.service.settings.saveRules({ minPayout: 5 });
    const { page, complaints } = await sit(browser, program, ADA, { locale, width: 390, dark: true });
    await open(page, program, '/settings/rules');
    const field = page.getByRole('textbox', { name: say('Minimum per affiliate') });
    await field.fill(cases.minimum.typed);
    const sent = page.waitForRequest(
      (request) => /program-rules/.test(request.url()) && request.method() !== 'GET',
    );
    await button(page, 'Save').click();
    expect(await questionOf(page)).toContain(say('becomes'));
    expect(await faultsOf(page)).toEqual([]);
    await button(page, 'Yes, save').click();
    expect((await sent).postDataJSON()).toEqual({
      min_payout: String(cases.minimum.stored.toFixed(locale === 'es' ? 1 : 2)),
    });
    await button(page, 'Discard').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe(cases.minimum.shown);
    expect((await program.service.settings.rules()).minPayout).toBe(cases.minimum.stored);
    expect(complaints).toEqual([]);
  });

  it('a correction of a balance is what was typed', async () => {
    const { affiliate } = await referralOf(`owed-${locale}`);
    const before = (await program.service.affiliates.get(affiliate)).unpaid_earnings_minor;
    const { page, complaints } = await sit(browser, program, ADA, { locale });
    await open(page, program, `/affiliates/${affiliate}?tab=balance&open=correct`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: say('Amount') }).fill(cases.correction.typed);
    await dialog.getByRole('textbox', { name: say('Reason') }).fill('Bonus');
    await dialog.locator('button[type=submit]').click();
    expect(await questionOf(page)).toContain(say('Ready to pay'));
    await button(page, 'Yes, save').click();
    await dialog.waitFor({ state: 'detached' });
    const after = (await program.service.affiliates.get(affiliate)).unpaid_earnings_minor;
    expect(after - before).toBe(cases.correction.stored * 100);
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });

  it('a note of a group leaves its rate alone, and a rate is what was typed', async () => {
    const group = await program.service.groups.create({
      meta_key: `Seven and a half ${locale}`,
      rate_type: 'percentage',
      rate: 7.5,
    });
    const { page, complaints } = await sit(browser, program, ADA, { locale });
    await open(page, program, `/groups/${group.id}?tab=settings`);
    const note = page.getByRole('textbox', { name: say('Note') });
    await note.fill('Since spring');
    const patch = page.waitForRequest((request) => request.method() === 'PATCH');
    await button(page, 'Save').click();
    expect((await patch).postDataJSON()).toEqual({ notes: 'Since spring' });
    await button(page, 'Discard').waitFor({ state: 'detached' });
    expect((await program.service.groups.get(group.id)).value).toMatchObject({
      rate: 7.5,
      notes: 'Since spring',
    });

    const rate = page.getByRole('textbox', { name: say('Value') });
    expect(await rate.inputValue()).toBe(cases.rate.shown);
    await rate.fill(cases.rate.shown.replace(/5$/, '50')); // the same, written in another way
    expect(await button(page, 'Save').isDisabled()).toBe(true);
    await rate.fill(cases.rate.typed);
    await button(page, 'Save').click();
    expect(await questionOf(page)).toContain(cases.rate.shown);
    await button(page, 'Yes, save').click();
    await button(page, 'Discard').waitFor({ state: 'detached' });
    expect((await program.service.groups.get(group.id)).value.rate).toBe(cases.rate.stored);
    expect(await rate.inputValue()).toBe(cases.rate.after);
    expect(complaints).toEqual([]);
  });
});
