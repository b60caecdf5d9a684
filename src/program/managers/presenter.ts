import { avatarOf } from '../../core/avatar.js';
import { permissionSets } from '../../platform/access/keys.js';
import type { ManagerDto, PermissionsDto } from './schemas.js';
import type { Manager } from './types.js';

/** Some clients read `user_id` and `display_name`, others `id` and `name`; both are sent. */
export function presentManager({ user, permissions }: Manager): ManagerDto {
  return {
    user_id: user.id,
    id: user.id,
    display_name: user.display_name,
    name: user.full_name || user.display_name,
    email: user.email,
    avatar: avatarOf(user),
    permissions,
    is_admin: false,
  };
}

/** Every key with its label; as `{key: label}` for clients that print the value itself. */
export function presentPermissionSets(shape: 'object' | 'string'): PermissionsDto {
  const sets = permissionSets();
  return shape === 'object'
    ? sets
    : Object.fromEntries(Object.entries(sets).map(([key, { label }]) => [key, label]));
}
