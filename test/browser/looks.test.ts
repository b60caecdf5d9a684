import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, sit, sitDown } from './seat.js';

// What only eyes notice: texts that are cut off, parts that lie upon each other, words nobody speaks.
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

const isCutOff = (button: Locator): Promise<boolean> =>
  button.locator('.mantine-Button-label').evaluate((label) => label.scrollWidth > label.clientWidth);

describe('a button beside the title of a panel', () => {
  it.each([
    ['/settings/managers', 'Add manager'],
    ['/settings/keys', 'New API key'],
    ['/settings/webhooks', 'Add webhook'],
    ['/settings/sites', 'Connect a site'],
  ])('of %s shows all of its text', async (path, name) => {
    for (const width of [1280, 390]) {
      const { page } = await sit(browser, program, ADA, { width });
      await open(page, program, path);
      expect(await isCutOff(page.getByRole('button', { name }).first())).toBe(false);
      await page.context().close();
    }
  });
});

describe('a dialog', () => {
  it.each([
    ['/creatives', 'New creative', 'Name'],
    ['/settings/keys', 'New API key', 'Name'],
    ['/settings/webhooks', 'Add webhook', 'Address'],
  ])('of %s begins in its first field', async (path, button, label) => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, path);
    await page.getByRole('button', { name: button }).first().click();
    await page
      .getByRole('dialog')
      .getByRole('textbox', { name: label })
      .and(page.locator(':focus'))
      .waitFor();
  });

  it.each([1280, 390])('with a preview keeps its form clear of it, %i px wide', async (width) => {
    const { page } = await sit(browser, program, ADA, { width });
    await open(page, program, '/creatives?open=new');
    const dialog = page.getByRole('dialog');
    const boxOf = async (
      name: string,
    ): Promise<{ start: number; end: number; top: number; bottom: number }> => {
      const target = name === '' ? dialog.locator('.fa-preview') : dialog.getByLabel(name);
      const box = (await target.boundingBox())!;
      return { start: box.x, end: box.x + box.width, top: box.y, bottom: box.y + box.height };
    };
    const preview = await boxOf('');
    const until = await boxOf('Shown until');
    expect(until.end <= preview.start || until.bottom <= preview.top).toBe(true);
    const from = await boxOf('Shown from');
    expect(from.end <= until.start || from.bottom <= until.top).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
  });
});

describe('fields side by side', () => {
  it('begin on one line, also beside a choice', async () => {
    const { page } = await sit(browser, program, ADA, { width: 390 });
    await open(page, program, '/settings');
    const tops = await Promise.all(
      ['Rate type', 'Value'].map(
        async (label) => (await page.locator('label', { hasText: label }).first().boundingBox())!.y,
      ),
    );
    expect(tops[0]).toBe(tops[1]);
  });

  it('stand on one line when the hint of one is longer', async () => {
    const { page } = await sit(browser, program, ADA, { width: 390 });
    await open(page, program, '/payouts/new');
    const [least, method] = await Promise.all(
      ['Minimum per affiliate', 'Method'].map((name) => page.getByLabel(name).first().boundingBox()),
    );
    expect(Math.abs(least!.y - method!.y)).toBeLessThan(1);
  });
});

describe('the history', () => {
  it('tells what was changed, and in words', async () => {
    const { id } = (await program.service.affiliates.list({ status: 'active', per_page: 1 })).rows[0]!;
    await program.service.affiliates.changeStatus(id, 'inactive');
    const { page } = await sit(browser, program, ADA);
    await open(page, program, `/affiliates/${id}?tab=history`);
    const row = (name: string): Locator => page.getByRole('row').filter({ hasText: name }).first();
    await row('Affiliate changed').getByText('Status: Active', { exact: true }).waitFor();
    await row('Affiliate changed').getByText('Status: Inactive', { exact: true }).waitFor();
    const created = await row('Affiliate created').innerText();
    expect(created).toContain('Payment email: set');
    expect(created).not.toMatch(/\be4\b|minor|id:|hash|User:|—.*—/);
  });
});

describe('an API key', () => {
  it('is good until the day that was chosen', async () => {
    await program.service.apiKeys.create({
      name: 'Harvest',
      rights: ['read_all_referrals'],
      user_id: ADA,
      expires_at: '2199-01-31',
    });
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/settings/keys');
    await page
      .getByRole('row', { name: /Harvest/ })
      .getByText('Jan 31, 2199')
      .waitFor();
  });
});

describe('the rights of an API key', () => {
  it('are read at a glance, also when there are many', async () => {
    const rights = ['read_all_affiliates', 'manage_all_referrals', 'read_all_visits', 'manage_all_payouts'];
    await program.service.apiKeys.create({
      name: 'Warehouse',
      rights: [...rights, 'read_settings', 'manage_portal'],
      user_id: ADA,
    });
    for (const width of [1280, 390]) {
      const { page } = await sit(browser, program, ADA, { width });
      await open(page, program, '/settings/keys');
      const cell = page.getByRole('row', { name: /Warehouse/ }).locator('td', { hasText: 'Change' });
      const rights = await cell.locator('li').allInnerTexts();
      expect(rights).toEqual([
        "Change: Commissions, Payouts, The owner's own portal",
        'Read: Affiliates, Clicks, Settings and events',
      ]);
      expect((await cell.boundingBox())!.height).toBeLessThan(150);
      expect(await faultsOf(page)).toEqual([]);
    }
  });
});

describe('people and things', () => {
  it('are called by their names where a commission is explained, and by their ids without one', async () => {
    const { referral } = await program.service.conversions.record(null, {
      provider: 'shop',
      reference: 'W-1',
      status: 'unpaid',
      affiliate: 1,
      order: { subtotal: '60.00' },
      items: [
        { id: 1, title: 'Shirt, red', subtotal: '30.00' },
        { id: 1, title: 'Shirt, blue', subtotal: '20.00' },
        { id: 2, title: '', subtotal: '10.00' },
      ],
      rules: [{ object_type: 'product', object_ids: ['1', '2'], rate_type: 'percentage', rate_e4: 300_000 }],
    });
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, `/referrals/${referral!.id}`);
    const lines = page.locator('table', { hasText: 'Part of the order' }).locator('tbody td:first-child');
    await lines.first().waitFor();
    expect(await lines.allInnerTexts()).toEqual(['Shirt, red', 'Shirt, blue', 'Product 2']);
    await page.setViewportSize({ width: 390, height: 900 });
    for (const table of await page.locator('main .fa-table-frame:visible').all())
      expect(await table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBeLessThan(2);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });

    await open(page, program, '/system?tab=outbox');
    await page
      .getByRole('row', { name: /Commission earned/ })
      .getByRole('link', { name: 'Alice Doe' })
      .first()
      .waitFor();
    expect(await page.getByRole('link', { name: /^Affiliate \d/ }).count()).toBe(0);

    const url = 'https://warehouse.invalid/events';
    await program.service.webhooks.createEndpoint({ url, events: ['referral.created'] });
    await program.service.webhooks.lineUp();
    await open(page, program, '/system?tab=outbox');
    const delivery = page.getByRole('row', { name: /^referral\.created/ }).first();
    await delivery.getByRole('link', { name: url }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a record that does not exist', () => {
  it('leads back to the page before', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/payouts');
    await page.goto(`${program.url}/affiliate-admin/payouts/99`);
    await page.getByRole('heading', { name: 'No such payout.' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.waitForURL(/payouts$/);
  });

  it('leads to the first screen where there is no page before', async () => {
    const { page } = await sit(browser, program, ADA);
    const [fresh] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(`void window.open('${program.url}/affiliate-admin/payouts/99')`),
    ]);
    await fresh.getByRole('button', { name: 'Go back' }).click();
    await fresh.waitForURL(/affiliate-admin\/$/);
  });
});

describe('the portal', () => {
  const ALICE = 10;

  it('has the buttons of the statement in sight on a phone', async () => {
    const { page } = await sit(browser, program, ALICE, { width: 390 });
    await page.goto(`${program.url}/partners/earnings?tab=statement`);
    for (const name of ['Print', 'CSV']) {
      const box = (await page.getByRole('button', { name }).boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(390);
    }
  });

  it('offers no statement of a payment that does not exist', async () => {
    const { page } = await sit(browser, program, ALICE);
    await page.goto(`${program.url}/partners/payments/999`);
    await page.getByText('This payment was undone or does not exist').waitFor();
    for (const name of ['Print', 'CSV', 'Try again'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    await page.getByRole('link', { name: 'Payments' }).first().waitFor();
  });
});

describe('the colors of mails', () => {
  it('are shown as they are kept, whatever they are written as', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/settings/mails?tab=look');
    expect(await page.getByLabel('Highlight', { exact: true }).inputValue()).toBe('#f9fafb');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });
});

describe('the field editor of the sign-up', () => {
  it('asks for an example only where a field has room for one', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/settings/registration');
    const dialog = page.getByRole('dialog');
    for (const [name, count] of [
      ['Terms', 0],
      ['Full name', 1],
    ] as const) {
      await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click();
      await dialog.getByLabel('Help below').waitFor();
      expect([name, await dialog.getByLabel('Example in the field').count()]).toEqual([name, count]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });
});

describe('the sign-up form in the settings', () => {
  it('is shown as applicants see it, with the terms last', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/settings/registration');
    await page.getByText('Send application').waitFor();
    const preview = page.locator('.fa-builder > :last-child');
    expect(await preview.innerText()).toMatch(
      /Apply now[^]*At least 4 letters[^]*About your promotion[^]*Website \(optional\)[^]*I agree to the[^]*Send application/,
    );
    expect(await page.locator('.fa-field-row').last().innerText()).toMatch(/^Terms/);
    for (const move of ['Up: Terms', 'Down: Terms', 'Down: Payment email (PayPal)'])
      expect([move, await page.getByRole('button', { name: move }).isDisabled()]).toEqual([move, true]);
  });

  it('stores the page with the terms at once where the guide asked for it', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/settings/registration?field=terms_condition&guide=yes');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Page with your terms').and(page.locator(':focus')).fill(`${program.url}/terms`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    await page.getByRole('link', { name: 'Going live' }).click();
    const step = page.locator('.fa-way > li', { hasText: 'Terms of the program' });
    await step.getByText(`Applicants agree to ${program.url}/terms`).waitFor();
  });
});

describe('the eye of a password', () => {
  it.each([
    ['en', 'Show or hide the password'],
    ['de', 'Passwort zeigen oder verbergen'],
    ['es', 'Mostrar u ocultar la contraseña'],
    ['fr', 'Afficher ou masquer le mot de passe'],
    ['ar', 'إظهار كلمة المرور أو إخفاؤها'],
  ])('has a name in the language of its reader: %s', async (locale, name) => {
    const { page } = await sitDown(browser, { locale });
    await page.goto(`${program.url}/partners/`);
    await page.locator('input[type=password]').first().waitFor();
    const eyes = page.locator('.mantine-PasswordInput-visibilityToggle');
    expect(await eyes.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual([
      name,
      name,
    ]);
    await page.context().close();
  });
});
