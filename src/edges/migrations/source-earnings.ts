import type { SourceAffiliate } from './types.js';
import { readAmount } from './values.js';

/** The earnings in the old affiliate row, in minor units of the program currency; null when it has none. */
export function statedEarnings(
  row: SourceAffiliate,
  currency: string,
): { readonly total: number; readonly unpaid: number } | null {
  const unpaid = readAmount(row.unpaid_earnings, currency);
  const total = readAmount(row.total_earnings, currency);
  const paid = readAmount(row.paid_earnings, currency);
  if (total === null && paid === null && unpaid === null) return null;
  return { total: total ?? (paid ?? 0) + (unpaid ?? 0), unpaid: unpaid ?? 0 };
}
