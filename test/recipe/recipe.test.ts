import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/folders.js';
import { ROOT } from '../support/sources.js';
import { addColumn } from './add-column.js';

// The recipe "a new column" of CONTRIBUTING.md, followed in a copy of the project;
// test/browser/recipe.test.ts sees it in the console.

const copy = temporaryFolder();

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
  addColumn(copy, ['src', 'hooks', 'adapters', 'package.json', 'test/recipe', 'test/support']);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--no-warnings',
      '--import',
      join(ROOT, 'test/support/ts-loader.mjs'),
      join(copy, 'test/recipe/journey.ts'),
      join(copy, 'affiliates.csv'),
    ],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  const seen = JSON.parse(stdout) as Seen;

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
