// One line of the catalogue says what a hook is, which arguments it has and when it fires. Types, checks and
// hooks/README.md follow from it.

export interface LineOptions {
  /** The values that a `{placeholder}` in the name can have; any value when absent. */
  readonly values?: readonly string[];
  /** Arguments are passed as they are, not as frozen copies. */
  readonly live?: boolean;
}

export interface FilterOptions extends LineOptions {
  /** Can the operation use this answer? Money must stay a whole number of minor units, a list a list. */
  readonly check?: (value: unknown) => boolean;
  /** What happens on a bad answer: it stops the operation (`refuse`, default) or is ignored (`drop`). */
  readonly bad?: 'refuse' | 'drop';
  /**
   * The value is only shown: a tap that throws or returns something unusable is logged and left out; the page
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
