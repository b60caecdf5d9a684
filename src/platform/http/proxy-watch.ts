import type { IncomingMessage } from 'node:http';
import type { Platform } from '../platform.js';

const FORWARDED = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
] as const;
/**
 * The option row that `risks()` reads, because a command line runs in another process than the one that saw
 * the proxy.
 */
export const UNDECLARED_PROXY = 'undeclared_proxy_seen';

const seen = new WeakSet<Platform>();

/**
 * While `tracking.trustProxy` is unset, logs once that a request came through a proxy: all visitors behind it
 * then have one address and share its limits.
 */
export function watchForProxy(app: Platform, req: IncomingMessage): void {
  if (app.options.tracking.trustProxy !== undefined || seen.has(app)) return;
  const header = FORWARDED.find((name) => req.headers[name] !== undefined);
  if (header === undefined) return;
  seen.add(app);
  app.log.warn(
    'Requests come through a proxy that `tracking.trustProxy` does not name: ' +
      'all its visitors count as one address. Name it, or set false when there is none.',
    { header },
  );
  const row = { name: UNDECLARED_PROXY, value: header, version: 1, updated_at: app.clock.now() };
  app.db.dialect
    .upsert(app.db, 'options', [row], ['name'], ['value', 'updated_at'])
    .catch((error: unknown) => app.log.warn('the headers of the proxy could not be stored', { error }));
}
