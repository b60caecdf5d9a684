import { createRequire } from 'node:module';
import type SanitizeHtml from 'sanitize-html';
import { escapeHtml } from './text.js';

// Loaded when the first HTML comes: most starts of a host need none, and its parser is large.
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

// No id and no name: they would let a text shadow properties of the page it is shown in.
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

// What mails and notices need. Nothing that lays an element over the page, and no value that loads something.
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

// The parser takes quadratic time on unclosed elements.
// Longer input is only escaped, and then refused by every length check.
const MAX_LENGTH = 131_072;

/**
 * HTML a post may hold (docs/settings.md §1): no scripts, event attributes, `javascript:` or `data:`
 * addresses, but raster images.
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

// A page opened in a new window must not get a handle on ours.
function guardLink(tagName: string, attribs: SanitizeHtml.Attributes): SanitizeHtml.Tag {
  return {
    tagName,
    attribs:
      attribs['target'] === undefined
        ? attribs
        : { ...attribs, target: '_blank', rel: 'noopener noreferrer' },
  };
}

// An SVG as data is a document that can carry scripts.
function guardImage(tagName: string, attribs: SanitizeHtml.Attributes): SanitizeHtml.Tag {
  const { src, ...others } = attribs;
  const refused = src !== undefined && /^\s*data:/iu.test(src) && !IMAGE_DATA.test(src.trim());
  return { tagName, attribs: refused ? others : attribs };
}
