import { readJson } from '../../core/json.js';
import { parseRate } from '../../core/rate.js';
import { Type } from '../../core/type.js';
import {
  integer,
  named,
  number,
  numberOrBlank,
  oneOf,
  string,
  yesNo,
  type Static,
} from '../../core/dto-schema.js';
import { id, json, line, time, type Field } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/** Groups share their table with other records. */
export const KIND = { object_type: 'affiliate_group', object_id: 0 } as const;

export const GROUP_STATUSES = ['active', 'inactive'] as const;

/** The settings of a group for its members, as responses show them. */
export const GROUP_VALUE = {
  rate_type: oneOf('percentage', 'flat', 'default'),
  /** At most four decimals, so it is exact as a JSON number. */
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
  /** '' = the program's. */
  hold_days: numberOrBlank,
  /** For how many months after the first sale renewals earn; '' = the program's, 0 = the first sale only. */
  renewal_max_months: numberOrBlank,
} as const;
type KnownValue = { readonly [K in keyof typeof GROUP_VALUE]: Static<(typeof GROUP_VALUE)[K]> };

/** The stored value; keys of extensions are beside the known ones. */
export interface GroupValue extends KnownValue {
  readonly [extra: string]: unknown;
}

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

/** Extensions may store more in it. */
const value: Field<GroupValue, GroupValue> = {
  ...json<GroupValue>(),
  empty: false,
  read: (stored) => ({ ...GROUP_DEFAULTS, ...readJson<Partial<GroupValue>>(stored, {}) }),
  write: JSON.stringify,
  serialize: (given) => given,
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

/** A group of affiliates; `rate_type`, `rate_e4` and `status` are read from the value. */
export interface Group extends RecordOf<typeof stored>, Pick<GroupValue, 'rate_type' | 'status'> {
  /** × 10 000. */
  readonly rate_e4: number;
}

export const groups = {
  ...stored,
  fromRow: (row: Parameters<typeof stored.fromRow>[0]): Group => {
    const group = stored.fromRow(row);
    const { rate_type, rate, status } = group.value;
    return { ...group, rate_type, rate_e4: parseRate(rate) ?? 0, status };
  },
};
