// `npm run steps`: adds new files of schema steps to test/database/schema-steps.json. It changes no line that is
// there, because a released step is never changed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'src/platform/database/migrations');
const list = join(root, 'test/database/schema-steps.json');

const recorded = JSON.parse(readFileSync(list, 'utf8'));
for (const file of readdirSync(folder).filter((name) => name !== 'index.ts'))
  recorded[file] ??= createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
const sorted = Object.keys(recorded).toSorted();
const lines = Object.fromEntries(sorted.map((file) => [file, recorded[file]]));
writeFileSync(list, `${JSON.stringify(lines, null, 2)}\n`);
