import type { HostUser } from '../adapters/host.js';
import type { Services } from '../src/front-door.js';
import type { HookExtras } from './fire.js';

/**
 * The last argument of every tap: on whose behalf the call happens.
 * Node has no "current user" a tap could ask.
 */
export interface HookContext extends HookExtras {
  /** The actor; null in jobs, for visitors and in code calls without a user. */
  readonly user: HostUser | null;
  /** The API key the actor's request came with. */
  readonly apiKey?: { readonly id: number; readonly name: string };
  readonly requestId: string;
  readonly source: 'rest' | 'portal' | 'tracker' | 'provider' | 'job' | 'code';
  /** The service, to read more or to act. */
  readonly service: Services;
}
