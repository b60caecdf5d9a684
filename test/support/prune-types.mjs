// Part of `npm run build:lib`: of the declarations the compiler wrote, keeps those that an entry of the package
// leads to. The others describe modules nobody can import; they were more than half of the files.
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const kept = new Set();
const waiting = Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : []));
while (waiting.length > 0) {
  const file = waiting.pop();
  if (kept.has(file) || !existsSync(file)) continue;
  kept.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
    waiting.push(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
}
for (const file of globSync('dist/**/*.d.ts', { cwd: root }))
  if (!kept.has(join(root, file))) rmSync(join(root, file));
