import type { platformHooks } from './own.js';

/** What taps learn besides who caused the call. */
export interface HookExtras {
  /** Whether the request reads or writes; set for access filters. */
  readonly access?: 'read' | 'write';
  /** How many rows a delete will remove, by kind. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** `affiliate_status_to_{status}` as the names it stands for. */
export type Spelling<K extends string> = K extends `${infer A}{${string}}${infer B}`
  ? `${A}${string}${Spelling<B>}`
  : K;

/** What each action takes, by name. */
type Actions<L> = {
  readonly [
    K in keyof L & string as L[K] extends { readonly kind: 'filter' } ? never : Spelling<K>
  ]: L[K] extends {
    readonly takes?: infer A extends readonly unknown[];
  }
    ? A
    : [];
};
type ValueOf<Line> = Line extends { readonly value?: infer V } ? Exclude<V, undefined> : never;
type Keeps<Line, Yes, No> = Line extends { readonly keepsType: true } ? Yes : No;
/**
 * What each filter takes, by name, and what comes back: `back & (other | V)`, which is V, the type that went in, for a
 * filter of a map, and the type of the line for all others.
 */
type Filters<L> = {
  readonly [K in keyof L & string as L[K] extends { readonly kind: 'filter' } ? Spelling<K> : never]: {
    readonly value: ValueOf<L[K]>;
    readonly rest: L[K] extends { readonly takes?: infer R extends readonly unknown[] } ? R : [];
    readonly back: Keeps<L[K], unknown, ValueOf<L[K]>>;
    readonly other: Keeps<L[K], never, unknown>;
  };
};
type ArgsByName<A> = { readonly [N in keyof A]: readonly unknown[] };
interface FilterTypes {
  readonly value: unknown;
  readonly rest: readonly unknown[];
  readonly back: unknown;
  readonly other: unknown;
}
type FiltersByName<F> = { readonly [N in keyof F]: FilterTypes };

// The methods look up their types by name and decide nothing, so the hooks of a whole program can be passed where
// those of one module are asked for.
interface Calls<A extends ArgsByName<A>, F extends FiltersByName<F>> {
  doAction<N extends keyof A & string>(name: N, ...args: A[N]): Promise<void>;
  applyFilters<N extends keyof F & string, V extends F[N]['value']>(
    name: N,
    value: V,
    ...rest: F[N]['rest']
  ): Promise<F[N]['back'] & (F[N]['other'] | V)>;
}
interface FiredCalls<A extends ArgsByName<A>, F extends FiltersByName<F>> extends Calls<A, F> {
  /** Has this hook a tap? */
  isUsed(name: (keyof A | keyof F) & string): boolean;
  /** Fires with more in `ctx`. */
  with(extras: HookExtras): Calls<A, F>;
}

/**
 * The hooks that a module fires: `HooksOf<typeof groupHooks>`, or of several modules
 * `HooksOf<typeof settingsHooks & typeof emailHooks>`. Those of the platform are always among them.
 */
export type HooksOf<H extends { readonly lines: object }> = FiredHooksOf<
  H['lines'] & (typeof platformHooks)['lines']
>;
type FiredHooksOf<L> =
  Actions<L> extends infer A extends ArgsByName<A>
    ? Filters<L> extends infer F extends FiltersByName<F>
      ? FiredCalls<A, F>
      : never
    : never;
