import { plainLine, withoutUnseen } from './text.js';

// How the value of a link is read: by pages, the tracking call, short links and connected sites alike
// (docs/tracking.md §1). The browser script and the script of static pages follow the same rules.

const VALUE_LENGTH = 191;
const SENTENCE_END = /[\s/\\.,;:!?)\]}>"'’”»*]/u;

/**
 * The value of a link as plain text, without unseen characters; '' when it is too long or has the character
 * that separates the parts of the cookie.
 */
export function cleanValue(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = plainLine(withoutUnseen(String(value)));
  return text.length > VALUE_LENGTH || text.includes('|') ? '' : text;
}

/** The value without what follows a link in a text: `1.`, `jo/` or `jo)`. */
export function withoutSentenceEnd(value: string): string {
  let end = value.length;
  while (end > 0 && SENTENCE_END.test(value.charAt(end - 1))) end -= 1;
  return value.slice(0, end);
}

/** Can the address hold this link variable, however it is spelled? */
export const mayHold = (address: string, variable: string): boolean =>
  address.includes(variable) || address.toLowerCase().includes(variable.toLowerCase());

/** The name of a query parameter in a link that was copied from the source of a page or typed by hand. */
export const plainName = (name: string): string => name.replace(/^(?:amp;)+/i, '').toLowerCase();

/**
 * The first value of each of these parameters. Its name may be in capitals or follow `&amp;`; a parameter
 * with exactly the name comes first.
 */
export function linkFields(query: URLSearchParams, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  const given = [...query].filter(([, value]) => value !== '');
  for (const name of names) {
    const value = query.get(name) || given.find(([key]) => plainName(key) === name.toLowerCase())?.[1];
    if (value) found[name] = value;
  }
  return found;
}

/**
 * Recognizes the value of a link, so that a visitor who returns by the same link needs no query. It does not
 * name the affiliate. The browser script computes it, too.
 */
export function linkMark(param: string): string {
  let mark = 0;
  for (let at = 0; at < param.length; at++) mark = (mark * 31 + param.charCodeAt(at)) % 4_294_967_296;
  return mark.toString(36);
}
