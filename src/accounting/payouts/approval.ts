import { currencyDigits } from '../../core/currency.js';
import { readDecimal, toInteger, type Decimal } from '../../core/decimal.js';
import { DAY } from '../../core/duration.js';
import { parseAmount, toWire } from '../../core/money.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { madeBetween, makersOf, type MadePayout } from './repository.js';
import type { Payout } from './types.js';

const SCALE_MAX = 12;

/**
 * Above the limit, a second person has to confirm a payment: not one of those who made the payout, and not
 * with an API key (docs/payouts.md §5). Asks the host for exchange rates, so it runs outside transactions.
 */
export async function refuseUnapproved(app: Deps, payout: Payout): Promise<void> {
  const { approvalAbove } = await app.settings.rules();
  const { user, apiKey } = app.context.current();
  if (approvalAbove === null || user === null) return;
  const makers = await makersOf(app.db, payout.id);
  if (apiKey === undefined && !makers.includes(user.id)) return;
  const { currency: program } = await app.settings.referralConfig();
  const made = await madeBetween(app.db, {
    makers,
    from: payout.created_at - DAY,
    to: payout.created_at + DAY,
  });
  const { sums, currency } = await comparable(app, made, { payout, program });
  const limit = parseAmount(approvalAbove, currency);
  if (limit !== null && largestOfDay(sums, payout.created_at) > BigInt(limit))
    fail('approval_required', { data: { approval_above: toWire(limit, currency) } });
}

interface Sum {
  readonly at: number;
  readonly amount: bigint;
}

/**
 * The payouts that count together with this one, in one currency: the program's. Currencies whose rate the
 * host does not know are counted apart.
 */
async function comparable(
  app: Deps,
  made: readonly MadePayout[],
  { payout, program }: { readonly payout: Payout; readonly program: string },
): Promise<{ readonly sums: readonly Sum[]; readonly currency: string }> {
  const codeOf = (row: { readonly currency: string | null }): string => row.currency ?? program;
  const rates = new Map<string, Decimal | null>();
  for (const code of new Set([payout, ...made].map(codeOf)))
    rates.set(code, await rateOf(app, code, program));
  const own = codeOf(payout);
  if (!rates.get(own))
    return {
      currency: own,
      sums: made
        .filter((row) => codeOf(row) === own)
        .map((row) => ({ at: row.created_at, amount: BigInt(row.highest_minor) })),
    };
  return {
    currency: program,
    sums: made.flatMap((row) => {
      const rate = rates.get(codeOf(row));
      return rate ? [{ at: row.created_at, amount: converted(row, codeOf(row), { rate, program }) }] : [];
    }),
  };
}

function converted(
  { highest_minor: amount }: MadePayout,
  code: string,
  { rate, program }: { readonly rate: Decimal; readonly program: string },
): bigint {
  const exact = { units: BigInt(amount) * rate.units, scale: rate.scale + currencyDigits(code) };
  return toInteger(exact, currencyDigits(program));
}

/** Null when the host does not know the rate, fails, or returns something that is not a rate. */
async function rateOf(app: Deps, from: string, to: string): Promise<Decimal | null> {
  if (from === to) return { units: 1n, scale: 0 };
  if (!app.host.exchangeRate) return null;
  try {
    const response = await app.host.exchangeRate(from, to);
    const rate = response === null ? null : readDecimal(response);
    return rate && rate.units > 0n && Math.abs(rate.scale) <= SCALE_MAX ? rate : null;
  } catch (error) {
    app.log.warn('the host returned no exchange rate', { error, from, to });
    return null;
  }
}

/** The largest sum of any 24 hours that this moment is part of; the sums are in the order of time. */
function largestOfDay(sums: readonly Sum[], moment: number): bigint {
  let [largest, total, first] = [0n, 0n, 0];
  for (const { at, amount } of sums) {
    total += amount;
    for (; sums[first]!.at <= at - DAY; first++) total -= sums[first]!.amount;
    if (at >= moment && sums[first]!.at <= moment && total > largest) largest = total;
  }
  return largest;
}
