import { SUB_IDS } from '../../core/sub-ids.js';
import type { Db, Row } from '../../platform/database/db.js';
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

/** The number of rows of a list. Only a filtered list is counted row by row. */
export async function countVisits(db: Db, filter: VisitFilter): Promise<number> {
  const { converted, search, created, subIds, affiliateId } = filter;
  const isFiltered =
    converted !== null ||
    search !== '' ||
    created.from !== null ||
    created.before !== null ||
    Object.keys(subIds).length > 0;
  return isFiltered ? countRows(db, visits, visitsMatching(db, filter)) : countStored(db, affiliateId);
}

/** The stored visits of one affiliate or of all, from the affiliates' counters. Imported ones may have no affiliate. */
export async function countStored(db: Db, affiliateId?: number): Promise<number> {
  const ofAffiliates = `select coalesce(sum(a.visits - a.visits_purged), 0) as n from ${db.name('affiliates')} a`;
  const rows: Row[] =
    affiliateId === undefined
      ? await db.raw(
          `${ofAffiliates} union all select count(*) from ${db.name('visits')} v where v.affiliate_id is null`,
        )
      : await db.raw(`${ofAffiliates} where a.id = ?`, [affiliateId]);
  return rows.reduce((sum, row) => sum + Number(row['n']), 0);
}

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
