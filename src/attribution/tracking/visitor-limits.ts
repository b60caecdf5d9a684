import type { IncomingMessage } from 'node:http';
import { MINUTE } from '../../core/duration.js';
import { AffiliateError } from '../../errors.js';
import { canonicalAddress, clientAddress, type NetworkKey } from '../../platform/http/client-address.js';
import { watchForProxy } from '../../platform/http/proxy-watch.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import type { Deps } from './deps.js';
import type { Visitor } from './types.js';
import { limitKeys } from './visitor.js';

/** Tracking calls per address (docs/reliability.md §4). Beyond the limit a call needs no query. */
const CALLS: RateLimit = { name: 'track', points: 300, windowMs: MINUTE, batch: 50 };

export class VisitorLimits {
  readonly #limiter: RateLimiter;

  constructor(private readonly app: Deps) {
    this.#limiter = new RateLimiter(app);
  }

  /** Counts one call; throws 429 with Retry-After beyond the limit. */
  take(req: IncomingMessage): Promise<void> {
    return this.#limiter.takeNetworks(CALLS, callerOf(this.app, req).limitKeys);
  }

  /** Counts one call; returns the refusal, or null below the limit. */
  refusal(req: IncomingMessage): Promise<AffiliateError | null> {
    return this.#refusal(callerOf(this.app, req));
  }

  async allows(caller: Caller): Promise<boolean> {
    return (await this.#refusal(caller)) === null;
  }

  async #refusal({ limitKeys: keys }: Caller): Promise<AffiliateError | null> {
    try {
      await this.#limiter.takeNetworks(CALLS, keys);
      return null;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return error;
      throw error;
    }
  }
}

/** The origin of a request, and the keys that limits use for it. */
export interface Caller {
  readonly address: string | null;
  readonly limitKeys: readonly NetworkKey[];
}

export function callerOf(app: Deps, req: IncomingMessage): Caller {
  watchForProxy(app, req);
  return placeOf(app, clientAddress(req, app.options.tracking.trustProxy));
}

const placeOf = (app: Deps, address: string | null): Caller => ({
  address,
  limitKeys: limitKeys(address, app.secrets),
});

/** The visitor behind a request. The address is the value of the filter `user_ip`, if that is an address. */
export async function visitorOf(
  app: Deps,
  req: IncomingMessage,
  caller: Caller = callerOf(app, req),
): Promise<Visitor> {
  const place = app.hooks.isUsed('user_ip') ? await filteredPlace(app, caller.address) : caller;
  let userId: Promise<number | null> | undefined;
  return { ...place, agent: req.headers['user-agent'] ?? '', userId: () => (userId ??= signedIn(app, req)) };
}

async function signedIn(app: Deps, req: IncomingMessage): Promise<number | null> {
  try {
    return (await app.host.currentUser(req))?.id ?? null;
  } catch (error) {
    app.log.warn('the host could not identify the visitor', { error });
    return null;
  }
}

const filteredPlace = async (app: Deps, address: string | null): Promise<Caller> =>
  placeOf(app, canonicalAddress(await app.hooks.applyFilters('user_ip', address ?? '')));
