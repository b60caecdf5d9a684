import { MODULES, type ModuleHooks } from '../src/app/modules.js';
import { platformHooks } from '../src/platform/hooks/own.js';

const DECLARED = [platformHooks, ...MODULES.map(({ hooks }) => hooks)];

type Declared = ModuleHooks & typeof platformHooks;
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

export type Catalog = Flat<Declared['lines']>;
export type CatalogNames = Flat<Declared['names']>;

/** Every hook: those of the platform and of each module. */
export const catalog = Object.assign({}, ...DECLARED.map(({ lines }) => lines)) as Catalog;

/** The names to use, by subject as in the event log, and the names with which the service fires the hooks. */
export const hookNames = Object.assign({}, ...DECLARED.map(({ names }) => names)) as CatalogNames;
