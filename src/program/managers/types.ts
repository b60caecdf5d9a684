import type { HostUser } from '../../../adapters/host.js';
import type { PermissionKey } from '../../platform/access/keys.js';

/** A host user with delegated rights. */
export interface Manager {
  readonly user: HostUser;
  readonly permissions: readonly PermissionKey[];
}

export interface ManagerInput {
  readonly user_id: number;
  /** A list of keys; unknown ones are dropped. */
  readonly permissions?: unknown;
}
