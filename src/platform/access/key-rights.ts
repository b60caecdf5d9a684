import { levelOf, PERMISSION_KEYS, type PermissionKey } from './keys.js';
import type { Need } from './memo.js';
import type { Policy } from './policies.js';

const SENT_BY_PEOPLE = 'send_messages';
type OfManagers = Exclude<PermissionKey, typeof SENT_BY_PEOPLE>;
const OWN = ['read_settings', 'manage_settings', 'read_portal', 'manage_portal', 'send_payouts'] as const;
export type KeyRight = OfManagers | (typeof OWN)[number];

/**
 * The rights an API key can hold: the permissions of managers except for sending, the settings, and the owner's own
 * portal.
 */
export const KEY_RIGHTS: readonly KeyRight[] = [
  ...PERMISSION_KEYS.filter((key): key is OfManagers => key !== SENT_BY_PEOPLE),
  ...OWN,
];

/** The API key a request came with. */
export interface PresentedKey {
  readonly id: number;
  readonly name: string;
  readonly created_by: number | null;
  readonly rights: readonly KeyRight[];
}

export const isKeyRight = (value: unknown): value is KeyRight =>
  typeof value === 'string' && (KEY_RIGHTS as readonly string[]).includes(value);

/** Does a key with these rights open the route? Its owner needs the right as well (docs/api-keys.md). */
export function keyOpens(rights: readonly KeyRight[], policy: Policy, need: Need): boolean {
  const permissions = rights.filter((right): right is OfManagers =>
    (PERMISSION_KEYS as readonly string[]).includes(right),
  );
  if (policy.kind === 'public') return true;
  if (policy.kind === 'site') return false;
  if (policy.kind === 'signed_in') return policy.checks === 'figures' || holds(rights, 'portal', need);
  // What only administrators may do (managers, keys, the wipe) cannot be done with a key, nor what outlives it.
  if (policy.kind === 'admin')
    return policy.delegable !== undefined && !policy.peopleOnly && holds(rights, 'settings', need);
  if (policy.sends) return false;
  if (policy.right !== undefined && !rights.includes(policy.right)) return false;
  return reachesSection(permissions, policy, need);
}

function reachesSection(
  permissions: readonly PermissionKey[],
  { section, also }: Extract<Policy, { kind: 'section' }>,
  need: Need,
): boolean {
  const level = levelOf(permissions, section);
  const reaches = level === 'write' || level === need;
  return reaches && (also === undefined || levelOf(permissions, also) !== 'none');
}

const holds = (rights: readonly KeyRight[], what: 'settings' | 'portal', need: Need): boolean =>
  rights.includes(`manage_${what}`) || (need === 'read' && rights.includes(`read_${what}`));
