import type { ReactNode } from 'react';
import { boot } from './boot.js';
import { money } from './money.js';

interface Sum {
  readonly amount: number;
  readonly currency?: string | null;
}

/** Sums of amounts per currency, added as integers. */
export function sumText(sums: readonly Sum[]): string {
  const { program } = boot();
  const coins = new Map<string, number>();
  for (const { amount, currency } of sums) {
    const code = currency || program.currency;
    coins.set(code, (coins.get(code) ?? 0) + Math.round(amount * coinsOf(code)));
  }
  return [...coins].map(([code, count]) => money(count / coinsOf(code), code)).join(' + ');
}

/** Minor units in one unit of a currency: 100 cents in a euro. */
function coinsOf(currency: string): number {
  const { program } = boot();
  if (currency === program.currency) return 10 ** program.digits;
  const { maximumFractionDigits: digits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return 10 ** (digits ?? 2);
}

/** The amount at the top of a confirmation, with its consequence. */
export const DialogSum = ({ sum, children }: { sum: string; children: ReactNode }): ReactNode => (
  <>
    <div className="fa-dialog-sum">{sum}</div>
    <p>{children}</p>
  </>
);
