import type { HostUser } from '../../../adapters/host.js';
import { fail } from '../../errors.js';
import type { Call } from '../../platform/http/define-route.js';
import type { Platform } from '../../platform/platform.js';
import { originOf } from '../../platform/http/same-origin.js';

/**
 * The user who signs up. A nonce names the user. Without one, the host's session counts only if the request
 * provably comes from a page of the site, because a form on another site could sign up its visitors.
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
  // Signed in, but nothing proves that the page was ours: a form is refused, a reader is treated as a
  // visitor.
  return reads ? null : fail('rest_forbidden', { status: 401 });
}
