import type { HostUser } from '../../adapters/host.js';
import type { Db } from './database/db.js';

/** On whose behalf the running code works, and for which request; jobs and calls from code have no user. */
export interface CallContext {
  readonly user: HostUser | null;
  /** The API key the request came with; its owner is `user`. */
  readonly apiKey?: {
    readonly id: number;
    readonly name: string;
    /** The user who made it; null for code. */
    readonly created_by: number | null;
  };
  readonly requestId: string;
  readonly source: 'rest' | 'portal' | 'tracker' | 'provider' | 'job' | 'code';
  /** The id of the route, for the log. */
  readonly route?: string;
  readonly access?: 'read' | 'write';
  /**
   * The version of the settings that the request expects (`If-Match`); `check` throws when it is another one.
   */
  readonly precondition?: { readonly options: readonly string[]; check(tag: string): void };
  /** It works while the program is closed for a wipe: it is the wipe. */
  readonly whileClosed?: true;
  /**
   * Called first in every outermost transaction of this call chain, also when it is
   * retried (http/idempotency.ts).
   */
  readonly onTransaction?: (trx: Db) => Promise<void>;
}
