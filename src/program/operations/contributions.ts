import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { Operation, OperationKind } from './types.js';

/** What one step has done. */
export interface Progress {
  /** How many of `total` it has done; also what the size of the next step is computed from. */
  readonly done: number;
  /** What the next step has to know: where it continues. */
  readonly details: Operation['details'];
  readonly hasEnded: boolean;
}

export interface Step {
  readonly work: Operation;
  /** How much it should do, in the unit of `total`, so that it takes about 50 ms. */
  readonly size: number;
  /**
   * The one database transaction of the step. It stores the progress too, so a step that was interrupted has
   * done nothing and is done again.
   */
  readonly commit: (change: (trx: Db, afterCommit: AfterCommit) => Promise<Progress>) => Promise<void>;
}

/** A kind of long work, registered by the module that does it. */
export interface OperationRunner {
  readonly kind: OperationKind;
  /** Works with the same lease wait for each other. */
  lease(objectId: number): string;
  /** It does its steps while the program is closed for a wipe. */
  readonly whileClosed?: true;
  /** The size of the first step. */
  readonly size: number;
  /** Calls `commit` once. Host code runs before and after that, never in it. */
  step(step: Step): Promise<void>;
}
