import type { HostAdapter, HostUser } from '../adapters/host.js';
import type { Hooks } from '../hooks/registry.js';
import type { Clock } from './core/clock.js';
import type { Logger } from './core/logger.js';
import type { Db, RunShared, RunTransaction } from './platform/database/db.js';
import type { WithLease } from './platform/database/lease.js';
import type { Limited } from './platform/database/limits.js';
import type { InternalEvents } from './platform/internal-events.js';
import type { EventLog } from './program/event-log/index.js';
import type { UsersService } from './edges/users/index.js';
import type { ResolvedOptions } from './options.js';
import type { Modules } from './modules.js';
import type { Risk } from './risks.js';

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

export interface Signer {
  /** HMAC-SHA256 over the text, hex. */
  sign(purpose: string, text: string): string;
}

/** Keyed hashes and sealed texts made with the service secret; one derived key per purpose. */
export interface Secrets extends Signer {
  /** Replaced secrets whose signatures still count. */
  readonly former: readonly Signer[];
  /** What `sign` answers, then the same of every former secret: for looking up stored hashes. */
  signatures(purpose: string, text: string): string[];
  /** Constant-time check of `sign`, also by a former secret. */
  verify(purpose: string, text: string, signature: string): boolean;
  /** AES-256-GCM, base64url. */
  seal(purpose: string, text: string): string;
  /** null when it was not sealed with this secret and purpose. */
  open(purpose: string, sealed: string): string | null;
  /** True when the host gave the secret (not one generated beside the data). */
  readonly given: boolean;
  /** True when other processes use this database with another secret. */
  readonly differs: boolean;
}

/** What stands below every module and knows none. */
export interface Platform {
  readonly host: HostAdapter;
  readonly options: ResolvedOptions;
  readonly db: Db;
  readonly transaction: RunTransaction;
  /** A transaction that orders arriving together share. */
  readonly sharedTransaction: RunShared;
  /**
   * Says what the statements of some work are for, which bounds how long each may take:
   * `app.limited('tracking', () => …)`.
   */
  readonly limited: Limited;
  /** Work of one process at a time (jobs, payout runs). */
  readonly withLease: WithLease;
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  /** Path of the REST interface, e.g. `/wp-json/affiliate-service/v2`. */
  readonly basePath: string;
  readonly context: {
    current(): CallContext;
    run<T>(context: CallContext, work: () => T): T;
  };
  /** Host users by id, one host call per page of rows. */
  users(ids: Iterable<number | null>): Promise<ReadonlyMap<number, HostUser>>;
  /** Has something done by modules above, inside the open transaction (internal-events.ts). */
  readonly internal: InternalEvents;
  readonly eventLog: EventLog;
}

/**
 * What handlers receive, and services as far as the `needs.ts` of their module names it.
 * Modules meet through it, never by importing each other's code.
 */
export interface App extends Platform, Modules {
  /** The host's accounts: whose ids they are, and what happens when one goes. `service.users`. */
  readonly accounts: UsersService;
  /** What is risky in this installation now. */
  risks(): Promise<readonly Risk[]>;
}
