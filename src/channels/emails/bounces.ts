import { mailboxKey } from '../../core/mailbox.js';
import type { Platform } from '../../platform/platform.js';

const PURPOSE = 'bounced-address';
const TABLE = 'bounced_addresses';

/**
 * Addresses that mails came back from. They are stored as keyed hashes, so an erasure has nothing to look
 * for.
 */
export class Bounces {
  constructor(private readonly app: Platform) {}

  async add(address: string): Promise<void> {
    const row = { mark: this.#marks(address)[0], bounced_at: this.app.clock.now() };
    await this.app.db.dialect.upsert(this.app.db, TABLE, [row], ['mark'], ['bounced_at']);
  }

  async remove(address: string): Promise<void> {
    await this.app.db(TABLE).whereIn('mark', this.#marks(address)).delete();
  }

  async has(address: string): Promise<boolean> {
    return (await this.app.db(TABLE).first('mark').whereIn('mark', this.#marks(address))) !== undefined;
  }

  /** With the secret in use first. */
  #marks(address: string): string[] {
    return this.app.secrets.signatures(PURPOSE, mailboxKey(address));
  }
}
