// One line of the catalog: the kind of a hook, its arguments and when it fires. Types, checks and
// hooks/README.md follow from it. A module declares its lines in `hooks.ts`. Taps receive records as they are stored:
// money in minor units, rates × 10 000, times in epoch milliseconds.

/** A map as it was sent or will be stored. */
export type DataMap = Readonly<Record<string, unknown>>;

export interface LineOptions {
  /** The values that a `{placeholder}` in the name can have; any value when absent. */
  readonly values?: readonly string[];
  /** Arguments are passed as they are, not as frozen copies. */
  readonly live?: boolean;
}

export interface FilterOptions extends LineOptions {
  /** Can the operation use this value? Money must be a whole number of minor units, a list must be a list. */
  readonly check?: (value: unknown) => boolean;
  /** What a bad value does: it stops the operation (`refuse`, default) or is ignored (`drop`). */
  readonly bad?: 'refuse' | 'drop';
  /**
   * The value is only shown: a tap that throws or returns something unusable is logged and skipped; the page
   * appears without it.
   */
  readonly shown?: boolean;
}

export interface ActionLine<A extends readonly unknown[] = readonly unknown[]> {
  /**
   * A throw in a `before` action stops the operation; in an `after` action it is
   * logged and the next tap runs.
   */
  readonly kind: 'before' | 'after';
  readonly args: readonly string[];
  readonly summary: string;
  readonly options: LineOptions;
  /** Exists only as a type: the arguments a tap receives before `ctx`. */
  readonly takes?: A;
}

export interface FilterLine<V = unknown, R extends readonly unknown[] = readonly unknown[]> {
  readonly kind: 'filter';
  /** Names of the arguments after the value. */
  readonly args: readonly string[];
  readonly summary: string;
  readonly options: FilterOptions;
  /** Exist only as types: the value, and the arguments after it. */
  readonly value?: V;
  readonly takes?: R;
}

/** A filter of a map: taps change values and add keys, so it comes back in the type it had. */
export interface MapFilterLine<R extends readonly unknown[] = readonly unknown[]> extends FilterLine<
  DataMap,
  R
> {
  readonly keepsType: true;
}

export type Line = ActionLine | FilterLine;
export type Lines = Readonly<Record<string, Line>>;

type Names<A extends readonly unknown[]> = { readonly [K in keyof A]: string };

/** An action that runs before anything is written; a tap may throw `HookVeto` to stop the operation. */
export function before<A extends readonly unknown[]>(
  args: Names<A>,
  summary: string,
  options: LineOptions = {},
): ActionLine<A> {
  return { kind: 'before', args, summary, options };
}

/** An action that runs after the commit; a failing tap is logged and changes nothing. */
export function after<A extends readonly unknown[]>(
  args: Names<A>,
  summary: string,
  options: LineOptions = {},
): ActionLine<A> {
  return { kind: 'after', args, summary, options };
}

/** A value extensions may change. */
export function filter<V, R extends readonly unknown[] = []>(
  args: Names<R>,
  summary: string,
  options: FilterOptions = {},
): FilterLine<V, R> {
  return { kind: 'filter', args, summary, options };
}

/** A map whose values extensions may change, and which keeps its type. */
export function mapFilter<R extends readonly unknown[] = []>(
  args: Names<R>,
  summary: string,
  options: FilterOptions = {},
): MapFilterLine<R> {
  return { ...filter<DataMap, R>(args, summary, options), keepsType: true };
}

/** Hooks with their names. */
export interface DeclaredHooks {
  /** By the name with which the service fires each, often that of the WordPress plugin. */
  readonly lines: Lines;
  /** The names to use, by subject as in the event log, each with the name it is fired with. */
  readonly names: Readonly<Record<string, string>>;
}

/** The hooks of a module, and the names to use for them. */
export const defineHooks = <
  const L extends Lines,
  const N extends Readonly<Record<string, Extract<keyof L, string>>>,
>(
  lines: L,
  names: N,
): { readonly lines: L; readonly names: N } => ({ lines, names });
