// The pictures at the beginning of README.md, taken from the example host: `npm run pictures`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startExample } from '../examples/start-example.mjs';

const PICTURES = [
  { name: 'console', login: 'admin', path: '/affiliate-admin/', scheme: 'light' },
  { name: 'portal', login: 'alice', path: '/partners/', scheme: 'dark' },
];
const SIZE = { width: 1280, height: 800 };

const dataDir = mkdtempSync(join(tmpdir(), 'pictures-'));
const shop = await startExample('cms-host', { DATA_DIR: dataDir, DEMO_DATA: 'yes' });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  for (const { name, login, path, scheme } of PICTURES) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: scheme, locale: 'en-US' });
    await page.goto(`${shop.url}/login?next=${encodeURIComponent(path)}`);
    await page.getByLabel('Login').fill(login);
    await page.getByLabel('Password').fill(login);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.locator('main h1').waitFor();
    await page.waitForLoadState('networkidle');
    const file = fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url));
    await page.screenshot({ path: file });
    console.log(file);
  }
} finally {
  await browser.close();
  await shop.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
