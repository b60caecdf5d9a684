import type { HostUser } from '../../../adapters/host.js';
import type { Platform } from '../platform.js';
import type { PermissionKey } from './keys.js';
import type { Section } from './policies.js';
import { readPermissions } from './repository.js';

export type Need = 'read' | 'write';

/** A filter's verdict on one question, and the outcome it was given. */
export interface Verdict {
  readonly current: boolean;
  readonly verdict: Promise<boolean>;
}

/**
 * Caches what one request has asked about its user. It lives as long as the request: a right that was removed
 * no longer counts at the next one, and a filter is asked once per section and need.
 */
export class AccessMemo {
  readonly #capabilities = new Map<string, Promise<boolean>>();
  readonly #verdicts = new Map<string, Verdict>();
  #stored: Promise<PermissionKey[]> | undefined;

  can(app: Platform, user: HostUser, capability: string): Promise<boolean> {
    const asked = this.#capabilities.get(capability) ?? app.host.can(user.id, capability);
    this.#capabilities.set(capability, asked);
    return asked;
  }

  stored(app: Platform, user: HostUser): Promise<PermissionKey[]> {
    return (this.#stored ??= readPermissions(app.db, user.id));
  }

  verdict(section: Section, need: Need, current: boolean, ask: () => Promise<boolean>): Verdict {
    const key = `${section}:${need}`;
    const known = this.#verdicts.get(key) ?? { current, verdict: ask() };
    this.#verdicts.set(key, known);
    return known;
  }
}
