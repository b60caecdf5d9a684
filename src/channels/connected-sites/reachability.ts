import { guardedFetch, type Guard } from '../../core/guarded-fetch.js';

const TIMEOUT_MS = 5000;

/**
 * Sends one HEAD request (docs/connected-sites.md §5). Any response counts, redirects are not followed, and
 * the response is not passed on.
 */
export function isReachable(address: string, guard: Guard): Promise<boolean> {
  return guardedFetch(guard)(new URL(address), {
    method: 'HEAD',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    () => true,
    () => false,
  );
}
