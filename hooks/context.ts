import type { HostUser } from '../adapters/host.js';
import type { Services } from '../src/front-door.js';

/**
 * The last argument of every tap: on whose behalf the call happens.
 * Node has no "current user" a tap could ask.
 */
export interface HookContext {
  /** The actor; null in jobs, for visitors and in code calls without a user. */
  readonly user: HostUser | null;
  /** The API key the actor's request came with. */
  readonly apiKey?: { readonly id: number; readonly name: string };
  readonly requestId: string;
  readonly source: 'rest' | 'portal' | 'tracker' | 'provider' | 'job' | 'code';
  /** What the request wants; set for access filters. */
  readonly access?: 'read' | 'write';
  /** Rows a delete will remove, by kind. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The service, to read more or to act. */
  readonly service: Services;
}

export type HookExtras = Partial<Pick<HookContext, 'access' | 'counts'>>;
