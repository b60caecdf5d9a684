import type { HostUser } from '../../adapters/host.js';
import type { Db } from './database/db.js';

/** Who and what the running call chain belongs to; jobs and code calls have no user. */
export interface CallContext {
  readonly user: HostUser | null;
  /** The API key the request came with; its owner is `user`. */
  readonly apiKey?: { readonly id: number; readonly name: string };
  readonly requestId: string;
  readonly source: 'rest' | 'portal' | 'tracker' | 'provider' | 'job' | 'code';
  readonly access?: 'read' | 'write';
  /**
   * The stored state of settings that the request was made for (`If-Match`);
   * `check` throws when it is another one.
   */
  readonly precondition?: { readonly options: readonly string[]; check(tag: string): void };
  /**
   * Called first in every outermost transaction of this call chain, also when it is
   * retried (http/idempotency.ts).
   */
  readonly onTransaction?: (trx: Db) => Promise<void>;
}
