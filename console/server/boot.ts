import type { Session } from '../../src/platform/access/session.js';

/** Languages the apps speak; others read English. */
export const LOCALES = ['en', 'de', 'es', 'fr', 'ar'] as const;
export type Locale = (typeof LOCALES)[number];

export interface Theme {
  /** Colour of buttons and links, `#rrggbb`. */
  readonly primary?: string;
  /** Corners of buttons and panels, e.g. `8px`. */
  readonly radius?: string;
  /** A CSS font family list; fonts are the page's own or the system's. */
  readonly font?: string;
  /** `auto` follows the reader's system; default. */
  readonly scheme?: 'auto' | 'light' | 'dark';
}

/** A page of an extension, in the reader's language. */
export interface BootPage {
  readonly title: string;
  /** Below `/extensions/`. */
  readonly path: string;
  /** Address of its module; `modules/…` is below the mount. */
  readonly module?: string;
  /** Address of the page that is shown in a frame. */
  readonly url?: string;
}

/** A field of an extension, in the reader's language. */
export interface BootField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly type: 'text' | 'number' | 'select' | 'switch';
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly default: string;
}

/** What the page of an app finds in itself when it starts. */
export interface Boot extends Session {
  readonly app: 'admin' | 'portal';
  readonly layout: 'page' | 'embed';
  /**
   * Where the handler is mounted as the server sees it, e.g.
   * `/affiliate-admin`; below a proxy the browser sees a longer path.
   */
  readonly mount: string;
  /** Path of this request below the mount, e.g. `/affiliates/3`. */
  readonly path: string;
  /** Path of the REST interface as the server sees it. */
  readonly api: string;
  readonly locale: Locale;
  readonly title: string;
  readonly logo: string | null;
  readonly homeUrl: string;
  /** Where to sign in, with the way back; null when the host named none. */
  readonly signInUrl: string | null;
  /** Where to sign out; null when the host named none. */
  readonly logoutUrl: string | null;
  /** The reader may choose the language; the host has not fixed it. */
  readonly choosesLocale: boolean;
  readonly theme: Theme;
  /** For the style elements the page makes itself. */
  readonly styleNonce: string;
  readonly texts: Readonly<Record<string, unknown>>;
  /** The pages of extensions that the reader may open. */
  readonly pages: readonly BootPage[];
  /** The fields that extensions add to groups and affiliates, for the console. */
  readonly fields: { readonly groups: readonly BootField[]; readonly affiliates: readonly BootField[] };
}
