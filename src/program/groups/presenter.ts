import { minor, toWire } from '../../core/money.js';
import type { GroupDto } from '../api-schemas.js';
import { groups } from './record.js';
import type { Group, GroupCounts } from './types.js';

const NONE: GroupCounts = { affiliates: 0, visits: 0, total_earnings_minor: 0 };

/** A group in responses: the stored value, its main keys beside it, and the counts of the members. */
export function presentGroup(group: Group, currency: string, counts: GroupCounts = NONE): GroupDto {
  const { value } = group;
  return {
    ...groups.present(group),
    name: group.meta_key,
    rate_type: value.rate_type,
    rate: value.rate,
    status: value.status,
    notes: value.notes,
    description: value.notes,
    affiliates_count: counts.affiliates,
    visits_count: counts.visits,
    total_earnings: toWire(minor(counts.total_earnings_minor), currency),
    object_type: 'affiliate_group',
    object_id: 0,
  };
}
