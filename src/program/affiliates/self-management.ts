import { fail } from '../../errors.js';
import type { Needs } from './needs.js';

/**
 * With option `forbidSelfManagement`, a delegated manager may not write the affiliate row of the own account;
 * administrators may.
 */
export async function forbidSelfManagement(app: Needs, userId: number | null): Promise<void> {
  const { user, source } = app.context.current();
  if (!app.options.forbidSelfManagement || source !== 'rest' || user === null || user.id !== userId) return;
  if (!(await app.host.can(user.id, 'manage_options'))) fail('self_management_forbidden');
}
