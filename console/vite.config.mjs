import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Keeps each text file compressed in two ways, as well as it goes, and nothing else:
 * no request compresses anything.
 */
const compressed = () => ({
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle)) {
      if (!/\.(?:js|css|svg)$/.test(name)) continue;
      const file = join(dir, name);
      const text = readFileSync(file);
      writeFileSync(
        `${file}.br`,
        brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      );
      writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
      rmSync(file);
    }
  },
});

export default defineConfig({
  root: here,
  base: './',
  publicDir: false,
  cacheDir: join(here, '../node_modules/.vite-console'),
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [compressed()],
  build: {
    outDir: join(here, '../dist/console/app'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    rollupOptions: {
      // Mantine marks its files for servers that draw React; there is none here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
      input: { admin: join(here, 'admin/main.tsx'), portal: join(here, 'portal/main.tsx') },
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
});
