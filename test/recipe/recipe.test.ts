import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/folders.js';
import { ROOT } from '../support/sources.js';
import { addColumn } from './add-column.js';
import { addModule } from './add-module.js';

// Recipes of CONTRIBUTING.md, followed in a copy of the project; test/browser/recipe.test.ts sees the column in the console.

const PARTS = ['src', 'hooks', 'adapters', 'frameworks', 'package.json', 'test/recipe', 'test/support'];

async function run(copy: string, journey: string, ...args: string[]): Promise<unknown> {
  const loader = join(ROOT, 'test/support/ts-loader.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--no-warnings', '--import', loader, join(copy, 'test/recipe', journey), ...args],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
}

interface Seen {
  readonly created: { readonly affiliate: unknown };
  readonly refused: unknown;
  readonly patched: { readonly affiliate: unknown };
  readonly cleared: { readonly affiliate: unknown };
  readonly sorted: unknown;
  readonly found: unknown;
  readonly filtered: unknown;
  readonly exported: string;
  readonly portal: unknown;
  readonly document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  readonly audit: unknown;
}

it('shows a column that was added by one line, one schema step everywhere the line says', async () => {
  const copy = temporaryFolder();
  addColumn(copy, PARTS);
  const seen = (await run(copy, 'journey.ts', join(copy, 'affiliates.csv'))) as Seen;

  expect(seen.created.affiliate).toMatchObject({ nickname: 'Caro' });
  expect(seen.refused).toMatchObject({
    code: 'validation_failed',
    errors: { nickname: { max: 'The nickname must have at most 50 characters.' } },
  });
  expect(seen.patched.affiliate).toMatchObject({ nickname: 'Allie' }); // imported as "Ally"
  expect(seen.cleared.affiliate).toMatchObject({ nickname: null });
  expect(seen.sorted).toEqual(['Allie', 'Caro', null]);
  expect(seen.found).toEqual(['Allie']);
  expect(seen.filtered).toEqual(['Caro']);
  expect(seen.exported.split('\n')[0]).toMatch(/custom_param,nickname,/u);
  expect(seen.exported).toContain(',Allie');
  expect(seen.portal).toMatchObject({ nickname: 'Allie' });
  expect(JSON.stringify(seen.document.components.schemas['Affiliate'])).toContain('"nickname"');
  for (const name of ['AffiliatesCreateRequest', 'AffiliatesUpdateRequest'])
    expect(JSON.stringify(seen.document.components.schemas[name])).toContain('"nickname"');
  expect(JSON.stringify(seen.audit)).toContain('"before":{"nickname":"Ally"},"after":{"nickname":"Allie"}');
});

it('has the route, job, hooks and methods of a module that was added by a folder and a word in the list of modules', async () => {
  const copy = temporaryFolder();
  addModule(copy, PARTS);

  expect(await run(copy, 'module-journey.ts')).toEqual({
    greeted: [200, { greeting: 'Hello affiliate 1!', sent: 1 }],
    unknown: [404, expect.objectContaining({ code: 'nobody_to_greet', message: 'No affiliate to greet.' })],
    anonymous: 401,
    called: 'Hello affiliate 1!',
    calledForNobody: 'nobody_to_greet',
    sent: [1],
    ran: { name: 'send-greetings', result: 'done' },
    documented: true,
  });
});
