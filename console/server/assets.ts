import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export type AppName = 'admin' | 'portal';

/** The first files of an app, as names below `assets/`. */
export interface Entry {
  readonly script: string;
  readonly styles: readonly string[];
  readonly preloads: readonly string[];
}

interface Chunk {
  readonly file: string;
  readonly name?: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk | undefined>>;
type Encoding = 'br' | 'gzip';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  json: 'application/json; charset=utf-8',
};
/** Chunks of console/vite.config.mjs that the screens of an app share. */
const EVERY_SCREEN: Readonly<Record<AppName, readonly string[]>> = {
  admin: ['parts', 'overlays'],
  portal: ['parts'],
};
// Works from here and from dist/shared.
const FOLDER = new URL('../../dist/console/app/', import.meta.url);
const NAME = /^[\w.-]+\.(?:js|css|svg|woff2|json)$/;

/** The built files of console and portal: read once, served from memory. */
export class Assets {
  readonly #names: ReadonlySet<string>;
  readonly #manifest: Manifest;
  readonly #files = new Map<string, Buffer>();

  constructor() {
    const manifest = new URL('manifest.json', FOLDER);
    if (!existsSync(manifest))
      throw new Error(
        'The files of console and portal are not beside this code. If your application is bundled, keep ' +
          '`affiliate-service` external (docs/development-servers.md §2). In a copy of the repository, run `npm run build`.',
      );
    this.#manifest = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
    this.#names = new Set(readdirSync(fileURLToPath(new URL('assets/', FOLDER))));
  }

  /** With a locale, preloads the files that every screen needs. */
  entry(app: AppName, locale?: string): Entry {
    const chunk = this.#manifest[`${app}/main.tsx`];
    if (chunk === undefined) throw new Error(`The build has no ${app} app.`);
    const all = this.#withImports(chunk);
    return {
      script: fileName(chunk.file),
      styles: [...new Set(all.flatMap(({ css = [] }) => css.map(fileName)))],
      preloads: [...all.slice(1), ...(locale === undefined ? [] : this.#ofEveryScreen(app, locale))].map(
        ({ file }) => fileName(file),
      ),
    };
  }

  #ofEveryScreen(app: AppName, locale: string): Chunk[] {
    const shared = Object.values(this.#manifest).filter((chunk) =>
      EVERY_SCREEN[app].includes(chunk?.name ?? ''),
    );
    return [this.#manifest[`${app}/texts/${locale}.json`], ...shared].flatMap((chunk) => chunk ?? []);
  }

  #withImports(chunk: Chunk, seen = new Set<Chunk>()): Chunk[] {
    if (seen.has(chunk)) return [];
    seen.add(chunk);
    const imported = (chunk.imports ?? []).flatMap((key) => this.#manifest[key] ?? []);
    return [chunk, ...imported.flatMap((next) => this.#withImports(next, seen))];
  }

  /** Serves a file; false if there is no file of this name. */
  send(name: string, req: IncomingMessage, res: ServerResponse): boolean {
    if (!NAME.test(name) || !(this.#names.has(name) || this.#names.has(`${name}.gz`))) return false;
    const encoding = this.#encodingFor(name, String(req.headers['accept-encoding'] ?? ''));
    const file = this.#read(encoding === null ? name : `${name}.${encoding === 'br' ? 'br' : 'gz'}`);
    const etag = `"${createHash('sha256').update(file).digest('base64url').slice(0, 22)}"`;
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.setHeader('Vary', 'Accept-Encoding');
    res.setHeader('ETag', etag);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    if (String(req.headers['if-none-match'] ?? '').includes(etag)) {
      res.writeHead(304).end();
      return true;
    }
    if (encoding !== null) res.setHeader('Content-Encoding', encoding);
    res.setHeader('Content-Type', TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream');
    res.setHeader('Content-Length', file.byteLength);
    res.writeHead(200).end(req.method === 'HEAD' ? undefined : file);
    return true;
  }

  #encodingFor(name: string, accepted: string): Encoding | null {
    const takes = (coding: string): boolean =>
      accepted.split(',').some((part) => {
        const [known = '', ...parameters] = part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/);
        return known === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
      });
    if (this.#names.has(`${name}.br`) && takes('br')) return 'br';
    return this.#names.has(`${name}.gz`) && takes('gzip') ? 'gzip' : null;
  }

  #read(name: string): Buffer {
    const known = this.#files.get(name) ?? this.#load(name);
    this.#files.set(name, known);
    return known;
  }

  /** Compressible files are cached compressed only; they are unpacked for clients that accept neither encoding. */
  #load(name: string): Buffer {
    const stored = (file: string): Buffer => readFileSync(new URL(`assets/${file}`, FOLDER));
    return this.#names.has(name) ? stored(name) : gunzipSync(stored(`${name}.gz`));
  }
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
