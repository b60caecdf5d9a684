import { unitText, type Unit } from './money.js';
import { t } from './texts.js';
import { howToWrite, parseInput } from './typed.js';

/** A number in a form: an amount, a rate or a count, as entered. */
export interface Figure {
  /** The form field with the number, or with the list that contains it. */
  readonly field: string;
  readonly label: string;
  readonly typed: string;
  readonly unit: Unit;
  /** Allowed decimals. Default: those of the unit. */
  readonly digits?: number;
  /** It may be below 0. */
  readonly signed?: boolean;
  /** What an empty number means, e.g. "The program's rate". Without it the number is required. */
  readonly empty?: string;
}

/** An amount or a rate, before and after. */
export interface Change {
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

export const readFigure = ({ typed, unit, digits }: Figure): string | null => parseInput(typed, unit, digits);

const isMissing = ({ typed }: Figure): boolean => typed.trim() === '';

/** Errors of the numbers by field. */
export const faultsOf = (figures: readonly Figure[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    figures
      .map((figure) => [figure.field, faultOf(figure)] as const)
      .filter((fault): fault is readonly [string, string] => fault[1] !== null),
  );

function faultOf(figure: Figure): string | null {
  if (isMissing(figure)) return figure.empty === undefined ? howToWrite(figure.unit) : null;
  const read = readFigure(figure);
  if (read === null) return howToWrite(figure.unit);
  return Number(read) < 0 && figure.signed !== true ? t('Enter 0 or more.') : null;
}

export function figureText(figure: Figure): string {
  const read = readFigure(figure);
  return read === null ? (figure.empty ?? '—') : unitText(read, figure.unit, figure.digits);
}

/** Whether both are the same number, regardless of format. */
export function isSame(a: Figure, b: Figure): boolean {
  const [before, after] = [readFigure(a), readFigure(b)];
  if (before === null || after === null) return a.typed.trim() === b.typed.trim();
  return Number(before) === Number(after);
}

const keyOf = ({ field, label }: Figure): string => `${field} ${label}`;

/** Amounts and rates that changed, also from a rate to an amount. */
export function changesBetween(before: readonly Figure[], after: readonly Figure[]): Change[] {
  const olds = new Map(before.map((figure) => [keyOf(figure), figure]));
  const news = new Map(after.map((figure) => [keyOf(figure), figure]));
  return [...new Set([...olds.keys(), ...news.keys()])].flatMap((key) => {
    const [old, now] = [olds.get(key), news.get(key)];
    const { label, unit } = (now ?? old)!;
    const isMoney = unit !== 'count';
    if (!isMoney || (old && now && old.unit === now.unit && isSame(old, now))) return [];
    const [from, to] = [old, now].map((figure) => (figure ? figureText(figure) : '—'));
    return from === to ? [] : [{ label, from: from!, to: to! }];
  });
}
