import { useSyncExternalStore } from 'react';
import { errorOf } from '../../client/error.js';
import { fillPath, queryText } from '../../client/query.js';
import {
  ApiError,
  createClient,
  OPERATIONS,
  type AnswerOf,
  type CallOptions,
  type Client,
  type InputOf,
  type OperationId,
} from '../../client/index.js';
import type { Boot } from '../server/boot.js';
import { loadSentences } from './sentences.js';

export type { Boot } from '../server/boot.js';

/**
 * Where the browser sees the app and the interface; both may lie below a proxy's
 * prefix the server does not know.
 */
export interface Places {
  readonly base: string;
  readonly api: string;
}

interface State {
  readonly boot: Boot;
  readonly places: Places;
  readonly client: Client;
  /** The user was signed out while the page was open. */
  readonly signedOut: boolean;
}

// One app runs in a page; it is set once, before anything is drawn.
let state: State | undefined;
const listeners = new Set<() => void>();

export function start(boot: Boot, pathname: string): void {
  const places = placesOf(boot, pathname);
  const client = createClient({ baseUrl: places.api, ...(boot.nonce !== null && { nonce: boot.nonce }) });
  state = { boot, places, client, signedOut: false };
}

/**
 * The path of the page ends in the path the server saw below the mount, and what is left ends in the mount.
 */
export function placesOf({ mount, path, api, layout }: Boot, pathname: string): Places {
  if (layout === 'embed') return { base: mount, api };
  const known = decodeURI(path) === '/' ? '/' : path;
  const base = pathname.endsWith(known) ? pathname.slice(0, pathname.length - known.length) : mount;
  const prefix = base.endsWith(mount) ? base.slice(0, base.length - mount.length) : '';
  return { base, api: prefix + api };
}

function current(): State {
  if (state === undefined) throw new Error('The app has not been started.');
  return state;
}

function change(patch: Partial<State>): void {
  state = { ...current(), ...patch };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const boot = (): Boot => current().boot;
export const places = (): Places => current().places;
export const nonce = (): string | null => current().client.nonce() ?? null;

/** Who is signed in, rights and program; drawn again when they change. */
export const useBoot = (): Boot => useSyncExternalStore(subscribe, () => current().boot);
export const useSignedOut = (): boolean => useSyncExternalStore(subscribe, () => current().signedOut);

/** May the user change (or only read) this part? */
export function useMay(
  section: 'affiliates' | 'referrals' | 'visits' | 'payouts',
  need: 'read' | 'write',
): boolean {
  const level = useBoot().rights[section];
  return level === 'write' || level === need;
}

/**
 * Asks the server anew who is signed in: after a sign-in, and when a right is missing that was there before.
 */
export async function refreshSession(): Promise<Boot> {
  const { client, places: at } = current();
  const response = await fetch(`${at.base}/boot.json`, {
    credentials: 'same-origin',
    headers: { Accept: 'application/json' },
  });
  if (!response.ok) throw new ApiError('offline', 'The server could not be reached.');
  const fresh = (await response.json()) as Boot;
  if (fresh.nonce !== null) client.useNonce(fresh.nonce);
  if (fresh.user === null && current().boot.user !== null) {
    change({ signedOut: true }); // what is on the page stays, with what was typed into it
    return fresh;
  }
  change({
    boot: {
      ...current().boot,
      user: fresh.user,
      nonce: fresh.nonce,
      rights: fresh.rights,
      affiliate: fresh.affiliate,
      program: fresh.program,
      pages: fresh.pages,
    },
    signedOut: false,
  });
  return fresh;
}

const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.code === 'rest_cookie_invalid_nonce');

/** Sends an operation; a nonce that ran out is replaced unseen, an ended session asks to sign in again. */
export async function send<Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  options?: CallOptions,
): Promise<AnswerOf<Id>> {
  return again(() => current().client.call(id, ...([input, options] as never)));
}

/** The same for files. */
export const sendForFile = <Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  options?: CallOptions,
): Promise<Response> => again(() => current().client.file(id, ...([input, options] as never)));

/** Sends files, as a form or one as it is; the answer as JSON. */
export const sendFiles = (
  id: OperationId,
  files: FormData | File,
  { params, query }: { readonly params?: Readonly<Record<string, unknown>>; readonly query?: object } = {},
): Promise<unknown> =>
  again(async () => {
    const { client, places: at } = current();
    const [method, path] = OPERATIONS[id];
    const response = await fetch(at.api + fillPath(path, params) + queryText(query), {
      method,
      body: files,
      credentials: 'same-origin',
      headers: { Accept: 'application/json', 'X-WP-Nonce': client.nonce() ?? '' },
    }).catch(() => {
      throw new ApiError('offline', 'The server could not be reached.');
    });
    const fresh = response.headers.get('x-wp-nonce');
    if (fresh !== null) client.useNonce(fresh);
    if (!response.ok) throw await errorOf(response);
    return response.json();
  });

async function again<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSignedOut(error)) {
      const { user } = await refreshSession();
      if (user !== null) return work();
    } else if (error instanceof ApiError && error.status === 403)
      void refreshSession().catch(() => undefined);
    // Whoever shows it has its text at hand.
    if (error instanceof ApiError && error.code !== 'offline') await loadSentences(boot().locale);
    throw error;
  }
}
