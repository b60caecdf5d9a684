import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { faultsOf, open, settled, sit } from './seat.js';

// Money with several people at it: two administrators at one payout, and a manager with two rights.
const ADA = 1;
const MIA = 2;
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

describe('a manager with two rights', () => {
  it('is given them in the console, sees two lists and may change one', async () => {
    const { page: admin } = await sit(browser, program, ADA);
    await open(admin, program, '/settings/managers');
    await admin.getByRole('button', { name: 'Add manager' }).first().click();
    const dialog = admin.getByRole('dialog');
    await dialog.getByLabel('User of the site').fill('Mia');
    await admin.getByRole('option', { name: /Mia Manager/ }).click();
    await dialog.getByLabel('Read Commissions').check();
    await dialog.getByLabel('Change Payouts').check();
    await dialog.getByRole('button', { name: 'Add manager' }).click();
    await dialog.waitFor({ state: 'detached' });

    const { page, complaints } = await sit(browser, program, MIA);
    await open(page, program, '/referrals');
    const menu = page.getByRole('navigation').first();
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(
      expect.arrayContaining(['Commissions', 'Payouts']),
    );
    expect(await menu.getByRole('link', { name: /Affiliates|Clicks|Settings|System/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New commission' }).count()).toBe(0);
    await open(page, program, '/payouts');
    await page.getByRole('link', { name: 'New payout' }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('two administrators at one payout', () => {
  it('pay once: the second press is told in plain words', async () => {
    await program.service.permissions.setPermissions(MIA, ['manage_all_payouts']);
    const pages = await Promise.all(
      [ADA, MIA].map(async (user) => {
        const { page } = await sit(browser, program, user);
        await open(page, program, '/payouts/new');
        await page.getByRole('button', { name: 'Preview' }).click();
        await page.getByRole('button', { name: /^Create payout of/ }).waitFor();
        return page;
      }),
    );
    await Promise.all(pages.map((page) => page.getByRole('button', { name: /^Create payout of/ }).click()));
    const outcomes = await Promise.all(pages.map(outcomeOf));
    expect(outcomes.toSorted()).toEqual(['made', 'told']);

    const problem = pages[outcomes.indexOf('told')]!;
    expect(await problem.locator('.fa-problem').innerText()).toMatch(
      /(?:changed or paid these commissions|may have just paid it)/,
    );
    expect(await faultsOf(problem)).toEqual([]);
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.getByRole('button', { name: 'Preview' }).click();
    await problem.getByText('Nothing is due').waitFor();
    await open(problem, program, '/payouts');
    expect(await problem.locator('tbody tr').count()).toBe(1);
    expect(await program.service.verify()).toEqual([]);
  });
});

describe('a wrong payout', () => {
  it('is undone in one press, after it was said what that releases', async () => {
    const { page, complaints } = await sit(browser, program, ADA);
    await open(page, program, '/payouts');
    await page.locator('tbody tr').first().getByRole('link').click();
    await settled(page);
    const total = await page
      .locator('.fa-figure', { hasText: 'Total' })
      .locator('.fa-figure-value')
      .innerText();
    await page.getByRole('button', { name: 'Undo payout' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('.fa-dialog-sum').innerText()).toBe(total);
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Undo payout' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.fa-head .fa-status', { hasText: 'Undone' }).waitFor();
    await page.getByText('No payments left').waitFor();

    await open(page, program, '/payouts/new');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: `Create payout of ${total}` }).waitFor(); // all of it is due again
    expect(complaints).toEqual([]);
    expect(await program.service.verify()).toEqual([]);
  });
});

describe('a refusal after its question was closed', () => {
  it('is told on the page', async () => {
    const { page } = await sit(browser, program, ADA);
    await open(page, program, '/referrals?state=payable');
    await page.locator('tbody tr').first().getByRole('link').first().click();
    await settled(page);
    const id = Number(/referrals\/(\d+)/.exec(page.url())?.[1]);
    let go = (): void => {};
    const waited = new Promise<void>((resolve) => (go = resolve));
    await page.route(`**/referrals/${id}`, async (route) => {
      if (route.request().method() === 'DELETE') await waited;
      await route.continue();
    });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await program.service.referrals.delete(id); // somebody else was faster
    go();
    await page.locator('.mantine-Notification-root').getByText('No such commission.').waitFor();
  });
});

describe('a payout of many', () => {
  it('shows what is open, and an undo that was left is found again and goes on with one press', async () => {
    const MANY = 230; // more than one part
    const many = await startProgram({ seed: false });
    try {
      const { service } = many;
      const payout = await payoutOf(many, MANY);

      const { page } = await sit(browser, many, ADA);
      await open(page, many, `/payouts/${payout.id}`);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Mark all as paid' }).click();
      const undo = await service.payouts.undoPreview(payout.id);
      const openSum = new Intl.NumberFormat('en', { style: 'currency', currency: undo.currency });
      expect(await dialog.locator('.fa-dialog-sum').innerText()).toBe(openSum.format(undo.total_amount));
      await dialog.getByRole('button', { name: 'Cancel' }).click();

      // A script asks for one part only.
      expect(await service.payouts.undo(payout.id)).toMatchObject({ released_count: 200, left_out: [] });
      await goOnElsewhere(many, `200 of ${MANY - 1}`);
      expect(await service.payouts.undoPreview(payout.id)).toMatchObject({
        transactions_count: 0,
        paid_count: 1,
      });
      expect(await service.verify()).toEqual([]);
    } finally {
      await many.close();
    }
  });
});

/** A payout of so many affiliates, the newest of them paid already. */
async function payoutOf({ service, host }: Program, count: number): Promise<{ readonly id: number }> {
  for (let id = 1000; id < 1000 + count; id += 1) {
    host.addUser({ id, login: `u${id}`, email: `u${id}@mail.test`, display_name: `User ${id}` });
    const affiliate = await service.affiliates.create({ user_id: id, status: 'active' });
    await service.conversions.record(null, {
      provider: 'shop',
      reference: `M-${id}`,
      status: 'unpaid',
      affiliate: affiliate.id,
      order: { subtotal: '100.00' },
    });
  }
  const payout = await service.payouts.process({ title: 'January', description: 'For everybody' });
  const { page } = await service.payouts.transactions(payout.id, { page: 1, per_page: 1, search: '' });
  await service.payouts.setTransactionStatus(payout.id, page.rows[0]!.id, 'paid', {});
  return payout;
}

/** Another browser finds the undo that was left, from the list and from the system's screen, and ends it. */
async function goOnElsewhere(many: Program, progress: string): Promise<void> {
  const { page, complaints } = await sit(browser, many, ADA);
  await open(page, many, '/payouts');
  await page.getByText('A payout is partly undone').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await open(page, many, '/system');
  await page.getByText(`Payout undo: ${progress}`).waitFor();
  await page.getByRole('link', { name: 'Payout undo' }).click();
  await page.getByText('It is partly undone').waitFor();
  await page.getByText(`${progress} payments`).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('It is partly undone').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo payout' }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
}

/** What became of a press on "Make payout". */
function outcomeOf(page: Page): Promise<'made' | 'told'> {
  const made = page.waitForURL(/payouts\/\d+$/).then(() => 'made' as const);
  const problem = page
    .locator('.fa-problem')
    .waitFor()
    .then(() => 'told' as const);
  return Promise.any([made, problem]);
}
