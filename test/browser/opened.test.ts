import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// What opens beside a list stands in the address, and keeps what is typed in it.
const ADA = 1;
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram({ fraud: { fastOrder: 'hold', fastOrderSeconds: 86_400 } });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
});

describe('a dialog', () => {
  it('is shown again by a reload and a shared link, and closed by a step back', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/links');
    await page.getByRole('button', { name: 'New short link' }).first().click();
    await page.waitForURL(/links\?open=new/);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Affiliate').fill('Alice');
    await page.getByRole('option', { name: /Alice Doe/ }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('alices-shop');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await page.waitForURL(/links$/);

    await page.getByRole('button', { name: '/alices-shop' }).click();
    await page.waitForURL(/links\?open=\d+/);
    await page.reload();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('alices-shop');
    expect(await faultsOf(page)).toEqual([]);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it.each(['/groups', '/creatives', '/affiliates', '/referrals'])(
    'of %s is opened by its address',
    async (path) => {
      const { page } = await sit(browser, program, ADA);
      await open(page, program, `${path}?open=new`);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL((url) => url.pathname.endsWith(path) && url.search === '');
    },
  );

  it.each(['/settings/managers', '/settings/keys', '/settings/sites', '/settings/webhooks'])(
    'of %s is opened by its address',
    async (path) => {
      const { page, complaints } = await sit(browser, program, ADA);
      await open(page, program, `${path}?open=new`);
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL((url) => url.pathname.endsWith(path) && url.search === '');
      expect(complaints).toEqual([]);
    },
  );

  it('of a manager, a key and a webhook is the same one after a reload', async () => {
    const { page } = await sit(browser, program, ADA);
    const dialog = page.getByRole('dialog');
    await program.service.managers.save({ user_id: 3, permissions: ['read_all_affiliates'] });
    await open(page, program, '/settings/managers');
    await page
      .getByRole('row', { name: /Nora Nobody/ })
      .getByRole('button', { name: 'Edit' })
      .click();
    await page.waitForURL(/open=3$/);
    await page.reload();
    expect(await dialog.getByLabel('Read Affiliates').isChecked()).toBe(true);
    expect(await dialog.getByLabel('Read Payouts').isChecked()).toBe(false);

    await open(page, program, '/settings/keys?open=new');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Warehouse');
    await dialog.getByText('Affiliates, commissions, clicks and payouts: everything').click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('You can’t see it again').waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('row', { name: /Warehouse/ })
      .getByRole('button', { name: 'Edit' })
      .click();
    await page.waitForURL(/open=\d+$/);
    await page.reload();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Warehouse');
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
  });

  it('of one record is opened by its address, and closed by a step back', async () => {
    const { rows: people } = await program.service.affiliates.list({ status: 'active', per_page: 2 });
    const { rows: referrals } = await program.service.referrals.list({ status: 'unpaid', per_page: 1 });
    const { rows: customers } = await program.service.customers.list({ page: 1, per_page: 1, search: '' });
    const { page, complaints } = await sit(browser, program, ADA);
    const dialog = page.getByRole('dialog');
    const [kept, other] = people.map(({ id }) => id);
    for (const [address, title] of [
      [`/referrals/${referrals[0]!.id}?open=edit`, 'Edit commission'],
      [`/customers/${customers[0]!.id}?open=move`, /^Move /],
      [`/affiliates/${kept}?tab=customers&open=link`, 'Link a customer'],
      [`/affiliates/${kept}?tab=balance&open=correct`, 'Correct the balance'],
    ] as const) {
      await open(page, program, address);
      await page.getByRole('dialog', { name: title }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => !url.searchParams.has('open'));
      await page.goBack();
      await page.getByRole('dialog', { name: title }).waitFor();
    }
    await open(page, program, `/affiliates/${kept}?open=merge&other=${other}`);
    await dialog.getByText(/^This moves from /).waitFor(); // what goes from one to the other is shown at once
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL((url) => url.search === '');
    expect(complaints).toEqual([]);
  });

  it('asks before another tab of a record loses what was typed', async () => {
    const { rows } = await program.service.affiliates.list({ status: 'active', per_page: 1 });
    const { page } = await sit(browser, program, ADA);
    await open(page, program, `/affiliates/${rows[0]!.id}?tab=settings`);
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('Calls on Mondays');
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await note.inputValue()).toBe('Calls on Mondays');
  });

  it('asks for nothing after its form was left while it was saved and the save failed', async () => {
    const { rows } = await program.service.affiliates.list({ status: 'active', per_page: 1 });
    const { page } = await sit(browser, program, ADA);
    await open(page, program, `/affiliates/${rows[0]!.id}?tab=settings`);
    let fail = (): void => undefined;
    const left = new Promise<void>((resolve) => (fail = resolve));
    await page.route('**/affiliates/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await left;
      await route.fulfill({ status: 422, json: { code: 'validation_failed', message: 'No.' } });
    });
    await page.getByRole('textbox', { name: 'Note' }).fill('Calls on Fridays');
    const refused = page.waitForResponse((response) => response.status() === 422);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Groups' }).first().click();
    await page.waitForURL(/groups$/);
    fail();
    await refused;
    await page.getByRole('link', { name: 'Coupons' }).first().click();
    await page.waitForURL(/coupons$/);
    await page.getByRole('heading', { name: 'Coupons' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('asks before the browser goes back without what was typed', async () => {
    const { rows } = await program.service.affiliates.list({ status: 'active', per_page: 1 });
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/affiliates');
    await page.goto(`${program.url}/affiliate-admin/affiliates/${rows[0]!.id}?tab=settings`);
    await page.getByRole('link', { name: 'Groups' }).first().click();
    await page.waitForURL(/groups$/);
    await page.goBack();
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('Calls on Mondays');
    await page.goForward(); // to the groups, which were opened on this page
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await note.inputValue()).toBe('Calls on Mondays');
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await note.fill('Calls on Tuesdays');
    await page.goBack();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('tab') !== 'settings');
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await note.inputValue()).not.toContain('Calls');
  });

  it('asks before a press beside it loses what was typed', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/groups?open=new');
    const name = page.getByRole('dialog').getByLabel('Name').first();
    await name.fill('Friends of the house');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await name.inputValue()).toBe('Friends of the house');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.waitForURL(/groups$/);
  });
});

describe('deleting', () => {
  it('says how many links and customers go with a record', async () => {
    const { service } = program;
    const { rows } = await service.affiliates.list({ status: 'active', per_page: 1 });
    const affiliate = rows[0]!;
    const [customer] = (await service.customers.list({ per_page: 1 })).rows;
    await service.customers.link(affiliate.id, customer!.id, true);
    const creative = await service.creatives.create({
      name: 'Poster',
      type: 'text',
      text: 'Read more',
      url: `${program.url}/`,
    });
    await service.links.create({ affiliate_id: affiliate.id, creative_id: creative.id, slug: 'poster' });
    const { page, complaints } = await sit(browser, program, ADA);
    const dialog = page.getByRole('dialog').last();

    await open(page, program, `/creatives?open=${creative.id}`);
    await page.getByRole('button', { name: 'Delete this creative' }).click();
    await dialog.getByText('1 short link, which stops working').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await open(page, program, `/affiliates/${affiliate.id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByText(/\d+ short links?, which stops? working/).waitFor();
    await dialog.getByText(/the link to \d+ customers?, who stays?/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  });
});

describe('a suspicion', () => {
  it('shows what the rule saw beside order, buyer and click, and is decided there', async () => {
    const { rows } = await program.service.visits.list({ per_page: 1, order_by: 'created_at' });
    const visit = rows[0]!;
    const { referral } = await program.service.conversions.record(null, {
      provider: 'shop',
      reference: 'S-1',
      type: 'sale',
      status: 'unpaid',
      visit_id: visit.id,
      order: { subtotal: '100.00', total: '100.00' },
      customer: { email: 'hasty@mail.test' },
    });
    expect(referral?.status).toBe('pending');

    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/suspicions');
    await page.getByRole('button', { name: 'Ordered too soon after the click' }).click();
    await page.waitForURL(/open=\d+/);
    await page.reload();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('hasty@mail.test').waitFor();
    await dialog.getByText('Suspicious below').waitFor();
    expect(await dialog.getByText('86,400 seconds').count()).toBe(1);
    await dialog.getByText('Clicked').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('dialog', { name: 'Approve the commission?' })
      .getByRole('button', { name: 'Approve' })
      .click();
    await dialog.locator('.fa-status', { hasText: /Ready to pay|In the waiting period/ }).waitFor();
    expect(complaints).toEqual([]);
    await settled(page);
    expect(await program.service.verify()).toEqual([]);
  });
});
