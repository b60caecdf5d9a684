import { parseBigJson } from '../../src/core/big-json.js';
import { guardedFetch, readText, type Fetch } from '../../src/core/guarded-fetch.js';
import { isMap, type JsonMap } from '../../src/core/is-map.js';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** How the built-in clients of payers send their requests. */
export interface PayerAccess {
  /**
   * Replaces the built-in client, which reaches public addresses only. You decide what your own may reach.
   */
  readonly fetch?: typeof fetch;
  /** Lets the built-in client reach loopback and private addresses, also without TLS: for development. Default: false. */
  readonly allowPrivateNetworks?: boolean;
}

export interface PayerRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface PayerResponse {
  readonly status: number;
  readonly body: JsonMap;
  /** The JSON response when it is a list. */
  readonly list: readonly unknown[];
}

export type AskPayer = (address: string, request: PayerRequest) => Promise<PayerResponse>;

/** The payer did not do what was asked, or it is not known whether it did. */
export class PayerError extends Error {
  override readonly name = 'PayerError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Asks payers: https, no redirect, 30 seconds, 16 MiB. */
export function payerClient(access: PayerAccess): AskPayer {
  const send: Fetch = (access.fetch as Fetch | undefined) ?? guardedFetch(access);
  return async (address, { method = 'GET', headers, body }) => {
    const url = new URL(address);
    if (url.protocol !== 'https:' && access.allowPrivateNetworks !== true)
      throw new TypeError('A payer is asked over https only.');
    const response = await send(url, {
      method,
      headers: { Accept: 'application/json', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body }),
    });
    const parsed = read(await readText(response, MAX_BYTES));
    return {
      status: response.status,
      body: isMap(parsed) ? parsed : {},
      list: Array.isArray(parsed) ? parsed : [],
    };
  };
}

function read(text: string): unknown {
  try {
    return text === '' ? {} : parseBigJson(Buffer.from(text));
  } catch {
    return {}; // a page of a gateway between us
  }
}

/** A text inside nested maps; '' when there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  let at: unknown = value;
  for (const name of path) at = isMap(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return typeof at === 'string' || typeof at === 'number' ? String(at) : '';
}

export const mapsAt = (value: unknown, name: string): readonly JsonMap[] => {
  const list = isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isMap) : [];
};
