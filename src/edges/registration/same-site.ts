import type { HostUser } from '../../../adapters/host.js';
import { fail } from '../../errors.js';
import type { Call } from '../../platform/http/define-route.js';
import type { Platform } from '../../platform/platform.js';
import { originOf } from '../../platform/http/same-origin.js';

/**
 * Who signs up. A nonce names the user; without one the host's session counts only for a request that
 * provably comes from a page of the site, and a form on another site is refused:
 * it could sign its visitors up.
 */
export async function signupUser({
  app,
  user,
  request,
}: Pick<Call<Platform>, 'app' | 'user' | 'request'>): Promise<HostUser | null> {
  if (user.id > 0) return user;
  const origin = originOf(app, request);
  const fetchSite = request.header('sec-fetch-site');
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads && (origin === 'foreign' || fetchSite === 'cross-site')) fail('rest_forbidden');
  const session = await app.host.currentUser(request.raw);
  if (session === null || (origin === 'own' && fetchSite !== 'cross-site') || fetchSite === 'same-origin')
    return session;
  // Signed in, but nothing shows that the page was ours: for a form that is a refusal,
  // for reading a visitor like any other.
  return reads ? null : fail('rest_forbidden', { status: 401 });
}
