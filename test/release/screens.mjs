// How soon the lists of console and portal stand on the screen, at a million visits, in a Chromium
// slower than this machine and away from the server.
import { chromium } from 'playwright-core';
import { openProgram } from '../bench/program.mjs';
import { LARGE } from '../bench/seed.mjs';
import { newDatabase } from './engines.mjs';

export const SLOWDOWN = 4;
export const LATENCY_MS = 40;
/** 10 Mbit/s, in each direction. */
export const BYTES_PER_SECOND = 1.25e6;
/** For a whole page without anything in the browser's cache. */
export const MOST_COLD_MS = 2500;
/** For a list that is opened from the menu, and for a whole page with its files in the browser's cache. */
export const MOST_MS = 1000;
/** An odd number, because the median counts. */
export const REPEATS = 5;

/** Opened by a press on their names in the menu. */
const CONSOLE_LISTS = [
  'Affiliates',
  'Commissions',
  'Payouts',
  'Customers',
  'Clicks',
  'Groups',
  'Creatives',
  'Short links',
];
const PORTAL_LISTS = ['Earnings', 'Payments', 'Clicks'];
/** Addresses below the console that ask more of a list than its first page. */
const CONSOLE_ADDRESSES = [
  ['clicks of three days', '/visits?date_from=2025-11-20&date_to=2025-11-22'],
  ['page 25,000 of the clicks', '/visits?page=25000'],
  ['clicks that led to an order', '/visits?convert_status=converted'],
  ['clicks, oldest first', '/visits?sort=created_at'],
  ['clicks with a campaign searched for', '/visits?q=campaign-7'],
  ['clicks, searched for a word without matches', '/visits?q=nowhere'],
  ['an order searched for by its number', '/referrals?q=o77777'],
  ['affiliates by what they earned', '/affiliates?sort=-total_earnings'],
  ['clicks of the affiliate who has most', '/affiliates/1?tab=visits'],
];

/** Rows: { app, what, took in ms, most }: those with `most` have to keep to it. */
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
  const note = (seat, what, took, most = null) => rows.push({ app: seat.app, what, took, most });
  const noteWhole = async (seat, what, page, address) => {
    note(seat, `the whole page of ${what}, cold`, await cold(page, address), MOST_COLD_MS);
    note(seat, `the whole page of ${what}, warm`, await warm(page, address), MOST_MS);
  };

  for (const name of CONSOLE_LISTS) note(admin, name, await pressed(adminPage, admin, name), MOST_MS);
  for (const [what, path] of CONSOLE_ADDRESSES) note(admin, what, await opened(adminPage, admin, path));
  await noteWhole(admin, 'affiliates', adminPage, `${admin.home}affiliates`);
  for (const name of PORTAL_LISTS) note(affiliate, name, await pressed(ownPage, affiliate, name), MOST_MS);
  await noteWhole(affiliate, 'earnings', ownPage, `${affiliate.home}earnings`);
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
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  return page;
}

async function medianOf(measure) {
  const times = [];
  for (let turn = 0; turn < REPEATS; turn += 1) times.push(await measure());
  return times.toSorted((a, b) => a - b)[(REPEATS - 1) / 2];
}

/** The whole page from its address to its rows. */
async function loaded(page, address) {
  await page.goto('about:blank');
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(IS_SHOWN);
  return page.evaluate('performance.now()');
}

/** Without anything in the browser's cache. */
async function cold(page, address) {
  const session = await page.context().newCDPSession(page);
  const took = await medianOf(async () => {
    await session.send('Network.clearBrowserCache');
    return loaded(page, address);
  });
  await session.detach();
  return took;
}

/** With its files in the browser's cache. */
async function warm(page, address) {
  await loaded(page, address);
  return medianOf(() => loaded(page, address));
}

/** A list from the press on its name to its rows; pointing at the name is part of it. */
const pressed = (page, seat, name) =>
  medianOf(async () => {
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
  medianOf(async () => {
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
