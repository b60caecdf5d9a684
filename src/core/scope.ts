import { AsyncLocalStorage } from 'node:async_hooks';

interface Entry {
  readonly scope: object;
  readonly value: unknown;
  readonly outer: Entry | undefined;
}

// One store for all scopes: each store that was ever used is carried along by every promise of the process,
// also those of closed services.
const entries = new AsyncLocalStorage<Entry>();

/** A value that is set by `run` and can be read by everything `run` calls, also asynchronously. */
export class Scope<T> {
  get(): T | undefined {
    let entry = entries.getStore();
    while (entry !== undefined && entry.scope !== this) entry = entry.outer;
    return entry?.value as T | undefined;
  }

  run<R>(value: T, work: () => R): R {
    return entries.run({ scope: this, value, outer: without(this, entries.getStore()) }, work);
  }
}

/**
 * At most one entry per scope: a timer that starts itself again inside a scope must not make the chain
 * longer.
 */
function without(scope: object, entry: Entry | undefined): Entry | undefined {
  if (entry === undefined) return undefined;
  const outer = without(scope, entry.outer);
  if (entry.scope === scope) return outer;
  return outer === entry.outer ? entry : { ...entry, outer };
}
