export { catalog, hookNames, type Catalog } from './catalog.js';
export type { HookContext } from './context.js';
export type * from './custom.js';
export { HookError, HookResultError, HookUsageError, HookVeto } from './errors.js';
export type { Fire } from './fire.js';
export type { HookExtras } from '../src/platform/hooks/fire.js';
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
} from '../src/platform/hooks/line.js';
export type {
  ActionArgs,
  ActionName,
  ActionTapName,
  FilterName,
  FilterTapName,
  FilterRest,
  FilterValue,
  TapName,
} from './names.js';
export type * from './records.js';
export { HookRegistry, type Hooks, type RegistryOptions } from './registry.js';
export type { ActionTap, FilterTap, TapOptions, Untap } from './tap.js';
