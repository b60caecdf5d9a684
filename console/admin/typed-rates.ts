import type { Figure } from '../shared/figures.js';
import { RATE_DIGITS } from '../shared/money.js';
import { t } from '../shared/texts.js';
import { formatInput } from '../shared/typed.js';
import { rateUnit } from './rates.js';

/** A rate as entered. */
export const typedRate = (rate: string | number | null | undefined, type: string): string =>
  formatInput(rate, rateUnit(type));

/** The rate in a form whose type is another field. */
export const rateFigure = (
  field: string,
  {
    type,
    ...figure
  }: { readonly type: string; readonly label: string; readonly typed: string; readonly empty?: string },
): Figure => ({ field, unit: rateUnit(type), digits: RATE_DIGITS, ...figure });

/** The rate in the form of an affiliate: its own, or inherited from group or program. */
export function ownRate({
  rate_type: type,
  rate,
}: {
  readonly rate_type: string;
  readonly rate: string;
}): Figure[] {
  const others: Readonly<Record<string, string>> = {
    default: t("The program's rate"),
    group: t("The group's rate"),
  };
  const empty = others[type];
  return [
    rateFigure('rate', {
      type,
      label: t('Rate'),
      typed: empty === undefined ? rate : '',
      ...(empty !== undefined && { empty }),
    }),
  ];
}
