import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Program } from './program.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Somebody in front of a browser of their own. */
export interface Seat {
  readonly page: Page;
  /** What the page complained about. */
  readonly complaints: string[];
}

export interface SeatOptions {
  readonly width?: number;
  readonly dark?: boolean;
  readonly locale?: string;
}

export async function sitDown(
  browser: Browser,
  { width = 1280, dark = false, locale = 'en' }: SeatOptions = {},
  more: BrowserContextOptions = {},
): Promise<Seat> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    locale,
    ...more,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  return { page, complaints };
}

/** A signed-in user of the program. */
export async function sit(
  browser: Browser,
  program: Program,
  userId: number,
  options: SeatOptions = {},
): Promise<Seat> {
  const seat = await sitDown(browser, options);
  await seat.page.goto(`${program.url}/sign-in/${userId}?to=/`);
  seat.complaints.length = 0; // the shop's own page
  return seat;
}

/** A screen of the console, with everything on it loaded. */
export async function open(page: Page, program: Program, path: string): Promise<void> {
  await page.goto(`${program.url}/affiliate-admin${path}`);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('[aria-busy=true], .fa-ghost').first().waitFor({ state: 'detached' });
}

/**
 * axe in the page's own world, which the page's policy does not forbid;
 * and whether the page is wider than its window.
 */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${AXE};
      var places = (v) => v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ');
      var fading = document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime !== Infinity);
      Promise.allSettled(fading.map((a) => a.finished)) // a message that fades in has little contrast
        .then(() => axe.run(document, { resultTypes: ['violations'] }))
        .then((r) => JSON.stringify(r.violations.map((v) => v.id + ': ' + places(v))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const wider = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return [
    ...(JSON.parse(String(result.value)) as string[]),
    ...(wider > 1 ? [`${wider} px wider than the window`] : []),
  ];
}
