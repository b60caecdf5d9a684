import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import createKnex, { type Knex } from 'knex';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { startProgram, type Program } from './program.mjs';
import { CONSOLE_SCREENS, PORTAL_SCREENS } from './screens.js';
import { settled, sit } from './seat.js';

// Whatever got into the database: a page shows it as text. 200 ways to run a script stand in every text
// of every table and in the names of all users; every screen of both apps is opened, and nothing may
// run, become an element, or be a link that runs.

const VECTORS = [
  '<script data-xss>hit()</script>',
  '<img data-xss src=x onerror=hit()>',
  '<svg data-xss onload=hit()>',
  '<svg data-xss><animate onbegin=hit() attributeName=x dur=1s>',
  '<body data-xss onload=hit()>',
  '<iframe data-xss srcdoc="<script>parent.hit()</script>">',
  '<iframe data-xss src=javascript:parent.hit()>',
  '<a data-xss href=javascript:hit()>x</a>',
  '<details data-xss open ontoggle=hit()>x',
  '<video data-xss><source onerror=hit()></video>',
  '<input data-xss autofocus onfocus=hit()>',
  '<form data-xss><button formaction=javascript:hit()>x',
  '<object data-xss data=javascript:hit()>',
  '<embed data-xss src=javascript:hit()>',
  '<base data-xss href=//evil.test/>',
  '<meta data-xss http-equiv=refresh content="0;url=javascript:hit()">',
  '<link data-xss rel=stylesheet href=//evil.test/x.css>',
  '<style data-xss>@import "//evil.test/x.css";</style>',
  '<math><mtext><table><mglyph><style><!--</style><img data-xss src=x onerror=hit()>',
  '<xmp><p title="</xmp><img data-xss src=x onerror=hit()>">',
  '<button data-xss autofocus onfocus=hit()>x',
  '<marquee data-xss onstart=hit()>x</marquee>',
  'javascript:hit()//',
  'data:text/html,<script data-xss>parent.hit()</script>',
  "{{constructor.constructor('hit()')()}}",
  '${hit()}',
];
const WRAPPINGS: readonly ((vector: string) => string)[] = [
  (vector) => vector,
  (vector) => `">${vector}`,
  (vector) => `'>${vector}`,
  (vector) => `</script>${vector}`,
  (vector) => `</textarea></title></style>${vector}`,
  (vector) => `-->${vector}`,
  (vector) => vector.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (vector) => encodeURIComponent(vector),
];
const PAYLOADS = [...new Set(WRAPPINGS.flatMap((wrap) => VECTORS.map(wrap)))].slice(0, 200);

/** Texts that mean something to the program: another one would be no row of it. */
const WORDS =
  /(?<!^meta)_key$|key_|^(?:id|key|kind|status|type|currency|provider|slug|name|value|event|data|previous|source)$|hash|token|secret|signature|(?:_type|_status)$/;

/** No payout was made: the screens of one stay away. */
const CONSOLE = [
  ...CONSOLE_SCREENS.filter((path) => path !== '/payouts/1'),
  ...Array.from({ length: 8 }, (_, at) => `/affiliates/${at + 1}`),
  ...Array.from({ length: 12 }, (_, at) => `/referrals/${at + 1}`),
  '/referrals?page=2',
  '/visits?page=2',
];
const PORTAL = PORTAL_SCREENS.filter((path) => !path.startsWith('payments/'));

const folder = mkdtempSync(join(tmpdir(), 'payloads-'));
const database = { client: 'better-sqlite3', connection: join(folder, 'program.sqlite') } as const;
let program: Program;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  program = await startProgram({ database, nameOf: (at) => PAYLOADS[(at * 8) % PAYLOADS.length] ?? '' });
});
afterAll(async () => {
  await browser?.close();
  await program?.close();
  rmSync(folder, { recursive: true });
});

/** Puts a payload into every free text of every row; the number of places. */
async function poison(knex: Knex): Promise<number> {
  const tables: { name: string }[] = await knex('sqlite_master').select('name').where('name', 'like', 'fa%');
  let places = 0;
  for (const { name: table } of tables) {
    const columns: { name: string; type: string }[] = await knex.raw(
      `select name, type from pragma_table_info('${table}')`,
    );
    const texts = columns.filter(({ name, type }) => /char|text/i.test(type) && !WORDS.test(name));
    for (const { name } of texts) {
      const first = await knex(table).whereNotNull(name).first(name);
      if (first === undefined || /^[[{]/.test(String(first[name]))) continue; // a structure has texts inside
      for (const [at, payload] of PAYLOADS.entries()) {
        const bindings = [table, name, payload, name, PAYLOADS.length, at];
        await knex.raw('update or ignore ?? set ?? = ? where ?? is not null and rowid % ? = ?', bindings);
      }
      const row = await knex(table).count({ n: '*' }).where(name, 'like', '%hit%').first();
      places += Number(row?.n);
    }
  }
  return places;
}

/** Everything of a page that a payload became; nothing when each is shown as text. */
async function becameOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[
    ...(window.hits ? ['ran ' + window.hits + ' times'] : []),
    ...[...document.querySelectorAll('[data-xss]')].map((element) => element.outerHTML.slice(0, 80)),
    ...[...document.querySelectorAll('[href],[src],[action],[formaction]')]
      .flatMap((element) => ['href', 'src', 'action', 'formaction'].map((name) => element.getAttribute(name) || ''))
      .filter((address) => /^\\s*(?:javascript|data:text|vbscript)/i.test(address)),
  ]`);
}

it('shows 200 ways to run a script as text, on every screen', async () => {
  await program.service.links.create({ affiliate_id: 1, slug: 'a-link', url: `${program.url}/lamp` });
  await program.service.creatives.create({
    name: 'Words',
    description: 'For everybody',
    type: 'text',
    text: 'A lamp',
    url: `${program.url}/lamp`,
    privacy: 'public',
  });
  expect(PAYLOADS).toHaveLength(200);
  const knex = createKnex({
    client: 'better-sqlite3',
    connection: { filename: database.connection },
    useNullAsDefault: true,
  });
  expect(await poison(knex)).toBeGreaterThan(5000);
  await knex.destroy();

  const found: Record<string, unknown> = {};
  let shown = 0;
  const look = async (page: Page, path: string): Promise<void> => {
    const became = await becameOf(page);
    if (became.length > 0) found[path] = became;
    shown += await page.evaluate<number>("document.body.innerText.split('hit()').length - 1");
  };
  const people = {
    1: CONSOLE.map((path) => `/affiliate-admin${path}`),
    10: PORTAL.map((path) => `/partners/${path}`),
  };
  for (const [user, paths] of Object.entries(people)) {
    const { page, complaints } = await sit(browser, program, Number(user));
    await page.addInitScript(`
      window.hit = () => { window.hits = (window.hits || 0) + 1; };
      const read = Storage.prototype.getItem;
      Storage.prototype.getItem = function (key) { return key.endsWith(':rows') ? '"100"' : read.call(this, key); };
    `);
    for (const path of paths) {
      await page.goto(`${program.url}${path}`);
      await settled(page);
      await look(page, path);
    }
    expect(complaints.filter((text) => /Content Security Policy|Refused/.test(text))).toEqual([]);
  }
  expect(found).toEqual({});
  expect(shown).toBeGreaterThan(2000);
}, 900_000);
