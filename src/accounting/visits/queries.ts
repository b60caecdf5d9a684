import { SUB_IDS } from '../../core/sub-ids.js';
import type { Db } from '../../platform/database/db.js';
import { whereCreated } from '../../records/filters.js';
import { countRows, type ListSpec, type Matching } from '../../records/list.js';
import { searchIn } from '../../records/search.js';
import { visits } from './record.js';
import type { ExportedVisit, VisitFilter } from './types.js';

const NUMBERS = ['id', 'affiliate_id', 'converted', 'created_at'] as const;

/** Exports are long, so numbers are converted without copying the rows. */
export const EXPORTED_VISITS: ListSpec<ExportedVisit> = {
  ...visits,
  columns: [
    'id',
    'affiliate_id',
    ...Object.keys(visits.search.anywhere),
    ...SUB_IDS,
    'converted',
    'created_at',
  ],
  fromRow: (row) => {
    for (const name of NUMBERS) if (row[name] !== null) row[name] = Number(row[name]);
    return row as unknown as ExportedVisit;
  },
};

/** How many rows of a list led to a referral, counted from the referrals, because there are fewer of them. */
export async function countLed(db: Db, matching: Matching): Promise<number> {
  return countRows(db, visits, (query) => {
    matching(query);
    query.whereIn('id', db('referrals').select('visit_id').whereNotNull('visit_id'));
  });
}

export const visitsMatching =
  (db: Db, filter: VisitFilter): Matching =>
  (query) => {
    if (filter.affiliateId !== undefined) query.where('affiliate_id', filter.affiliateId);
    if (filter.converted !== null) query.where('converted', Number(filter.converted === 'converted'));
    whereCreated(query, filter.created);
    query.where(filter.subIds);
    const ofUsers: Matching = (any) =>
      void any.whereIn('affiliate_id', db('affiliates').select('id').whereIn('user_id', filter.userIds));
    searchIn(db, query, visits.search, {
      text: filter.search,
      currency: '',
      ...(filter.userIds.length > 0 && { also: ofUsers }),
    });
  };
