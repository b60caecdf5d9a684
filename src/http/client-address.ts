import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

export type TrustProxy = false | readonly string[];

/** The client's address in canonical text: the socket, or the right-most hop that is no trusted proxy; null when it is no address. */
export function clientAddress(req: IncomingMessage, trust: TrustProxy): string | null {
  const socket = canonical(peerOf(req));
  if (!trust || !socket || !isTrusted(socket, trust)) return socket;
  const hops = String(req.headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim()).filter(Boolean);
  for (const hop of hops.toReversed()) {
    const address = canonical(hop);
    if (!address || !isTrusted(address, trust)) return address;
  }
  return socket;
}

/** Did the request reach the site over TLS? A forwarded scheme counts from trusted proxies only. */
export function isSecure(req: IncomingMessage, trust: TrustProxy): boolean {
  if ((req.socket as { encrypted?: boolean } | undefined)?.encrypted === true) return true;
  const socket = canonical(peerOf(req));
  if (!trust || !socket || !isTrusted(socket, trust)) return false;
  return String(req.headers['x-forwarded-proto'] ?? '').split(',').at(-1)?.trim().toLowerCase() === 'https';
}

// A host may hand over what it kept of a request: headers without a connection.
const peerOf = (req: IncomingMessage): string | undefined => (req.socket as IncomingMessage['socket'] | undefined)?.remoteAddress;

const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function canonical(text: string | undefined): string | null {
  if (text !== undefined && PLAIN_IPV4.test(text)) return text; // as almost all are
  const bare = (text ?? '').replace(/^\[(.*)\](?::\d+)?$/, '$1');
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}

const isTrusted = isInNetworks;

/** Is this canonical address one of these, or in one of these networks (`10.0.0.0/8`)? */
export function isInNetworks(address: string, trust: readonly string[]): boolean {
  if (trust.includes(address)) return true;
  const parsed = ipaddr.process(address);
  return trust.some((entry) => {
    const [base = '', bits] = entry.split('/');
    if (!ipaddr.isValid(base)) return false;
    const network = ipaddr.process(base);
    if (network.kind() !== parsed.kind()) return false;
    return parsed.match(network, bits === undefined ? (network.kind() === 'ipv4' ? 32 : 128) : Number(bits));
  });
}
