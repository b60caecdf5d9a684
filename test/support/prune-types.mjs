// Part of `npm run build:lib`: of the declarations the compiler wrote, keeps those that an entry of the package
// leads to. The others describe modules nobody can import; they were more than half of the files.
// Types of TypeBox and knex, which cost a host's compiler seconds, are replaced by the few of `standalone`.
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const kept = new Set();
const waiting = Object.values(exports).flatMap(({ types, default: code }) =>
  types && code ? [join(root, types)] : [],
);
while (waiting.length > 0) {
  const file = waiting.pop();
  if (kept.has(file) || !existsSync(file)) continue;
  kept.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
    waiting.push(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
}
for (const file of globSync('dist/**/*.d.ts', { cwd: root }))
  if (!kept.has(join(root, file))) rmSync(join(root, file));

const types = join(root, 'dist', 'src', 'types');
mkdirSync(types, { recursive: true });
for (const name of ['typebox', 'knex'])
  copyFileSync(new URL(`standalone/${name}.d.ts`, import.meta.url), join(types, `${name}.d.ts`));
for (const file of kept) {
  const folder = relative(dirname(file), types).replaceAll(sep, '/');
  const text = readFileSync(file, 'utf8');
  const own = text.replaceAll(
    /((?:from|import\()\s*['"])(typebox|knex)(?=['"])/g,
    (_, before, name) => `${before}${folder.startsWith('.') ? folder : `./${folder}`}/${name}.js`,
  );
  if (own !== text) writeFileSync(file, own);
}
