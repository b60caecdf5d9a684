import { existsSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importsOf, readText, ROOT, sources } from './support/sources.js';

interface Manifest {
  readonly name: string;
  readonly license: string;
  readonly version: string;
  readonly engines: { node: string };
  readonly exports: Readonly<Record<string, string | { types: string; default: string }>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { optional: boolean }>>;
}
const manifest = JSON.parse(readText('package.json')) as Manifest;
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isPackage = (specifier: string): boolean =>
  !specifier.endsWith('.ts') && !specifier.startsWith('node:') && !builtinModules.includes(specifier);

// The packed tarball itself is tried by `npm run check:pkg`.
describe('package.json', () => {
  it('exports what has a source', () => {
    // the compiler writes names of types below ./types into declarations; nobody imports them
    const { './types/*': types, ...entries } = manifest.exports;
    expect(types).toEqual({ types: './dist/*.d.ts' });
    const targets = Object.values(entries).filter((target) => typeof target === 'object');
    expect(Object.keys(manifest.exports)).toEqual(
      expect.arrayContaining(['.', './hooks', './adapters', './adapters/contract']),
    );
    for (const { types: declared, default: file } of targets) {
      expect(declared).toBe(file.replace(/\.js$/, '.d.ts'));
      expect([file, existsSync(join(ROOT, file.replace('./dist/', '').replace(/\.js$/, '.ts')))]).toEqual([
        file,
        true,
      ]);
    }
  });

  it('lists every library the sources import', () => {
    const known = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
    const imported = sources()
      .flatMap(importsOf)
      .map(({ to }) => to)
      .filter(isPackage)
      .map(packageOf);
    expect([...new Set(imported)].filter((name) => !known.has(name))).toEqual([]);
  });

  it('leaves drivers of database servers and packages of hosts to those who need them', () => {
    const optional = { optional: true };
    expect(manifest.peerDependenciesMeta).toEqual({
      '@nestjs/core': optional,
      mysql2: optional,
      pg: optional,
      react: optional,
    });
  });

  it('has every script the documentation names', () => {
    const named = ['README.md', 'CONTRIBUTING.md', 'adapters/README.md', 'hooks/README.md'].flatMap((file) =>
      [...readText(file).matchAll(/\bnpm (?:run (?:--silent )?([\w:]+)|(test|start)\b)/g)].map(
        ([, run, short]) => run ?? short ?? '',
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named)].filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });

  it('goes with a lock file that names no registry', () => {
    const lock = readText('package-lock.json');
    expect(lock).not.toMatch(/"resolved": "(?!file:)/);
    expect((JSON.parse(lock) as { packages: Record<string, Manifest> }).packages['']?.dependencies).toEqual(
      manifest.dependencies,
    );
  });

  it('agrees with the licence and the changelog', () => {
    expect(readText('LICENSE')).toContain(`${manifest.license} License`);
    expect(readText('CHANGELOG.md')).toContain(`## ${manifest.version}`);
  });
});

it('leaves no scratch files among the tests', () => {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /scratch|-tmp\./.test(name))).toEqual([]);
});
