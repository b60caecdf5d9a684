import ipaddr from 'ipaddr.js';
import { mailboxKey } from '../../core/mailbox.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import type { Needs } from './needs.js';

const WINDOW_MS = 5 * 60_000;
const CODES: RateLimit = { name: 'signup-code', points: 60, windowMs: WINDOW_MS, batch: 1 };

/**
 * Limits sign-ups per address and e-mail, in all processes together (docs/reliability.md §4). Keys are
 * hashed, so the table contains no addresses.
 */
export class SignupLimits {
  readonly #limiter: RateLimiter;

  constructor(private readonly app: Needs) {
    this.#limiter = new RateLimiter(app);
  }

  async takeSignup(ip: string | null, email: string): Promise<void> {
    const limit: RateLimit = {
      name: 'signup',
      points: this.app.options.registration.perFiveMinutes,
      windowMs: WINDOW_MS,
      batch: 1,
    };
    await this.#limiter.take(limit, this.#key(`ip:${network(ip)}`));
    await this.#limiter.take(limit, this.#key(`email:${mailboxKey(email)}`));
  }

  /** Guesses are counted per code; this limit only keeps one address from trying references. */
  async takeCode(ip: string | null): Promise<void> {
    await this.#limiter.take(CODES, this.#key(`ip:${network(ip)}`));
  }

  #key(text: string): string {
    return this.app.secrets.sign('signup-limit', text);
  }
}

/** An IPv4 address, or the /64 network of an IPv6 subscriber. */
function network(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? address.toString()
    : ipaddr.fromByteArray(address.toByteArray().map((byte, at) => (at < 8 ? byte : 0))).toString();
}
