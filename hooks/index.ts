export { catalog, type Catalog } from './catalog/index.js';
export type { HookContext, HookExtras } from './context.js';
export type * from './custom.js';
export { HookError, HookResultError, HookUsageError, HookVeto } from './errors.js';
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
export type {
  ActionArgs,
  ActionName,
  ActionTap,
  FilterName,
  FilterRest,
  FilterTap,
  FilterValue,
  TapName,
} from './names.js';
export type * from './records.js';
export {
  HookRegistry,
  type Fire,
  type Hooks,
  type RegistryOptions,
  type TapOptions,
  type Untap,
} from './registry.js';
