import { normalizePermissions, type PermissionKey } from '../../platform/access/keys.js';
import { createPermissions } from '../../platform/access/permissions.js';
import type { Deps } from './deps.js';
import type { Batch } from './batch.js';
import type { Migrator, SourceManager } from '../../../adapters/imports.js';
import { findUser } from './users.js';

/**
 * A manager of the old system, and the user here; without a user, the reason why the rights are not imported.
 */
export interface MatchedManager {
  readonly id: string;
  readonly userId: number | null;
  readonly keys: readonly PermissionKey[];
  readonly reason: string;
}

/** Asks source and host before any transaction is open. */
export async function matchManagers(app: Deps, migrator: Migrator): Promise<MatchedManager[]> {
  const matched: MatchedManager[] = [];
  for (const manager of (await migrator.managers?.()) ?? []) matched.push(await match(app, manager));
  return matched;
}

async function match(app: Deps, { id, user, permissions, problem }: SourceManager): Promise<MatchedManager> {
  const keys = normalizePermissions(permissions);
  const stays = (reason: string): MatchedManager => ({ id: `manager-${id}`, userId: null, keys, reason });
  if (problem !== undefined) return stays(problem);
  if (keys.length === 0) return stays('manager_without_known_rights');
  const found = await findUser(app, user);
  if (found === null) return stays('manager_user_missing');
  if (await app.host.can(found.id, 'manage_options')) return stays('manager_is_administrator');
  return { id: `manager-${id}`, userId: found.id, keys, reason: 'manager_rights_given' };
}

/** Gives the rights to users who have none yet; rights that an administrator gave here do not change. */
export async function grantRights(batch: Batch, managers: readonly MatchedManager[]): Promise<void> {
  const permissions = createPermissions(batch.app);
  for (const { id, userId, keys, reason } of managers) {
    if (userId === null) batch.leave({ id }, reason);
    else if (await permissions.grantFirst(userId, keys)) batch.note({ id }, reason);
    else batch.leave({ id }, 'manager_has_other_rights');
  }
}
