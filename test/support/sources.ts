import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Source {
  readonly path: string;
  readonly text: string;
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every TypeScript file of the package, by its path from the root. */
export function sources(
  folders: readonly string[] = [
    'src',
    'hooks',
    'adapters',
    'frameworks',
    'connected-site',
    'client',
    'console/server',
  ],
): Source[] {
  return folders
    .flatMap(filesIn)
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => ({ path, text: readText(path) }));
}

/** Everything that is written by hand in TypeScript or JavaScript, tests and examples too. */
export const codeFiles = (): Source[] =>
  ['src', 'hooks', 'adapters', 'frameworks', 'connected-site', 'client', 'console', 'cli', 'examples', 'test']
    .flatMap(filesIn)
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path))
    .map((path) => ({ path, text: readText(path) }));

// Not readdir's own recursion: it follows links, and the examples link to this folder.
function filesIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const STATEMENT =
  /^(?:import|export)\s+(type\s+)?([^;'"]*?)\s*from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|\bimport\s+'([^']+)'/gm;

/** The imports of a file; own files by their path from the root, packages by their name. */
export function importsOf({ path, text }: Source): Import[] {
  return [...text.matchAll(STATEMENT)].map(([, type, names = '', from, dynamic, bare]) => {
    const specifier = from ?? dynamic ?? bare ?? '';
    return {
      from: path,
      to: specifier.startsWith('.') ? sourceOf(posix.join(dirname(path), specifier)) : specifier,
      typeOnly: type !== undefined || onlyTypes(names),
    };
  });
}

/** An import names the file that will be built from this one. */
function sourceOf(path: string): string {
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(join(ROOT, source)) ? source : source.replace(/\.ts$/, '.tsx');
}

const onlyTypes = (names: string): boolean =>
  /^\{[^}]*\}$/.test(names) &&
  names
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .every((name) => name.startsWith('type '));
