import type { UsersService } from './edges/users/index.js';
import type { Modules } from './modules.js';
import type { Platform } from './platform/platform.js';
import type { Risk } from './risks.js';

/**
 * Every part together. A handler and a service receive it as far as their `RouteNeeds` or `needs.ts` names it;
 * modules meet through it, never by importing each other's code.
 */
export interface App extends Platform, Modules {
  /** The host's accounts: whose ids they are, and what happens when one goes. `service.users`. */
  readonly accounts: UsersService;
  /** What is risky in this installation now. */
  risks(): Promise<readonly Risk[]>;
}
