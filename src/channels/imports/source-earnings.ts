import type { SourceAffiliate } from '../../../adapters/imports.js';
import { readAmount } from '../../core/imports/values.js';

/** The figures of the old affiliate row, unchanged, in minor units; null where it has none. */
export const statedFigures = (
  row: SourceAffiliate,
  currency: string,
): Readonly<Record<'total' | 'unpaid' | 'paid', number | null>> => ({
  total: readAmount(row.total_earnings, currency),
  unpaid: readAmount(row.unpaid_earnings, currency),
  paid: readAmount(row.paid_earnings, currency),
});

/** The earnings in the old affiliate row, in minor units of the program currency; null when it has none. */
export function statedEarnings(
  row: SourceAffiliate,
  currency: string,
): { readonly total: number; readonly unpaid: number } | null {
  const { total, unpaid, paid } = statedFigures(row, currency);
  if (total === null && paid === null && unpaid === null) return null;
  return { total: total ?? (paid ?? 0) + (unpaid ?? 0), unpaid: unpaid ?? 0 };
}
