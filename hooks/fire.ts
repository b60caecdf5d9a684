import type { Filtered, FilterName, FilterValue, FireArgs, FireRest, ActionName } from './names.js';

/** What taps learn besides who caused the call. */
export interface HookExtras {
  /** Whether the request reads or writes; set for access filters. */
  readonly access?: 'read' | 'write';
  /** How many rows a delete will remove, by kind. */
  readonly counts?: Readonly<Record<string, number>>;
}

export interface Fire {
  doAction<N extends ActionName>(name: N, ...args: FireArgs<N>): Promise<void>;
  applyFilters<N extends FilterName, V extends FilterValue<N>>(
    name: N,
    value: V,
    ...rest: FireRest<N>
  ): Promise<Filtered<N, V>>;
}

/** What the service calls; extensions see `Hooks`. */
export interface FiredHooks extends Fire {
  /** Has this hook a tap? */
  isUsed(name: ActionName | FilterName): boolean;
  /** Fires with more in `ctx`. */
  with(extras: HookExtras): Fire;
}
