import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../support/sources.js';

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}
const APP = join(ROOT, 'dist/console/app');
const manifest = (): Readonly<Record<string, Chunk>> =>
  JSON.parse(readFileSync(join(APP, 'manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>;

/** Files a chunk needs before it runs. */
function filesOf(
  key: string,
  chunks: Readonly<Record<string, Chunk>>,
  seen = new Set<string>(),
): Set<string> {
  const chunk = chunks[key];
  if (chunk === undefined || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const file of chunk.css ?? []) seen.add(file);
  for (const next of chunk.imports ?? []) filesOf(next, chunks, seen);
  return seen;
}

const compressed = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + readFileSync(join(APP, `${file}.br`)).byteLength, 0);

/** Screens with texts beyond those of their app. */
const LATE = /^admin\/(?:settings|system|guide|messages|applications|new-payout)\//;

// The first load of a screen: the app, the screen and what both import, scripts,
// styles and the longest language as they travel.
describe('the build', () => {
  it.each([
    ['admin', 223],
    ['portal', 170],
  ])('keeps the first load of every screen of %s within %i KB, in ten files', (app, limit) => {
    const chunks = manifest();
    const entry = `${app}/main.tsx`;
    const later = chunks[entry]?.dynamicImports ?? [];
    const screens = later.filter((key) => !key.endsWith('.json'));
    expect(screens.length).toBeGreaterThan(5);
    const loads = screens.map((screen) => {
      const files = filesOf(screen, chunks, filesOf(entry, chunks));
      const texts = [`${app}/texts/`, ...(LATE.test(screen) ? ['admin/settings/texts/'] : [])].map(
        (folder) => {
          const ofFolder = later.filter((key) => key.startsWith(folder));
          expect(ofFolder.length).toBe(folder === 'admin/texts/' ? 5 : 4); // there also words in English
          return Math.max(...ofFolder.map((key) => compressed(filesOf(key, chunks))));
        },
      );
      const all = texts.reduce((sum, text) => sum + text, compressed(files));
      return { screen, size: Math.round(all / 1024), files: files.size + texts.length };
    });
    expect(loads.filter(({ size }) => size > limit)).toEqual([]);
    expect(loads.filter(({ files }) => files > 10)).toEqual([]);
  });

  it('ships no source maps and asks no other origin', () => {
    const files = Object.values(manifest()).map(({ file }) => file);
    for (const file of files) {
      const text = gunzipSync(readFileSync(join(APP, `${file}.gz`))).toString();
      expect([file, /sourceMappingURL|@import url\(["']?https?:/.test(text)]).toEqual([file, false]);
    }
  });
});
