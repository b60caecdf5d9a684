import { escapeHtml } from '../../core/text.js';
import { sanitizeHtml } from '../../core/html.js';
import { isRightToLeft, sayIn } from '../../core/mail-texts.js';
import type { EmailConfig } from './types.js';

const CELL = 'padding: 8px; vertical-align: top';
const TEXT = 'font-size: 16px; line-height: 1.5';
const SANS = 'system-ui, -apple-system, Segoe UI, Roboto, Arial, sans-serif';

interface MailParts {
  readonly subject: string;
  /** Clean HTML, like the footer. */
  readonly body: string;
  readonly footer: string;
  readonly site: string;
  /** BCP 47, of the host's site. */
  readonly language: string;
  readonly config: EmailConfig;
}

/** Puts the body of a mail into the common layout; as HTML and plain text. */
export function renderMail(parts: MailParts): { html: string; text: string } {
  const body = withoutEmptyParts(parts.body);
  return { html: page({ ...parts, body }), text: `${plain(body)}\n\n--\n${plain(parts.footer)}\n` };
}

/** A mail without the layout, for people outside the program. */
export function renderBare(body: string, language: string): { html: string; text: string } {
  const written = withoutEmptyParts(body);
  const direction = isRightToLeft(language) ? ' dir="rtl"' : '';
  const style = `background: #ffffff; color: #374151; padding: 16px; font-family: ${SANS}; ${TEXT}`;
  const html = `<div lang="${escapeHtml(language)}"${direction} style="${style}">${written}</div>`;
  return { html, text: plain(html) };
}

/** A row whose value is not known, a button that leads nowhere, and a paragraph of a code without a value. */
const EMPTY_PARTS = [
  /<tr><td>[^<]*<\/td><td>\s*<\/td><\/tr>/gi,
  /<p><a\b[^>]*\bhref=""[^>]*>[^<]*<\/a><\/p>/gi,
  /<p>\s*<\/p>/gi,
];
const withoutEmptyParts = (body: string): string =>
  EMPTY_PARTS.reduce((text, part) => text.replaceAll(part, ''), body);

/** Escapes everything except body and footer. */
function page({ subject, body, footer, site, language, config }: MailParts): string {
  const color = (key: 'body_bg' | 'content_bg' | 'content_color' | 'footer_content_color'): string =>
    escapeHtml(config[key]);
  const wrapper = [
    'padding: 24px 8px',
    `background: ${color('body_bg')}`,
    `color: ${color('content_color')}`,
    `font-family: ${escapeHtml(config.font_family || SANS)}`,
    TEXT,
  ].join('; ');
  const content =
    `max-width: 600px; margin: 0 auto; padding: 24px 16px; ` +
    `background: ${color('content_bg')}; border-radius: 8px`;
  const foot =
    `max-width: 600px; margin: 0 auto; padding: 16px; ` +
    `color: ${color('footer_content_color')}; font-size: 13px`;
  const logo =
    config.logo === ''
      ? ''
      : '<p style="text-align: center"><img class="logo" style="max-height: 64px; max-width: 240px" ' +
        `src="${escapeHtml(config.logo)}" alt="${escapeHtml(site)}"></p>`;
  const sender =
    config.disable_powered_by === 'yes'
      ? ''
      : `<p>${sayIn(language)('Sent by the affiliate program of {site}.', { site: escapeHtml(site) })}</p>`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}"${isRightToLeft(language) ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin: 0; padding: 0; background: ${color('body_bg')}">
<div style="${wrapper}">
${logo}
<div class="content" style="${content}">${styled(body, config)}</div>
<div class="footer" style="${foot}">${footer}${sender}</div>
</div>
</body>
</html>`;
}

/**
 * Mail programs remove style sheets, so tables and buttons get inline styles; styles of the body are not
 * replaced.
 */
function styled(body: string, config: EmailConfig): string {
  const look: readonly (readonly [tag: RegExp, style: string])[] = [
    [
      /<table(?![^>]*\bstyle=)/gi,
      'width: 100%; border-collapse: collapse; margin: 16px 0; font-size: 15px; ' +
        `background: ${config.highlight_bg}; color: ${config.highlight_color}`,
    ],
    // the name of a row is not broken within a word, and leaves its value the larger part
    [/(?<=<tr[^>]*>\s*)<td(?![^>]*\bstyle=)/gi, `width: 40%; ${CELL}`],
    [/<td(?![^>]*\bstyle=)/gi, `${CELL}; overflow-wrap: anywhere`],
    [
      /<a(?=[^>]*\bclass="button")(?![^>]*\bstyle=)/gi,
      'display: inline-block; padding: 10px 18px; border-radius: 6px; ' +
        `background: ${config.content_color}; color: ${config.content_bg}; text-decoration: none`,
    ],
  ];
  return look.reduce(
    (text, [tag, style]) => text.replaceAll(tag, (found) => `${found} style="${escapeHtml(style)}"`),
    body.replaceAll(ADDRESS_CELL, (cell) => cell.replaceAll('@', '@<wbr>')),
  );
}

/** An e-mail address that is too long for its cell is broken after its @, not within a word. */
const ADDRESS_CELL = /(?<=<td[^>]*>)[^<]*@[^<]*(?=<\/td>)/gi;

const BREAKS = /<(?:br|\/p|\/tr|\/h[1-6]|\/li|\/div)\b[^>]*>/gi;
const LINK = /<a\b[^>]*\bhref="([^"]*)"[^>]*>(.*?)<\/a>/gis;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/** The same text without markup: with the addresses of links, and a line for each row and paragraph. */
export function plain(html: string): string {
  const marked = html
    .replaceAll(LINK, (_all, url: string, label: string) =>
      label.includes(url) ? label : `${label}: ${url}`,
    )
    .replaceAll(/<\/td>\s*<td[^>]*>/gi, ': ')
    .replaceAll(BREAKS, '\n');
  return sanitizeHtml(marked, { allowedTags: [], allowedAttributes: {} })
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
