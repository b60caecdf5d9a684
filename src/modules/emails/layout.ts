import { createRequire } from 'node:module';
import type * as Liquid from 'liquidjs';
import { escapeHtml } from '../../core/text.js';
import { sanitizeHtml } from '../../core/html.js';
import type { EmailConfig } from './types.js';

// Everything printed is escaped unless it says `raw`; raw parts were cleaned or made by us.
const LAYOUT = `<!doctype html>
<html lang="{{ language }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ subject }}</title>
</head>
<body style="margin: 0; padding: 0; background: {{ c.body_bg }}">
<div style="padding: 24px 12px; background: {{ c.body_bg }}; color: {{ c.content_color }}; font-family: {{ font }}; font-size: 16px; line-height: 1.5">
{% if c.logo != '' %}<p style="text-align: center"><img class="logo" style="max-height: 64px; max-width: 240px" src="{{ c.logo }}" alt="{{ site }}"></p>{% endif %}
<div class="content" style="max-width: 600px; margin: 0 auto; padding: 24px; background: {{ c.content_bg }}; border-radius: 8px">{{ body | raw }}</div>
<div class="footer" style="max-width: 600px; margin: 0 auto; padding: 16px 24px; color: {{ c.footer_content_color }}; font-size: 13px">{{ footer | raw }}{% if c.disable_powered_by != 'yes' %}<p>Sent by the affiliate program of {{ site }}.</p>{% endif %}</div>
</div>
</body>
</html>`;

const SANS = 'system-ui, -apple-system, Segoe UI, Roboto, Arial, sans-serif';

/** Wraps the body of a mail in the common look; HTML and plain text. */
export class MailLayout {
  #template: ((scope: object) => string) | undefined;

  render(parts: {
    readonly subject: string;
    readonly body: string;
    readonly footer: string;
    readonly site: string;
    /** BCP 47, of the host's site. */
    readonly language: string;
    readonly config: EmailConfig;
  }): { html: string; text: string } {
    const { subject, footer, site, language, config } = parts;
    const body = styled(parts.body, config);
    this.#template ??= parsed(LAYOUT);
    const html = this.#template({
      subject,
      body,
      footer,
      site,
      language,
      c: config,
      font: config.font_family || SANS,
    });
    return { html, text: `${plain(parts.body)}\n\n--\n${plain(footer)}\n` };
  }
}

/**
 * Mail programs drop style sheets, so tables and buttons carry their look; what a body styles itself stays.
 */
function styled(body: string, config: EmailConfig): string {
  const look: readonly (readonly [tag: RegExp, style: string])[] = [
    [
      /<table(?![^>]*\bstyle=)/gi,
      `width: 100%; border-collapse: collapse; margin: 16px 0; background: ${config.highlight_bg}; color: ${config.highlight_color}`,
    ],
    [/<td(?![^>]*\bstyle=)/gi, 'padding: 8px 12px; vertical-align: top'],
    [
      /<a(?=[^>]*\bclass="button")(?![^>]*\bstyle=)/gi,
      `display: inline-block; padding: 10px 18px; border-radius: 6px; background: ${config.content_color}; color: ${config.content_bg}; text-decoration: none`,
    ],
  ];
  return look.reduce(
    (text, [tag, style]) => text.replaceAll(tag, (found) => `${found} style="${escapeHtml(style)}"`),
    body,
  );
}

// Loaded with the first mail, not with the host.
function parsed(text: string): (scope: object) => string {
  const { Liquid: Engine } = createRequire(import.meta.url)('liquidjs') as typeof Liquid;
  const engine = new Engine({ outputEscape: 'escape', ownPropertyOnly: true, strictFilters: true });
  const template = engine.parse(text);
  return (scope) => String(engine.renderSync(template, scope));
}

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

/** The same words without markup: links keep their address, rows and paragraphs their line. */
function plain(html: string): string {
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
