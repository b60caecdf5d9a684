// The whole life of a program in Chromium, by mouse and keyboard, with the sign-in page of the CMS:
// Carol applies, an administrator approves her, somebody buys by her link, she is paid and sees it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { BROWSER } from './visitor.mjs';

const PATH = process.env.CHROMIUM || '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
const PASSWORD = 'Correct-horse-battery-7';

/**
 * `site.signInPage(page, account)` fills in the form the CMS shows; `output()` is what the site has printed, with its
 * mails; `pictures` is a folder for what was seen, at 1280 and 390 px.
 */
export async function browserJourney({ url, base, site, output, pictures, log }) {
  if (!existsSync(PATH)) throw new Error(`There is no Chromium at ${PATH}: apt-get install chromium.`);
  const browser = await chromium.launch({ executablePath: PATH, args: FLAGS });
  const complaints = [];
  const console = site.console ?? '/affiliate-admin';
  const isOurs = (address) =>
    [console, '/partners', base].some((path) => new URL(address, url).pathname.startsWith(path));
  const person = async () => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      userAgent: BROWSER['User-Agent'], // the tracker counts no browser that calls itself headless
      locale: 'en-US',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => {
      const from = message.location().url || page.url();
      if (message.type() === 'error' && isOurs(from)) complaints.push(`${from}: ${message.text()}`);
    });
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== 'net::ERR_ABORTED' && isOurs(request.url()))
        complaints.push(`${request.url()}: ${request.failure()?.errorText}`);
    });
    page.on('pageerror', (error) => {
      if (isOurs(page.url())) complaints.push(`${page.url()}: ${error.message}`);
    });
    return page;
  };
  let seen = 0;
  const picture = async (page, title) => {
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    seen += 1;
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(500);
      await page.screenshot({
        path: join(pictures, `${String(seen).padStart(2, '0')}-${title}-${width}.png`),
      });
    }
  };

  try {
    const carol = {
      email: `carol@${site.mailDomain ?? 'shop.test'}`,
      login: 'carolpitt',
      password: PASSWORD,
    };
    const [affiliate, manager] = [await person(), await person()];
    await apply(affiliate, { url, site, account: carol, output, picture });
    log('Chromium: an applicant made an account of the CMS and signed in on its page');

    await manager.goto(`${url}${console}/`);
    await site.signInPage(manager, { ...site.admin, login: 'admin' }, (page) => picture(page, 'sign-in'));
    await manager.goto(`${url}${console}/`);
    await settled(manager);
    await picture(manager, 'console');
    if (site.entrance) {
      await site.entrance(manager, url, (page) => picture(page, 'admin-of-the-cms'));
      await settled(manager);
    }
    await menu(manager, 'Affiliates');
    await manager.getByRole('link', { name: site.namesPeople === false ? /carol/i : 'Carol Pitt' }).click();
    await manager.getByRole('button', { name: 'Approve' }).click();
    // the console goes on to the list of affiliates
    const approved = manager.locator('tr', { hasText: /carol/i });
    await approved.locator('.fa-status', { hasText: 'Active' }).waitFor();
    log('Chromium: an administrator came through the sign-in page of the CMS and approved');

    await affiliate.goto(`${url}/partners/`);
    await affiliate.getByRole('heading', { name: /^Hello/ }).waitFor();
    const link = (await affiliate.locator('.fa-yours-address').textContent()) ?? '';
    assert.match(link, /ref=/);
    const buyer = await person();
    await buyer.goto(link.startsWith('http') ? link : `http://${link}`);
    await buyer.locator('input[name=email]').fill('hugo@buyer.test');
    await Promise.all([
      buyer.waitForResponse((answer) => answer.request().method() === 'POST' && answer.status() < 400),
      buyer.getByRole('button', { name: 'Buy for 100' }).click(),
    ]);
    log('Chromium: somebody bought by the link of the portal');

    await menu(manager, 'Payouts');
    await manager.getByRole('link', { name: 'New payout' }).first().click();
    await manager.getByRole('button', { name: 'Preview' }).click();
    await manager.getByRole('button', { name: /^Create payout of \$20\.00/ }).click();
    await manager.waitForURL(/payouts\/\d+$/);
    await settled(manager);
    await manager.getByRole('button', { name: 'Mark all as paid' }).click();
    await confirm(manager, 'Mark as paid');
    await manager.locator('.fa-head .fa-status', { hasText: 'Paid' }).waitFor();
    await picture(manager, 'payout');
    log('Chromium: the commission was paid by mouse');

    await affiliate.reload();
    await affiliate.getByRole('heading', { name: /^Hello/ }).waitFor();
    await picture(affiliate, 'portal');
    await menu(affiliate, 'Payments');
    await affiliate.getByText('$20.00').first().waitFor();
    await affiliate.locator('.fa-status', { hasText: 'Paid on' }).first().waitFor();
    await picture(affiliate, 'payments');
    log('Chromium: the portal shows the payment');
    assert.deepEqual(complaints, [], 'the pages complain of nothing');
  } catch (error) {
    for (const complaint of complaints) log(`Chromium: ${complaint}`);
    for (const [at, context] of browser.contexts().entries())
      for (const page of context.pages()) {
        log(`Chromium: page ${at} is at ${page.url()}`);
        if (pictures !== undefined) await page.screenshot({ path: join(pictures, `failed-${at}.png`) });
      }
    throw error;
  } finally {
    await browser.close();
  }
}

async function apply(page, { url, site, account, output, picture }) {
  await page.goto(`${url}/partners/`);
  const answers = {
    'Full name': 'Carol Pitt',
    Email: account.email,
    Username: account.login,
    Password: account.password,
    'Repeat the password': account.password,
    'How will you promote us?': 'On my blog',
    'Payment email (PayPal)': 'carol@bank.test',
  };
  for (const [label, text] of Object.entries(answers))
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('checkbox').check();
  await picture(page, 'application');
  await page.getByRole('button', { name: 'Send application' }).click();
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  const code = new RegExp(String.raw`Mail to ${account.email}[\s\S]*?\b(\d{6})\b`).exec(output())?.[1] ?? '';
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Finish' }).click();
  if (site.signsNewPeopleIn !== true) {
    await page.getByRole('heading', { name: 'Your account is ready' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).last().click();
    await site.signInPage(page, account);
    await page.goto(`${url}/partners/`);
  }
  await page.getByRole('heading', { name: 'We’re reviewing your application' }).waitFor();
}

/** A screen with everything on it loaded. */
async function settled(page) {
  await page.locator('main h1').first().waitFor();
  await page.locator('[aria-busy=true], .fa-ghost').first().waitFor({ state: 'detached' });
}

async function menu(page, name) {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click();
  await settled(page);
}

/** The second press of what moves something. */
async function confirm(page, name) {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
