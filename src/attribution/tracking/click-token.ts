import { sameText } from '../../core/constant-time.js';
import type { LatestClick } from '../fraud/types.js';
import type { Secrets, Signer } from '../../platform/secrets.js';

// Writes a click in 32 to 50 characters that fit every shop's reference field (docs/integrations.md §10):
// version, seconds, affiliate and visit, which fraud rules the click matched, then 128 bits of their keyed hash. It
// contains nothing personal.
const PURPOSE = 'checkout-token';
const VERSION = 1;
/** Version 1 and a byte for the rules that the latest click matched. */
const WITH_CLICK = 2;
const RULES = ['banned_referrer', 'coupon_site', 'paid_traffic'] as const;
const SIGNATURE_LENGTH = 22;
const SHAPE = /^[A-Za-z0-9_-]{32,64}$/;

export interface TokenClick {
  readonly affiliate_id: number;
  readonly visit_id: number | null;
  /** Epoch milliseconds, whole seconds. */
  readonly issued_at: number;
  /** The rules that the click at `issued_at` matched; absent when `issued_at` is not the time of a click. */
  readonly rules?: readonly (typeof RULES)[number][];
}

/** The token stores only which rules matched, not the evidence. */
const SIGN = 'checkout token';

/** The click as the rules against fraud see it. */
export const latestOf = ({ issued_at: at, rules }: TokenClick): LatestClick | null =>
  rules === undefined ? null : { at, signs: rules.map((rule) => [rule, SIGN] as const) };

export function writeToken(
  secrets: Secrets,
  { affiliate_id: affiliate, visit_id: visit, issued_at: at, rules }: TokenClick,
): string {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(at / 1000));
  const body = Buffer.concat([
    Buffer.from([rules ? WITH_CLICK : VERSION]),
    seconds,
    varint(affiliate),
    varint(visit ?? 0),
    ...(rules ? [Buffer.from([bitsOf(rules)])] : []),
  ]).toString('base64url');
  return body + signatureOf(secrets, body);
}

/** Null when it is forged, changed or not a token. */
export function readToken(secrets: Secrets, token: string): TokenClick | null {
  if (!SHAPE.test(token)) return null;
  const body = token.slice(0, -SIGNATURE_LENGTH);
  if (
    ![secrets, ...secrets.former].some((signer) =>
      sameText(signatureOf(signer, body), token.slice(-SIGNATURE_LENGTH)),
    )
  )
    return null;
  const bytes = Buffer.from(body, 'base64url');
  if (bytes[0] !== VERSION && bytes[0] !== WITH_CLICK) return null;
  const affiliate = readVarint(bytes, 5);
  const visit = readVarint(bytes, affiliate.end);
  return {
    issued_at: bytes.readUInt32BE(1) * 1000,
    affiliate_id: affiliate.value,
    visit_id: visit.value || null,
    ...(bytes[0] === WITH_CLICK && { rules: RULES.filter((_, at) => isSet(bytes[visit.end] ?? 0, at)) }),
  };
}

const bitsOf = (rules: readonly string[]): number =>
  RULES.reduce((sum, rule, at) => sum + (rules.includes(rule) ? 2 ** at : 0), 0);

const isSet = (bits: number, at: number): boolean => Math.floor(bits / 2 ** at) % 2 === 1;

const signatureOf = (secrets: Signer, body: string): string =>
  Buffer.from(secrets.sign(PURPOSE, body), 'hex').subarray(0, 16).toString('base64url');

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

function readVarint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let at = start, factor = 1; at < bytes.length; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value, end: bytes.length };
}
