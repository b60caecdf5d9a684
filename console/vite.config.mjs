import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Replaces each text file with a Brotli and a gzip version, so that no request compresses anything. */
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

/** Merges the shared texts into the text files of each app. */
const textsOfApps = () => ({
  name: 'texts-of-apps',
  load(id) {
    const [, locale] = /console\/(?:admin|portal)\/texts\/(\w+)\.json$/.exec(id) ?? [];
    const shared = join(here, `shared/texts/${locale}.json`);
    if (locale === undefined || !existsSync(shared)) return null;
    const texts = [shared, id].map((file) => JSON.parse(readFileSync(file, 'utf8')));
    return JSON.stringify(Object.assign({}, ...texts));
  },
});

// Few files load faster than many, so screens share chunks: the start of both apps (`shell`), parts of screens of
// both (`parts`), overlays (`overlays`, `dialogs`), and parts of screens of one app. test/console/build.test.ts
// limits files and bytes.

const isOwn = (id) => id.startsWith(here) && /\.tsx?$/.test(id);

/** A module and its static imports among our own modules. */
function closure(id, build, seen = new Set()) {
  if (seen.has(id) || !isOwn(id)) return seen;
  seen.add(id);
  for (const next of build.getModuleInfo(id).importedIds) closure(next, build, seen);
  return seen;
}

let needs;
/** The screens of each app that import a module statically. */
function screensOf(id, build) {
  needs ??= ['admin', 'portal'].map((app) => {
    const ofApp = closure(join(here, app, 'main.tsx'), build);
    const screens = [...ofApp]
      .flatMap((each) => build.getModuleInfo(each).dynamicallyImportedIds)
      .filter((each) => isOwn(each) && each.startsWith(join(here, app)));
    const found = new Map();
    for (const screen of screens)
      for (const each of closure(screen, build))
        if (!ofApp.has(each) && !screens.includes(each))
          found.set(each, [...(found.get(each) ?? []), screen]);
    return found;
  });
  const [admin = [], portal = []] = needs.map((found) => found.get(id));
  return { admin, portal };
}

/** Screens of the console with additional texts, so with less room for code. */
const LATE = /admin\/(?:applications|giving|guide|messages|new-payout|settings|system)\//;

const component = (names) => new RegExp(`@mantine/core/esm/(?:components|utils)/(?:${names})/`);
const INPUTS = component(
  'Input|InputBase|TextInput|InlineInput|NativeSelect|Checkbox|Progress|SegmentedControl|Textarea|Switch|FileButton',
);
const HELPERS =
  /@mantine\/hooks\/esm\/(?:use-debounced-callback|use-debounced-value|utils)|@mantine\/core\/esm\/core\/(?:utils\/(?:create-event-handler|get-env|get-style-object|to-int)|styles-api)\//;
const SMALL = /RadioIcon|Icon(?:Plus|Printer|Dots|Trash|Qrcode|Share|ArrowUp|ArrowDown|Download)\./;
const OVERLAYS = component('Combobox|Select|Popover|ScrollArea|Pill|PillsInput');
const DIALOGS = new RegExp(`console/shared/url-dialog|${component('Modal|ModalBase').source}`);

/** The first matching group takes a module and its imports. */
const groups = [
  { name: 'shell', tags: ['$initial'], minShareCount: 2, test: /node_modules|console.shared/ },
  {
    name: 'parts',
    takes: (id, { admin, portal }) =>
      (admin.length > 1 && portal.length > 1) ||
      [INPUTS, HELPERS, SMALL, /shared.sheet/].some((names) => names.test(id)),
  },
  {
    name: 'overlays',
    takes: (id, { admin }) =>
      (admin.length > 1 && admin.some((screen) => LATE.test(screen)) && !DIALOGS.test(id)) ||
      OVERLAYS.test(id),
  },
  { name: 'dialogs', test: DIALOGS },
  { name: 'answers', test: component('PasswordInput|Radio|Stack') },
  { name: 'chart', test: /console.shared.(?:chart|axis)/ },
  { name: 'admin-parts', takes: (id, { admin }) => admin.length > 1 || /links.deleted/.test(id) },
  {
    name: 'portal-parts',
    takes: (id, { portal }) =>
      portal.length > 1 && id.startsWith(join(here, 'portal')) && !id.includes('application'),
    includeDependenciesRecursively: false,
  },
].map(({ takes, name, ...group }) =>
  takes === undefined
    ? { name, ...group }
    : { name: (id, build) => (takes(id, screensOf(id, build)) ? name : null), debugName: name, ...group },
);

export default defineConfig({
  root: here,
  base: './',
  publicDir: false,
  cacheDir: join(here, '../node_modules/.vite-console'),
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [textsOfApps(), compressed()],
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
      // Mantine's "use client" directives are for server rendering, which is not used here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
      input: { admin: join(here, 'admin/main.tsx'), portal: join(here, 'portal/main.tsx') },
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        codeSplitting: { groups },
      },
    },
  },
});
