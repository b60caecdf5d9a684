import { AsyncLocalStorage } from 'node:async_hooks';

interface Entry {
  readonly scope: object;
  readonly value: unknown;
  readonly outer: Entry | undefined;
}

// One for all of them: each that was ever used is carried along by every promise of the process,
// also those of closed services.
const entries = new AsyncLocalStorage<Entry>();

/** A value that follows the chain of calls, set by `run` and read anywhere below it. */
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

/** One entry per scope at most: a timer that sets itself anew inside a scope must not grow the chain. */
function without(scope: object, entry: Entry | undefined): Entry | undefined {
  if (entry === undefined) return undefined;
  const outer = without(scope, entry.outer);
  if (entry.scope === scope) return outer;
  return outer === entry.outer ? entry : { ...entry, outer };
}
