import type { App } from '../../app.js';
import { rowsBy } from './repository.js';
import { compareBalances } from './balances.js';
import { statedEarnings } from './source-earnings.js';
import type { AffiliatePage, AffiliateComparison, Migrator } from './types.js';
import { readText } from './values.js';

const PAGE = 500;
const COLUMNS = ['id', 'source_key', 'user_id', 'total_earnings_minor', 'unpaid_earnings_minor'];

/**
 * A page of the source's affiliates beside what they are here; `words` is what its status words mean.
 * Read from both sides, nothing is stored for it.
 */
export async function compareAffiliates(
  app: App,
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
    const here = stored.get(keyOf(row.id));
    const own = balances.get(row.id) ?? [];
    const stated = statedEarnings(row, currency);
    const [total, unpaid] = [
      Number(here?.['total_earnings_minor'] ?? 0),
      Number(here?.['unpaid_earnings_minor'] ?? 0),
    ];
    return {
      source_id: row.id,
      affiliate_id: here === undefined ? null : Number(here['id']),
      user_id: here === undefined || here['user_id'] === null ? null : Number(here['user_id']),
      login: readText(row.user?.login, 191),
      email: readText(row.user?.email, 191),
      currency,
      stated_total_minor: stated?.total ?? null,
      stated_unpaid_minor: stated?.unpaid ?? null,
      stored_total_minor: total,
      stored_unpaid_minor: unpaid,
      balances: own,
      differs:
        migrator.balances === undefined
          ? stated !== null && (stated.total !== total || stated.unpaid !== unpaid)
          : own.some((balance) => balance.differs),
    };
  });
  return { rows, nextCursor: page.nextCursor, done: page.done };
}
