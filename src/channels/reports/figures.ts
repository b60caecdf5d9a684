import { minor, toWire } from '../../core/money.js';
import type { PaidAndOwed } from '../../accounting/balances/types.js';
import type { MoneyFigure, MoneyGroup } from './types.js';

/** Adds up the groups with these statuses, each currency separately. */
export function moneyOf(
  groups: readonly MoneyGroup[],
  statuses: readonly string[],
  currency: string,
  column: 'amount_minor' | 'order_total_minor' = 'amount_minor',
): MoneyFigure {
  const sums = new Map<string, number>();
  for (const group of groups.filter(({ status }) => statuses.includes(status))) {
    const key = group.currency ?? currency;
    sums.set(key, (sums.get(key) ?? 0) + group[column]);
  }
  const { [currency]: own = 0, ...others } = Object.fromEntries(sums);
  return { minor: own, others: Object.fromEntries(Object.entries(others).filter(([, sum]) => sum !== 0)) };
}

/** One amount of balances by currency. */
export function figureOf(
  balances: readonly PaidAndOwed[],
  column: Exclude<keyof PaidAndOwed, 'currency'>,
  currency: string,
): MoneyFigure {
  const { [currency]: own = 0, ...others } = Object.fromEntries(
    balances.map((balance) => [balance.currency, balance[column]]),
  );
  return { minor: own, others: Object.fromEntries(Object.entries(others).filter(([, sum]) => sum !== 0)) };
}

export const wireMoney = (figure: MoneyFigure, currency: string): number =>
  toWire(minor(figure.minor), currency);

/**
 * The key `by_currency`: code → name of the figure → amount; absent when everything is in the program
 * currency.
 */
export function byCurrency(figures: Readonly<Record<string, MoneyFigure>>): {
  by_currency?: Record<string, Record<string, number>>;
} {
  const codes: Record<string, Record<string, number>> = {};
  for (const [name, { others }] of Object.entries(figures)) {
    for (const [code, sum] of Object.entries(others)) (codes[code] ??= {})[name] = toWire(minor(sum), code);
  }
  return Object.keys(codes).length === 0 ? {} : { by_currency: codes };
}

export const countRows = (
  groups: readonly { readonly status: string; readonly rows: number }[],
  status?: string,
): number =>
  groups
    .filter((group) => status === undefined || group.status === status)
    .reduce((sum, group) => sum + group.rows, 0);
