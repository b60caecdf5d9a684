import type { Client } from '../../client/index.js';
import type { Session } from '../../src/platform/access/session.js';
import type { Boot, Locale } from './boot.js';

/** The second argument of an extension page's `draw`. */
export interface PageContext {
  readonly locale: Locale;
  readonly user: Session['user'];
  /** The affiliate of the user. */
  readonly affiliate: Session['affiliate'];
  readonly rights: Session['rights'];
  readonly program: Session['program'];
  readonly theme: Boot['theme'];
  /** CSP nonce for style elements. */
  readonly styleNonce: string;
  /** Path of the REST API. */
  readonly api: string;
  /** The nonce for your own endpoints, as header `X-WP-Nonce`. */
  readonly nonce: () => string | null;
  /** Calls an operation of the REST API: `call('affiliates.get', { params: { id: 1 } })`. */
  readonly call: Client['call'];
}

/** `HTMLElement` if the DOM types are available. */
type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer E } } ? E : object;

/** The export `draw` of a page's module. If it returns a function, that is called when the user leaves the page. */
export type DrawPage = (
  element: PageElement,
  context: PageContext,
) => void | (() => void) | Promise<void | (() => void)>;
