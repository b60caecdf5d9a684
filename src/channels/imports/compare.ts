import type { Row } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { rowsBy } from './repository.js';
import { compareBalances, comparePayments, storedBalances } from './balances.js';
import { statedEarnings, statedFigures } from './source-earnings.js';
import type { AffiliatePage, AffiliateComparison } from './types.js';
import type { Migrator, SourceAffiliate } from '../../../adapters/imports.js';
import type { SourceBalance } from '../../core/imports/balance-sums.js';
import { readText } from '../../core/imports/values.js';

const PAGE = 500;
const COLUMNS = ['id', 'source_key', 'user_id', 'total_earnings_minor', 'unpaid_earnings_minor'];

/**
 * Compares a page of the source's affiliates with what they are here; `words` is the meaning of its status
 * words. It only reads.
 */
export async function compareAffiliates(
  app: Deps,
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
  const ids = page.rows.map((row) => row.id);
  const here = ids.length === 0 ? [] : await storedBalances(app, migrator, ids);
  const balances = await compareBalances(migrator, ids, here, { currency, words });
  const payments = await comparePayments(app, migrator, ids, { currency, words });
  const ofProgram = new Map(
    here.filter((each) => each.currency === currency).map((each) => [each.source_id, each]),
  );
  // a source without figures of its own
  const comparesRows = migrator.balances === undefined && migrator.statesEarnings !== true;
  const rows = page.rows.map((row): AffiliateComparison => {
    const own = balances.get(row.id) ?? [];
    const paid = payments.get(row.id) ?? [];
    const stated = statedEarnings(row, currency);
    const now = storedOf(stored.get(keyOf(row.id)));
    const statedDiffers =
      migrator.statesEarnings === true && isStatedOtherwise(row, currency, ofProgram.get(row.id));
    const isOther = [...own, ...paid].some(({ differs }) => differs);
    return {
      source_id: row.id,
      affiliate_id: now.affiliate_id,
      user_id: now.user_id,
      login: readText(row.user?.login, 191),
      email: readText(row.user?.email, 191),
      currency,
      ...presentStated(row, currency),
      stated_differs: statedDiffers,
      stored_total_minor: now.total,
      stored_unpaid_minor: now.unpaid,
      balances: own,
      payments: paid,
      differs: statedDiffers || isOther || (comparesRows && isOtherThan(stated, now)),
    };
  });
  return { rows, nextCursor: page.nextCursor, done: page.done };
}

function presentStated(
  row: SourceAffiliate,
  currency: string,
): Pick<AffiliateComparison, 'stated_total_minor' | 'stated_unpaid_minor' | 'stated_paid_minor'> {
  const stated = statedEarnings(row, currency);
  return {
    stated_total_minor: stated?.total ?? null,
    stated_unpaid_minor: stated?.unpaid ?? null,
    stated_paid_minor: statedFigures(row, currency).paid,
  };
}

const isOtherThan = (stated: ReturnType<typeof statedEarnings>, here: StoredTotals): boolean =>
  stated !== null && (stated.total !== here.total || stated.unpaid !== here.unpaid);

/**
 * Do the figures of the old row differ from what its imported commissions add up to? What is in a payment on
 * its way counts as owed or as paid, since systems count it differently.
 */
function isStatedOtherwise(row: SourceAffiliate, currency: string, here: SourceBalance | undefined): boolean {
  const { unpaid_minor: unpaid = 0, processing_minor: open = 0, paid_minor: paid = 0 } = here ?? {};
  const stated = statedFigures(row, currency);
  const isOneOf = (figure: number | null, ...amounts: readonly number[]): boolean =>
    figure === null || amounts.includes(figure);
  return !(
    isOneOf(stated.total, unpaid + open + paid) &&
    isOneOf(stated.unpaid, unpaid, unpaid + open) &&
    isOneOf(stated.paid, paid, paid + open)
  );
}

interface StoredTotals {
  readonly affiliate_id: number | null;
  readonly user_id: number | null;
  /** Minor units. */
  readonly total: number;
  readonly unpaid: number;
}
const NOT_HERE: StoredTotals = { affiliate_id: null, user_id: null, total: 0, unpaid: 0 };

const storedOf = (row: Row | undefined): StoredTotals =>
  row === undefined
    ? NOT_HERE
    : {
        affiliate_id: Number(row['id']),
        user_id: row['user_id'] === null ? null : Number(row['user_id']),
        total: Number(row['total_earnings_minor']),
        unpaid: Number(row['unpaid_earnings_minor']),
      };
