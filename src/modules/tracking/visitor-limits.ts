import type { IncomingMessage } from 'node:http';
import type { App } from '../../app.js';
import { AffiliateError } from '../../errors.js';
import { clientAddress } from '../../http/client-address.js';
import { RateLimiter, type RateLimit } from '../../http/rate-limit.js';
import type { Visitor } from './types.js';
import { canonicalAddress, limitKey } from './visitor.js';

/** Tracking calls per address (reliability §6); beyond it a call costs no query. */
const CALLS: RateLimit = { name: 'track', points: 300, windowMs: 60_000, batch: 50 };

export class VisitorLimits {
  readonly #limiter: RateLimiter;

  constructor(private readonly app: App) {
    this.#limiter = new RateLimiter(app);
  }

  /** Counts one call; throws 429 with Retry-After. */
  async take(req: IncomingMessage): Promise<void> {
    await this.#limiter.take(CALLS, limitKey(clientAddress(req, this.app.options.tracking.trustProxy), this.app.secrets));
  }

  async allows(req: IncomingMessage): Promise<boolean> {
    try {
      await this.take(req);
      return true;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return false;
      throw error;
    }
  }
}

/** The person behind a request. The filter `user_ip` has the last word on the address, if it answers with one. */
export async function visitorOf(app: App, req: IncomingMessage): Promise<Visitor> {
  const address = clientAddress(req, app.options.tracking.trustProxy);
  let userId: Promise<number | null> | undefined;
  return {
    address: await filteredAddress(app, address),
    agent: req.headers['user-agent'] ?? '',
    userId: () => (userId ??= signedIn(app, req)),
  };
}

async function signedIn(app: App, req: IncomingMessage): Promise<number | null> {
  try {
    return (await app.host.currentUser(req))?.id ?? null;
  } catch (error) {
    app.log.warn('the host could not name the visitor', { error });
    return null;
  }
}

async function filteredAddress(app: App, address: string | null): Promise<string | null> {
  if (!app.hooks.isUsed('user_ip')) return address;
  return canonicalAddress(await app.hooks.applyFilters('user_ip', address ?? ''));
}
