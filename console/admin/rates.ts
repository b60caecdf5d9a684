import { boot } from '../shared/boot.js';
import { RATE_DIGITS, unitText } from '../shared/money.js';
import { t } from '../shared/texts.js';

/** A formatted rate: 12.5% or €10.00. */
export const rateText = ({ type, rate }: { readonly type: string; readonly rate: number }): string =>
  unitText(rate, rateUnit(type), RATE_DIGITS);

/** The rate of a group, or the inherited one. */
export const groupRate = ({ rate_type, rate }: { rate_type: string; rate: number }): string =>
  rate_type === 'percentage' || rate_type === 'flat'
    ? rateText({ type: rate_type, rate })
    : t("The program's rate");

/** A rate as stored with a commission: "12.5%", or "10" in the program's currency. */
export function savedRate(rate: string | undefined): string {
  const [, value, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(rate ?? '') ?? [];
  if (value === undefined) return rate ?? '—';
  return rateText({ type: sign === '%' ? 'percentage' : 'flat', rate: Number(value) });
}

/** The unit of a rate type. */
export const rateUnit = (type: string): string => (type === 'percentage' ? '%' : boot().program.currency);
