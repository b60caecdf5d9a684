import { decide } from '../access/decide.js';
import { policies, type Policy, type Section } from '../access/policies.js';
import { fail } from '../../errors.js';
import { isForm } from './body.js';
import type { Call } from './define-route.js';
import type { SiteIdentity } from './deps.js';
import type { RequestInfo } from './request-info.js';
import { RATE_LIMITS, type RateLimiter } from './rate-limit.js';
import { header, type Exchange } from './request.js';

/**
 * The first step of every request. With a nonce the request belongs to the host's user; a wrong nonce ends
 * it; without one it is anonymous, unless it has credentials that no other site can make a browser send.
 * Responses to authenticated requests contain a new nonce.
 */
export async function authenticate(exchange: Exchange, limiter: RateLimiter): Promise<void> {
  if (await authenticateKey(exchange, limiter)) return;
  const nonce = await sentNonce(exchange);
  const { app, req, res } = exchange;
  if (nonce === null) {
    const signedIn = (await app.host.authenticate?.(req)) ?? null;
    if (signedIn === null || signedIn.ambient) return;
    exchange.user = signedIn.user;
    await limiter.take(RATE_LIMITS.adminApi, String(signedIn.user.id));
    return;
  }
  const user = await app.host.currentUser(req);
  if (!user || !(await app.host.nonces.verify(nonce, user, req))) {
    await limiter.takeAddress(RATE_LIMITS.wrongNonces, exchange.ip);
    fail('rest_cookie_invalid_nonce');
  }
  exchange.user = user;
  await limiter.take(RATE_LIMITS.adminApi, String(user.id));
  res.setHeader('X-WP-Nonce', await app.host.nonces.create(user, req));
}

/** A request with an API key belongs to its owner: no cookie is read, and no nonce is needed or sent. */
async function authenticateKey(exchange: Exchange, limiter: RateLimiter): Promise<boolean> {
  const { app, req, res, ip } = exchange;
  const [, sent] = /^Bearer +(fak_\S*) *$/i.exec(header(req, 'authorization') ?? '') ?? [];
  if (sent === undefined) return false;
  const proven = await app.apiKeys.prove(sent);
  if (!proven) {
    await limiter.takeAddress(RATE_LIMITS.wrongKeys, ip);
    return fail('api_key_invalid');
  }
  exchange.user = proven.user;
  exchange.apiKey = proven.key;
  const limit = RATE_LIMITS.apiKey;
  const left = await limiter.count(limit, String(proven.key.id));
  res.setHeader('RateLimit-Limit', String(limit.points));
  res.setHeader('RateLimit-Remaining', String(Math.max(0, left.points)));
  res.setHeader('RateLimit-Reset', String(left.seconds));
  if (left.points < 0) fail('rate_limited', { retryAfter: left.seconds });
  return true;
}

async function sentNonce(exchange: Exchange): Promise<string | null> {
  const sent = header(exchange.req, 'x-wp-nonce') ?? exchange.query['_wpnonce'];
  if (sent !== undefined) return asNonce(sent);
  if (!isForm(exchange.req)) return null;
  const { fields } = await exchange.body();
  return fields['_wpnonce'] === undefined ? null : asNonce(fields['_wpnonce']);
}

// A list or map is no nonce, but something was sent: "" is wrong for every host.
const asNonce = (sent: unknown): string => (typeof sent === 'string' ? sent : '');

const NO_NONCE =
  'You are not signed in, or the nonce is missing. Send it in the X-WP-Nonce header; GET /nonce returns one.';

/**
 * Decides the route's policy; throws 401 or 403. For a route of sites it returns the site instead of a user.
 */
export async function authorize(
  exchange: Exchange,
  policy: Policy,
  request: RequestInfo,
): Promise<SiteIdentity | null> {
  if (policy.kind === 'public') return null;
  if (policy.kind === 'site') return exchange.app.connectedSites.authenticate(request);
  if (!exchange.user) return fail('rest_forbidden', { status: 401, message: NO_NONCE });
  await checkAccess(exchange, policy, request);
  return null;
}

async function checkAccess(
  { app, user, access, apiKey }: Exchange,
  policy: Policy,
  request: RequestInfo,
): Promise<void> {
  const caller = { user, memo: access, rights: apiKey?.rights ?? null };
  if (!(await decide(app, caller, policy, needOf(request.method), request))) fail('rest_forbidden');
}

export const needOf = (method: string): 'read' | 'write' =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write';

/** Makes `call.allows`: a right of a section inside a handler, decided once per section and level. */
export function sectionAccess({ app, user, access, apiKey }: Exchange, request: RequestInfo): Call['allows'] {
  return (section: Section, need = 'read') =>
    decide(
      app,
      { user, memo: access, rights: apiKey?.rights ?? null },
      policies.section(section),
      need,
      request,
    );
}
