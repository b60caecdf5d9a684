import { escapeHtml } from '../../core/text.js';

// {{affiliate_link}} as editors write it: percent-encoded, with blanks, or behind an address scheme they add.
const OPEN = String.raw`(?:\{|%7B){2}`;
const CLOSE = String.raw`(?:\}|%7D){2}`;
const BLANK = String.raw`(?:\s|%20|%C2%A0|\+)*`;
const CODE = String.raw`${OPEN}${BLANK}affiliate(?:_|%5F|\\_)link${BLANK}${CLOSE}`;
const SCHEME = String.raw`(?:https?:(?:\/\/|%2F%2F))?`;

const ANYWHERE = new RegExp(`${SCHEME}${CODE}`, 'giu');
const ANCHOR = new RegExp(String.raw`<a\b[^<>]*\shref="\s*${SCHEME}${CODE}[^"<>]*"[^<>]*>`, 'giu');
const HREF = new RegExp(String.raw`(\shref=")\s*${SCHEME}${CODE}([^"<>]*)(")`, 'iu');
const REL = /\srel="([^"<>]*)"/iu;
/** What the service adds to `rel` itself; it does not describe the kind of link. */
const TECHNICAL = ['noopener', 'noreferrer'];

/** Does the HTML contain the code that becomes the affiliate's link? */
export const hasLinkCode = (html: string): boolean => html.search(ANYWHERE) !== -1;

/**
 * Puts the affiliate's link where the author asked for it; escaped, as it is inside markup. The HTML is
 * cleaned, so attributes are quoted. Links are marked as sponsored unless the author set another `rel`.
 */
export const withLink = (html: string | null, link: string): string =>
  (html ?? '')
    .replaceAll(ANCHOR, (tag) =>
      sponsored(
        tag.replace(
          HREF,
          (_all, before: string, rest: string, after: string) =>
            `${before}${escapeHtml(joined(link, rest.replaceAll('&amp;', '&').trim()))}${after}`,
        ),
      ),
    )
    .replaceAll(ANYWHERE, () => escapeHtml(link));

function sponsored(tag: string): string {
  const given = REL.exec(tag)?.[1];
  if (given === undefined) return tag.replace(/^<a\b/iu, '<a rel="sponsored"');
  const words = given.toLowerCase().split(/\s+/u).filter(Boolean);
  return words.every((word) => TECHNICAL.includes(word))
    ? tag.replace(REL, () => ` rel="${['sponsored', ...words].join(' ')}"`)
    : tag;
}

/** The link with what the author wrote behind it: parameters belong before the fragment. */
function joined(link: string, rest: string): string {
  const url = URL.parse(link);
  if (url === null || rest === '' || rest === '/') return link;
  const [address = '', ...fragments] = rest.split('#');
  const [fragment, behind] = fragmentOf(fragments.join('#'));
  const [path = '', ...queries] = address.split(/[?&]/u);
  if (path !== '' && path !== '/')
    url.pathname = `${url.pathname.replace(/\/$/u, '')}/${path.replace(/^\//u, '')}`;
  for (const [name, value] of new URLSearchParams([...queries, behind].filter(Boolean).join('&')))
    if (!url.searchParams.has(name)) url.searchParams.append(name, value);
  if (fragment !== '') url.hash = fragment;
  return url.href;
}

/** The fragment, and parameters written behind it by mistake. Apps route by fragments such as `#/a?b=c`. */
function fragmentOf(text: string): [fragment: string, query: string] {
  if (/^[/!]/u.test(text)) return [text, ''];
  const [fragment = '', ...query] = text.split('?');
  return [fragment, query.join('&')];
}
