import type { UsersService } from './channels/users/index.js';
import type { Modules } from './modules.js';
import type { Platform } from './platform/platform.js';
import type { Risk } from './risks.js';

/**
 * All parts together. Handlers and services are given as much of it as their `RouteDeps` or `deps.ts`
 * names. Modules reach each other through it and never import each other's code.
 */
export interface App extends Platform, Modules {
  /** The host's accounts: the ids of users, and what happens when one is deleted. `service.users`. */
  readonly accounts: UsersService;
  /** What is risky about this installation now. */
  risks(): Promise<readonly Risk[]>;
}
