import { domainToASCII } from 'node:url';
import { emailKey } from './text.js';

const DOTLESS = new Set(['gmail.com', 'googlemail.com']);
const LONGEST = 320;
/** Characters not allowed outside quotes: they would mean two addresses, or a name beside an address. */
const FORBIDDEN = /[\s,;:<>()[\]\\"@]/u;
const QUOTED = /^"((?:[^"\\]|\\.)+)"$/su;
const COMMENT = /\([^()]*\)/gu;

/**
 * The mailbox that an address leads to, in one spelling: compatibility forms normalised; invisible
 * characters, comments, quotes and the dot after the domain removed; the domain in ASCII; lower case; without
 * plus-tag, and without dots where the provider ignores them. Null when it is not one mailbox.
 */
export function mailbox(email: string | null | undefined): string | null {
  const parts = partsOf(email ?? '');
  if (parts === null) return null;
  const untagged = parts.local.replace(/\+.*$/su, '');
  if (untagged === '') return null;
  const box = DOTLESS.has(parts.domain) ? untagged.replaceAll('.', '') : untagged;
  return `${box}@${parts.domain === 'googlemail.com' ? 'gmail.com' : parts.domain}`;
}

/**
 * The key of an address: its mailbox, or its own text where it is not a valid address, as in imported data.
 */
export const mailboxKey = (email: string): string => mailbox(email) ?? emailKey(email);

function partsOf(email: string): { readonly local: string; readonly domain: string } | null {
  if (email.length > LONGEST) return null;
  const text = withoutComments(
    email
      .normalize('NFKC')
      .replaceAll(/\p{Cf}/gu, '')
      .trim()
      .toLowerCase(),
  );
  const at = text.lastIndexOf('@');
  const local = localPart(text.slice(0, Math.max(0, at)));
  const domain = domainToASCII(
    text
      .slice(at + 1)
      .trim()
      .replace(/\.+$/u, ''),
  );
  return at > 0 && local !== null && isDomain(domain) ? { local, domain } : null;
}

/** Comments may be nested; those in quotes are text. */
function withoutComments(text: string): string {
  let rest = text;
  for (let seen = ''; seen !== rest && !rest.includes('"');) {
    seen = rest;
    rest = rest.replaceAll(COMMENT, '');
  }
  return rest.trim();
}

function localPart(text: string): string | null {
  const bare = text.trim();
  const quoted = QUOTED.exec(bare)?.[1];
  if (quoted !== undefined) {
    const plain = quoted.replaceAll(/\\(.)/gsu, '$1').trim();
    return plain === '' || /\p{Cc}/u.test(plain) ? null : plain;
  }
  return bare === '' || FORBIDDEN.test(bare) || /\p{Cc}/u.test(bare) ? null : bare;
}

const isDomain = (domain: string): boolean =>
  /^(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/u.test(domain) && domain.length <= 253;
