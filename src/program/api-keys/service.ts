import { createHash } from 'node:crypto';
import type { HostUser } from '../../../adapters/host.js';
import { isKeyRight, KEY_RIGHTS, type KeyRight } from '../../platform/access/key-rights.js';
import { dayStart, parseDay } from '../../core/dates.js';
import { randomToken } from '../../core/random.js';
import type { Db } from '../../platform/database/db.js';
import { sameText } from '../../core/constant-time.js';
import { LINE } from '../../core/text.js';
import { MINUTE } from '../../core/duration.js';
import { fail, failFields } from '../../errors.js';
import { apiKeyGranted } from './domain-events.js';
import type { MadeObject } from '../audit/types.js';
import type { Deps } from './deps.js';
import { apiKeys } from './record.js';
import * as store from './repository.js';
import type { ApiKey, ApiKeyInput, ApiKeyPatch, IssuedApiKey } from './types.js';

export const MAX_API_KEYS = 200;
const NAME_LENGTH = 100;
const FORM = /^fak_([A-Za-z0-9]{8})_([A-Za-z0-9]{40})$/;

/** Keys for scripts and servers (docs/api-keys.md). Only administrators make them; no key makes keys. */
export class ApiKeysService {
  constructor(private readonly app: Deps) {}

  /** Newest first. */
  async list(): Promise<ApiKey[]> {
    return store.listApiKeys(this.app.db);
  }

  /** Throws `api_key_not_found`. */
  async get(id: number): Promise<ApiKey> {
    return (await store.findApiKey(this.app.db, id)) ?? fail('api_key_not_found');
  }

  /**
   * Makes a key; its text is in this response only. Throws `user_not_found`, `too_many_api_keys`,
   * `validation_failed`.
   */
  async create(input: ApiKeyInput): Promise<IssuedApiKey> {
    const [user] = await this.app.host.users.find([input.user_id]);
    if (user === undefined) fail('user_not_found');
    const now = this.app.clock.now();
    const publicPart = randomToken(8);
    const secret = randomToken(40);
    const row = {
      key_id: publicPart,
      user_id: user.id,
      name: nameOf(input.name),
      rights: rightsOf(input.rights),
      created_by: this.app.context.current().user?.id ?? null,
      expires_at: this.#endOf(input.expires_at),
      last_used_at: null,
      created_at: now,
      updated_at: now,
    };
    return this.app.transaction(async (trx) => {
      if ((await store.countApiKeys(trx)) >= MAX_API_KEYS) fail('too_many_api_keys');
      const id = await store.insertApiKey(trx, { ...row, secret_hash: hashOf(secret) });
      if (id === null) throw new Error('A random key was drawn twice.');
      const apiKey: ApiKey = { ...row, id };
      await this.#audit(trx, 'api_key.created', { after: apiKey });
      await this.app.internal.emit(apiKeyGranted, trx, { apiKey, isNew: true });
      return { apiKey, key: `fak_${publicPart}_${secret}` };
    });
  }

  /** Absent fields do not change; `expires_at: null` means that it never expires. */
  async update(id: number, input: ApiKeyPatch): Promise<ApiKey> {
    return this.app.transaction(async (trx) => {
      const before = (await store.findApiKey(trx, id)) ?? fail('api_key_not_found');
      const after: ApiKey = {
        ...before,
        ...(input.name !== undefined && { name: nameOf(input.name) }),
        ...(input.rights !== undefined && { rights: rightsOf(input.rights) }),
        ...(input.expires_at !== undefined && { expires_at: this.#endOf(input.expires_at) }),
        updated_at: this.app.clock.now(),
      };
      if (!(await store.updateApiKey(trx, id, after))) fail('api_key_not_found');
      await this.#audit(trx, 'api_key.updated', { before, after });
      if (before.rights.join() !== after.rights.join() || before.expires_at !== after.expires_at)
        await this.app.internal.emit(apiKeyGranted, trx, { apiKey: after, isNew: false });
      return after;
    });
  }

  /**
   * Revokes a key; the next request with it is refused. Returns what was made with it, which is not deleted.
   */
  async remove(id: number): Promise<MadeObject[]> {
    return this.app.transaction(async (trx) => {
      await this.#remove(trx, (await store.findApiKey(trx, id)) ?? fail('api_key_not_found'));
      return this.app.audit.madeWith(trx, id);
    });
  }

  /**
   * Revokes the keys that a deleted user owned or made, also for a later user with the same id. Returns how
   * many.
   */
  async removeOfUser(trx: Db, userId: number): Promise<number> {
    const keys = await store.apiKeysOfUser(trx, userId);
    for (const key of keys) await this.#remove(trx, key);
    return keys.length;
  }

  async #remove(trx: Db, before: ApiKey): Promise<void> {
    if (!(await store.deleteApiKey(trx, before.id))) fail('api_key_not_found');
    await this.#audit(trx, 'api_key.deleted', { before });
  }

  /**
   * The user a key speaks for; null when it is unknown, wrong or expired, or when the host no longer knows
   * its owner or its maker.
   */
  async prove(sent: string): Promise<{ key: ApiKey; user: HostUser } | null> {
    const [, publicPart = '', secret = ''] = FORM.exec(sent) ?? [];
    const stored = publicPart === '' ? null : await store.findByPublicPart(this.app.db, publicPart);
    // An unknown key is hashed and compared like a wrong one, so the time reveals nothing.
    const right = sameText(hashOf(secret), stored?.secretHash ?? '');
    const now = this.app.clock.now();
    if (!stored || !right || (stored.apiKey.expires_at ?? Infinity) <= now) return null;
    const user = await this.#ownerOf(stored.apiKey);
    if (user === null) return null;
    await this.#markUsed(stored.apiKey, now - (now % MINUTE));
    return { key: stored.apiKey, user };
  }

  /** Null when the host no longer knows the owner or the maker. */
  async #ownerOf({ user_id: owner, created_by: maker }: ApiKey): Promise<HostUser | null> {
    const behind = [...new Set([owner, maker ?? owner])];
    const known = await this.app.host.users.find(behind);
    return known.length === behind.length ? (known.find(({ id }) => id === owner) ?? null) : null;
  }

  async #markUsed(key: ApiKey, minute: number): Promise<void> {
    if ((key.last_used_at ?? 0) < minute) await store.markUsed(this.app.db, key.id, minute);
  }

  /** The first instant after this day in the site's zone. */
  #endOf(text: string | null | undefined): number | null {
    if (text === null || text === undefined || text === '') return null;
    const day = parseDay(text);
    const end = day === null ? null : dayStart(day + 1, this.app.host.site().timeZone);
    if (end === null) return failFields({ expires_at: { day: 'The day must have the form YYYY-MM-DD.' } });
    if (end <= this.app.clock.now()) failFields({ expires_at: { future: 'Choose today or a later day.' } });
    return end;
  }

  async #audit(
    trx: Db,
    action: string,
    { before, after }: { readonly before?: ApiKey; readonly after?: ApiKey },
  ): Promise<void> {
    await this.app.audit.write(trx, action, ['api_key', (after ?? before)?.id ?? null], {
      before: before && apiKeys.audited(before),
      after: after && apiKeys.audited(after),
    });
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

function nameOf(text: string): string {
  const name = text.trim();
  if (!LINE.fits(name)) failFields({ name: { [LINE.rule]: LINE.says } });
  if (name === '') failFields({ name: { required: 'The name is required.' } });
  if (Array.from(name).length > NAME_LENGTH)
    failFields({ name: { max: `The name must have at most ${NAME_LENGTH} characters.` } });
  return name;
}

/**
 * Each known right once, in the order of the table. An unknown one is refused, so that a typing error is
 * noticed.
 */
function rightsOf(words: readonly string[]): KeyRight[] {
  if (words.some((word) => !isKeyRight(word)))
    failFields({ rights: { in: `The rights must be one of: ${KEY_RIGHTS.join(', ')}.` } });
  if (words.length === 0) failFields({ rights: { required: 'Choose at least one right.' } });
  return KEY_RIGHTS.filter((right) => words.includes(right));
}
