import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/folders.js';

// The recipe "a new column" of CONTRIBUTING.md, followed in a copy of the project.

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const copy = temporaryFolder();

function edit(path: string, before: string, after: string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  expect(text.split(before)).toHaveLength(2);
  writeFileSync(join(copy, path), text.replace(before, after));
}

function addColumn(): void {
  for (const part of ['src', 'hooks', 'adapters', 'package.json', 'test/recipe', 'test/support'])
    cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));

  const record = 'src/program/affiliates/record.ts';
  edit(
    record,
    '  note: inForm(',
    "  nickname: inForm(text({ sort: true, find: 'anywhere', filter: true, export: true, import: true, " +
      'portal: true, audit: true }), shortText(50)),\n  note: inForm(',
  );
  edit(record, ', longText }', ', longText, shortText }');

  writeFileSync(
    join(copy, 'src/platform/database/steps/002-nickname.ts'),
    "import type { SchemaStep } from '../migrate.js';\n" +
      "export const nicknameStep: SchemaStep = { id: '002-nickname', up: async ({ column }) => {\n" +
      "  await column('affiliates', 'nickname', 'varchar(50)');\n} };\n",
  );
  edit('src/platform/database/steps/index.ts', '[initialStep];', '[initialStep, nicknameStep];');
  edit(
    'src/platform/database/steps/index.ts',
    '/** In the',
    "import { nicknameStep } from './002-nickname.js';\n\n/** In the",
  );
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
  addColumn();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--no-warnings',
      '--import',
      join(project, 'test/support/ts-loader.mjs'),
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
  expect(seen.exported.split('\n')[0]).toMatch(/custom_param,nickname$/u);
  expect(seen.exported).toContain(',Allie');
  expect(seen.portal).toMatchObject({ nickname: 'Allie' });
  expect(JSON.stringify(seen.document.components.schemas['Affiliate'])).toContain('"nickname"');
  for (const [path, method] of [
    ['/affiliates', 'post'],
    ['/affiliates/{id}', 'patch'],
  ] as const)
    expect(JSON.stringify(seen.document.paths[path]?.[method])).toContain('"nickname"');
  expect(JSON.stringify(seen.audit)).toContain('"before":{"nickname":"Ally"},"after":{"nickname":"Allie"}');
});
