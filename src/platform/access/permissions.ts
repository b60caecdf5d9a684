import type { IncomingMessage } from 'node:http';
import type { Platform } from '../platform.js';
import { fail } from '../../errors.js';
import type { Db } from '../database/db.js';
import {
  expandPermissions,
  isPermissionKey,
  normalizePermissions,
  PERMISSION_KEYS,
  permissionSets,
  type PermissionKey,
} from './keys.js';
import {
  deletePermissions,
  listPermissions,
  lockPermissions,
  readPermissions,
  writePermissions,
} from './repository.js';

/** The platform, and the log of changes of rights. */
interface Deps extends Platform {
  readonly audit: {
    write(
      trx: Db,
      action: string,
      object: readonly [type: string, id: number],
      values: { readonly before: unknown; readonly after: unknown },
    ): Promise<void>;
  };
}

/**
 * Delegated rights of users (docs/interface.md §2.1).
 * Every question reads the stored list, so a change counts at once.
 */
export class Permissions {
  constructor(private readonly app: Deps) {}

  /** Does the signed-in user of this request have this right? Does not look at the nonce. */
  async currentUserCan(req: IncomingMessage, key: string): Promise<boolean> {
    const user = await this.app.host.currentUser(req);
    return user !== null && this.userCan(user.id, key);
  }

  /** With several keys, one of them is enough. Always true for an administrator. */
  async userCan(userId: number, keys: string | readonly string[]): Promise<boolean> {
    if (await this.isAdmin(userId)) return true;
    const held = expandPermissions(await readPermissions(this.app.db, userId));
    return [keys].flat().some((key) => isPermissionKey(key) && held.has(key));
  }

  /** Every right the user has, with those that others imply; `admin` and every key for an administrator. */
  async getPermissions(userId: number): Promise<(PermissionKey | 'admin')[]> {
    if (await this.isAdmin(userId)) return ['admin', ...PERMISSION_KEYS];
    const held = expandPermissions(await readPermissions(this.app.db, userId));
    return PERMISSION_KEYS.filter((key) => held.has(key));
  }

  allPermissionSets(): Record<PermissionKey, { label: string }> {
    return permissionSets();
  }

  /** Is this user let in at all? This alone gives access to no data. */
  async hasAnyPermission(req: IncomingMessage): Promise<boolean> {
    const user = await this.app.host.currentUser(req);
    if (user === null) return false;
    if (await this.isAdmin(user.id)) return true;
    if ((await readPermissions(this.app.db, user.id)).length > 0) return true;
    return this.app.hooks.applyFilters('user_has_affiliate_access', false, user.id);
  }

  /** Replaces the list of a user and returns what was stored; an empty list takes every right away. */
  async setPermissions(userId: number, keys: readonly string[]): Promise<PermissionKey[]> {
    const wanted = normalizePermissions(keys);
    if (wanted.length === 0 && keys.length > 0) fail('permissions_required');
    const [user] = await this.app.host.users.find([userId]);
    if (user === undefined) fail('user_not_found');
    if (await this.isAdmin(userId)) fail('manager_is_admin');
    await this.#replace(userId, wanted);
    return wanted;
  }

  /** Removes all rights of a user, also of one the host no longer knows; false when there were none. */
  async removePermissions(userId: number): Promise<boolean> {
    return (await this.#replace(userId, [])).length > 0;
  }

  /**
   * Gives rights to a user who has none, also inside an open transaction; the caller has asked the host about
   * the user. False when the user has other rights, which do not change.
   */
  async grantFirst(userId: number, keys: readonly PermissionKey[]): Promise<boolean> {
    return this.app.transaction(async (trx) => {
      const stored = await lockPermissions(trx, userId);
      if (stored.length === 0) await this.#replace(userId, keys);
      return stored.length === 0 || stored.join() === keys.join();
    });
  }

  /** Stored lists by user id. */
  all(): Promise<Map<number, PermissionKey[]>> {
    return listPermissions(this.app.db);
  }

  isAdmin(userId: number): Promise<boolean> {
    return this.app.host.can(userId, 'manage_options');
  }

  /**
   * Stores the list and returns the one before. If nothing changes, nothing is written and no hook is fired.
   */
  async #replace(userId: number, next: readonly PermissionKey[]): Promise<PermissionKey[]> {
    const { app } = this;
    return app.transaction(async (trx, afterCommit) => {
      const previous = await lockPermissions(trx, userId);
      if (next.length === 0) await deletePermissions(trx, userId);
      else await writePermissions(trx, userId, next, app.clock.now());
      if (previous.join() === next.join()) return previous;
      await app.audit.write(trx, 'manager.permissions', ['user', userId], { before: previous, after: next });
      const actor = app.context.current().user?.id ?? null;
      afterCommit(() => app.hooks.doAction('manager_permissions_updated', userId, next, previous, actor));
      return previous;
    });
  }
}

export const createPermissions = (app: Deps): Permissions => new Permissions(app);
