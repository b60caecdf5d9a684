import type { Section } from './policies.js';

// Responses list the keys in this order. There is no manage_all_visits, since visits are only read.
const LABELS = {
  read_all_affiliates: 'Read Access to All Affiliates',
  manage_all_affiliates: 'Read & Write Access to All Affiliates',
  read_all_referrals: 'Read Access to All Referrals',
  manage_all_referrals: 'Read & Write Access to All Referrals',
  read_all_visits: 'Read Access to All Visits',
  read_all_payouts: 'Read Access to All Payouts',
  manage_all_payouts: 'Read & Write Access to All Payouts',
  send_messages: 'Invite People and Write to Affiliates',
  manage_all_data: 'Manage All Data and Settings',
} as const;

export type PermissionKey = keyof typeof LABELS;
export type Level = 'none' | 'read' | 'write';

export const PERMISSION_KEYS = Object.keys(LABELS) as readonly PermissionKey[];

export const isPermissionKey = (key: unknown): key is PermissionKey =>
  typeof key === 'string' && Object.hasOwn(LABELS, key);

/** Key → `{label}` in the order of the table. */
export function permissionSets(): Record<PermissionKey, { label: string }> {
  return Object.fromEntries(PERMISSION_KEYS.map((key) => [key, { label: LABELS[key] }])) as Record<
    PermissionKey,
    { label: string }
  >;
}

/**
 * The list in the form it is stored: known keys once, in the order of the table, without keys that another
 * one implies. What is not a list counts as empty.
 */
export function normalizePermissions(input: unknown): PermissionKey[] {
  if (!Array.isArray(input)) return [];
  const keys = [...new Set(input.filter(isPermissionKey))];
  if (keys.includes('manage_all_data')) return ['manage_all_data'];
  return keys.filter((key) => !keys.some((other) => other !== key && implied(other).includes(key)));
}

/** The list with everything it implies. */
export function expandPermissions(keys: readonly PermissionKey[]): ReadonlySet<PermissionKey> {
  return new Set([...keys, ...keys.flatMap(implied)]);
}

function implied(key: PermissionKey): readonly PermissionKey[] {
  if (key === 'manage_all_data') return PERMISSION_KEYS;
  return key.startsWith('manage_') ? [key.replace('manage_', 'read_') as PermissionKey] : [];
}

/** What a stored list allows in a section; no key reaches another section. */
export function levelOf(keys: readonly PermissionKey[], section: Section): Level {
  const expanded = expandPermissions(keys);
  if (expanded.has('manage_all_data') || expanded.has(`manage_all_${section}` as PermissionKey))
    return 'write';
  return expanded.has(`read_all_${section}`) ? 'read' : 'none';
}

/** Does the list hold a key that allows changes? Asked where lists of options are read. */
export const managesAnything = (keys: readonly PermissionKey[]): boolean =>
  keys.some((key) => key.startsWith('manage_'));
