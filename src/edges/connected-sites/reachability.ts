import { guardedFetch, type Guard } from '../../core/guarded-fetch.js';

const TIMEOUT_MS = 5000;

/**
 * One HEAD request (docs/connected-sites.md §5). Any answer counts, no redirect is followed;
 * the answer itself goes nowhere.
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
