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

/** Where the rate of an affiliate comes from: the name of the group; nothing for the program's. */
export function rateSource(
  rate: { readonly is_custom?: string | undefined; readonly is_default?: string | undefined },
  group: unknown,
): string {
  if (rate.is_custom === 'yes') return t('own rate');
  if (rate.is_default === 'yes') return '';
  return (group as { readonly name?: string } | null)?.name ?? t('group');
}
