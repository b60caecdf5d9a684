// How soon the lists of console and portal stand on the screen, at a million visits, in a Chromium
// slower than this machine and away from the server.
import { chromium } from 'playwright-core';
import { openProgram } from '../bench/program.mjs';
import { LARGE } from '../bench/seed.mjs';
import { newDatabase } from './engines.mjs';

export const SLOWDOWN = 4;
export const LATENCY_MS = 40;
/** For a list that is opened from the menu. */
export const MOST_MS = 1000;
const REPEATS = 3;

/** Opened by a press on their names in the menu. */
const CONSOLE_LISTS = [
  'Affiliates',
  'Commissions',
  'Payouts',
  'Customers',
  'Clicks',
  'Groups',
  'Creatives',
  'Redirect links',
];
const PORTAL_LISTS = ['Earnings', 'Payments', 'Clicks'];
/** Addresses below the console that ask more of a list than its first page. */
const CONSOLE_ADDRESSES = [
  ['clicks of three days', '/visits?date_from=2025-11-20&date_to=2025-11-22'],
  ['page 25,000 of the clicks', '/visits?page=25000'],
  ['clicks that led to an order', '/visits?convert_status=converted'],
  ['clicks, oldest first', '/visits?sort=created_at'],
  ['clicks with a campaign searched for', '/visits?q=campaign-7'],
  ['clicks with a word searched for that nobody used', '/visits?q=nowhere'],
  ['an order searched for by its number', '/referrals?q=o77777'],
  ['affiliates by what they earned', '/affiliates?sort=-total_earnings'],
  ['clicks of the affiliate who has most', '/affiliates/1?tab=visits'],
];

/** Rows: { app, what, took in ms, limited }: `limited` ones have to keep to `MOST_MS`. */
export async function shownLists() {
  const database = await newDatabase('sqlite');
  let program;
  let browser;
  try {
    program = await openProgram({ engine: 'sqlite', database: database.config, size: LARGE, pages: true });
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu'],
    });
    return { version: browser.version(), rows: await measured(browser, program) };
  } finally {
    await browser?.close();
    await program?.host.kill();
    await database.drop();
  }
}

export async function measured(browser, { site, headers, owner }) {
  const admin = { app: 'console', home: `${site}/affiliate-admin/`, mount: '/affiliate-admin' };
  const affiliate = { app: 'portal', home: `${site}/partners/`, mount: '/partners' };
  const adminPage = await slowPage(browser, site, headers);
  const ownPage = await slowPage(browser, site, owner);
  const rows = [];
  const note = (seat, what, took, limited = false) => rows.push({ app: seat.app, what, took, limited });

  for (const name of CONSOLE_LISTS) note(admin, name, await pressed(adminPage, admin, name), true);
  for (const [what, path] of CONSOLE_ADDRESSES) note(admin, what, await opened(adminPage, admin, path));
  note(
    admin,
    'the whole page of affiliates, loaded anew',
    await loaded(adminPage, `${admin.home}affiliates`),
  );
  for (const name of PORTAL_LISTS) note(affiliate, name, await pressed(ownPage, affiliate, name), true);
  note(
    affiliate,
    'the whole page of earnings, loaded anew',
    await loaded(ownPage, `${affiliate.home}earnings`),
  );
  return rows;
}

/** A signed-in page on a machine and a line of that slowness. */
async function slowPage(browser, site, { Cookie: cookie }) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en',
    bypassCSP: true, // for the questions asked in the page
  });
  const [name, value] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name, value, url: site }]);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { ...line, latency: LATENCY_MS });
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  return page;
}

async function bestOf(measure) {
  const times = [];
  for (let turn = 0; turn < REPEATS; turn += 1) times.push(await measure());
  return Math.min(...times);
}

/** The whole page from its address to its rows, its files being in the browser's cache. */
async function loaded(page, address) {
  await page.goto(address);
  return bestOf(async () => {
    await page.goto('about:blank');
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForFunction(IS_SHOWN);
    return page.evaluate('performance.now()');
  });
}

/** A list from the press on its name to its rows; pointing at the name is part of it. */
const pressed = (page, seat, name) =>
  bestOf(async () => {
    await atHome(page, seat);
    return page.evaluate(
      `(${untilShown})(() => {
        const link = [...document.querySelectorAll('.fa-nav-item')].find((each) => each.textContent === ${JSON.stringify(name)});
        link.click();
      }, ${JSON.stringify(name)})`,
    );
  });

/** A list from its address, reached inside the app, to its rows. */
const opened = (page, seat, path) =>
  bestOf(async () => {
    await atHome(page, seat);
    return page.evaluate(
      `(${untilShown})(() => history.pushState(null, '', ${JSON.stringify(seat.mount + path)}), null)`,
    );
  });

/** The first screen, with everything on it loaded and nothing known of the others but their code. */
async function atHome(page, { home }) {
  await page.goto(home);
  await page.waitForFunction(`document.querySelector('main h1')?.textContent.startsWith('Hello')`);
  await page.waitForLoadState('networkidle');
  await page.evaluate(`document.querySelectorAll('.fa-nav-item').forEach((link) =>
    link.dispatchEvent(new PointerEvent('pointerover', { bubbles: true })))`); // loads code, reads no data
  await page.waitForLoadState('networkidle');
}

const IS_SHOWN = `!!document.querySelector('main tbody tr:not(.fa-ghost), main .fa-empty-title')
  && !document.querySelector('[aria-busy=true], .fa-ghost, .fa-stale')`;

/** Runs in the page: ms from the deed until the list of this name, or any but the first screen, is painted. */
const untilShown = `(deed, title) => new Promise((done) => {
  const began = performance.now();
  const look = () => {
    const head = document.querySelector('main h1')?.textContent ?? '';
    if ((title === null ? !head.startsWith('Hello') : head === title) && (${IS_SHOWN}))
      requestAnimationFrame(() => done(performance.now() - began));
    else requestAnimationFrame(look);
  };
  deed();
  look();
})`;
