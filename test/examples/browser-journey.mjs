// The main job in a real browser, at desktop and at phone width: follow a link, buy, pay out, look at the earnings.
// node test/examples/browser-journey.mjs [folder for screenshots]
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startExample } from './start-example.mjs';

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
// The tracker does not count browsers that call themselves headless.
const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const SIZES = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
];
const shots = process.argv[2];

if (!existsSync(CHROMIUM)) {
  console.log(`skipped: there is no Chromium at ${CHROMIUM} (set CHROMIUM to its path)`);
  process.exit(0);
}

const { chromium } = await import('playwright-core');
if (shots) mkdirSync(shots, { recursive: true });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
let failed = false;
for (const size of SIZES) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cms-host-'));
  const host = await startExample('cms-host', { DATA_DIR: dataDir });
  try {
    console.log(`${size.name}: ${await journey(host.url, size)}`);
  } catch (error) {
    failed = true;
    console.error(`${size.name}:`, error, host.output());
  } finally {
    await host.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
await browser.close();
process.exit(failed ? 1 : 0);

async function journey(url, size) {
  const problems = [];
  let looks = 0;
  const open = async () => {
    const context = await browser.newContext({
      viewport: { width: size.width, height: size.height },
      userAgent: AGENT,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url))
        problems.push(`outside: ${request.url()}`);
    });
    return page;
  };
  const look = async (page, name) => {
    looks += 1;
    const { scroll, width } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      width: document.documentElement.clientWidth,
    }));
    if (scroll > width) problems.push(`${name}: ${scroll - width} px wider than the window`);
    if (shots) await page.screenshot({ path: join(shots, `${size.name}-${name}.png`), fullPage: true });
  };
  const signIn = async (page, login) => {
    await page.goto(`${url}/login`);
    await page.getByLabel('Login').fill(login);
    await page.getByLabel('Password').fill(login);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((address) => !address.pathname.startsWith('/login'));
  };

  const buyer = await open();
  await buyer.goto(`${url}/?ref=alice`);
  await look(buyer, 'home');
  await buyer.getByRole('link', { name: 'Walnut desk lamp' }).click();
  await look(buyer, 'product');
  await buyer.getByRole('button', { name: 'Add to cart' }).click();
  await buyer.getByLabel('First name').fill('Jo');
  await buyer.getByLabel('Last name').fill('Buyer');
  await buyer.getByLabel('E-mail').fill('jo@example.test');
  await look(buyer, 'cart');
  await buyer.getByRole('button', { name: 'Place order' }).click();
  await buyer.getByRole('heading', { name: 'Thank you, Jo' }).waitFor();
  await look(buyer, 'thanks');
  await buyer.goto(`${url}/cart`);
  await look(buyer, 'cart-empty');
  await buyer.goto(`${url}/pages/affiliates`);
  await look(buyer, 'page');
  await buyer.goto(`${url}/login`);
  await look(buyer, 'login');

  const admin = await open();
  await signIn(admin, 'admin');
  await look(admin, 'admin');
  await admin.goto(`${url}/admin/referrals`);
  await admin.getByText('unpaid', { exact: true }).waitFor();
  assert.match(await admin.getByRole('main').innerText(), /\$10\.00/);
  await look(admin, 'admin-referrals');
  await admin.goto(`${url}/admin/orders`);
  await look(admin, 'admin-orders');
  await admin.goto(`${url}/admin/affiliates`);
  await admin.getByLabel('User').selectOption({ index: 2 });
  await admin.getByLabel(/^Pay to/).fill('new@example.test');
  await admin.getByRole('button', { name: 'Create' }).click();
  await admin.getByRole('heading', { name: '2 affiliates' }).waitFor();
  await look(admin, 'admin-affiliates');
  await admin.goto(`${url}/admin/payouts`);
  await admin.getByRole('button', { name: 'Preview' }).click();
  await admin.getByRole('button', { name: 'Process payout of $10.00' }).waitFor();
  await look(admin, 'admin-payout-preview');
  await admin.getByRole('button', { name: 'Process payout of $10.00' }).click();
  await admin.waitForURL(/\/admin\/payouts\/\d+$/);
  await look(admin, 'admin-payout-open');
  await admin.getByRole('button', { name: /^Mark paid/ }).click();
  await admin.getByRole('button', { name: /^Mark paid/ }).waitFor({ state: 'detached' });
  await look(admin, 'admin-payout-paid');
  await admin.goto(`${url}/admin/payouts`);
  await look(admin, 'admin-payouts');

  const alice = await open();
  await signIn(alice, 'alice');
  assert.match(await alice.locator('.stat', { hasText: /^Paid/ }).innerText(), /\$10\.00/);
  assert.equal(
    await alice.getByLabel('Your link', { exact: true }).and(alice.locator('input')).inputValue(),
    `${url}/?ref=alice`,
  );
  await alice.getByRole('button', { name: 'Copy' }).click();
  await look(alice, 'affiliate');
  const bob = await open();
  await signIn(bob, 'bob');
  await look(bob, 'not-affiliate');
  await admin.goto(`${url}/docs`);
  await admin.locator('[data-path$="/payouts/process-payout"]').waitFor();
  await look(admin, 'docs');

  const verify = await (await admin.request.get(`${url}/admin/verify`)).json();
  assert.deepEqual(verify, { violations: [], unsettled_orders: [] });
  assert.deepEqual(problems, []);
  return `${looks} pages, 100.00 bought, 10.00 earned and paid, no console message, nothing loaded from elsewhere`;
}
