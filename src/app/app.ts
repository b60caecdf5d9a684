import type { UsersService } from '../channels/users/index.js';
import type { ModuleHooks, Modules } from './modules.js';
import type { HooksOf } from '../platform/hooks/fire.js';
import type { Platform } from '../platform/platform.js';
import type { Risk } from '../platform/risks.js';

/**
 * All parts together. Handlers and services are given as much of it as their `RouteDeps` or `deps.ts`
 * names. Modules reach each other through it and never import each other's code.
 */
export interface App extends Platform, Modules {
  /** The hooks of all modules. */
  readonly hooks: HooksOf<ModuleHooks>;
  /** The host's accounts: the ids of users, and what happens when one is deleted. `service.users`. */
  readonly accounts: UsersService;
  /** What is risky about this installation now. */
  risks(): Promise<readonly Risk[]>;
}
