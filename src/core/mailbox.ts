import { domainToASCII } from 'node:url';
import { emailKey } from './text.js';

/** How a provider reads the part before the @, besides the tag after a plus sign. */
interface AliasRule {
  /** Domains with the same mailboxes. */
  readonly domains: readonly string[];
  /** Characters that make no difference. */
  readonly ignored?: RegExp;
  /** Characters that mean the same as a hyphen. */
  readonly hyphens?: RegExp;
  /** `tag@name.domain` leads to `name@domain`. */
  readonly nameInDomain?: true;
}

/** docs/tracking.md §14 has this table too. The first domain names the mailbox. */
const ALIAS_RULES: readonly AliasRule[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: /\./gu },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/gu },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  {
    domains: ['yandex.ru', 'yandex.com', 'ya.ru', 'yandex.by', 'yandex.kz', 'yandex.ua', 'yandex.com.tr'],
    hyphens: /\./gu,
  },
  { domains: ['fastmail.com'], nameInDomain: true },
  { domains: ['fastmail.fm'], nameInDomain: true },
];
const RULES: ReadonlyMap<string, AliasRule> = new Map(
  ALIAS_RULES.flatMap((rule) => rule.domains.map((domain) => [domain, rule] as const)),
);
const LONGEST = 320;
/** Characters not allowed outside quotes: they would mean two addresses, or a name beside an address. */
const FORBIDDEN = /[\s,;:<>()[\]\\"@]/u;
const QUOTED = /^"((?:[^"\\]|\\.)+)"$/su;
const COMMENT = /\([^()]*\)/gu;

/**
 * The mailbox that an address leads to, in one spelling: compatibility forms normalized; invisible
 * characters, comments, quotes and the dot after the domain removed; the domain in ASCII; lower case; without
 * plus-tag, and by the alias rules of its provider. Null when it is not one mailbox.
 */
export function mailbox(email: string | null | undefined): string | null {
  const parts = partsOf(email ?? '');
  if (parts === null) return null;
  const untagged = parts.local.replace(/\+.*$/su, '');
  if (untagged === '') return null;
  return byRule({ ...parts, local: untagged });
}

function byRule({ local, domain }: { readonly local: string; readonly domain: string }): string {
  const [name = '', ...rest] = domain.split('.');
  const outer = RULES.get(rest.join('.'));
  if (outer?.nameInDomain) return `${name}@${outer.domains[0]}`;
  const rule = RULES.get(domain);
  if (rule === undefined) return `${local}@${domain}`;
  const bare = rule.ignored ? local.replaceAll(rule.ignored, '') : local;
  const box = rule.hyphens ? bare.replaceAll(rule.hyphens, '-') : bare;
  return `${box === '' ? local : box}@${rule.domains[0]}`;
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
      .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
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
