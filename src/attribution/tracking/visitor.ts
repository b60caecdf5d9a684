import type { Secrets } from '../../platform/secrets.js';
import { networkKeys, networkOf, type NetworkKey } from '../../platform/http/client-address.js';

export type IpMode = 'truncate' | 'hash' | 'none' | 'raw';

const KEY_LENGTH = 64;
/**
 * The length of keys for limits and repeats. They live for hours, so 128 bits are enough to distinguish
 * visitors, and shorter keys use fewer pages of an index.
 */
const SHORT_KEY = 32;

/**
 * The address in the form a visit stores it (option `tracking.ip`). The key of hashes changes every month.
 */
export function storedAddress(
  address: string | null,
  mode: IpMode,
  keys: { secrets: Secrets; now: number },
): string | null {
  if (address === null || mode === 'none') return null;
  if (mode === 'raw') return address;
  if (mode === 'truncate') return networkOf(address, { v4: 24, v6: 48 });
  return keys.secrets.sign('visit-address', `${monthOf(keys.now)} ${address}`).slice(0, KEY_LENGTH);
}

/** The keys that limits count by (`networkKeys`), hashed. */
export const limitKeys = (address: string | null, secrets: Secrets): readonly NetworkKey[] =>
  networkKeys(address).map(({ key, times }) => ({
    key: secrets.sign('visit-limit', key).slice(0, SHORT_KEY),
    times,
  }));

/**
 * The key that recognizes repeated clicks: address and user agent, so that two people behind one address
 * count as two.
 */
export const visitorKey = (address: string | null, agent: string, secrets: Secrets): string =>
  signedVisitor(address, agent, secrets).slice(0, SHORT_KEY);

/** The visitor's key in the stored column. Its key changes, so that visits cannot be connected over months. */
export const storedVisitorKey = (
  address: string | null,
  agent: string,
  keys: { secrets: Secrets; now: number },
): string => signedVisitor(address, `${monthOf(keys.now)}\n${agent}`, keys.secrets).slice(0, KEY_LENGTH);

const signedVisitor = (address: string | null, agent: string, secrets: Secrets): string =>
  secrets.sign('visitor', `${address ?? 'unknown'}\n${agent}`);

const monthOf = (now: number): string => {
  const date = new Date(now);
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
};
