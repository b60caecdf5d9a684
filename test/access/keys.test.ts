import { describe, expect, it } from '@jest/globals';
import {
  expandPermissions,
  levelOf,
  managesAnything,
  normalizePermissions,
  PERMISSION_KEYS,
  permissionSets,
} from '../../src/platform/access/keys.js';

describe('permission keys', () => {
  it('stand in the order of the console, without manage_all_visits', () => {
    expect(PERMISSION_KEYS).toEqual([
      'read_all_affiliates',
      'manage_all_affiliates',
      'read_all_referrals',
      'manage_all_referrals',
      'read_all_visits',
      'read_all_payouts',
      'manage_all_payouts',
      'send_messages',
      'manage_all_data',
    ]);
    expect(Object.entries(permissionSets())[0]).toEqual([
      'read_all_affiliates',
      { label: 'Read Access to All Affiliates' },
    ]);
  });

  it.each([
    [
      ['read_all_visits', 'read_all_affiliates'],
      ['read_all_visits', 'read_all_affiliates'],
    ],
    [['read_all_visits', 'read_all_visits'], ['read_all_visits']],
    [['nonsense', 'read_all_visits', 5, null], ['read_all_visits']],
    [
      ['read_all_payouts', 'manage_all_payouts', 'read_all_referrals'],
      ['manage_all_payouts', 'read_all_referrals'],
    ],
    [['read_all_payouts', 'manage_all_data'], ['manage_all_data']],
    [['manage_all_visits', '__proto__', 'constructor'], []],
    ['read_all_visits', []],
    [null, []],
    [{ 0: 'read_all_visits' }, []],
  ])('normalizes %j to %j', (given, stored) => {
    expect(normalizePermissions(given)).toEqual(stored);
  });

  it('imply reading where they manage', () => {
    expect([...expandPermissions(['manage_all_referrals', 'read_all_visits'])].sort()).toEqual([
      'manage_all_referrals',
      'read_all_referrals',
      'read_all_visits',
    ]);
    expect(expandPermissions(['manage_all_data']).size).toBe(9);
    expect([
      levelOf(['manage_all_data'], 'visits'),
      levelOf(['read_all_visits'], 'visits'),
      levelOf(['read_all_visits'], 'payouts'),
    ]).toEqual(['write', 'read', 'none']);
    expect([managesAnything(['read_all_visits']), managesAnything(['manage_all_payouts'])]).toEqual([
      false,
      true,
    ]);
  });
});
