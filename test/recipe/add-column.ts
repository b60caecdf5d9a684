import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { ROOT } from '../support/sources.js';

/**
 * Copies these parts of the project, and gives affiliates a column `nickname` there by the recipe
 * of CONTRIBUTING.md.
 */
export function addColumn(copy: string, parts: readonly string[]): void {
  for (const part of parts) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const edit = (path: string, before: string, after: string): void => {
    const text = readFileSync(join(copy, path), 'utf8');
    expect(text.split(before)).toHaveLength(2);
    writeFileSync(join(copy, path), text.replace(before, after));
  };

  const record = 'src/program/affiliates/record.ts';
  edit(
    record,
    '  note: inForm(',
    "  nickname: inForm(text({ sort: true, find: 'anywhere', filter: true, export: true, import: true, " +
      'portal: true, audit: true }), shortText(50)),\n  note: inForm(',
  );
  edit(record, ', longText }', ', longText, shortText }');

  writeFileSync(
    join(copy, 'src/platform/database/migrations/002-nickname.ts'),
    "import type { SchemaStep } from '../migrate.js';\n" +
      "export const nicknameStep: SchemaStep = { id: '002-nickname', up: async ({ column }) => {\n" +
      "  await column('affiliates', 'nickname', 'varchar(50)');\n} };\n",
  );
  const steps = 'src/platform/database/migrations/index.ts';
  edit(steps, '];', ', nicknameStep];');
  edit(steps, '/** In the', "import { nicknameStep } from './002-nickname.js';\n\n/** In the");
}
