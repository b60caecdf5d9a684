import { createHash, createHmac } from 'node:crypto';

// How a connected site proves its identity (docs/connected-sites.md §6). Both sides use this file: the
// service and the client for sites.

const VERSION = 'v1';

/** What is signed. `path` is the part after the base address with its query, exactly as sent. */
export interface SignedParts {
  readonly method: string;
  readonly path: string;
  /** Unix seconds, as sent. */
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: Uint8Array | string;
}

export const SITE_HEADERS = {
  siteId: 'X-FA-Site-Id',
  timestamp: 'X-FA-Timestamp',
  nonce: 'X-FA-Nonce',
  signature: 'X-FA-Signature',
} as const;

/** The key that both sides derive from the token; the token cannot be computed from it. */
export const siteKey = (siteId: string, token: string): Buffer =>
  createHash('sha256').update(`fa-connected-site:${VERSION}\n${siteId}\n${token}`).digest();

export function siteSignature(
  key: Uint8Array,
  { method, path, timestamp, nonce, body }: SignedParts,
): string {
  const digest = createHash('sha256').update(body).digest('hex');
  const text = [VERSION, method, path, timestamp, nonce, digest].join('\n');
  return `${VERSION}=${createHmac('sha256', key).update(text).digest('hex')}`;
}
