import { createHash, createHmac } from 'node:crypto';
import { sameBytes } from '../../src/core/constant-time.js';
import type { Verdict } from '../commerce.js';

/** Several while a secret is being replaced. They come from code and are never stored. */
export type Secrets = readonly string[] | (() => readonly string[]);

/** Shorter secrets could be guessed. */
const SHORTEST = 8;
const isSecret = (secret: unknown): secret is string =>
  typeof secret === 'string' && secret.trim().length >= SHORTEST;

/** The usable secrets. A function is asked with every delivery; if it gives none, the delivery is refused. */
export function secretList(secrets: Secrets): readonly string[] {
  const list: unknown = typeof secrets === 'function' ? secrets() : secrets;
  return Array.isArray(list) ? list.filter(isSecret) : [];
}

/** Throws at start: without a secret, deliveries could not be checked. */
export function checkSecrets(name: string, secrets: Secrets): void {
  if (typeof secrets === 'function') return;
  const list: unknown = secrets;
  if (!Array.isArray(list) || list.length === 0)
    throw new TypeError(
      `${name}: \`secrets\` must be a list with at least one secret, or a function that answers one.`,
    );
  const wrong = list.findIndex((secret) => !isSecret(secret));
  if (wrong >= 0)
    throw new TypeError(
      `${name}: \`secrets[${wrong}]\` is no text, blank or shorter than ${SHORTEST} characters. ` +
        'Is the environment variable set?',
    );
}

/** The HMAC-SHA-256 of these parts, one after the other. */
export const hmac = (key: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();

export const sha256 = (...parts: readonly (string | Buffer)[]): string =>
  parts.reduce((hash, part) => hash.update(part).update('\0'), createHash('sha256')).digest('hex');

const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

export const fromHex = (text: string): Buffer => Buffer.from(HEX.test(text) ? text : '', 'hex');
export const fromBase64 = (text: string): Buffer => Buffer.from(BASE64.test(text) ? text : '', 'base64');

export const VERIFIED: Verdict = { ok: true };
export const refused = (status: 400 | 401, reason: string): Verdict => ({ ok: false, status, reason });

/**
 * Checks a base64 HMAC-SHA-256 signature of the whole body, in constant time: what `verify` of a provider's `webhook`
 * returns. Several secrets count while one is being replaced.
 */
export function verifyBody(body: Buffer, signature: string | undefined, secrets: Secrets): Verdict {
  if (signature === undefined || signature === '') return refused(401, 'missing');
  const given = fromBase64(signature.trim());
  return secretList(secrets).some((secret) => sameBytes(hmac(secret, body), given))
    ? VERIFIED
    : refused(401, 'wrong');
}
