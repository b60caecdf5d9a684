import { createRequire } from 'node:module';
import type SanitizeHtml from 'sanitize-html';
import { escapeHtml, LINES, type TextKind } from './text.js';

// Loaded with the first HTML, because its parser is large and most hosts start without needing it.
const require = createRequire(import.meta.url);
export const sanitizeHtml = (...args: Parameters<typeof SanitizeHtml>): string =>
  (require('sanitize-html') as typeof SanitizeHtml)(...args);

const TAGS = [
  'a',
  'abbr',
  'address',
  'article',
  'b',
  'bdi',
  'bdo',
  'big',
  'blockquote',
  'br',
  'caption',
  'center',
  'cite',
  'code',
  'col',
  'colgroup',
  'dd',
  'del',
  'details',
  'dfn',
  'div',
  'dl',
  'dt',
  'em',
  'figcaption',
  'figure',
  'font',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hr',
  'i',
  'img',
  'ins',
  'kbd',
  'li',
  'main',
  'mark',
  'nav',
  'ol',
  'p',
  'pre',
  'q',
  's',
  'samp',
  'section',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'summary',
  'sup',
  'table',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'time',
  'tr',
  'u',
  'ul',
  'var',
  'wbr',
];

// Neither id nor name: with them a text could shadow properties of the page it is shown in.
const ATTRIBUTES: Readonly<Record<string, string[]>> = {
  '*': ['class', 'style', 'title', 'lang', 'dir', 'align', 'role', 'aria-label', 'aria-hidden'],
  a: ['href', 'target', 'rel'],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  table: ['width', 'border', 'cellpadding', 'cellspacing', 'bgcolor'],
  td: ['colspan', 'rowspan', 'width', 'height', 'valign', 'bgcolor'],
  th: ['colspan', 'rowspan', 'width', 'height', 'valign', 'bgcolor', 'scope'],
  tr: ['valign', 'bgcolor'],
  col: ['span', 'width'],
  colgroup: ['span', 'width'],
  font: ['color', 'face', 'size'],
  ol: ['start', 'type', 'reversed'],
  time: ['datetime'],
};

// The styles that mails and notices need: nothing that lays an element over the page, and no value that loads
// a file.
const PROPERTIES = [
  'color',
  'background',
  'background-color',
  'text-align',
  'text-decoration',
  'text-transform',
  'text-indent',
  'vertical-align',
  'white-space',
  'font',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'line-height',
  'letter-spacing',
  'list-style-type',
  'display',
  'opacity',
  'width',
  'max-width',
  'min-width',
  'height',
  'max-height',
  'min-height',
  'float',
  'clear',
  'margin',
  'margin-top',
  'margin-right',
  'margin-bottom',
  'margin-left',
  'padding',
  'padding-top',
  'padding-right',
  'padding-bottom',
  'padding-left',
  'border',
  'border-top',
  'border-right',
  'border-bottom',
  'border-left',
  'border-color',
  'border-width',
  'border-style',
  'border-radius',
  'border-collapse',
  'border-spacing',
  'table-layout',
];
const STYLE_VALUE = /^(?:[\w\s#%.,'"!/-]|(?:rgb|rgba|hsl|hsla)\([\d\s.,%/]*\))+$/iu;
const STYLES = { '*': Object.fromEntries(PROPERTIES.map((property) => [property, [STYLE_VALUE]])) };

const IMAGE_DATA = /^data:image\/(?:png|gif|jpe?g|webp);base64,[a-z0-9+/=\s]*$/iu;

// The parser takes quadratic time for unclosed elements. Longer input is only escaped; the checks of its
// length then refuse it.
const MAX_LENGTH = 131_072;

/**
 * The HTML that is allowed (docs/settings.md §1): no scripts and event attributes, no `javascript:`
 * addresses, and of `data:` addresses only raster images.
 */
export function cleanHtml(html: string): string {
  if (html.length > MAX_LENGTH) return escapeHtml(html);
  return sanitizeHtml(html.replaceAll(/(?![\t\n\r])[\p{Cc}\p{Cs}]/gu, ''), {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedStyles: STYLES,
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
    allowProtocolRelative: false,
    nestingLimit: 100,
    transformTags: { a: guardLink, img: guardImage },
  }).trim();
}

export const HTML: TextKind = { ...LINES, read: cleanHtml };

// A page that opens in a new window must not get access to ours. Other values of `rel` are not removed.
function guardLink(tagName: string, { rel, ...attribs }: SanitizeHtml.Attributes): SanitizeHtml.Tag {
  const given = (rel ?? '')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => LINK_WORD.test(word));
  const guard = attribs['target'] === undefined ? [] : ['noopener', 'noreferrer'];
  const words = [...new Set([...given, ...guard])].join(' ');
  return {
    tagName,
    attribs: {
      ...attribs,
      ...(guard.length > 0 && { target: '_blank' }),
      ...(words !== '' && { rel: words }),
    },
  };
}

const LINK_WORD = /^[a-z-]{1,20}$/u;

// An SVG in a data address is a document that can contain scripts.
function guardImage(tagName: string, attribs: SanitizeHtml.Attributes): SanitizeHtml.Tag {
  const { src, ...others } = attribs;
  const refused = src !== undefined && /^\s*data:/iu.test(src) && !IMAGE_DATA.test(src.trim());
  return { tagName, attribs: refused ? others : attribs };
}
