import { humanDate } from '../../core/dates.js';
import { escapeHtml } from '../../core/text.js';
import { scheduleText } from './form.js';
import { withLink } from './link-code.js';
import { creatives } from './record.js';
import type { CreativeDto, PortalCreativeDto } from './schemas.js';
import type { Creative } from './types.js';

const PORTAL_META = ['media_width', 'media_height', 'media_type', 'qr_color', 'qr_bg_color'] as const;

/** The record of docs/interface.md §10.1, for administrators. */
export function presentCreative(creative: Creative, timeZone: string): CreativeDto {
  return {
    ...creatives.present(creative),
    affiliate_ids: creative.affiliate_ids,
    group_ids: creative.group_ids,
    meta: { ...scheduleText(creative.starts_at, creative.ends_at, timeZone), ...creative.meta },
    title: creative.name,
    content: creative.text || creative.image,
    human_updated_at: humanDate(creative.updated_at, timeZone),
  };
}

/** A creative for an affiliate: without targets, schedule and notes (docs/interface.md §10.3). */
export function presentForPortal(creative: Creative, link: string, timeZone: string): PortalCreativeDto {
  const { privacy: _privacy, status: _status, ...shown } = creatives.present(creative);
  return {
    ...shown,
    text: creative.type === 'html' ? withLink(creative.text, link) : creative.text,
    meta: Object.fromEntries(
      PORTAL_META.flatMap((key) => {
        const value = creative.meta[key];
        return value === undefined ? [] : [[key, value]];
      }),
    ),
    human_updated_at: humanDate(creative.updated_at, timeZone),
  };
}

/** The HTML that an affiliate pastes into a page; all texts of the creative are escaped. */
export function embedCode({ type, name, description, image, text, meta }: Creative, link: string): string {
  if (type === 'html') return withLink(text, link);
  const attributes = (pairs: Readonly<Record<string, unknown>>): string =>
    Object.entries(pairs)
      .filter(([, value]) => value)
      .map(([key, value]) => ` ${key}="${escapeHtml(String(value))}"`)
      .join('');
  const size = { width: meta['media_width'], height: meta['media_height'] };
  const content =
    image && type !== 'text'
      ? `<img${attributes({ src: image, alt: text || name, ...size })}>`
      : escapeHtml(text || name);
  return `<a${attributes({ href: link, rel: 'sponsored', title: description })}>${content}</a>`;
}
