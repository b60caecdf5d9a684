import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from './deps.js';
import { CONSENT_COOKIE, cookieDays } from './cookie.js';
import { linkVariables, OTHER_PARAMS, sourceOf } from './page-link.js';
import { SCRIPT } from './browser-script.js';

const CACHE_SECONDS = 300;

/** The settings object of the browser script, after the filter `tracker_vars` (docs/tracking.md §2). */
export async function trackerVars(app: Deps): Promise<Readonly<Record<string, unknown>>> {
  const config = await app.settings.referralConfig();
  return app.hooks.applyFilters('tracker_vars', {
    duration_days: await cookieDays(app),
    aff_param: config.referral_variable,
    other_params: [...OTHER_PARAMS],
    // with the imported system that it belongs to, or '' for an earlier variable of this program
    old_params: linkVariables(app, config.referral_variable)
      .slice(1)
      .map((name) => [name, sourceOf(app, name, config.referral_variable)]),
    credit_last: config.credit_last_referrer === 'yes' ? 'yes' : '',
    request_url: app.basePath + app.options.tracking.path,
    cookie: app.options.tracking.cookie.name,
    cookie_domain: app.options.tracking.cookie.domain ?? '',
    adopt: app.options.tracking.cookie.acceptUnsigned,
    consent: app.options.tracking.consent,
    consent_cookie: CONSENT_COOKIE,
  });
}

/** Serves the browser script with its settings. Caches store it for a short time and then check its ETag. */
export class TrackerScript {
  constructor(
    private readonly app: Deps,
    /** Called for each request that names its page. */
    private readonly served: (page: URL) => void,
  ) {}

  matches(req: IncomingMessage): boolean {
    return (
      (req.method === 'GET' || req.method === 'HEAD') &&
      (req.url ?? '').split('?')[0] === this.app.options.tracking.scriptPath
    );
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const page = URL.parse(req.headers.referer ?? '');
    if (page !== null) this.served(page);
    const text = Buffer.from(`${SCRIPT}(${JSON.stringify(await trackerVars(this.app))});\n`);
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`);
    if (sentTags(req).includes(etag)) {
      res.writeHead(304).end();
      return;
    }
    res.setHeader('Content-Type', 'text/javascript; charset=utf-8');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Content-Length', text.length);
    res.writeHead(200).end(req.method === 'HEAD' ? undefined : text);
  }
}

const sentTags = (req: IncomingMessage): string[] =>
  (req.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
