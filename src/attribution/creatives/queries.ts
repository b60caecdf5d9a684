import type { Db } from '../../platform/database/db.js';
import { whereCreated } from '../../records/filters.js';
import type { Matching, Query } from '../../records/list.js';
import type { CreativeFilter, CreativeStatus, Viewer } from './types.js';

const notEnded = (query: Query, now: number): Query =>
  query.where((q) => void q.whereNull('ends_at').orWhere('ends_at', '>', now));

// The rules of schedule.ts as SQL, so that lists are right even before the job has run.
const IN_FORCE: Readonly<Record<CreativeStatus, (query: Query, now: number) => void>> = {
  inactive: (query) => {
    query.where({ status: 'inactive' });
  },
  scheduled: (query, now) => {
    notEnded(query.where({ status: 'scheduled' }).where('starts_at', '>', now), now);
  },
  active: (query, now) => {
    notEnded(query, now).where((q) => {
      q.where({ status: 'active' }).orWhere(
        (begun) =>
          void begun
            .where({ status: 'scheduled' })
            .where((start) => void start.whereNull('starts_at').orWhere('starts_at', '<=', now)),
      );
    });
  },
  expired: (query, now) => {
    query.where(
      (q) =>
        void q
          .where({ status: 'expired' })
          .orWhere(
            (ended) => void ended.whereIn('status', ['active', 'scheduled']).where('ends_at', '<=', now),
          ),
    );
  },
};

export const creativesMatching =
  (db: Db, { search, status, type, created, now }: CreativeFilter): Matching =>
  (query) => {
    if (type !== null) query.where({ type });
    whereCreated(query, created);
    if (status !== null) IN_FORCE[status](query, now);
    if (search !== '') db.dialect.contains(query, ['name', 'description', 'url'], search);
  };

/**
 * Public material, and private material for this affiliate or its group. Without a group, no group matches.
 */
export const visibleTo =
  (db: Db, filter: CreativeFilter, { affiliateId, groupId }: Viewer): Matching =>
  (query) => {
    creativesMatching(db, filter)(query);
    query.where((any) => {
      any.where({ privacy: 'public' });
      any.orWhereIn(
        'id',
        db('creative_affiliates').select('creative_id').where({ affiliate_id: affiliateId }),
      );
      if (groupId !== null)
        any.orWhereIn('id', db('creative_groups').select('creative_id').where({ group_id: groupId }));
    });
  };
