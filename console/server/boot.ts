import type { Session } from '../../src/platform/access/session.js';

/** Supported languages; all others get English. */
export const LOCALES = ['en', 'de', 'es', 'fr', 'ar'] as const;
export type Locale = (typeof LOCALES)[number];

export interface Theme {
  /** Color of buttons and links, `#rrggbb`. */
  readonly primary?: string;
  /** Border radius of buttons and panels, e.g. `8px`. */
  readonly radius?: string;
  /** A CSS font family list with fonts of the page or the system. */
  readonly font?: string;
  /** `auto` (default) follows the user's system. */
  readonly scheme?: 'auto' | 'light' | 'dark';
}

/** A page of an extension, in the user's language. */
export interface BootPage {
  readonly title: string;
  /** Path below `/extensions/`. */
  readonly path: string;
  /** URL of its module; `modules/…` is below the mount. */
  readonly module?: string;
  /** URL of the page shown in a frame. */
  readonly url?: string;
}

/** A field of an extension, in the user's language. */
export interface BootField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly type: 'text' | 'number' | 'select' | 'switch';
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly default: string;
}

/** The data in the page that an app starts with. */
export interface Boot extends Session {
  readonly app: 'admin' | 'portal';
  readonly layout: 'page' | 'embed';
  /** Mount path as the server sees it, e.g. `/affiliate-admin`; behind a proxy the browser may see a longer path. */
  readonly mount: string;
  /** Path of this request below the mount, e.g. `/affiliates/3`. */
  readonly path: string;
  /** Path of the REST API as the server sees it. */
  readonly api: string;
  readonly locale: Locale;
  readonly title: string;
  readonly logo: string | null;
  readonly homeUrl: string;
  /** URL of the sign-in page with the return path; null if the host has none. */
  readonly signInUrl: string | null;
  /** URL to sign out; null if the host has none. */
  readonly logoutUrl: string | null;
  /** Whether the user may choose the language, unless the host fixes it. */
  readonly choosesLocale: boolean;
  readonly theme: Theme;
  /** CSP nonce for style elements the page creates. */
  readonly styleNonce: string;
  readonly texts: Readonly<Record<string, unknown>>;
  /** Pages of extensions the user may open. */
  readonly pages: readonly BootPage[];
  /** Fields that extensions add to groups and affiliates, for the console. */
  readonly fields: { readonly groups: readonly BootField[]; readonly affiliates: readonly BootField[] };
}
