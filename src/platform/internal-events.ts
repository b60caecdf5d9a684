import type { Db } from './database/db.js';

/** A change to which other modules react inside the transaction that makes it. */
export interface InternalEvent<Change> {
  readonly name: string;
  /** Never set: it gives the event the type of its change. */
  readonly change?: Change;
}

export type Listener<Change> = (trx: Db, change: Change) => unknown;

export const internalEvent = <Change>(name: string): InternalEvent<Change> => ({ name });

/**
 * Lets a lower module have something done by modules above it without knowing them. Listeners are registered
 * when the service is built and run one after the other, in the order of the modules. One that throws undoes
 * the transaction.
 */
export class InternalEvents {
  readonly #listeners = new Map<InternalEvent<unknown>, Listener<never>[]>();

  on<Change>(event: InternalEvent<Change>, listener: Listener<Change>): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  async emit<Change>(event: InternalEvent<Change>, trx: Db, change: Change): Promise<void> {
    for (const listener of (this.#listeners.get(event) ?? []) as Listener<Change>[])
      await listener(trx, change);
  }
}
