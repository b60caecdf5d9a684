// `npm run build:lib`: each public entry in one file, with what entries share beside them in dist/shared.
// A host that starts reads a dozen files instead of six hundred. The types are written by tsc.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { exports: entries, bin } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const files = [...Object.values(entries).map(({ default: file }) => file), ...Object.values(bin)].filter(
  Boolean,
);
/** `./dist/src/index.js` → `src/index` */
const nameOf = (file) => file.replace(/^(?:\.\/)?dist\//, '').replace(/\.js$/, '');

/**
 * Writes every letter beyond ASCII as an escape. One such letter makes Node keep the text of a whole file with
 * two bytes for each letter, as long as the process lives.
 */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

export default defineConfig({
  root: at('.'),
  publicDir: false,
  plugins: [asciiOnly],
  build: {
    ssr: true,
    target: 'node22',
    outDir: at('dist'),
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    rollupOptions: {
      external: ['@nestjs/core', 'react'], // packages of the host
      input: {
        ...Object.fromEntries(files.map((file) => [nameOf(file), at(`${nameOf(file)}.ts`)])),
        // for tests and measurements, which look behind the front door
        'src/service': at('src/service/service.ts'),
        // a thread finds its file beside the one that starts it
        'shared/sqlite-worker': at('adapters/database/sqlite-worker.ts'),
      },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'shared/[name]-[hash].js',
        comments: false, // the sources and the types have them
      },
    },
  },
});
