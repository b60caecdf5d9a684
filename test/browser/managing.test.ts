import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// What a manager does in a day: decides applications, leaves people out of a payout, changes many rows at once.
const ADA = 1;
const VIEWS = [
  { width: 1280, dark: false },
  { width: 390, dark: true },
] as const;
const uploads = mkdtempSync(join(tmpdir(), 'pictures-'));
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram({ uploads });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
  rmSync(uploads, { recursive: true, force: true });
});

const pendingIds = async (): Promise<number[]> =>
  (await program.service.affiliates.list({ status: 'pending', order_by: 'id', order_type: 'ASC' })).rows.map(
    ({ id }) => id,
  );
const choose = async (page: Page, label: string, option: string): Promise<void> => {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option }).click();
};

describe('applications', () => {
  it('are approved with group and rate, rejected with a reason, and lead to the next one', async () => {
    const [first, second] = await pendingIds();
    await program.service.affiliates.update(first!, { note: 'In my newsletter' });
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, `/affiliates/${first}`);
    const answer = page.locator('dl > div', { hasText: 'In my newsletter' });
    expect(await answer.locator('dt').allInnerTexts()).toEqual(['How will you promote us?']); // not "Note"
    await page.getByText('1 more application waits.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await choose(page, 'Group', 'Gold partners');
    await choose(page, 'Rate', 'Own percentage');
    await page.getByLabel('Percent').fill('22.5');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('22.5%').waitFor(); // a rate is changed with a second press
    await page.getByRole('button', { name: 'Yes, save' }).click();
    await page.waitForURL(new RegExp(`affiliates/${second}$`));
    expect(await program.service.affiliates.get(first!)).toMatchObject({
      status: 'active',
      rate_type: 'percentage',
      rate_e4: 225_000,
    });

    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason, sent to the applicant by mail').fill('Too few readers');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.waitForURL(/affiliates$/);
    expect((await program.service.affiliates.get(second!)).status).toBe('inactive');
    expect(complaints).toEqual([]);
  });
});

it('a form sends only the fields that were touched', async () => {
  const { id } = await program.service.affiliates.create({ user_id: 80, status: 'pending' });
  const { rows: groups } = await program.service.groups.list({ search: 'Press' });
  const { page } = await sit(browser, program, ADA);
  const bodyOf = async (method: string, press: string): Promise<unknown> => {
    const sent = page.waitForRequest((request) => request.method() === method);
    await page.getByRole('button', { name: press, exact: true }).click();
    return (await sent).postDataJSON();
  };
  await open(page, program, `/affiliates/${id}`);
  await choose(page, 'Group', 'Press');
  expect(await bodyOf('PATCH', 'Approve')).toEqual({ status: 'active', group_id: groups[0]!.id });
  await page.getByText('Adam Smith is approved').waitFor();

  await open(page, program, '/settings/registration');
  await page.getByLabel('Review each application').uncheck();
  expect(await bodyOf('POST', 'Save')).toHaveProperty('settings', { require_approval: 'no' });
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  await page.getByLabel('People can apply').uncheck();
  expect(await bodyOf('POST', 'Save')).toHaveProperty('settings', { enabled: 'no' });
});

it('a payout warns of inactive affiliates, with links that can be read on the warning', async () => {
  const { affiliates } = program.service;
  const due = (await affiliates.list({ order_by: 'unpaid_earnings', order_type: 'DESC' })).rows.slice(0, 3);
  for (const { id } of due) await affiliates.update(id, { status: 'inactive' });
  const { page } = await sit(browser, program, ADA);
  await open(page, program, '/payouts/new?step=check');
  await page.getByText(/affiliates? (?:is|are) not active/).waitFor();
  const colors = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.fa-notes a, .fa-notes .mantine-Alert-message')].map((each) => getComputedStyle(each).color)`,
  );
  expect(colors.length).toBeGreaterThan(1);
  expect(new Set(colors).size).toBe(1);
  const paid = page.getByRole('checkbox', { name: /^Pay /, checked: true });
  const all = await paid.count();
  await page.getByLabel('Skip inactive affiliates').check();
  await page.waitForURL(/inactive=out/);
  await paid.nth(all - due.length).waitFor({ state: 'detached' });
  await page.reload();
  await paid.first().waitFor();
  expect([await paid.count(), await page.getByLabel('Skip inactive affiliates').isChecked()]).toEqual([
    all - due.length,
    true,
  ]);
  for (const { id, status } of due) await affiliates.update(id, { status });
});

describe.each(VIEWS)('a payout in a window %j', (view) => {
  it('leaves out the rows that are not ticked, also after a reload and a step back', async () => {
    const { page, complaints } = await sit(browser, program, ADA, view);
    await open(page, program, '/payouts/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('For October');
    const remark = page.getByRole('textbox', { name: 'Remark' });
    await remark.and(page.getByRole('textbox', { description: 'Only managers can see this.' })).fill('');
    await page.getByRole('button', { name: 'Preview' }).click();
    const make = page.getByRole('button', { name: /^Create payout of/ });
    await make.waitFor();
    const whole = await make.innerText();
    const rows = await page.getByRole('checkbox', { name: /^Pay / }).count();
    const least = page.getByRole('checkbox', { name: /^Pay / }).last();
    await least.uncheck();
    await page.waitForURL(/out=\d+/);
    await page.getByRole('button', { name: whole }).waitFor({ state: 'detached' });
    expect(await page.locator('.fa-figure', { hasText: 'Affiliates' }).innerText()).toContain(
      String(rows - 1),
    );
    expect(await faultsOf(page)).toEqual([]);
    const less = await make.innerText();
    await page.reload();
    await page.getByRole('button', { name: less }).waitFor();

    await page.getByLabel('Skip below').fill('100');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/min=100/);
    await page.locator('tbody tr', { hasText: '€92.07' }).waitFor({ state: 'detached' });
    await page.goBack();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('For October');
    expect(complaints).toEqual([]);
  });
});

describe('many affiliates', () => {
  it('get a group at once, all that match, and go back by one press', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates?status=active');
    const groups = async (): Promise<Map<number, unknown>> =>
      new Map(
        (await program.service.affiliates.list({ status: 'active', per_page: 200 })).rows.map((row) => [
          row.id,
          row.group_id,
        ]),
      );
    const before = await groups();
    expect(before.size).toBeGreaterThan(20); // more than a page
    await page.getByLabel('Select all rows on this page').check();
    const bulk = page.getByRole('region', { name: 'Selected rows' });
    await bulk.getByRole('button', { name: `Select all ${before.size} matching rows` }).click();
    await bulk.getByText(`${before.size} selected rows`).waitFor();
    await bulk.getByRole('button', { name: 'Group…' }).click();
    await choose(page, 'Group', 'Press');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: `Change ${before.size} affiliates` }).click();
    const question = page.getByRole('group', { name: 'Save this change?' });
    await question.waitFor();
    const asked = await question.innerText();
    expect(asked).toContain(`Group of ${before.size} affiliates`);
    const without = [...before.values()].filter((group) => group === null).length;
    expect(asked).toMatch(new RegExp(`No group \\(${without}\\).*→[^]*Press`, 'u'));
    expect(await faultsOf(page)).toEqual([]);
    expect(await groups()).toEqual(before); // nothing was sent
    await page.getByRole('button', { name: 'Yes, save' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await page.getByText(`${before.size} affiliates moved to Press`).waitFor();
    expect(new Set((await groups()).values()).size).toBe(1);
    await undo.click();
    await page.getByText('Undone').waitFor();
    expect(await groups()).toEqual(before);
    expect(complaints).toEqual([]);
  });

  it('get a rate after a question with their rates, and the Undo restores each one', async () => {
    const { affiliates } = program.service;
    const ids = (await affiliates.list({ status: 'active', per_page: 3 })).rows.map(({ id }) => id);
    const rates = (): Promise<unknown[]> =>
      Promise.all(
        ids.map(async (id) => {
          const { rate_type, rate_e4 } = await affiliates.get(id);
          return { rate_type, rate_e4 };
        }),
      );
    await affiliates.update(ids[0]!, { rate_type: 'percentage', rate: 12.5 });
    await affiliates.update(ids[1]!, { rate_type: 'flat', rate: 3 });
    await affiliates.update(ids[2]!, { rate_type: 'default' });
    const before = await rates();
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates?status=active');
    for (const at of [0, 1, 2]) await page.locator('tbody tr').nth(at).getByRole('checkbox').check();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Rate…' }).click();
    await choose(page, 'Rate', 'Own percentage');
    await page.getByLabel('Percent').fill('5');
    await page.getByRole('button', { name: 'Change 3 affiliates' }).click();
    const question = page.getByRole('group', { name: 'Save this change?' });
    await question.waitFor();
    const asked = await question.innerText();
    for (const part of ['Rate of 3 affiliates', '12.5% own rate (1)', '€3.00 own rate (1)', '12% (1)'])
      expect(asked).toContain(part);
    expect(asked).toMatch(/→[\s\S]*\b5%/);
    expect(await faultsOf(page)).toEqual([]);
    expect(await rates()).toEqual(before); // nothing was sent
    await page.getByRole('button', { name: 'Yes, save' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    expect(await rates()).toMatchObject(before.map(() => ({ rate_type: 'percentage', rate_e4: 50_000 })));
    await undo.click();
    await page.getByText('Undone').waitFor();
    expect(await rates()).toEqual(before);
    expect(complaints).toEqual([]);
  });

  it('get a message', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates?status=active');
    for (const at of [0, 1]) await page.locator('tbody tr').nth(at).getByRole('checkbox').check();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Write' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Subject').waitFor();
    expect(await dialog.getByRole('combobox', { name: 'To' }).inputValue()).toBe('2 selected affiliates');
    await dialog.getByLabel('Subject').fill('Autumn campaign');
    await dialog.getByLabel('Text').fill('Please use the new pictures.');
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/messages'),
    );
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Send to 2 affiliates?' })
      .getByRole('button', { name: 'Send' })
      .click();
    expect((await sent).postDataJSON()).toMatchObject({
      audience: { ids: [expect.any(Number), expect.any(Number)] },
    });
    await page.getByRole('dialog', { name: 'New message' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Autumn campaign' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('coupons', () => {
  it('are assigned in a known shop, and a name that no order has is told', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/coupons?open=new');
    const dialog = page.getByRole('dialog');
    const shop = dialog.getByRole('combobox', { name: 'Shop' });
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await dialog.getByText('Choose an affiliate.').waitFor();
    await dialog.getByRole('combobox', { name: 'Affiliate' }).fill('Bram');
    await page.getByRole('option', { name: /Bram de Vries/ }).click();
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await dialog.getByText('Fill in this field.').first().waitFor();
    await shop.fill('Corner');
    await dialog.getByText('No credited order and no integration has this name yet.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await shop.fill('');
    await page.getByRole('option').first().click();
    await dialog.getByText('No credited order').waitFor({ state: 'detached' });
    await dialog.getByRole('textbox', { name: 'Coupon' }).fill('BRAM10');
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('BRAM10').waitFor();
    expect(complaints).toEqual([expect.stringContaining('422')]);
  });
});

describe('keys', () => {
  it('open screens, go through a list, choose a row, and begin something new', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL(/affiliates$/);
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const second = page.locator('tbody tr').nth(1);
    expect(await second.getByRole('checkbox').isChecked()).toBe(true);
    await page.keyboard.press('k');
    expect(await page.locator('tbody tr').first().locator(':focus').count()).toBe(1);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next and previous row').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search everything' });
    await box.fill('new pay');
    await page.getByRole('option', { name: 'New payout' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/payouts\/new$/);
    await page.keyboard.press('Control+k');
    await box.fill('danger');
    await page.getByRole('option', { name: /Danger zone/ }).click();
    await page.waitForURL(/settings\/danger$/);
    expect(complaints).toEqual([]);
  });
});

describe('figures', () => {
  it('of the overview come after the to-do list, and those that follow no days are named so', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/?days=7');
    const titles = await page.locator('main h2').allInnerTexts();
    const [tasks, now, days] = ['To do', 'Now', 'Selected days'].map((title) => titles.indexOf(title));
    expect([tasks, now, days].filter((at) => at === undefined || at < 0)).toEqual([]);
    expect([tasks! < now!, now! < days!]).toEqual([true, true]);
    const ofNow = page.getByRole('region', { name: 'Now' });
    await ofNow.getByText('Ready to pay', { exact: true }).waitFor();
    await ofNow.getByText('Active affiliates', { exact: true }).waitFor();
    expect(await page.locator('.fa-figure').count()).toBe(await ofNow.locator('.fa-figure').count());
  });

  it('of the overview follow the days that are chosen, apart from those of now', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/?days=7');
    const sales = page
      .getByRole('group', { name: 'What the chart shows' })
      .getByRole('button', { name: /Sales/ });
    const week = await sales.innerText();
    const ready = page.locator('.fa-figure', { hasText: 'Ready to pay' });
    const now = await ready.innerText();
    await page.getByRole('button', { name: '90 days' }).click();
    await page.waitForURL(/days=90/);
    await page.locator('.fa-metrics', { hasNotText: week.split('\n')[1]! }).waitFor();
    expect(await sales.innerText()).not.toBe(week);
    expect(await ready.innerText()).toBe(now);
  });

  it('of the reports are compared with days of the reader’s choice', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/reports?days=7');
    const clicks = page.locator('.fa-figure', { hasText: 'Clicks' });
    expect(await clicks.innerText()).not.toContain('before: 0');
    await page.getByLabel('Compared with', { exact: true }).selectOption('year');
    await page.waitForURL(/with=year/);
    await clicks.getByText('before: 0').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^report-over-time-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const [head = '', first = ''] = readFileSync(await file.path(), 'utf8').split('\n');
    expect(head).toMatch(/^\uFEFFDate,"Earnings, EUR","Earnings, Before \(.+\)",Commissions,/);
    expect(first).toMatch(/^\d{4}-\d\d-\d\d,\d+\.\d\d,\d+\.\d\d,\d+,\d+,/);

    await page.getByRole('button', { name: 'Custom' }).click();
    const [from, until] = [page.getByLabel('From').first(), page.getByLabel('Until').first()];
    await from.fill('2026-01-01');
    await until.fill('2025-12-01');
    await page.getByText('The last day is before the first day.').waitFor();
    expect(await until.getAttribute('aria-invalid')).toBe('true');
    await clicks.waitFor(); // the report stays
    await until.fill('2026-01-10');
    await page.waitForURL(/to=2026-01-10/);
    await page.getByLabel('Compared with', { exact: true }).selectOption('own');
    await page.getByLabel('From').last().fill('2025-11-01');
    await page.waitForURL(/with-from=2025-11-01/);
    expect(await page.getByLabel('Until').last().inputValue()).toBe('2025-11-10');
    expect(await faultsOf(page)).toEqual([]);
  });
});

describe('a picture', () => {
  it('is dropped into the form of a creative, shown, and stored with its size', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/creatives?open=new');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Dropped banner');
    await dialog.getByRole('textbox', { name: 'Leads to' }).fill(`${program.url}/`);
    const file = await page.evaluateHandle(`(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 120 });
      canvas.getContext('2d').fillRect(0, 0, 300, 120);
      const picture = await new Promise((done) => canvas.toBlob(done, 'image/png'));
      const data = new DataTransfer();
      data.items.add(new File([picture], 'banner.png', { type: 'image/png' }));
      return data;
    })()`);
    const drop = dialog.locator('.fa-drop');
    await drop.dispatchEvent('dragover', { dataTransfer: file });
    await drop.and(page.locator('[data-over]')).waitFor();
    await drop.dispatchEvent('drop', { dataTransfer: file });
    await dialog.locator('img').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^(?:Create|Save)/ }).click();
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await program.service.creatives.list({ search: 'Dropped banner' });
    expect(rows[0]).toMatchObject({ type: 'image', image: expect.stringContaining('.png') });
    expect(complaints).toEqual([]);
  });
});

describe('doers', () => {
  /** Lets the page read a changed response. */
  const changed = async (page: Page, url: RegExp, change: (body: never) => void): Promise<void> => {
    await page.route(url, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue();
      const response = await route.fetch();
      const body = (await response.json()) as never;
      change(body);
      return route.fulfill({ response, json: body });
    });
  };

  it('of the history have a name, or the place where the change came from', async () => {
    const { apiKey: key } = await program.service.apiKeys.create({
      name: 'Warehouse',
      user_id: ADA,
      rights: ['read_all_visits'],
    });
    const entry = {
      action: 'group.updated',
      actor: null,
      actor_id: null,
      api_key_id: null,
      request_id: null,
    };
    const ada = { ID: ADA, display_name: 'Ada Admin', user_email: 'ada@shop.test' };
    const doers = [
      [{ actor: ada, actor_id: ADA }, 'Ada Admin'],
      [{ actor: ada, actor_id: ADA, api_key_id: key.id }, 'Ada Admin · API key Warehouse'],
      [{ api_key_id: key.id }, 'API key Warehouse'],
      [{ api_key_id: 999 }, 'a deleted API key'],
      [{ actor_id: 999 }, 'a deleted user'],
      [{ request_id: 'code' }, 'the website'],
      [{ request_id: 'job:imports' }, 'an import'],
      [{ action: 'import.batch', request_id: 'code' }, 'an import'],
      [{ request_id: 'job:outbox' }, 'the program'],
      [{ request_id: 'work:currency' }, 'the program'],
      [{ request_id: '2f9c1c4e-8a52-4c7e-9f0f-0a1b2c3d4e5f' }, 'the shop or a visitor'],
    ] as const;
    const { page, complaints } = await sit(browser, program, ADA);
    await changed(page, /\/audit\?/, (body: { entries: { data: object[] } }) => {
      const [first] = body.entries.data;
      body.entries.data = doers.map(([patch], at) => ({ ...first, ...entry, id: at + 1, ...patch }));
    });
    await open(page, program, '/system?tab=audit');
    const column = await page.locator('thead th').allInnerTexts();
    const at = column.findIndex((text) => text.includes('Changed by'));
    const shown = await page.locator(`tbody tr > :nth-child(${at + 1})`).allInnerTexts();
    expect(shown.map((text) => text.trim())).toEqual(doers.map(([, name]) => name));
    expect(complaints).toEqual([]);
  });

  it('of an order are named for every source', async () => {
    const { id } = (await program.service.referrals.list({ per_page: 1 })).rows[0]!;
    const doers = {
      rest: 'a person',
      manual: 'a person',
      portal: 'the affiliate',
      tracker: 'the tracker',
      provider: 'the shop',
      code: 'the shop',
      job: 'the program',
      import: 'an import',
      payout: 'a payout',
      bookshop: 'Bookshop',
    };
    const { page } = await sit(browser, program, ADA);
    await changed(
      page,
      new RegExp(`/referrals/${id}$`),
      (body: { referral: { order: { timeline: object[] } } }) => {
        const { order } = body.referral;
        const [first] = order.timeline;
        order.timeline = Object.keys(doers).map((source) => ({ ...first, actor: null, source }));
      },
    );
    await open(page, program, `/referrals/${id}`);
    const shown = await page.locator('.fa-timeline li').allInnerTexts();
    expect(shown.map((text) => text.split(' · ').at(-1))).toEqual(Object.values(doers));
  });
});
