import type { Row } from '../../platform/database/db.js';
import type { Needs } from './needs.js';
import { rowsBy } from './repository.js';
import { compareBalances } from './balances.js';
import { statedEarnings } from './source-earnings.js';
import type { AffiliatePage, AffiliateComparison, Migrator } from './types.js';
import { readText } from './values.js';

const PAGE = 500;
const COLUMNS = ['id', 'source_key', 'user_id', 'total_earnings_minor', 'unpaid_earnings_minor'];

/**
 * Compares a page of the source's affiliates with what they are here; `words` is the meaning of its status
 * words. It only reads.
 */
export async function compareAffiliates(
  app: Needs,
  migrator: Migrator,
  cursor: string | null,
  words: Readonly<Record<string, string>>,
): Promise<AffiliatePage> {
  const page = await migrator.migrate('affiliates', cursor, PAGE);
  const { currency } = await app.settings.referralConfig();
  const keyOf = (id: string): string => `${migrator.slug}:${id}`;
  const stored = new Map(
    (
      await rowsBy(
        app.db,
        'affiliates',
        'source_key',
        page.rows.map((row) => keyOf(row.id)),
        COLUMNS,
      )
    ).map((row) => [String(row['source_key']), row]),
  );
  const balances = await compareBalances(
    app,
    migrator,
    page.rows.map((row) => row.id),
    { currency, words },
  );
  const rows = page.rows.map((row): AffiliateComparison => {
    const own = balances.get(row.id) ?? [];
    const stated = statedEarnings(row, currency);
    const here = storedOf(stored.get(keyOf(row.id)));
    return {
      source_id: row.id,
      affiliate_id: here.affiliate_id,
      user_id: here.user_id,
      login: readText(row.user?.login, 191),
      email: readText(row.user?.email, 191),
      currency,
      stated_total_minor: stated?.total ?? null,
      stated_unpaid_minor: stated?.unpaid ?? null,
      stored_total_minor: here.total,
      stored_unpaid_minor: here.unpaid,
      balances: own,
      differs:
        migrator.balances === undefined
          ? stated !== null && (stated.total !== here.total || stated.unpaid !== here.unpaid)
          : own.some((balance) => balance.differs),
    };
  });
  return { rows, nextCursor: page.nextCursor, done: page.done };
}

interface Stored {
  readonly affiliate_id: number | null;
  readonly user_id: number | null;
  /** Minor units. */
  readonly total: number;
  readonly unpaid: number;
}
const NOT_HERE: Stored = { affiliate_id: null, user_id: null, total: 0, unpaid: 0 };

const storedOf = (row: Row | undefined): Stored =>
  row === undefined
    ? NOT_HERE
    : {
        affiliate_id: Number(row['id']),
        user_id: row['user_id'] === null ? null : Number(row['user_id']),
        total: Number(row['total_earnings_minor']),
        unpaid: Number(row['unpaid_earnings_minor']),
      };
