import { useSyncExternalStore } from 'react';
import { errorOf } from '../../client/error.js';
import { fillPath, queryText } from '../../client/query.js';
import {
  ApiError,
  createClient,
  OPERATIONS,
  type ResponseOf,
  type CallOptions,
  type Client,
  type InputOf,
  type OperationId,
} from '../../client/index.js';
import type { Boot } from '../server/boot.js';
import { loadSentences } from './sentences.js';
import { createStore } from './store.js';

export type { Boot } from '../server/boot.js';

/** Paths of app and REST API in the browser, with the prefix of a proxy that the server does not know. */
export interface BasePaths {
  readonly base: string;
  readonly api: string;
}

interface State {
  readonly boot: Boot;
  readonly places: BasePaths;
  readonly client: Client;
  /** Whether the user was signed out while the page was open. */
  readonly signedOut: boolean;
}

// A page has one app. Set once, before the first render.
const store = createStore<State | undefined>(undefined);

export function start(boot: Boot, pathname: string): void {
  const places = placesOf(boot, pathname);
  const client = createClient({ baseUrl: places.api, ...(boot.nonce !== null && { nonce: boot.nonce }) });
  store.set({ boot, places, client, signedOut: false });
}

/** Finds the proxy's prefix: the browser's path ends with the mount and the path that the server saw. */
export function placesOf({ mount, path, api, layout }: Boot, pathname: string): BasePaths {
  if (layout === 'embed') return { base: mount, api };
  const known = decodeURI(path) === '/' ? '/' : path;
  const base = pathname.endsWith(known) ? pathname.slice(0, pathname.length - known.length) : mount;
  const prefix = base.endsWith(mount) ? base.slice(0, base.length - mount.length) : '';
  return { base, api: prefix + api };
}

function current(): State {
  const state = store.get();
  if (state === undefined) throw new Error('The app has not been started.');
  return state;
}

const change = (patch: Partial<State>): void => store.set({ ...current(), ...patch });

export const boot = (): Boot => current().boot;
export const places = (): BasePaths => current().places;
export const nonce = (): string | null => current().client.nonce() ?? null;

/** User, rights and program; re-renders when they change. */
export const useBoot = (): Boot => useSyncExternalStore(store.subscribe, () => current().boot);
export const useSignedOut = (): boolean => useSyncExternalStore(store.subscribe, () => current().signedOut);

/** Whether the user may change (or read) this part. */
export function useMay(
  section: 'affiliates' | 'referrals' | 'visits' | 'payouts',
  need: 'read' | 'write',
): boolean {
  const level = useBoot().rights[section];
  return level === 'write' || level === need;
}

/** Calls `listener` when another person uses the page, or the person's standing as an affiliate has changed. */
export function onOtherUser(listener: () => void): void {
  const person = (): string => {
    const { user, affiliate } = store.get()?.boot ?? {};
    return JSON.stringify([user?.id, affiliate?.id, affiliate?.status]);
  };
  let known = person();
  store.subscribe(() => {
    const before = known;
    known = person();
    if (before !== known) listener();
  });
}

/** Reloads user and rights, after a sign-in and when the server denies a right the user had. */
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
    change({ signedOut: true }); // the page stays, with unsaved input
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

/** Sends an operation. Renews an expired nonce, and asks to sign in again if the session has ended. */
export async function send<Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  options?: CallOptions,
): Promise<ResponseOf<Id>> {
  return again(() => current().client.call(id, ...([input, options] as never)));
}

/** Like `send`, for a file in the response. */
export const sendForFile = <Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  options?: CallOptions,
): Promise<Response> => again(() => current().client.file(id, ...([input, options] as never)));

/** Uploads files as a form, or one file as the body; returns the JSON response. */
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
    // the caller shows its own text
    if (error instanceof ApiError && error.code !== 'offline') await loadSentences(boot().locale);
    throw error;
  }
}
