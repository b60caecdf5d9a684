import { parseBigJson } from '../../src/core/big-json.js';
import { guardedFetch, readText, TooLongError, type Fetch } from '../../src/core/guarded-fetch.js';
import type { ProviderOrder } from '../commerce.js';
import { fields, list, type Fields } from './reading.js';

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;
const PAGE = 50;

/** How the built-in clients of shops and payment systems send their requests. */
export interface ShopAccess {
  /**
   * Replaces the built-in client, which reaches public addresses only. You decide what your own may reach.
   */
  readonly fetch?: typeof fetch;
  /**
   * Lets the built-in client reach loopback and private addresses: for development, and for shops in a
   * network of yours. Default: false.
   */
  readonly allowPrivateNetworks?: boolean;
}
export interface ShopRequest {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface ShopResponse {
  readonly body: unknown;
  readonly header: (name: string) => string | null;
}
/** Returns null for what the shop does not have. */
export type Ask = (request: ShopRequest) => Promise<ShopResponse | null>;

/** The shop refused the request. If it may be repeated later, `retryAfterMs` is the time to wait. */
export class ShopError extends Error {
  override readonly name = 'ShopError';
  constructor(
    readonly status: number,
    readonly retryAfterMs: number | null,
  ) {
    super(`The shop answered ${status}.`);
  }
}
/** The response takes longer, or is larger, than is allowed. */
class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
}

/** Asks shops: https, no redirect, 5 seconds, 1 MiB (docs/reliability.md §1). */
export function shopClient(access: ShopAccess): Ask {
  const send: Fetch = access.fetch ?? guardedFetch(access);
  return async ({ address, headers }) => {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new TypeError('A shop is asked over https only.');
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await send(url, {
        headers: { Accept: 'application/json', ...headers },
        redirect: 'error',
        signal,
      });
      if (response.ok)
        return {
          body: readJson(await readText(response, MAX_BYTES)),
          header: (name) => response.headers.get(name),
        };
      await response.body?.cancel();
      if (response.status === 404) return null;
      throw new ShopError(response.status, waitOf(response.headers.get('retry-after')));
    } catch (error) {
      throw signal.aborted || error instanceof TooLongError
        ? new TooMuchError("The shop's answer came too late or is too long.", { cause: error })
        : error;
    }
  };
}

/** Reads ids of 16 and more digits exactly. */
function readJson(text: string): unknown {
  const value = parseBigJson(Buffer.from(text));
  if (value === undefined) throw new Error('The shop did not answer with JSON.');
  return value;
}

/** `Retry-After` in seconds, with a fraction where the vendor sends one. */
const waitOf = (text: string | null): number | null =>
  text !== null && /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Math.ceil(Number(text) * 1000) : null;

/** One page of a list, with as many rows as fit into a response. */
export async function fittingPage<T>(ask: (limit: number) => Promise<T>, limit = PAGE): Promise<T> {
  try {
    return await ask(limit);
  } catch (error) {
    if (!(error instanceof TooMuchError) || limit === 1) throw error;
    return fittingPage(ask, Math.ceil(limit / 5));
  }
}

/** Does an order name who brought it? Most do not. For those, nothing more is asked of the shop. */
export const mayBeCredited = ({ attribution, coupons, subscription }: ProviderOrder): boolean =>
  attribution.token !== undefined ||
  attribution.affiliate_id !== undefined ||
  coupons.length > 0 ||
  subscription?.phase === 'first';

/** The rows of a list response, which is a list or has the list under a name. */
export const rowsOf = (response: ShopResponse | null, name = 'data'): readonly Fields[] =>
  list(Array.isArray(response?.body) ? response.body : fields(response?.body)[name]);

/** Reads rows one by one; a row that cannot be read is counted, the others are read. */
export function readRows<T>(
  rows: readonly Fields[],
  read: (row: Fields) => readonly T[],
): { readonly events: readonly T[]; readonly unreadable: number } {
  let unreadable = 0;
  const events = rows.flatMap((row) => {
    try {
      return read(row);
    } catch {
      unreadable += 1;
      return [];
    }
  });
  return { events, unreadable };
}

/**
 * A position in several lists that are read one after the other, as text: the number of the list, then the
 * position in it.
 */
export function placeOf(cursor: string | undefined): readonly [list: number, place: string] {
  const [, list = '0', place = ''] = /^(\d{1,6}):(.*)$/s.exec(cursor ?? '') ?? [];
  return [Number(list), place];
}

/** The next position; none at the end of the last list. */
export function nextPlace(at: number, lists: number, place: string | null): { readonly next?: string } {
  if (place !== null) return { next: `${at}:${place}` };
  return at + 1 < lists ? { next: `${at + 1}:` } : {};
}
