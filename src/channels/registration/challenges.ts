import { readJson } from '../../core/json.js';
import { randomDigits, randomToken } from '../../core/random.js';
import { sameText } from '../../core/constant-time.js';
import { MINUTE, SECOND } from '../../core/duration.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import {
  findChallenge,
  insertChallenge,
  removeChallenge,
  renewChallenge,
  takeAttempt,
} from './repository.js';

const CODE_DIGITS = 6;
const REFERENCE_LENGTH = 40;
const LIFE_MS = 10 * MINUTE;
const AGAIN_AFTER_MS = 30 * SECOND;
const MAX_ATTEMPTS = 5;
const PURPOSE = 'signup';

/**
 * Codes that prove an e-mail address: hashed, valid for a short time and once (docs/tracking.md §12). The
 * sign-up that waits for a code is sealed, as it contains a password.
 */
export class Challenges {
  constructor(private readonly app: Deps) {}

  get lifeSeconds(): number {
    return LIFE_MS / 1000;
  }

  async open(payload: unknown): Promise<{ readonly reference: string; readonly code: string }> {
    const [reference, code, now] = [
      randomToken(REFERENCE_LENGTH),
      randomDigits(CODE_DIGITS),
      this.app.clock.now(),
    ];
    await insertChallenge(this.app.db, {
      reference: this.#key(reference),
      code_hash: this.#codeHash(reference, code),
      payload: this.app.secrets.seal(PURPOSE, JSON.stringify(payload)),
      attempts: 0,
      created_at: now,
      expires_at: now + LIFE_MS,
    });
    return { reference, code };
  }

  /** The sign-up that waited for this code; the code cannot be used again. */
  async redeem<T extends object>(reference: string, code: string): Promise<T> {
    const key = this.#key(reference);
    const now = this.app.clock.now();
    const row = (await findChallenge(this.app.db, key, now)) ?? fail('verification_expired');
    const max = await this.app.hooks.applyFilters('auth/max_verification_attempts', MAX_ATTEMPTS);
    if (!(await takeAttempt(this.app.db, key, { now, max }))) {
      // Another request with the right code was faster.
      fail((await findChallenge(this.app.db, key, now)) ? 'verification_blocked' : 'verification_expired');
    }
    if (!sameText(row.code_hash, this.#codeHash(reference, code.trim()))) {
      fail('verification_failed', { fields: { code: { wrong: 'The code is wrong.' } } });
    }
    if (!(await removeChallenge(this.app.db, key))) fail('verification_expired');
    return (
      readJson<T | null>(this.app.secrets.open(PURPOSE, row.payload), null) ?? fail('verification_expired')
    );
  }

  /**
   * Another code for the same sign-up, at most one in 30 seconds (429 `rate_limited`). The former one counts again
   * when `send` fails.
   */
  async renew(reference: string, send: (code: string, payload: object) => Promise<void>): Promise<void> {
    const [key, now] = [this.#key(reference), this.app.clock.now()];
    const row = (await findChallenge(this.app.db, key, now)) ?? fail('verification_expired');
    const wait = row.created_at + AGAIN_AFTER_MS - now;
    if (wait > 0) fail('rate_limited', { retryAfter: Math.ceil(wait / SECOND) });
    const payload = readJson<object | null>(this.app.secrets.open(PURPOSE, row.payload), null);
    if (payload === null) return fail('verification_expired');
    const code = randomDigits(CODE_DIGITS);
    const next = { code_hash: this.#codeHash(reference, code), created_at: now, expires_at: now + LIFE_MS };
    if (!(await renewChallenge(this.app.db, key, { seen: row.code_hash, ...next })))
      fail('rate_limited', { retryAfter: AGAIN_AFTER_MS / SECOND });
    try {
      await send(code, payload);
    } catch (error) {
      await renewChallenge(this.app.db, key, {
        seen: next.code_hash,
        code_hash: row.code_hash,
        created_at: row.created_at,
        expires_at: row.expires_at,
      });
      throw error;
    }
  }

  async drop(reference: string): Promise<void> {
    await removeChallenge(this.app.db, this.#key(reference));
  }

  #key(reference: string): string {
    return this.app.secrets.sign('signup-reference', reference);
  }

  #codeHash(reference: string, code: string): string {
    return this.app.secrets.sign('signup-code', `${reference}:${code}`);
  }
}
