import { mailboxKey } from '../../core/mailbox.js';
import { DAY, HOUR, MINUTE } from '../../core/duration.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import type { Deps } from './deps.js';

const WINDOW_MS = 5 * MINUTE;
const CODES: RateLimit = { name: 'signup-code', points: 60, windowMs: WINDOW_MS, batch: 1 };

/** Mails to one mailbox, which is not proven to be the sender's. */
const MAILS: readonly RateLimit[] = [
  { name: 'signup-hour', points: 5, windowMs: HOUR, batch: 1 },
  { name: 'signup-day', points: 10, windowMs: DAY, batch: 1 },
];

/**
 * Limits sign-ups per address and e-mail, in all processes together (docs/reliability.md §4). Keys are
 * hashed, so the table contains no addresses.
 */
export class SignupLimits {
  readonly #limiter: RateLimiter;

  constructor(private readonly app: Deps) {
    this.#limiter = new RateLimiter(app);
  }

  async takeSignup(ip: string | null, email: string): Promise<void> {
    const limit: RateLimit = {
      name: 'signup',
      points: this.app.options.registration.perFiveMinutes,
      windowMs: WINDOW_MS,
      batch: 1,
    };
    await this.#limiter.takeAddress(limit, ip, (key) => this.#key(`ip:${key}`));
    await this.#limiter.take(limit, this.#key(`email:${mailboxKey(email)}`));
  }

  /** Counts a mail that a sign-up without an account leads to. */
  async takeMail(email: string): Promise<void> {
    for (const limit of MAILS) await this.#limiter.take(limit, this.#key(`email:${mailboxKey(email)}`));
  }

  /** Guesses are counted per code; this limit only prevents one address from trying references. */
  async takeCode(ip: string | null): Promise<void> {
    await this.#limiter.takeAddress(CODES, ip, (key) => this.#key(`ip:${key}`));
  }

  #key(text: string): string {
    return this.app.secrets.sign('signup-limit', text);
  }
}
