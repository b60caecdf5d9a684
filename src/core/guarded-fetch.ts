import { lookup } from 'node:dns/promises';
import type http from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import ipaddr from 'ipaddr.js';

/** The part of `fetch` that our own requests use; what a host gives in its place has to do the same. */
export type Fetch = (url: URL, init?: FetchInit) => Promise<Response>;
export interface FetchInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly redirect?: 'error' | 'manual';
  readonly signal?: AbortSignal;
}

/** Looks up all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Guard {
  /**
   * Allows requests to loopback, private and link-local addresses: for development, and for networks of your
   * own. Default: false.
   */
  readonly allowPrivateNetworks?: boolean;
  /** How names are looked up; default: by the system. */
  readonly resolve?: Resolve;
}

/**
 * A request was stopped before anything was sent: the name leads to an address outside the public internet.
 */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  constructor() {
    super('The address is not one of the public internet.');
  }
}

/** A response is longer than allowed. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError';
  constructor() {
    super('The answer is too long.');
  }
}

const KEPT_MS = 10_000;
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);
const resolveAll: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Is this an address of the public internet? Private, local, mapped, translated and reserved addresses are
 * not.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // Of IPv6, only 2000::/3 is assigned; an address outside may be an IPv4 address in another form.
  const isGiven = parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
  return isGiven && parsed.range() === 'unicast';
}

/**
 * A `fetch` for addresses that come from settings (docs/reliability.md §1). A name is looked up once per
 * connection, every address it has must be public, and the connection goes to an address that was checked, so
 * a later result of the name server changes nothing. Redirects are never followed.
 */
export function guardedFetch({ allowPrivateNetworks = false, resolve = resolveAll }: Guard = {}): Fetch {
  const isAllowed = (address: string): boolean => allowPrivateNetworks || isPublicAddress(address);
  const options = { keepAlive: true, timeout: KEPT_MS, lookup: checkedLookup(resolve, isAllowed) };
  const agents: Record<string, http.Agent> = {};
  return async (url, init = {}) => {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // A literal address is connected to without being looked up.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new PrivateAddressError();
    const agent = (agents[url.protocol] ??= new (clientOf(url).Agent)(options));
    return responseOf(await send(url, init, agent), init);
  };
}

// Loaded when first used: importing node:http and node:https loads much more, WebSockets too, and takes
// longer than building the service.
const clientOf = ({ protocol }: URL): Pick<typeof http, 'Agent' | 'request'> =>
  protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');

function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, { all }, done) => {
    resolve(host)
      .then((addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(isAllowed)) throw new PrivateAddressError();
        if (all)
          done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else done(null, first, isIP(first));
      })
      .catch((error: NodeJS.ErrnoException) => {
        done(error, []);
      });
  };
}

function send(
  url: URL,
  { method = 'GET', headers, body, signal }: FetchInit,
  agent: http.Agent,
): Promise<http.IncomingMessage> {
  const options: http.RequestOptions = {
    method,
    agent,
    ...(headers && { headers }),
    ...(signal && { signal }),
  };
  return new Promise((resolve, reject) => {
    const sent = clientOf(url).request(url, options, resolve).once('error', reject);
    // A response that changes the protocol ends the connection without any other event.
    sent.once('close', () => reject(new TypeError('The connection ended without an answer.')));
    sent.end(body);
  });
}

/** Why a response with this status is not returned. */
function refusalOf(status: number, redirect: FetchInit['redirect']): string | null {
  if (status < 200 || status > 599) return 'The answer has no known status.';
  if (redirect === 'error' && status >= 300 && status < 400) return 'The request was redirected.';
  return null;
}

function responseOf(message: http.IncomingMessage, { method, redirect }: FetchInit): Response {
  const status = message.statusCode ?? 500;
  const refused = refusalOf(status, redirect);
  if (refused !== null) {
    message.destroy();
    throw new TypeError(refused);
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const isEmpty = method === 'HEAD' || BODYLESS.has(status);
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>), {
    status,
    headers,
  });
}

/** Reads the text of a response up to a size; throws beyond it. */
export async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new TooLongError();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
