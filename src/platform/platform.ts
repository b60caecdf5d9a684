import type { HostAdapter, HostUser } from '../../adapters/host.js';
import type { Clock } from '../core/clock.js';
import type { Logger } from '../core/logger.js';
import type { Telemetry } from '../core/telemetry.js';
import type { ResolvedOptions } from '../options.js';
import type { CallContext } from './call-context.js';
import type { Db, RunShared, RunTransaction } from './database/db.js';
import type { WithLease } from './database/lease.js';
import type { RunWithLimit } from './database/limits.js';
import type { TakeSnapshot } from './database/snapshot.js';
import type { HooksOf } from './hooks/fire.js';
import type { platformHooks } from './hooks/own.js';
import type { InternalEvents } from './internal-events.js';
import type { Secrets } from './secrets.js';

/** The parts that every module may use. It knows no module. */
export interface Platform {
  readonly host: HostAdapter;
  readonly options: ResolvedOptions;
  readonly db: Db;
  readonly transaction: RunTransaction;
  /** A transaction shared by orders that arrive together. */
  readonly sharedTransaction: RunShared;
  /** Opens a view of the database at this moment, for exports and copies. */
  readonly snapshot: TakeSnapshot;
  /**
   * Sets the purpose of the statements of some work, which limits how long each may take:
   * `app.limited('tracking', () => …)`.
   */
  readonly limited: RunWithLimit;
  /** Runs work in one process at a time (jobs, payout runs). */
  readonly withLease: WithLease;
  /** How many transactions of this process are open or wait for a connection; long work gives way to them. */
  underway(): number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Spans around work, where the host uses OpenTelemetry. */
  readonly telemetry: Telemetry;
  readonly secrets: Secrets;
  /** Path of the REST interface, e.g. `/wp-json/affiliate-service/v2`. */
  readonly basePath: string;
  readonly context: {
    current(): CallContext;
    run<T>(context: CallContext, work: () => T): T;
  };
  /** Host users by id, one host call per page of rows. */
  users(ids: Iterable<number | null>): Promise<ReadonlyMap<number, HostUser>>;
  /** Calls the code of hosts. A module's `deps.ts` names the hooks it fires. */
  readonly hooks: HooksOf<typeof platformHooks>;
  /** Reports a change to the modules above, inside the open transaction (internal-events.ts). */
  readonly internal: InternalEvents;
}
