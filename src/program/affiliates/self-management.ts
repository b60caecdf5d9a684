import { fail } from '../../errors.js';
import type { Deps } from './deps.js';

/**
 * May callers manage their own affiliate account, its commissions and payments? Administrators and code
 * always; managers unless the option `forbidSelfManagement` is on.
 */
export async function mayManageSelf(app: Deps): Promise<boolean> {
  const { user, source } = app.context.current();
  if (!app.options.forbidSelfManagement || source !== 'rest' || user === null) return true;
  return app.host.can(user.id, 'manage_options');
}

/** Refuses callers who may not manage their own account; `userId` is the user of the account. */
export async function forbidSelfManagement(app: Deps, userId: number | null): Promise<void> {
  const isOwn = userId !== null && app.context.current().user?.id === userId;
  if (isOwn && !(await mayManageSelf(app))) fail('self_management_forbidden');
}
