// Lets a child process run the TypeScript sources: `node --import ./test/support/ts-loader.mjs file.ts`.
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(`
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import swc from ${JSON.stringify(import.meta.resolve('@swc/core'))};

export function resolve(specifier, context, next) {
  if (/^(?:\\.{1,2}|file:\\/)\\//.test(specifier) && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/\\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await swc.transform(await readFile(filename, 'utf8'), {
    filename, sourceMaps: 'inline', module: { type: 'es6' }, jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
`)}`,
);
