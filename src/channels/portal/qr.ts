import { isMap } from '../../core/is-map.js';
import { MINUTE } from '../../core/duration.js';
import { qrPng, qrSvg } from '../../core/qr-picture.js';
import { fail, failFields } from '../../errors.js';
import type { RateLimit, RateLimiter } from '../../platform/http/rate-limit.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import type { PortalLinks } from './links.js';
import type { QrImage, QrQuery } from './types.js';

export const QR_FEATURE = 'affiliate_qr_code';

const SIZE = { least: 64, usual: 512, most: 1024 } as const;
const LONGEST = 500; // characters; cameras cannot read longer ones, and drawing them takes long
const PER_MINUTE: RateLimit = { name: 'qr', points: 60, windowMs: MINUTE, batch: 20 };
const TOO_LONG = `The address may have ${LONGEST} characters in a QR code.`;
const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/iu;

/** An affiliate's link as a QR code, in the colors of the feature's settings. */
export async function qrImage(
  { app, limiter }: { readonly app: Deps; readonly limiter: RateLimiter },
  links: PortalLinks,
  affiliate: Affiliate,
  { format, url, size }: QrQuery,
): Promise<QrImage> {
  if (!(await app.settings.features.isOn(QR_FEATURE))) fail('feature_disabled');
  if (typeof url === 'string' && url.length > LONGEST) failFields({ url: { max: TOO_LONG } });
  await limiter.take(PER_MINUTE, String(affiliate.id));
  const link = labeled(
    await links.linkTo(affiliate, typeof url === 'string' && url !== '' ? url : undefined),
  );
  if (link.length > LONGEST) failFields({ url: { max: TOO_LONG } });
  const { settings } = await app.settings.features.get(QR_FEATURE);
  const { qr_color: dark, qr_bg_color: light } = colorsOf(settings);
  return format === 'png'
    ? { type: 'image/png', data: await qrPng(link, { dark, light }, widthOf(size)) }
    : { type: 'image/svg+xml', data: await qrSvg(link, { dark, light }) };
}

/** The colors among the settings of the feature. */
export function colorsOf(settings: unknown): { readonly qr_color: string; readonly qr_bg_color: string } {
  const given = isMap(settings) ? settings : {};
  return {
    qr_color: color(given['qr_color'], '#000000'),
    qr_bg_color: color(given['qr_bg_color'], '#ffffff'),
  };
}

const color = (value: unknown, usual: string): string =>
  typeof value === 'string' && COLOR.test(value) ? value : usual;

function widthOf(size: unknown): number {
  const width = Number(size);
  return Number.isInteger(width) && width > 0 ? Math.min(SIZE.most, Math.max(SIZE.least, width)) : SIZE.usual;
}

/**
 * Marks scans, so that they differ from clicks: `utm_medium=qr`, unless the page has a medium of its own
 * (docs/tracking.md §15).
 */
function labeled(link: string): string {
  const url = new URL(link);
  if (!url.searchParams.has('utm_medium')) url.searchParams.set('utm_medium', 'qr');
  return url.href;
}
