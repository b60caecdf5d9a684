import type { Route } from './http/define-route.js';
import type { DeclaredHooks } from './hooks/line.js';
import type { Job } from './jobs/runner.js';

/** Recurring work of a module, which is given the module's service. */
export interface ModuleJob<Service> extends Pick<Job, 'name' | 'everyMs' | 'aside'> {
  /** Checked first, so that a job without work takes no lease. */
  isDue?(service: Service): Promise<boolean>;
  run(service: Service): Promise<unknown>;
}

/** A feature of the program: everything that the rest of the package has to know about its folder. */
export interface Module<
  Name extends string,
  Service extends object,
  in Deps,
  R extends Route,
  Api,
  Hooks extends DeclaredHooks,
> {
  /** How other modules reach its service: `app.payouts`. */
  readonly name: Name;
  readonly Service: new (app: Deps) => Service;
  /** Where it calls the code of hosts. */
  readonly hooks: Hooks;
  readonly routes: readonly R[];
  readonly jobs: readonly ModuleJob<Service>[];
  /**
   * What hosts may call of it: `service.payouts`. Methods for other modules (locks, ledger entries, changes inside
   * another transaction) are left out.
   */
  api(this: void, service: Service): Api;
  /** Names of the api's methods that return at once, without the database: `get`, `settings.formParts`. */
  readonly immediate: readonly string[];
  /** Names of the api's methods that return rows one by one. */
  readonly rows: readonly string[];
}

const NO_HOOKS = { lines: {}, names: {} } as const;

/** Declares a module, in its folder's `index.ts`. Its only other place is the list in `src/app/modules.ts`. */
export const defineModule = <
  const Name extends string,
  Service extends object,
  Deps,
  R extends Route = Route<unknown>,
  Api = undefined,
  Hooks extends DeclaredHooks = typeof NO_HOOKS,
>(
  module: Pick<Module<Name, Service, Deps, R, Api, Hooks>, 'name' | 'Service'> &
    Partial<Module<Name, Service, Deps, R, Api, Hooks>>,
): Module<Name, Service, Deps, R, Api, Hooks> => ({
  hooks: NO_HOOKS as object as Hooks,
  routes: [],
  jobs: [],
  api: () => undefined as Api,
  immediate: [],
  rows: [],
  ...module,
});
