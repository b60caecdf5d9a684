import type { IncomingMessage } from 'node:http';
import type { TrackingContributions } from './contributions.js';
import type { Deps } from './deps.js';

// Host and port are compared, not the scheme, since a page may be reached over both. `www.` is the same site.
const key = (host: string): string => host.toLowerCase().replace(/^www\./, '');

/** Decides which addresses belong to the program. */
export class KnownHosts {
  constructor(
    private readonly app: Deps,
    private readonly siteHosts: TrackingContributions['siteHosts'],
  ) {}

  isOwn(url: URL): boolean {
    return key(url.host) === key(new URL(this.app.host.site().url).host);
  }

  /** The site itself, one of `tracking.allowedHosts`, or an active connected site. */
  async isKnown(url: URL): Promise<boolean> {
    const wanted = key(url.host);
    if (this.isOwn(url) || this.app.options.tracking.allowedHosts.some((host) => key(host) === wanted))
      return true;
    return [...(await this.siteHosts())].some((host) => key(host) === wanted);
  }
}

/** The page that sent a request, according to the browser. Pages cannot forge these headers. */
export function senderOf({ headers }: IncomingMessage): URL | null {
  return URL.parse(headers.origin || (headers.referer ?? ''));
}
