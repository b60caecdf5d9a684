// An export opened in LibreOffice: every cell must show as text what was stored,
// and nothing may be calculated.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newDatabase } from './engines.mjs';
import { Child } from './processes.mjs';

// Stored as the name of an affiliate's user, and how a spreadsheet must show it:
// a formula gets an apostrophe in front.
const NAMES = [
  ['Doe, Jane', 'Doe, Jane'],
  ['Jane "JD" Doe', 'Jane "JD" Doe'],
  ['Jane\nDoe', 'Jane\nDoe'],
  ['Jané 🎉 Straße', 'Jané 🎉 Straße'],
  ['=1+1', "'=1+1"],
  ['+49 170', "'+49 170"],
  ['-2-3', "'-2-3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['=HYPERLINK("https://evil.test","x")', `'=HYPERLINK("https://evil.test","x")`],
  ['a;b\tc', 'a;b\tc'],
];
// UTF-8, comma, quote; the last switch lets LibreOffice evaluate formulas,
// which an exported one would then be.
const CSV_FILTER = 'CSV:44,34,76,1,,1033,false,true,false,false,false,-1,true';

/** Null when LibreOffice is not installed. */
export async function openedInLibreOffice() {
  const found = spawnSync('soffice', ['--version'], { encoding: 'utf8' });
  if (found.status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'affiliate-office-'));
  try {
    const csv = await exported();
    writeFileSync(join(folder, 'export.csv'), csv);
    // fods keeps the type of every cell
    execFileSync(
      'soffice',
      [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        `--infilter=${CSV_FILTER}`,
        '--convert-to',
        'fods',
        '--outdir',
        folder,
        join(folder, 'export.csv'),
      ],
      { stdio: 'ignore', timeout: 120_000 },
    );
    const cells = cellsOf(readFileSync(join(folder, 'export.fods'), 'utf8'));
    const problems = NAMES.filter(
      ([, shown]) => !cells.some(({ type, text }) => type === 'string' && text === shown),
    ).map(([name]) => `not shown as text: ${JSON.stringify(name)}`);
    const formulas = cells.filter(({ formula }) => formula).length;
    return {
      version: found.stdout.trim().split(' ').slice(0, 2).join(' '),
      cells: cells.length,
      names: NAMES.length,
      formulas,
      problems: formulas > 0 ? [...problems, `${formulas} formulas`] : problems,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function exported() {
  const database = await newDatabase('sqlite');
  const host = new Child(new URL('host.mjs', import.meta.url));
  try {
    await host.next();
    const users = NAMES.map(([name], at) => ({
      id: at + 1,
      login: `u${at + 1}`,
      email: `u${at + 1}@shop.test`,
      display_name: name,
      first_name: name,
    }));
    const { url, headers } = await host.ask({ do: 'serve', database: database.config, users });
    const knex = database.knex();
    await knex('fa_affiliates').insert(
      NAMES.map((_, at) => ({
        id: at + 1,
        user_id: at + 1,
        rate_type: 'default',
        status: 'active',
        settings: '{}',
        visits: 1,
        created_at: 1,
        updated_at: 1,
      })),
    );
    await knex('fa_visits').insert(
      NAMES.map(([name], at) => ({
        affiliate_id: at + 1,
        url: 'https://shop.test/',
        utm_campaign: name,
        created_at: 1,
        updated_at: 1,
      })),
    );
    await knex.destroy();
    return await (await fetch(`${url}/visits/export?format=csv`, { headers })).text();
  } finally {
    await host.kill();
    await database.drop();
  }
}

/** The cells of a flat OpenDocument sheet. */
function cellsOf(xml) {
  return [...xml.matchAll(/<table:table-cell\b([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g)]
    .map(([, attributes = '', content = '']) => ({
      type: /office:value-type="(\w+)"/.exec(attributes)?.[1] ?? '',
      formula: /table:formula=/.test(attributes),
      text: [...content.matchAll(/<text:p[^>]*?(?:\/>|>([\s\S]*?)<\/text:p>)/g)]
        .map(([, text = '']) => plain(text))
        .join('\n'),
    }))
    .filter(({ type }) => type !== '');
}

const plain = (text) =>
  text
    .replaceAll(/<text:s(?: text:c="(\d+)")?\/>/g, (_all, count) => ' '.repeat(Number(count ?? 1)))
    .replaceAll(/<text:tab\/>/g, '\t')
    .replaceAll(/<text:line-break\/>/g, '\n')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
