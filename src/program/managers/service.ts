import { normalizePermissions } from '../../platform/access/keys.js';
import { createPermissions, type Permissions } from '../../platform/access/permissions.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import type { Manager, ManagerInput } from './types.js';

/**
 * Managers: users with a stored list of permissions. Only administrators change them; this right cannot be
 * delegated.
 */
export class ManagersService {
  readonly #permissions: Permissions;

  constructor(private readonly app: Deps) {
    this.#permissions = createPermissions(app);
  }

  /** By user id, without users the host no longer knows and those who became administrators. */
  async list(): Promise<Manager[]> {
    const stored = await this.#permissions.all();
    const users = await this.app.users(stored.keys());
    const managers: Manager[] = [];
    for (const [id, permissions] of stored) {
      const user = users.get(id);
      if (user !== undefined && !(await this.#permissions.isAdmin(id))) managers.push({ user, permissions });
    }
    return managers;
  }

  /** Adds a manager, or replaces the permissions of one. */
  async save({ user_id, permissions }: ManagerInput): Promise<Manager> {
    const [user] = await this.app.host.users.find([user_id]);
    if (user === undefined) fail('user_not_found');
    if (await this.#permissions.isAdmin(user_id)) fail('manager_is_admin');
    const wanted = normalizePermissions(typeof permissions === 'string' ? [permissions] : permissions);
    if (wanted.length === 0) fail('permissions_required');
    return { user, permissions: await this.#permissions.setPermissions(user_id, wanted) };
  }

  /** Is this user a manager or an administrator? */
  async isOne(userId: number): Promise<boolean> {
    return (await this.#permissions.getPermissions(userId)).length > 0;
  }

  /** Gives a user these rights besides those they have; administrators have every right already. */
  async add(userId: number, permissions: readonly string[]): Promise<void> {
    if (await this.#permissions.isAdmin(userId)) return;
    const held = await this.#permissions.getPermissions(userId);
    await this.#permissions.setPermissions(userId, normalizePermissions([...held, ...permissions]));
  }

  /** Removes the stored list, but not the host account. */
  async remove(userId: number): Promise<void> {
    if (!(await this.#permissions.removePermissions(userId))) fail('manager_not_found');
  }
}
