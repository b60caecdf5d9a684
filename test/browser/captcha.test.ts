import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startCaptchaServer, type CaptchaServer } from '../support/captcha.js';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';

// The check of the sign-up form, from the console's page to an application,
// with a stand-in for the provider's script and for the server that judges its answers.

const ANSWERS = {
  'Full name': 'Eve Stone',
  Email: 'eve@example.test',
  Username: 'evestone',
  Password: 'a password',
  'Repeat the password': 'a password',
  'How will you promote us?': 'On my blog',
  'Payment email (PayPal)': 'pay@example.test',
};
/** A box that is ticked by pressing it. */
const TURNSTILE = `window.turnstile = {
  render(place, { sitekey, callback }) {
    const box = document.createElement('button');
    box.type = 'button';
    box.textContent = 'A person, says ' + sitekey;
    box.onclick = () => callback('right, of the box');
    place.append(box);
    return 'box';
  },
  reset() {},
};`;
const RECAPTCHA = `window.grecaptcha = {
  ready: (done) => done(),
  execute: async (key, { action }) => 'right, ' + key + ' ' + action,
};`;

let program: Program;
let browser: Browser;
let checks: CaptchaServer;
beforeAll(async () => {
  browser = await launchChromium();
  checks = await startCaptchaServer({ score: 0.9, action: 'affiliate_register' });
  program = await startProgram({
    seed: false,
    registration: { verifyEmail: false, captcha: { verifyUrl: checks.url, allowPrivateNetworks: true } },
  });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
  await checks?.close();
});
beforeEach(() => void checks.asked.splice(0));

/** A page whose requests to the provider get this script; null: they are blocked. */
async function visit(script: string | null): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en' })).newPage();
  page.setDefaultTimeout(30_000);
  await page.route(/^https:\/\/(?:challenges\.cloudflare|www\.google)\.com\//, (route) =>
    script === null ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  return page;
}

async function settings(page: Page): Promise<void> {
  await page.goto(`${program.url}/sign-in/1?to=/affiliate-admin/settings/captcha`);
  await page.getByRole('heading', { name: 'Sign-up check' }).waitFor();
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page
    .getByRole('textbox', { name: label })
    .or(page.getByRole('combobox', { name: label }))
    .click();
  await page.getByRole('option', { name: option }).click();
}

async function save(page: Page): Promise<void> {
  const saved = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/settings/captcha'),
  );
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await saved).status()).toBe(200);
}

async function fillIn(page: Page): Promise<void> {
  await page.goto(`${program.url}/partners/`);
  for (const [label, text] of Object.entries(ANSWERS))
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('checkbox').check();
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).click();

describe('the check of the sign-up form', () => {
  it('is set up in the console, shown in the portal, and passed by who ticks its box', async () => {
    const console = await visit(null);
    await settings(console);
    await console.getByRole('switch', { name: 'Check that applicants are human' }).check();
    await press(console, 'Save');
    await console.getByRole('alert').waitFor(); // no keys yet
    await choose(console, 'Checked by', 'Cloudflare Turnstile');
    await console.getByLabel('Site key', { exact: true }).fill('site');
    await console.getByLabel('Secret key', { exact: true }).fill('s3cret');
    await save(console);
    await console.reload();
    await console.getByText('Leave empty to keep the stored key.').waitFor();
    expect(await console.getByLabel('Site key', { exact: true }).inputValue()).toBe('site');
    expect(await console.getByLabel('Secret key', { exact: true }).inputValue()).toBe('');

    const portal = await visit(TURNSTILE);
    await fillIn(portal);
    await portal.getByRole('button', { name: 'A person, says site' }).waitFor();
    await press(portal, 'Send application');
    await portal.getByRole('alert').waitFor();
    expect(checks.asked).toEqual([]);
    await press(portal, 'A person, says site');
    await press(portal, 'Send application');
    await portal.getByRole('heading', { name: /application/i }).waitFor();
    expect(checks.asked).toEqual([{ secret: 's3cret', response: 'right, of the box', sitekey: 'site' }]);
  });

  it('may be a score nobody sees; the secret of before stays when only that is changed', async () => {
    const console = await visit(null);
    await settings(console);
    await choose(console, 'Checked by', 'Google reCAPTCHA');
    await choose(console, 'Type', 'Invisible score (version 3)');
    await console.getByLabel('Site key', { exact: true }).fill('third');
    await console.getByLabel('Secret key', { exact: true }).fill('s3cret');
    await save(console);
    await console.reload();
    await console.getByLabel('Lowest score').fill('0.8');
    await save(console);

    const portal = await visit(RECAPTCHA);
    ANSWERS.Email = 'ann@example.test';
    ANSWERS.Username = 'annstone';
    await fillIn(portal);
    await press(portal, 'Send application');
    await portal.getByRole('heading', { name: /application/i }).waitFor();
    expect(checks.asked).toMatchObject([{ response: 'right, third affiliate_register' }]);
  });

  it('says so when its script cannot be loaded', async () => {
    const portal = await visit(null);
    await fillIn(portal);
    await press(portal, 'Send application');
    await portal.getByText('The security check could not be loaded.').waitFor();
    expect(checks.asked).toEqual([]);
  });
});
