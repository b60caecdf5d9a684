import { own } from '../../core/own.js';
import type { Deps } from './deps.js';

export interface SharePlatform {
  readonly key: string;
  readonly title: string;
  readonly icon_svg: string;
  readonly enabled: 'yes' | 'no';
  /** A URL with `{url}` and `{title}`. It is sent under two keys, one for old and one for new clients. */
  readonly placeholder: string;
  readonly share_url: string;
}

interface Template {
  readonly title: string;
  readonly share_url: string;
  readonly path: string;
}

// Our own icons, drawn on a grid of 24 × 24.
const TEMPLATES: Readonly<Record<string, Template>> = {
  twitter: {
    title: 'X (Twitter)',
    share_url: 'https://twitter.com/intent/tweet?text={title}%20{url}',
    path: 'M4 4l16 16M20 4L4 20',
  },
  facebook: {
    title: 'Facebook',
    share_url: 'https://www.facebook.com/sharer/sharer.php?u={url}',
    path: 'M15 4h-2a3 3 0 0 0-3 3v13M7 12h7',
  },
  linkedin: {
    title: 'LinkedIn',
    share_url: 'https://www.linkedin.com/sharing/share-offsite/?url={url}',
    path: 'M5 9v11M5 4v1M10 20V9m0 5a4 4 0 0 1 8 0v6',
  },
  whatsapp: {
    title: 'WhatsApp',
    share_url: 'https://api.whatsapp.com/send?text={title}%20{url}',
    path: 'M4 20l1.5-4A8 8 0 1 1 9 19zM9 9c0 3 3 6 6 6',
  },
  email: {
    title: 'E-mail',
    share_url: 'mailto:?subject={title}&body={url}',
    path: 'M3 6h18v12H3zM3 6l9 7 9-7',
  },
  reddit: {
    title: 'Reddit',
    share_url: 'https://www.reddit.com/submit?url={url}&title={title}',
    path: 'M4 13a8 6 0 1 0 16 0 8 6 0 1 0-16 0M9 12v1M15 12v1M9 16h6',
  },
  telegram: {
    title: 'Telegram',
    share_url: 'https://t.me/share/url?url={url}&text={title}',
    path: 'M3 11l18-7-4 16-5-5-3 4v-6z',
  },
  pinterest: {
    title: 'Pinterest',
    share_url: 'https://pinterest.com/pin/create/button/?url={url}&description={title}',
    path: 'M10 21l2-9M8 13a5 5 0 1 1 6 3',
  },
};
const DEFAULT_KEYS: readonly string[] = ['facebook', 'twitter', 'linkedin', 'whatsapp', 'email'];

const icon = (path: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2"><path d="${path}"/></svg>`;

/** Every platform, the saved ones first and in their order (docs/settings.md §3). */
export async function sharePlatforms(
  app: Deps,
  saved: readonly { readonly key: string; readonly enabled: string }[] | null,
): Promise<SharePlatform[]> {
  const known = await app.hooks.applyFilters('social_media_links', builtIn());
  const enabledKeys = await app.hooks.applyFilters('social_media_share_default_enabled_keys', DEFAULT_KEYS);
  const order = [...(saved ?? []).map(({ key }) => key), ...Object.keys(known)];
  return [...new Set(order)].flatMap((key) => {
    const platform = own(known, key) as Partial<SharePlatform> | undefined;
    if (!platform) return [];
    const enabled =
      saved?.find((entry) => entry.key === key)?.enabled ??
      (saved || !enabledKeys.includes(key) ? 'no' : 'yes');
    const template = String(platform.share_url ?? platform.placeholder ?? '');
    return [
      {
        key,
        title: String(platform.title ?? key),
        icon_svg: String(platform.icon_svg ?? ''),
        enabled: enabled === 'yes' ? ('yes' as const) : ('no' as const),
        placeholder: template,
        share_url: template,
      },
    ];
  });
}

const builtIn = (): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(TEMPLATES).map(([key, { title, share_url, path }]) => [
      key,
      {
        key,
        title,
        icon: icon(path),
        icon_svg: icon(path),
        share_url,
        placeholder: share_url,
        status: DEFAULT_KEYS.includes(key) ? 'yes' : 'no',
      },
    ]),
  );
