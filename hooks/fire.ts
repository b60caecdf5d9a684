import type { Filtered, FilterName, FilterValue, FireArgs, FireRest, ActionName } from './names.js';

export interface Fire {
  doAction<N extends ActionName>(name: N, ...args: FireArgs<N>): Promise<void>;
  applyFilters<N extends FilterName, V extends FilterValue<N>>(
    name: N,
    value: V,
    ...rest: FireRest<N>
  ): Promise<Filtered<N, V>>;
}
