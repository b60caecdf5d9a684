import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

export type TrustProxy = false | readonly string[] | undefined;

/**
 * The client's address in canonical text: the address of the socket, or the last forwarded address that is
 * not a trusted proxy. Null when that is no address.
 */
export function clientAddress(req: IncomingMessage, trust: TrustProxy): string | null {
  const socket = canonical(peerOf(req));
  if (!trust || !socket || !isTrusted(socket, trust)) return socket;
  const hops = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter(Boolean);
  for (const hop of hops.toReversed()) {
    const address = canonical(hop);
    if (!address || !isTrusted(address, trust)) return address;
  }
  return socket;
}

/** Did the request reach the site over TLS? A forwarded scheme counts only when a trusted proxy sent it. */
export function isSecure(req: IncomingMessage, trust: TrustProxy): boolean {
  if ((req.socket as { encrypted?: boolean } | undefined)?.encrypted === true) return true;
  const socket = canonical(peerOf(req));
  if (!trust || !socket || !isTrusted(socket, trust)) return false;
  return (
    String(req.headers['x-forwarded-proto'] ?? '')
      .split(',')
      .at(-1)
      ?.trim()
      .toLowerCase() === 'https'
  );
}

// A host may pass a stored request, which has headers but no connection.
const peerOf = (req: IncomingMessage): string | undefined =>
  (req.socket as IncomingMessage['socket'] | undefined)?.remoteAddress;

/** An IPv4 address in the usual notation. */
export const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * An address in canonical form (IPv4-mapped ones as IPv4, without zone); null when the text is no address.
 */
export const canonicalAddress = (text: string): string | null =>
  canonical(text.trim().replace(/%[\w.-]+$/, ''));

/** The key of an address in rules and limits: an IPv4 address, or the /64 network of one IPv6 subscriber. */
export function addressKey(address: string): string {
  const known = canonicalAddress(address);
  if (known === null || PLAIN_IPV4.test(known)) return known ?? address;
  const bytes = ipaddr.parse(known).toByteArray();
  return bytes.length === 4
    ? known
    : `${ipaddr.fromByteArray([...bytes.slice(0, 8), ...zeros(8)]).toString()}/64`;
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

// How Node names an IPv4 client when the server listens on IPv6 too, as `app.listen(port)` does.
const MAPPED = '::ffff:';

function canonical(text: string | undefined): string | null {
  if (text === undefined) return null;
  const plain = text.startsWith(MAPPED) ? text.slice(MAPPED.length) : text;
  if (PLAIN_IPV4.test(plain)) return plain; // most addresses end here
  const bare = text.replace(/^\[(.*)\](?::\d+)?$/, '$1');
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}

const isTrusted = isInNetworks;

interface Network {
  readonly base: ReturnType<typeof ipaddr.process>;
  readonly bits: number;
}

const parsedNetworks = new WeakMap<readonly string[], readonly Network[]>();

/** Is this canonical address one of these, or in one of these networks (`10.0.0.0/8`)? */
export function isInNetworks(address: string, list: readonly string[]): boolean {
  if (list.includes(address)) return true;
  const networks = networksOf(list);
  if (networks.length === 0) return false;
  const known = canonicalAddress(address);
  if (known === null) return false;
  const parsed = ipaddr.process(known);
  return networks.some(({ base, bits }) => base.kind() === parsed.kind() && parsed.match(base, bits));
}

/** The entries of a list that are addresses or networks, parsed once per list. */
function networksOf(list: readonly string[]): readonly Network[] {
  const known = parsedNetworks.get(list);
  if (known) return known;
  const networks = list.flatMap((entry) => {
    const [base = '', bits] = entry.split('/');
    if (!ipaddr.isValid(base)) return [];
    const parsed = ipaddr.process(base);
    const width = parsed.kind() === 'ipv4' ? 32 : 128;
    // `::ffff:10.0.0.0/104` counts the 96 bits before the IPv4 address.
    const mapped = width === 32 && base.includes(':') ? 96 : 0;
    return parsed.toString() === base && bits === undefined
      ? []
      : [{ base: parsed, bits: bits === undefined ? width : Math.max(0, Number(bits) - mapped) }];
  });
  parsedNetworks.set(list, networks);
  return networks;
}
