import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { readNetwork, type Network } from '../../core/networks.js';

export type TrustProxy = false | readonly string[] | undefined;

/**
 * The client's address in canonical text: the address of the socket, or the last forwarded address that is
 * not a trusted proxy. Null when that is no address.
 */
export function clientAddress(req: IncomingMessage, trust: TrustProxy): string | null {
  const socket = peerOf(req);
  if (!trust || !isProxy(req, socket, trust)) return socket;
  const hops = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter(Boolean);
  for (const hop of hops.toReversed()) {
    const address = canonicalAddress(hop);
    if (!address || !isTrusted(address, trust)) return address;
  }
  return socket;
}

/** Did the request reach the site over TLS? A forwarded scheme counts only when a trusted proxy sent it. */
export function isSecure(req: IncomingMessage, trust: TrustProxy): boolean {
  if ((req.socket as { encrypted?: boolean } | undefined)?.encrypted === true) return true;
  if (!trust || !isProxy(req, peerOf(req), trust)) return false;
  return (
    String(req.headers['x-forwarded-proto'] ?? '')
      .split(',')
      .at(-1)
      ?.trim()
      .toLowerCase() === 'https'
  );
}

/** Does the request come from a trusted proxy? The other end of a UNIX socket has no address. */
function isProxy(req: IncomingMessage, peer: string | null, trust: readonly string[]): boolean {
  if (peer !== null) return isTrusted(peer, trust);
  return trust.includes('unix') && (req.socket as IncomingMessage['socket'] | undefined) !== undefined;
}

// A host may pass a stored request, which has headers but no connection.
function peerOf(req: IncomingMessage): string | null {
  const peer = (req.socket as IncomingMessage['socket'] | undefined)?.remoteAddress;
  return peer === undefined ? null : canonicalAddress(peer);
}

/** An IPv4 address in the usual notation. */
const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** How Node names an IPv4 client when the server listens on IPv6 too, as `app.listen(port)` does. */
const MAPPED = '::ffff:';

/**
 * An address in canonical form (IPv4-mapped ones as IPv4, without zone); null when the text is no address.
 */
export function canonicalAddress(text: string): string | null {
  const plain = text.startsWith(MAPPED) ? text.slice(MAPPED.length) : text;
  if (PLAIN_IPV4.test(plain)) return plain; // most addresses end here
  return parsed(text)?.toString() ?? null;
}

function parsed(text: string): ReturnType<typeof ipaddr.process> | null {
  const bare = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/%[\w.-]+$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

/** The network of an address, given as its first address; null when the text is no address. */
export function networkOf(
  address: string,
  bits: { readonly v4: 24 | 32; readonly v6: 48 | 56 | 64 },
): string | null {
  if (PLAIN_IPV4.test(address))
    return bits.v4 === 32 ? address : `${address.slice(0, address.lastIndexOf('.'))}.0`;
  const known = parsed(address);
  if (known === null) return null;
  const prefix = known.kind() === 'ipv4' ? bits.v4 : bits.v6;
  return ipaddr.fromByteArray(known.toByteArray().map((byte, at) => (at * 8 < prefix ? byte : 0))).toString();
}

/**
 * The key of an address in rules and limits: an IPv4 address, or the /64 network of one IPv6 subscriber.
 * Unknown addresses share a key.
 */
export function addressKey(address: string | null): string {
  if (address === null) return 'unknown';
  const network = networkOf(address, { v4: 32, v6: 64 });
  if (network === null) return address;
  return network.includes(':') ? `${network}/64` : network;
}

/** A network that limits count beside the address, and how many times the limit it may use. */
export interface NetworkKey {
  readonly key: string;
  readonly times: number;
}

/** Providers give one customer a /56 or even a /48: 256 or 65,536 networks of the size /64. */
const WIDER = [
  { bits: 56, times: 2 },
  { bits: 48, times: 4 },
] as const;

/** The keys that a limit counts for an address: its own, then those of the wider networks around an IPv6 address. */
export function networkKeys(address: string | null): readonly NetworkKey[] {
  const own = addressKey(address);
  if (address === null || !own.endsWith('/64')) return [{ key: own, times: 1 }];
  const wider = WIDER.map(({ bits, times }) => ({
    key: `${networkOf(address, { v4: 32, v6: bits })}/${bits}`,
    times,
  }));
  return [{ key: own, times: 1 }, ...wider];
}

const isTrusted = isInNetworks;

const parsedNetworks = new WeakMap<readonly string[], readonly Network[]>();

/** Is this canonical address one of these, or in one of these networks (`10.0.0.0/8`)? */
export function isInNetworks(address: string, list: readonly string[]): boolean {
  if (list.includes(address)) return true;
  const networks = networksOf(list);
  if (networks.length === 0) return false;
  const known = parsed(address);
  return (
    known !== null &&
    networks.some(({ base, bits }) => base.kind() === known.kind() && known.match(base, bits))
  );
}

/** The entries of a list that are addresses or networks, parsed once per list. */
function networksOf(list: readonly string[]): readonly Network[] {
  const known = parsedNetworks.get(list);
  if (known) return known;
  const networks = list.flatMap((entry) => {
    const network = readNetwork(entry);
    return network === null || network.base.toString() === entry ? [] : [network];
  });
  parsedNetworks.set(list, networks);
  return networks;
}
