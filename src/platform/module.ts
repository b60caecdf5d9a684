import type { Route } from './http/define-route.js';
import type { Job } from './jobs/runner.js';

/** Recurring work of a module, which is given the module's service. */
export interface ModuleJob<Service> extends Pick<Job, 'name' | 'everyMs' | 'aside'> {
  /** Asked before the lease is taken, so that without work nothing is written. */
  isDue?(service: Service): Promise<boolean>;
  run(service: Service): Promise<unknown>;
}

/** A feature of the program: everything that the rest of the package has to know about its folder. */
export interface Module<Name extends string, Service extends object, in Deps, R extends Route> {
  /** How other modules reach its service: `app.payouts`. */
  readonly name: Name;
  readonly Service: new (app: Deps) => Service;
  readonly routes: readonly R[];
  readonly jobs: readonly ModuleJob<Service>[];
}

/** Declares a module, in its folder's `index.ts`. Its only other place is the list in `src/modules.ts`. */
export const defineModule = <
  const Name extends string,
  Service extends object,
  Deps,
  R extends Route = Route<unknown>,
>(
  module: Pick<Module<Name, Service, Deps, R>, 'name' | 'Service'> & Partial<Module<Name, Service, Deps, R>>,
): Module<Name, Service, Deps, R> => ({ routes: [], jobs: [], ...module });
