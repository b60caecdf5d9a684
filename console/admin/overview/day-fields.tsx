import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { moveDay } from '../../shared/dates.js';
import { t } from '../../shared/texts.js';

export interface Range {
  readonly from: string;
  readonly to: string;
}

/** A year is typed digit by digit: 0002, 0020, 0202, 2026. */
const isDay = (day: string): boolean => /^[1-9]\d{3}-\d\d-\d\d$/u.test(day);

/** Are these two days, the first of them not after the last? */
export const isRange = ({ from, to }: Range): boolean => isDay(from) && isDay(to) && from <= to;

/**
 * The first and the last day. With `length` that many days: each moves the other. What is no range yet stays in
 * the fields, with what is wrong, and changes nothing else.
 */
export function DayFields({
  days,
  length,
  onChange,
}: {
  readonly days: Range;
  readonly length?: number;
  readonly onChange: (days: Range) => void;
}): ReactNode {
  const [typed, setTyped] = useState<{ readonly days: Range; readonly last: keyof Range } | null>(null);
  const shown = typed?.days ?? days;
  const put = (last: keyof Range, day: string): void => {
    const next =
      length === undefined || !isDay(day)
        ? { ...shown, [last]: day }
        : last === 'from'
          ? { from: day, to: moveDay(day, length - 1) }
          : { from: moveDay(day, 1 - length), to: day };
    setTyped(isRange(next) ? null : { days: next, last });
    if (isRange(next)) onChange(next);
  };
  const faultOf = (name: keyof Range): string | undefined => {
    if (typed === null) return undefined;
    if (!isDay(shown[name])) return t('Choose a day.');
    if (typed.last !== name || shown.from <= shown.to) return undefined;
    return t('The last day is before the first day.');
  };
  return (
    <>
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          className="fa-inline-field"
          label={name === 'from' ? t('From') : t('Until')}
          value={shown[name]}
          error={faultOf(name)}
          onChange={(event) => put(name, event.currentTarget.value)}
        />
      ))}
    </>
  );
}
