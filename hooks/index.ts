export { catalog, type Catalog } from './catalog/index.js';
export type { HookContext } from './context.js';
export type * from './custom.js';
export { HookError, HookResultError, HookUsageError, HookVeto } from './errors.js';
export type { Fire, HookExtras } from './fire.js';
export {
  after,
  before,
  filter,
  type ActionLine,
  type FilterLine,
  type FilterOptions,
  type Line,
  type LineOptions,
  type Lines,
} from './line.js';
export type { ActionArgs, ActionName, FilterName, FilterRest, FilterValue, TapName } from './names.js';
export type * from './records.js';
export { HookRegistry, type Hooks, type RegistryOptions } from './registry.js';
export type { ActionTap, FilterTap, TapOptions, Untap } from './tap.js';
