import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// Lists as people work with them: narrowed, added up, arranged and kept.
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

type Manifest = Readonly<Record<string, { readonly file: string } | undefined>>;

const rows = (page: Page): Promise<number> => page.locator('main tbody tr').count();

async function filterBy(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
}

describe('a list', () => {
  it('asks for its rows while its page gets ready, and only once', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de' });
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.endsWith('/v2/affiliates')) asked.push(search);
    });
    const texts = (JSON.parse(readFileSync('dist/console/app/manifest.json', 'utf8')) as Manifest)[
      'admin/texts/de.json'
    ];
    let letThrough = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page.route(`**/${texts!.file}`, async (route) => held.then(() => route.continue()));
    await Promise.all([
      page.waitForResponse(/\/affiliates\?/), // nothing can be shown without its texts
      page.goto(`${program.url}/affiliate-admin/affiliates`, { waitUntil: 'commit' }),
    ]);
    letThrough();
    await settled(page);
    expect(await rows(page)).toBeGreaterThan(5);
    await open(page, program, '/affiliates?q=Chiara');
    expect(asked).toEqual(['?page=1&per_page=20', '?page=1&per_page=20&search=Chiara']);
  });

  it('is narrowed to statuses, an affiliate and days, and says what that comes to', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/referrals');
    const everything = await page.locator('.fa-foot-totals').innerText();
    await filterBy(page, 'Status');
    await page.getByLabel('On hold', { exact: true }).check();
    await page.getByLabel('Canceled').check();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/state=held%2Ccanceled/);
    await settled(page);
    const states = await page.locator('main tbody .fa-status').allInnerTexts();
    expect(states.length).toBeGreaterThan(5);
    expect(states.filter((state) => state !== 'On hold' && state !== 'Canceled')).toEqual([]);
    await page.getByRole('button', { name: 'Remove filter Status' }).click();

    await filterBy(page, 'Affiliate');
    await page.getByRole('combobox', { name: 'Affiliate' }).fill('Chiara');
    await page.getByRole('option', { name: /Chiara Rossi/ }).click();
    await page.locator('.fa-chip', { hasText: 'Chiara Rossi' }).waitFor();
    await filterBy(page, 'From day');
    await page.getByLabel('From day').fill(new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/date_from=/);
    await settled(page);
    const narrowed = await page.locator('.fa-foot-totals').innerText();
    expect(narrowed).toMatch(/^€[\d.,]+ in commissions on €[\d,.]+ of orders$/);
    expect(narrowed).not.toBe(everything);
    expect(await page.locator('main tbody tr', { hasText: 'Chiara Rossi' }).count()).toBe(await rows(page));
    await page.reload();
    await page.locator('.fa-foot-totals', { hasText: narrowed }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('keeps columns, density and views in the browser of who chose them', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates?status=active&sort=-total_earnings');
    await page.getByRole('button', { name: 'Columns and density' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Payment email' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Clicks' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Compact rows' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByLabel('Name of the view').fill('Best ones');
    await page.getByRole('button', { name: 'Save view' }).click();

    await open(page, program, '/affiliates');
    const heads = await page.locator('main thead th').allInnerTexts();
    expect(heads).toEqual(expect.arrayContaining(['Payment email']));
    expect(heads).not.toEqual(expect.arrayContaining(['Clicks']));
    await page.locator('.fa-table-frame.fa-tight').waitFor();
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('button', { name: 'Best ones', exact: true }).click();
    await page.waitForURL(/status=active&sort=-total_earnings/);
  });

  it.each([
    ['/visits?convert_status=not_converted', /^0 converted \(0%\)$/],
    ['/customers', /^€[\d.,]+ in commissions on €[\d,.]+ of orders$/],
  ])('%s says what is filtered comes to', async (path, text) => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, path);
    await page.locator('.fa-foot-totals').getByText(text).waitFor();
    expect(complaints).toEqual([]);
  });

  it('of customers is handed out as a file, all of what is filtered', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/customers?q=buyer1');
    const total = Number(/of (\d+)/.exec(await page.locator('.fa-foot-text').innerText())?.[1]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(total + 1);
    expect(lines[0]).toMatch(/^id,first_name,last_name,email/);
  });

  it('says of each chosen row what could not be done with it', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates?status=pending');
    const people = await page.locator('main tbody tr .fa-strong').allInnerTexts();
    expect(people.length).toBeGreaterThan(1);
    await page.getByLabel('Select all rows on this page').check();
    // Somebody else is faster with the first one.
    const { rows: pending } = await program.service.affiliates.list({ status: 'pending' });
    const taken = pending.find((affiliate) => affiliate.user?.full_name === people[0])!;
    await program.service.affiliates.update(taken.id, { status: 'active' });

    const bulk = page.getByRole('region', { name: 'Selected rows' });
    const impossible = bulk.getByTitle('This is not possible for any of the selected rows.');
    await impossible.first().waitFor();
    expect(await impossible.allInnerTexts()).toEqual(['Deactivate', 'Write']);
    await bulk.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Approve ${people.length} rows` })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await bulk.getByRole('alert').getByRole('listitem').allInnerTexts()).toEqual([
      `${people[0]}: The affiliate already has this status.`,
    ]);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByText('No matches').first().waitFor(); // the others are approved
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });

  it('is read while its name is pointed at, and so is what a row leads to', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const read = (path: RegExp): Promise<unknown> =>
      page.waitForResponse((answer) => path.test(new URL(answer.url()).pathname));
    await Promise.all([
      read(/\/referrals$/),
      page.getByRole('navigation').getByRole('link', { name: 'Commissions', exact: true }).hover(),
    ]);
    await page.getByRole('navigation').getByRole('link', { name: 'Commissions', exact: true }).click();
    await settled(page);
    await Promise.all([read(/\/referrals\/\d+$/), page.locator('main tbody tr').nth(2).hover()]);
    await page.locator('main tbody tr').nth(2).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Why this amount' }).waitFor();
    expect(asked.filter((path) => path.endsWith('/referrals'))).toHaveLength(1);
    expect(asked.filter((path) => /\/referrals\/\d+$/.test(path))).toHaveLength(1);
  });
});

describe('the overview', () => {
  it('draws what is chosen beside the time before, and keeps it in the address', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/?days=7');
    const choice = page.getByRole('group', { name: 'What the chart shows' });
    await choice.getByRole('button', { name: /Clicks/ }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/chart=Visits/);
    await page.reload();
    await page.locator('.fa-metric[aria-pressed=true]', { hasText: 'Clicks' }).waitFor();
    const figure = page.getByRole('figure', { name: 'Clicks' });
    await figure.getByRole('button', { name: 'Show table' }).click();
    expect(await figure.getByRole('row').count()).toBe(8);
    expect(await figure.getByRole('columnheader').allInnerTexts()).toEqual(['Date', 'Clicks', 'Before']);
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('the reports', () => {
  it.each(['campaigns', 'shops', 'affiliates', 'groups'])(
    'tell %s apart beside the time before, and draw the one that is chosen',
    async (by) => {
      const { page, complaints } = await sit(browser, program, ADA);
      await open(page, program, `/reports?tab=${by}&days=7`);
      const table = page.locator('.fa-keep').first();
      expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(
        expect.arrayContaining(['Orders', 'Earned', 'Before', 'Change']),
      );
      await table.getByRole('button').first().click();
      await page.waitForURL(/of=/);
      await page.reload();
      const figure = page.getByRole('figure', { name: /: earned$/ });
      await figure.getByRole('button', { name: 'Show table' }).click();
      expect(await figure.getByRole('row').count()).toBe(8);
      expect(await faultsOf(page)).toEqual([]);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export', exact: true }).click(),
      ]);
      const [head = '', ...lines] = readFileSync(await file.path(), 'utf8').split('\n');
      // the columns of the page, what "before" means, and the days
      expect(head).toMatch(
        /,Orders,Order value,Earned,"Before \(\w{3} \d+, \d{4} – \w{3} \d+, \d{4}\)",Change,Currency,From,Until$/,
      );
      expect(lines[0]).toMatch(
        /,\d+\.\d{2},\d+\.\d{2},\d+\.\d{2},[^,]*,EUR,\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d$/,
      );
      expect(complaints).toEqual([]);
    },
  );
});

describe('a referral', () => {
  it('tells its calculation, what happened and what is refused in German', async () => {
    const { page } = await sit(browser, program, ADA, { locale: 'de' });
    const { rows: found } = await program.service.referrals.list({ status: 'unpaid', per_page: 1 });
    await open(page, program, `/referrals/${found[0]!.id}`);
    const explanation = await page.locator('.fa-why').innerText();
    expect(explanation).toMatch(/^\d+\s?% \(Satz de[sr] \w+\) von [\d.,]+\s€: [\d.,]+\s€\./);
    expect(explanation).toMatch(/Fällig: [\d.,]+\s€\./);
    expect(await page.locator('.fa-timeline').innerText()).toMatch(/^Erfasst: /);

    await page.goto(`${program.url}/affiliate-admin/affiliates/999999`);
    await page.getByRole('alert').getByText('Nicht gefunden. Vielleicht wurde es gelöscht.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('is rejected with a reason, which is told among what happened', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/referrals?state=payable');
    await page.locator('main tbody tr').first().getByRole('link').first().click();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason, stored with the order').fill('Bought with a stolen card');
    expect(await dialog.getByLabel('Show the reason to the affiliate').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.fa-head .fa-status', { hasText: 'Canceled' }).waitFor();
    await page.locator('.fa-timeline', { hasText: 'Bought with a stolen card' }).waitFor();
    await page.locator('.fa-below tbody tr', { hasText: 'Commission changed' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.locator('dt:text-is("Name") + dd').getByRole('link').click();
    await page.waitForURL(/customers\/\d+/);
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });

  it('is rejected together with others, with one reason for all', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/referrals?state=payable');
    const rows = page.locator('main tbody tr');
    await rows.nth(1).waitFor();
    const address = await rows.first().getByRole('link').first().getAttribute('href');
    await rows.nth(0).getByRole('checkbox').check();
    await rows.nth(1).getByRole('checkbox').check();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason, stored with the order').fill('The shop was tested');
    await dialog.getByRole('button', { name: 'Reject 2 rows' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Reject: 2 rows done').waitFor();
    await page.goto(new URL(address!, program.url).href);
    await page.locator('.fa-timeline', { hasText: 'The shop was tested' }).waitFor();
    await page.locator('.fa-below tbody tr', { hasText: 'Status: Canceled' }).first().waitFor();
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });
});
