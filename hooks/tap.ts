import type { HookContext } from './context.js';
import type { ActionTapName, FilterTapName, FilterValue, FireArgs, FireRest } from './names.js';

export type ActionTap<N extends string> = (...args: [...FireArgs<N>, ctx: HookContext]) => unknown;
export type FilterTap<N extends string> = (
  value: FilterValue<N>,
  ...rest: [...FireRest<N>, ctx: HookContext]
) => FilterValue<N> | undefined | void | Promise<FilterValue<N> | undefined | void>;

/** A tap of any hook; its exact type is checked where it is added. */
export type TapFunction = (...args: never[]) => unknown;

/** Functions by the names of their hooks, without prefix (hooks/README.md). */
export type HookTaps = { readonly [N in ActionTapName]?: ActionTap<N> } & {
  readonly [N in FilterTapName]?: FilterTap<N>;
};

export interface TapOptions {
  /** For logs and for removal; default: the function's name. */
  readonly name?: string;
  /** Lower runs first, equal ones in order of arrival. Default 10. */
  readonly priority?: number;
}
/** Removes the tap; false when it was removed before. */
export type Untap = () => boolean;
