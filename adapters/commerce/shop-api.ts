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
   * In place of the built-in client, which reaches public addresses only;
   * what yours may reach is then for you to decide.
   */
  readonly fetch?: typeof fetch;
  /**
   * The built-in client may also reach loopback and private addresses:
   * for development, and for shops on a network of yours. Default: false.
   */
  readonly allowPrivateNetworks?: boolean;
}
export interface ShopRequest {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface ShopAnswer {
  readonly body: unknown;
  readonly header: (name: string) => string | null;
}
/** Null for what the shop does not have. */
export type Ask = (request: ShopRequest) => Promise<ShopAnswer | null>;

/** The shop said no, or not now: then `retryAfterMs` says when to ask again. */
export class ShopError extends Error {
  override readonly name = 'ShopError';
  constructor(
    readonly status: number,
    readonly retryAfterMs: number | null,
  ) {
    super(`The shop answered ${status}.`);
  }
}
/** More was asked for than the shop gives in time, or than fits. */
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
      const answer = await send(url, {
        headers: { Accept: 'application/json', ...headers },
        redirect: 'error',
        signal,
      });
      if (answer.ok)
        return {
          body: readJson(await readText(answer, MAX_BYTES)),
          header: (name) => answer.headers.get(name),
        };
      await answer.body?.cancel();
      if (answer.status === 404) return null;
      throw new ShopError(answer.status, waitOf(answer.headers.get('retry-after')));
    } catch (error) {
      throw signal.aborted || error instanceof TooLongError
        ? new TooMuchError("The shop's answer came too late or is too long.", { cause: error })
        : error;
    }
  };
}

/** Ids of 16 and more digits stay what they are. */
function readJson(text: string): unknown {
  const value = parseBigJson(Buffer.from(text));
  if (value === undefined) throw new Error('The shop did not answer with JSON.');
  return value;
}

/** `Retry-After` in seconds, with a fraction where the vendor sends one. */
const waitOf = (text: string | null): number | null =>
  text !== null && /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Math.ceil(Number(text) * 1000) : null;

/** One page of a list: as many rows as fit in an answer. */
export async function fittingPage<T>(ask: (limit: number) => Promise<T>, limit = PAGE): Promise<T> {
  try {
    return await ask(limit);
  } catch (error) {
    if (!(error instanceof TooMuchError) || limit === 1) throw error;
    return fittingPage(ask, Math.ceil(limit / 5));
  }
}

/**
 * Does an order say who brought it? For all others, the more part, nothing needs to be asked that only an
 * affiliate's order is judged by.
 */
export const mayBeCredited = ({ attribution, coupons, subscription }: ProviderOrder): boolean =>
  attribution.token !== undefined ||
  attribution.affiliate_id !== undefined ||
  coupons.length > 0 ||
  subscription?.phase === 'first';

/** Rows of a list answer, plain or under a name. */
export const rowsOf = (answer: ShopAnswer | null, name = 'data'): readonly Fields[] =>
  list(Array.isArray(answer?.body) ? answer.body : fields(answer?.body)[name]);

/** What a row means; a row nobody can read is counted and costs the others nothing. */
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
 * A place in several lists that are read one after the other, as text:
 * number of the list, then the place in it.
 */
export function placeOf(cursor: string | undefined): readonly [list: number, place: string] {
  const [, list = '0', place = ''] = /^(\d{1,6}):(.*)$/s.exec(cursor ?? '') ?? [];
  return [Number(list), place];
}

/** The next place; none when this was the end of the last list. */
export function nextPlace(at: number, lists: number, place: string | null): { readonly next?: string } {
  if (place !== null) return { next: `${at}:${place}` };
  return at + 1 < lists ? { next: `${at + 1}:` } : {};
}
