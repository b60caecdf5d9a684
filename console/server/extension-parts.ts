import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { ExtensionConsolePage, ExtensionField, ExtensionPage } from '../../src/core/extension-parts.js';
import { localized } from '../../src/core/localized.js';
import type { Session } from '../../src/platform/access/session.js';
import type { AffiliateService } from '../../src/service/service.js';
import type { AppName } from './assets.js';
import type { Boot, BootField, BootPage, Locale } from './boot.js';

/** Pages of extensions in an app, and their modules. */
export class ExtensionPages {
  readonly #pages: readonly (ExtensionPage & Pick<ExtensionConsolePage, 'right'>)[];
  /** Modules that are files of the server, by served name. */
  readonly #files = new Map<string, Buffer>();
  readonly #names = new Map<string, string>();

  constructor(
    service: AffiliateService,
    private readonly app: AppName,
  ) {
    this.#pages = service.extensions.flatMap(({ consolePages = [], portalPages = [] }) =>
      app === 'admin' ? consolePages : portalPages,
    );
    for (const { module } of this.#pages) if (isFile(module)) this.#read(String(module));
  }

  /** The pages this user may open. */
  of(session: Session, locale: Locale): BootPage[] {
    const allowed = this.#pages.filter((page) =>
      this.app === 'admin' ? mayOpen(session, page.right) : session.affiliate?.status === 'active',
    );
    return allowed.map(({ title, path, module, url }) => ({
      title: localized(title, locale),
      path,
      ...(module !== undefined && { module: this.#names.get(String(module)) ?? String(module) }),
      ...(url !== undefined && { url }),
    }));
  }

  /** Serves a module; false if there is no module of this name. */
  send(name: string, req: IncomingMessage, res: ServerResponse): boolean {
    const file = this.#files.get(name);
    if (file === undefined) return false;
    res.writeHead(200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Length': file.byteLength,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    });
    res.end(req.method === 'HEAD' ? undefined : file);
    return true;
  }

  /** Origins of modules and frames, for the Content-Security-Policy. */
  origins(kind: 'module' | 'url'): string[] {
    const origins = this.#pages.flatMap((page) => {
      const address = String(page[kind] ?? '');
      return /^https?:/.test(address) ? [new URL(address).origin] : [];
    });
    return [...new Set(origins)];
  }

  #read(module: string): void {
    const file = readFileSync(fileURLToPath(module));
    const name = `${createHash('sha256').update(file).digest('hex').slice(0, 20)}.js`;
    this.#files.set(name, file);
    this.#names.set(module, `modules/${name}`);
  }
}

const isFile = (module: string | URL | undefined): boolean => String(module ?? '').startsWith('file:');

function mayOpen({ rights }: Session, right: ExtensionConsolePage['right'] = 'administrator'): boolean {
  if (right === 'administrator' || right === 'settings') return rights[right];
  return rights[right] !== 'none';
}

/** Fields of extensions for forms of the console. */
export const fieldsOf = ({ extensions }: AffiliateService, locale: Locale): Boot['fields'] => ({
  groups: extensions.flatMap(({ groupFields = [] }) => groupFields.map((field) => fieldIn(field, locale))),
  affiliates: extensions.flatMap(({ affiliateFields = [] }) =>
    affiliateFields.map((field) => fieldIn(field, locale)),
  ),
});

function fieldIn(field: ExtensionField, locale: Locale): BootField {
  const { name, label, help = '', type = 'text', options = [] } = field;
  return {
    name,
    label: localized(label, locale),
    help: localized(help, locale),
    type,
    options: options.map((option) => ({ value: option.value, label: localized(option.label, locale) })),
    default: String(field.default ?? (type === 'switch' ? 'no' : (options[0]?.value ?? ''))),
  };
}
