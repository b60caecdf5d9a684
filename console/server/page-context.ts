import type { Client } from '../../client/index.js';
import type { Session } from '../../src/platform/access/session.js';
import type { Boot, Locale } from './boot.js';

/** What the module of an extension's page is given beside the element it draws into. */
export interface PageContext {
  readonly locale: Locale;
  readonly user: Session['user'];
  /** The affiliate of the signed-in user. */
  readonly affiliate: Session['affiliate'];
  readonly rights: Session['rights'];
  readonly program: Session['program'];
  readonly theme: Boot['theme'];
  /** For style elements, where the page has a Content-Security-Policy. */
  readonly styleNonce: string;
  /** Path of the REST interface. */
  readonly api: string;
  /** The nonce for calls of your own endpoints, header `X-WP-Nonce`. */
  readonly nonce: () => string | null;
  /** Calls an operation of the REST interface: `call('affiliates.get', { params: { id: 1 } })`. */
  readonly call: Client['call'];
}

/** `HTMLElement` where the types of the browser are known. */
type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer E } } ? E : object;

/** The export `draw` of a page's module. A function that it returns is called when the page is left. */
export type DrawPage = (
  element: PageElement,
  context: PageContext,
) => void | (() => void) | Promise<void | (() => void)>;
