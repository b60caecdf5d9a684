import type { Db, Row } from '../../platform/database/db.js';
import type { GroupCounts } from './types.js';

// Queries about the members of groups; they only read.

/** Members, their visits and earnings, for all groups of a page in one statement. */
export async function countMembers(
  db: Db,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, GroupCounts>> {
  if (groupIds.length === 0) return new Map();
  const rows: Row[] = await db('affiliates')
    .select('group_id')
    .whereIn('group_id', groupIds)
    .groupBy('group_id')
    .count({ affiliates: '*' })
    .sum({ visits: 'visits', total_earnings_minor: 'total_earnings_minor' });
  return new Map(
    rows.map((row) => [
      Number(row.group_id),
      {
        affiliates: Number(row.affiliates),
        visits: Number(row.visits),
        total_earnings_minor: Number(row.total_earnings_minor),
      },
    ]),
  );
}

export async function memberIds(db: Db, groupId: number): Promise<number[]> {
  const rows: Row[] = await db('affiliates').select('id').where({ group_id: groupId }).orderBy('id');
  return rows.map((row) => Number(row.id));
}

export interface MemberEarnings {
  readonly paid_minor: number;
  readonly unpaid_minor: number;
  readonly members: number;
}

/**
 * The sum of the members' paid and unpaid referrals, from their counters (docs/reliability.md §2, I1, I2).
 */
export async function memberEarnings(db: Db, groupId: number): Promise<MemberEarnings> {
  const row: Row | undefined = await db('affiliates')
    .where({ group_id: groupId })
    .count({ members: '*' })
    .sum({ total: 'total_earnings_minor', unpaid: 'unpaid_earnings_minor' })
    .first();
  const total = Number(row?.total ?? 0);
  const unpaid = Number(row?.unpaid ?? 0);
  return { paid_minor: total - unpaid, unpaid_minor: unpaid, members: Number(row?.members ?? 0) };
}
