// What test/support/ts-loader.mjs registers: a `.js` that is a `.ts` in the sources is made of it,
// once for each text of the file.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { threadId } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

const MADE = new URL('../../node_modules/.cache/affiliate-service/', import.meta.url);
const OPTIONS = {
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
};
const settings = JSON.stringify(OPTIONS);

export function resolve(specifier, context, next) {
  if (/^(?:\.{1,2}|file:\/)\/.*\.js(?:\?|$)/.test(specifier)) {
    const source = new URL(specifier.replace(/\.js(?=\?|$)/, '.ts'), context.parentURL);
    if (!source.pathname.includes('/node_modules/') && existsSync(source))
      return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!/\.ts(?:\?|$)/.test(url)) return next(url, context);
  return { format: 'module', source: made(fileURLToPath(url)), shortCircuit: true };
}

function made(filename) {
  const text = readFileSync(filename, 'utf8');
  const key = createHash('sha256').update(`${settings}\n${filename}\n${text}`).digest('hex');
  const kept = new URL(`${key.slice(0, 32)}.js`, MADE);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const swc = createRequire(import.meta.url)('@swc/core');
    const { code } = swc.transformSync(text, { filename, ...OPTIONS });
    const written = new URL(`${key.slice(0, 32)}.${process.pid}-${threadId}`, MADE);
    mkdirSync(MADE, { recursive: true });
    writeFileSync(written, code);
    renameSync(written, kept); // another process never reads half of it
    return code;
  }
}
