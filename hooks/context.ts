import type { HostUser } from '../adapters/host.js';
import type { Services } from '../src/app/public-api.js';
import type { HookExtras } from '../src/platform/hooks/fire.js';

/**
 * The last argument of every tap: who caused the call. Node knows no "current user" that a tap could ask for.
 */
export interface HookContext extends HookExtras {
  /** Who caused it; null in jobs, for visitors and for calls from code without a user. */
  readonly user: HostUser | null;
  /** The API key the request was made with. */
  readonly apiKey?: { readonly id: number; readonly name: string; readonly created_by: number | null };
  readonly requestId: string;
  readonly source: 'rest' | 'portal' | 'tracker' | 'provider' | 'job' | 'code';
  /** The service, for a tap that reads or changes more. */
  readonly service: Services;
}
