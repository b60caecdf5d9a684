import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { HostMail } from '../../adapters/host.js';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { CONSOLE_SCREENS, PORTAL_SCREENS } from './screens.js';
import { faultsOf, open, settled, sit, sitDown } from './seat.js';

// What people meet between the first visit and the first payout: sign-up, the account menu, messages, the ways out.
const ADA = 1;
const ALICE = 10;
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram();
  const { affiliates, payouts } = program.service;
  const [first] = (await affiliates.list({ order_by: 'unpaid_earnings', order_type: 'DESC' })).rows;
  await payouts.process({ title: 'September', description: 'One', affiliate_ids: [first!.id] });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

async function portal(page: Page, path = '/'): Promise<void> {
  await page.goto(`${program.url}/partners${path}`);
  await settled(page);
}
const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.innerText');
/** The words read out without moving the focus. */
const aloud = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

describe('every screen', () => {
  it('has a title of its own in the tab of the browser', async () => {
    const titles = new Map<string, string>();
    const { page } = await sit(browser, program, ADA);
    for (const path of CONSOLE_SCREENS.filter((each) => !each.includes('?'))) {
      await open(page, program, path);
      titles.set(`console ${path}`, await page.title());
    }
    const { page: own } = await sit(browser, program, ALICE);
    for (const path of PORTAL_SCREENS.filter((each) => !each.includes('?'))) {
      await portal(own, `/${path}`);
      titles.set(`portal ${path}`, await own.title());
    }
    const count = (app: string): number[] => {
      const own = [...titles].filter(([screen]) => screen.startsWith(app)).map(([, title]) => title);
      return [new Set(own).size, own.length];
    };
    const [consoles, all] = count('console');
    const [portals, allOfPortal] = count('portal');
    expect([consoles, portals, [...titles].filter(([, title]) => title.startsWith('·'))]).toEqual([
      all,
      allOfPortal,
      [],
    ]);
  }, 300_000);

  it('gives its heading the focus when it is come to, and keeps amounts apart from the text around them', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'ar' });
    await open(page, program, '/');
    await page.locator('.fa-side nav a[href$="/payouts"]').click();
    await page.waitForURL(/payouts$/);
    await settled(page);
    expect(await focused(page)).toBe(await page.locator('main h1').innerText());
    await open(page, program, '/referrals');
    const amounts = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main tbody td .fa-money, main tbody td .fa-number')]
         .map((each) => getComputedStyle(each).unicodeBidi)`,
    );
    expect(amounts.length).toBeGreaterThan(5);
    expect(amounts.filter((each) => each !== 'isolate')).toEqual([]);
  });

  it.each(['console', 'portal'])('has an account menu with language and colors: %s', async (app) => {
    const { page, complaints } = await sit(browser, program, app === 'console' ? ADA : ALICE);
    await (app === 'console' ? open(page, program, '/') : portal(page));
    await page.locator('.fa-side .fa-user').click();
    const menu = page.locator('.fa-account');
    await menu.getByText('Dark').click();
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const { y, height } = (await page.locator('.fa-side .fa-user').boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(900); // in sight below a long menu
    await menu.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.locator('html[lang=de]').waitFor();
    await settled(page);
    expect(complaints).toEqual([]);
  });
});

describe('the sign-up', () => {
  const ANSWERS = {
    'Full name': 'Eve Stone',
    Email: 'eve@mail.test',
    Username: 'evestone',
    Password: 'correct horse',
    'Repeat the password': 'correct horse',
    'How will you promote us?': 'On my blog',
    'Payment email (PayPal)': 'pay@eve.test',
  };

  it('leads to the first fault, tells the deal, and its consent is a large box whose link opens apart', async () => {
    program.service.hooks.addFilter('terms_policy_url', () => `${program.url}/terms`);
    const { page } = await sitDown(browser, { width: 390 });
    await page.goto(`${program.url}/partners/`);
    const deal = page.getByRole('region', { name: 'What you earn' });
    await deal.getByText('12% of each sale').waitFor();
    await page.getByText('At least 6 characters').waitFor(); // before it is typed
    for (const label of ['A click counts', 'Waiting period', 'Payments'])
      await deal.getByText(label, { exact: true }).waitFor();
    await page.getByLabel('Full name', { exact: true }).fill('Eve Stone');
    await page.getByRole('button', { name: 'Send application', exact: true }).click();
    await page.getByLabel('Email', { exact: true }).and(page.locator(':focus')).waitFor();
    await aloud(page, 'Check the marked fields.');
    const fault = await page.evaluate<string>(
      `document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText`,
    );
    expect(fault).toBe('The e-mail address is required.'); // read out with its field
    await page.getByText('Please accept the terms.').waitFor();
    const box = page.getByRole('checkbox');
    const inputs = await page.evaluate<string[]>(
      `[...document.querySelectorAll('form :is(input, textarea, button[type=submit])')]
         .filter((each) => each.closest('.fa-hidden') === null).map(({ type }) => type)`,
    );
    expect(inputs.slice(-3)).toEqual(['email', 'checkbox', 'submit']); // consent after the last question
    const { width, height } = (await box.boundingBox())!;
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    const link = page.locator('.fa-consent a');
    expect([await link.getAttribute('target'), await link.innerText()]).toEqual([
      '_blank',
      'terms and conditions',
    ]);
    await page.locator('label', { has: page.locator('.fa-consent') }).click({ position: { x: 2, y: 4 } });
    expect(await box.isChecked()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('stands behind a sign-in where a screen of the portal was opened', async () => {
    const { page } = await sitDown(browser);
    await page.goto(`${program.url}/partners/earnings`);
    await page.getByRole('heading', { name: 'Sign in to see this page' }).waitFor();
    const signIn = page.getByRole('main').getByRole('link', { name: 'Sign in' });
    expect(await signIn.getAttribute('href')).toBe(`${program.url}/login`);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Become an affiliate' }).click();
    await page.getByRole('heading', { name: 'Apply now' }).waitFor();
  });

  it('survives leaving the tab, and sends the code again after half a minute', async () => {
    const { page } = await sitDown(browser);
    await page.clock.install();
    const start = `${program.url}/partners/`;
    await page.goto(start);
    await page.getByLabel('Full name', { exact: true }).fill('Eve Stone');
    await page.reload();
    expect(await page.getByLabel('Full name', { exact: true }).inputValue()).toBe('Eve Stone');
    for (const [label, text] of Object.entries(ANSWERS))
      await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Send application', exact: true }).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    expect(stored).toContain('eve@mail.test');
    expect(stored).not.toContain('correct horse');

    const other = await page.context().newPage(); // the tab was closed on the way to the mailbox
    await other.clock.install();
    await other.goto(start);
    await other.getByText('We sent a six-digit code to eve@mail.test').waitFor();
    const again = other.getByRole('button', { name: /^Send another code/ });
    expect(await again.isDisabled()).toBe(true);
    await other.getByLabel('Code', { exact: true }).fill('000000');
    await other.getByRole('button', { name: 'Finish' }).click();
    const code = other.getByLabel('Code', { exact: true }).and(other.locator('[aria-invalid=true]'));
    await code.waitFor();
    expect(await other.getByText('The code is wrong.').count()).toBe(1); // at its field alone
    await other.clock.fastForward(20_000);
    await other.reload();
    expect(await again.innerText()).toMatch(/in 0:(0\d|10)$/);
    await other.clock.fastForward(31_000);
    await other.getByRole('button', { name: 'Send another code', exact: true }).waitFor();
    expect(await again.isEnabled()).toBe(true);
  });
});

/** Sends the message after each mistake was told at its field, and after a question. */
async function correctAndSend(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New message' });
  const send = dialog.getByRole('button', { name: 'Send', exact: true });
  await dialog.getByLabel('Days in the portal').fill('abc');
  await send.click();
  await dialog.getByText('Write a whole number from 0 to 365').waitFor();
  await dialog.getByLabel('Days in the portal').fill('7');
  await send.click();
  const question = page.getByRole('dialog', { name: 'Send to 2 affiliates?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await dialog.getByLabel('Subject').inputValue()).toBe('Summer sale, {{user.first_name}}');
  await dialog.getByLabel('Text').press('End');
  await dialog.getByRole('button', { name: '{{site.name}}' }).click();
  expect(await dialog.getByLabel('Text').inputValue()).toBe('All lamps are cheaper.{{site.name}}');
  await dialog.locator('textarea:focus').waitFor();
  await page.keyboard.type(' {{user.name}}');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('Correct or remove it. {{user.name}}').waitFor();
  await dialog.getByLabel('Text').fill('All lamps are cheaper.');
  await send.click();
  await question.getByRole('button', { name: 'Send' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** A question is above the dialog that asks it, also after an earlier question. */
async function sendAnother(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New message' }).click();
  const dialog = page.getByRole('dialog', { name: 'New message' });
  await dialog.getByLabel('Subject').fill('Autumn sale');
  await dialog.getByLabel('Text').fill('All mugs are cheaper.');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  const question = page.getByRole('dialog', { name: /^Send to \d+ affiliates\?$/ });
  await question.waitFor();
  await page.keyboard.press('Escape'); // closes the question alone
  await question.waitFor({ state: 'detached' });
  expect(await dialog.getByLabel('Subject').inputValue()).toBe('Autumn sale');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await question.getByRole('button', { name: 'Send' }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('messages', () => {
  it('are written to chosen ones, previewed, shown in the portal, and stopped with one press', async () => {
    const [alice, bram] = await Promise.all(
      [ALICE, ALICE + 1].map(async (user) => (await program.service.affiliates.findByUser(user))!.id),
    );
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, `/messages?open=new&to=${alice}.${bram}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Subject').fill('Summer sale, {{user.first_name}}');
    await dialog.getByLabel('Text').fill('All lamps are cheaper.');
    await dialog.getByLabel('Days in the portal').fill('7');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText('Summer sale, Alice').waitFor();
    await dialog.getByRole('combobox', { name: 'Preview for' }).fill('Bram');
    await page.getByRole('option', { name: /Bram de Vries/ }).click();
    await dialog.getByText('Summer sale, Bram').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await correctAndSend(page);
    await sendAnother(page);
    expect(complaints).toEqual([expect.stringContaining('422')]);
    complaints.length = 0;
    await program.service.jobs.runDue();
    await program.service.emails.deliverDue();
    for (const path of ['/messages', `/affiliates/${alice}?tab=messages`]) {
      await open(page, program, path);
      await page.getByRole('button', { name: 'Summer sale, [First name]' }).click();
      await page.frameLocator('[role=dialog] iframe').getByText('All lamps are cheaper.').waitFor();
      expect(await dialog.innerText()).toMatch(
        /Recipients\s+2: Alice Doe, Bram de Vries\s+Written by\s+Ada Admin/,
      );
      expect(await faultsOf(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);

    const { page: own } = await sit(browser, program, ALICE);
    await portal(own);
    await own.getByRole('heading', { name: 'Summer sale, Alice' }).waitFor();
    expect(await faultsOf(own)).toEqual([]);
    const mail = program.host.mailbox.find(({ subject }) => subject === 'Summer sale, Alice');
    const link = /https?:\/\/[^\s<>"]*unsubscribe[^\s<>"]*/.exec(mail?.text ?? '')?.[0] ?? '';
    const { page: reader } = await sitDown(browser);
    await reader.goto(link);
    await reader.getByRole('button', { name: 'Unsubscribe' }).click();
    await reader.getByRole('heading', { name: 'You’re unsubscribed' }).waitFor();
    expect(await faultsOf(reader)).toEqual([]);
  });
});

/** Waits for this many mails to an address; mails of one invitation go out a second apart. */
async function mailsTo(address: string, count = 1): Promise<readonly HostMail[]> {
  const found = program.host.mailbox.filter(({ to }) => to === address);
  if (found.length >= count) return found;
  await new Promise((resolve) => setTimeout(resolve, 500));
  await program.service.emails.deliverDue();
  return mailsTo(address, count);
}
const linkIn = (mail: HostMail | undefined): string =>
  /https?:\/\/[^\s<>"]*(?:invitation|manager)=[^\s<>"]*/.exec(mail?.text ?? '')?.[0] ?? '';

describe('an invitation', () => {
  it('is pasted in the console, and leads to the form with the address proven and the rate', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/messages?tab=invitations&open=invite');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().fill('Zoe <zoe@new.test>\nno address\nZOE@new.test');
    await dialog.getByText('No email address in: no address').waitFor();
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'partners.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,email\n"Yan, the second",yan@new.test\nNobody,\n'),
    });
    await dialog.getByRole('button', { name: 'Invite 2 people' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Invite/ }).click();
    await page.locator('main').getByText('zoe@new.test').waitFor();
    await page.locator('main').getByText('yan@new.test').waitFor();
    expect(complaints).toEqual([]);
    const link = linkIn((await mailsTo('zoe@new.test'))[0]);
    const { page: guest } = await sitDown(browser);
    await guest.goto(link);
    await guest.getByRole('region', { name: 'What you earn' }).getByText('12% of each sale').waitFor();
    const email = guest.getByLabel('Email', { exact: true });
    expect([await email.inputValue(), await email.getAttribute('readonly')]).toEqual(['zoe@new.test', '']);
    await guest.getByRole('button', { name: 'Join', exact: true }).waitFor();
    const website = guest.getByLabel('Website');
    await website.fill('zoe.test');
    await website.blur();
    expect(await website.inputValue()).toBe('https://zoe.test');
    expect(await faultsOf(guest)).toEqual([]);
  });

  it('to a wrong address stays in the dialog, the others are sent', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/messages?tab=invitations&open=invite');
    const dialog = page.getByRole('dialog');
    const addresses = dialog.getByLabel('Email addresses');
    await addresses.fill('kay@new.test\nwrong@@new');
    await dialog.getByRole('button', { name: 'Invite 2 people' }).click();
    await dialog.getByText('These were not invited').waitFor();
    expect(await addresses.inputValue()).toBe('wrong@@new');
    expect(await mailsTo('kay@new.test')).toHaveLength(1);
  });

  it('has a group and a rate of its own, is sent again, and leads nowhere after it was withdrawn', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/messages?tab=invitations&open=invite');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email addresses').fill('ute@new.test');
    await dialog.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'Gold partners' }).click();
    await dialog.getByRole('combobox', { name: 'Rate' }).click();
    await page.getByRole('option', { name: 'Own percentage' }).click();
    await dialog.getByLabel('Percent').fill('25');
    await dialog.getByRole('button', { name: 'Invite 1 person' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /ute@new\.test/ });
    expect(await row.innerText()).toMatch(/Gold partners[\s\S]*25%/);
    const first = linkIn((await mailsTo('ute@new.test'))[0]);
    const { page: guest } = await sitDown(browser);
    await guest.goto(first);
    await guest.getByRole('region', { name: 'What you earn' }).getByText('25% of each sale').waitFor();

    await row.getByRole('button', { name: 'Send again' }).click();
    expect(linkIn((await mailsTo('ute@new.test', 2))[1])).not.toBe('');
    await row.getByRole('button', { name: 'Withdraw' }).click();
    await row.getByText('Withdrawn').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    expect(complaints).toEqual([]);
    await guest.goto(first);
    await settled(guest);
    expect(await guest.getByLabel('Email', { exact: true }).inputValue()).toBe('');
  });

  it('leads to a portal that knows the rate at once; the console keeps the answers', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/messages?tab=invitations&open=invite');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email addresses').fill('ivy@new.test');
    await dialog.getByRole('combobox', { name: 'Rate' }).click();
    await page.getByRole('option', { name: 'Own percentage' }).click();
    await dialog.getByLabel('Percent').fill('150');
    await dialog.getByLabel('Your message').fill('Welcome, Ivy');
    await dialog.getByRole('button', { name: 'Invite 1 person' }).click();
    const fault = dialog.getByText('The percentage must be at most 100.');
    await fault.waitFor();
    await dialog.getByLabel('Percent').fill('15');
    expect(await fault.count()).toBe(0);
    await dialog.getByRole('button', { name: 'Invite 1 person' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { page: guest } = await sitDown(browser);
    await guest.goto(linkIn((await mailsTo('ivy@new.test'))[0]));
    await guest.getByRole('region', { name: 'What you earn' }).getByText('15% of each sale').waitFor();
    const answers = {
      'Full name': 'Ivy Green',
      Username: 'ivygreen',
      Password: 'correct horse',
      'Repeat the password': 'correct horse',
      'How will you promote us?': 'In my desk blog',
      Website: 'https://ivy.test/desks',
      'Payment email (PayPal)': 'pay@ivy.test',
    };
    for (const [label, text] of Object.entries(answers))
      await guest.getByRole('textbox', { name: label }).and(guest.getByLabel(label)).first().fill(text);
    await guest.getByRole('checkbox').check();
    await guest.getByRole('button', { name: 'Join', exact: true }).click();
    await guest.getByRole('heading', { name: 'Hello, Ivy' }).waitFor();
    await settled(guest);
    expect(await guest.getByText(/of each sale/).allInnerTexts()).toEqual(['15% of each sale']);

    const [ivy] = (await program.service.affiliates.list({ search: 'ivy@new.test' })).rows;
    await open(page, program, `/affiliates/${ivy!.id}`);
    await page.getByRole('link', { name: 'https://ivy.test/desks' }).waitFor();
    await page.getByText('In my desk blog').waitFor();
    await open(page, program, '/messages?tab=invitations&search=ivy');
    await page.getByRole('cell', { name: 'ivy@new.test' }).waitFor();
  });

  it('of a manager shows the rights, and is accepted with a new account', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/settings/managers?open=invite');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email addresses').fill('mo@new.test');
    await dialog.getByRole('checkbox', { name: 'Change Affiliates' }).check();
    await dialog.getByRole('button', { name: 'Invite 1 person' }).click();
    await page.getByRole('cell', { name: 'mo@new.test' }).waitFor();
    expect(complaints).toEqual([]);

    const { page: guest } = await sitDown(browser, { width: 390 });
    await guest.goto(linkIn((await mailsTo('mo@new.test'))[0]));
    await guest.getByText('change affiliates').waitFor();
    expect(await faultsOf(guest)).toEqual([]);
    await guest.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.locator('[aria-invalid=true]').first().waitFor();
    const account = {
      'Full name': 'Mo Lang',
      Username: 'molang',
      Password: 'correct horse',
      'Repeat the password': 'correct horse',
    };
    for (const [label, text] of Object.entries(account))
      await guest.getByRole('textbox', { name: label, exact: true }).fill(text);
    await guest.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.waitForURL(/affiliate-admin/);
    await settled(guest);
    await open(guest, program, '/affiliates');
    await guest.getByRole('button', { name: 'New affiliate' }).first().waitFor();
  });
});

describe('the deal', () => {
  it('names other rates on Home, and the day of the next payout on Payments', async () => {
    await program.service.integrations.settings.save('bookshop', {
      is_enabled: 'yes',
      custom_affiliate_rate: 'yes',
      custom_affiliate_rates: [
        { object_type: 'product', object_ids: ['11', '12'], rate: '20', rate_type: 'percentage' },
        { object_type: 'category', object_ids: ['5'], rate: '2.5', rate_type: 'fixed' },
      ],
    });
    await program.service.settings.saveReferralConfig({ payout_rhythm: 'monthly', payout_day: 1 });
    const { next_payout: next } = await program.service.portal.terms(null);
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(next!),
    );
    const { page } = await sit(browser, program, ALICE, { width: 390 });
    await portal(page);
    const deal = page.locator('.fa-panel', { hasText: 'Your terms' });
    await deal.getByText('20% on 2 products, €2.50 on 1 category').waitFor();
    await deal.getByText(`every month, on day 1 · next on ${day}`).waitFor();
    await portal(page, '/payments');
    await page.getByText(`The next one is on ${day}.`).waitFor();
  });
});

describe('a commission', () => {
  it('that was rejected says why and where to ask, and what it would have been', async () => {
    const alice = (await program.service.affiliates.findByUser(ALICE))!;
    const { referral } = await program.service.conversions.record(null, {
      provider: 'shop',
      reference: 'REJECTED-1',
      status: 'unpaid',
      affiliate: alice.id,
      order: { subtotal: '100.00' },
    });
    await program.service.referrals.update(referral!.id, { status: 'rejected' });
    const { page } = await sit(browser, program, ALICE, { width: 390 });
    await portal(page, '/earnings?state=canceled');
    await page.getByText('The program decided this.').first().waitFor();
    const ask = page.getByRole('link', { name: 'Ask about it' }).first();
    expect(await ask.getAttribute('href')).toMatch(/^mailto:admin@example\.test\?subject=/);
    await page
      .getByText(/would have been/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const filters = page.getByRole('dialog');
    await filters.getByRole('button', { name: 'From day' }).click();
    await filters.getByLabel('From day').fill('2099-01-01');
    await filters.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/date_from=2099-01-01/);
    await page.getByText('The program decided this.').waitFor({ state: 'detached' });
  });

  it('of the wrong affiliate is given to the right one', async () => {
    const [alice, bram] = await Promise.all(
      [ALICE, ALICE + 1].map((user) => program.service.affiliates.findByUser(user)),
    );
    const { referral } = await program.service.conversions.record(null, {
      provider: 'shop',
      reference: 'WRONG-1',
      status: 'unpaid',
      affiliate: alice!.id,
      order: { subtotal: '100.00' },
    });
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, `/referrals/${referral!.id}?open=give&other=${bram!.id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason, stored with the order').fill('Alice was first');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Move the order' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(`/${referral!.id}`));
    await settled(page);
    await page.getByText('Alice was first').first().waitFor();
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });
});

describe('the ways out', () => {
  it('are in the settings of the portal; a request for deletion is in the to-do of the managers', async () => {
    const { page } = await sit(browser, program, ALICE + 2);
    await portal(page, '/settings?tab=data');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Everything as JSON' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('my-data.json');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Request deletion' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Request deletion' }).click();
    await page.getByText('Requested on:').waitFor();
    const { page: admin } = await sit(browser, program, ADA);
    await open(admin, program, '/');
    await admin.locator('main a[href*="asks_deletion=yes"]').first().waitFor();

    await page.getByRole('button', { name: 'Leave the program' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the program' }).click();
    await page.getByRole('heading', { name: 'You have left the program' }).waitFor();
    await program.service.emails.saveConfig({ reply_to_email: 'help@shop.test' });
    await page.reload();
    const write = page.getByRole('link', { name: 'Write to us' });
    expect(await write.getAttribute('href')).toBe('mailto:help@shop.test');
  });
});

describe('the text of a mail', () => {
  it('is read and written as words, with the codes to choose from', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/settings/mails?mail=new_sale_to_affiliate');
    const dialog = page.getByRole('dialog');
    const text = dialog.getByRole('textbox', { name: 'Text' });
    expect(await text.inputValue()).toContain('{{site.earnings_url}}');
    expect(await text.inputValue()).not.toMatch(/##|<p>/);
    await dialog.getByRole('switch', { name: 'Use the text that comes with the service' }).press('Space');
    expect(await text.inputValue()).toContain('<p>');
    expect(await text.inputValue()).not.toContain('##');
    await dialog.getByText('Plain text', { exact: true }).click();
    await text.fill('Well done, ');
    await dialog.getByText('Codes').click();
    await dialog.getByRole('button', { name: '{{user.first_name}}' }).click();
    expect(await text.inputValue()).toBe('Well done, {{user.first_name}}');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});

describe('the search', () => {
  it('finds customers, settings by name, and begins something new', async () => {
    const { rows } = await program.service.customers.list({});
    const { email, id } = rows.find((row) => row.email !== null)!;
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search everything' });
    await box.fill(email!);
    await page
      .getByRole('option', { name: /Customer(?: ·|$)/ })
      .first()
      .click();
    await page.waitForURL(new RegExp(`customers/${id}$`));
    const [order] = (await program.service.referrals.list({ search: 'Order 104', per_page: 1 })).rows;
    await page.keyboard.press('Control+k');
    await box.fill(`#${order!.description!.replace('Order ', '')}`); // as shops write order numbers
    await page
      .getByRole('option', { name: new RegExp(`${order!.description} .*Commission ${order!.id}\\b`) })
      .click();
    await page.waitForURL(new RegExp(`referrals/${order!.id}$`));
    await page.keyboard.press('Control+k');
    await box.fill('invite');
    await page
      .getByRole('option', { name: /Invite/ })
      .first()
      .click();
    await page.getByRole('dialog').getByLabel('Email addresses').waitFor();
  });
});

describe('the guide', () => {
  it('leaves the overview by a press, and stays in System', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/');
    const guide = page.getByRole('region', { name: 'Going live' });
    await guide.waitFor();
    await guide.getByRole('button', { name: 'Hide' }).click();
    await guide.waitFor({ state: 'detached' });
    await open(page, program, '/system?tab=guide');
    await page.locator('.fa-way').waitFor();
    await page.getByRole('button', { name: 'Check again' }).waitFor();
  });
});
