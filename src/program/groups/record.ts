import { readJson } from '../../core/json.js';
import { parseRate } from '../../core/rate.js';
import { Type } from '../../core/type.js';
import { integer, named, number, numberOrBlank, oneOf, string, yesNo } from '../../core/dto-schema.js';
import { id, json, line, time, type Field } from '../../records/fields.js';
import { record } from '../../records/record.js';
import { GROUP_RATE_TYPES, GROUP_STATUSES, type Group, type GroupValue } from './types.js';

/** Groups share their table with other records. */
export const KIND = { object_type: 'affiliate_group', object_id: 0 } as const;

export const GROUP_DEFAULTS: GroupValue = {
  rate_type: 'percentage',
  rate: 0,
  status: 'active',
  notes: '',
  enable_subscription_renewal: 'no',
  renewal_rate_type: 'percentage',
  renewal_rate: 0,
  max_renewal_count: 0,
  enable_lifetime_commission: 'no',
  lifetime_rate_type: 'percentage',
  lifetime_rate: 0,
  lifetime_expiry_days: '',
  hold_days: '',
  renewal_max_months: '',
};

/** What a group decides for its members, as answers show it. */
export const GROUP_VALUE = {
  rate_type: oneOf(...GROUP_RATE_TYPES),
  rate: number,
  status: oneOf(...GROUP_STATUSES),
  notes: string,
  enable_subscription_renewal: yesNo,
  renewal_rate_type: oneOf('percentage', 'fixed'),
  renewal_rate: number,
  max_renewal_count: integer,
  enable_lifetime_commission: yesNo,
  lifetime_rate_type: oneOf('percentage', 'fixed'),
  lifetime_rate: number,
  lifetime_expiry_days: numberOrBlank,
  hold_days: numberOrBlank,
  renewal_max_months: numberOrBlank,
} as const;

/** Extensions may keep more in it. */
const value: Field<GroupValue, GroupValue> = {
  ...json<GroupValue>(),
  empty: false,
  read: (stored) => ({ ...GROUP_DEFAULTS, ...readJson<Partial<GroupValue>>(stored, {}) }),
  write: JSON.stringify,
  show: (given) => given,
  schema: named('GroupValue', Type.Object(GROUP_VALUE, { additionalProperties: true })),
};

const stored = record('meta', {
  id: id(),
  /** The name. */
  meta_key: line(),
  value,
  created_at: time(),
  updated_at: time(),
});

export const groups = {
  ...stored,
  fromRow: (row: Parameters<typeof stored.fromRow>[0]): Group => {
    const group = stored.fromRow(row);
    const { rate_type, rate, status } = group.value;
    return { ...group, rate_type, rate_e4: parseRate(rate) ?? 0, status };
  },
};
