import { Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { daysText, moveDay, siteDay } from '../../shared/dates.js';
import { t } from '../../shared/texts.js';
import { DayFields, isRange, type Range } from './day-fields.js';

export type { Range } from './day-fields.js';

export interface ChosenRange {
  readonly range: Range;
  /** The comparison: as many days before, or the selected ones. */
  readonly before: Range;
  /** The input of the days, with buttons at its end. */
  readonly picker: (actions?: ReactNode) => ReactNode;
}

/** The days of a preset in the URL; with `compares`, also the comparison. */
export function useRange({ compares = false }: { readonly compares?: boolean } = {}): ChosenRange {
  const address = useAddress();
  const key = address.get('days', '30');
  const own = key === 'own';
  const today = siteDay();
  /** First month of the quarter. */
  const quarter = Math.floor((Number(today.slice(5, 7)) - 1) / 3) * 3 + 1;
  const starts: Readonly<Record<string, string>> = {
    month: `${today.slice(0, 7)}-01`,
    quarter: `${today.slice(0, 5)}${String(quarter).padStart(2, '0')}-01`,
    year: `${today.slice(0, 4)}-01-01`,
  };
  const chosen = { from: address.get('from', siteDay(-29)), to: address.get('to', today) };
  const last30 = { from: siteDay(-29), to: today };
  const range = own
    ? isRange(chosen)
      ? chosen
      : last30
    : { from: starts[key] ?? siteDay(1 - Number(key)), to: today };
  const length = Math.max(1, Math.round((Date.parse(range.to) - Date.parse(range.from)) / 86_400_000) + 1);
  const comparing = compares ? address.get('with') : '';
  const begins: Readonly<Record<string, string>> = {
    year: yearEarlier(range.from),
    own: address.get('with-from', yearEarlier(range.from)),
  };
  const begin = begins[comparing] ?? moveDay(range.from, -length);
  const before = { from: begin, to: moveDay(begin, length - 1) };
  const choices = [
    ['7', t('7 days')],
    ['30', t('30 days')],
    ['90', t('90 days')],
    ['month', t('Month')],
    ['quarter', t('Quarter')],
    ['year', t('Year')],
    ['own', t('Custom')],
  ] as const;
  const picker = (actions?: ReactNode): ReactNode => (
    <div className="fa-range-picker">
      <div className="fa-row">
        <Button.Group className="fa-range">
          {choices.map(([value, label]) => (
            <Button
              key={value}
              size="compact-md"
              variant={key === value ? 'light' : 'default'}
              aria-pressed={key === value}
              onClick={() => address.set({ days: value === '30' ? null : value, from: null, to: null })}
            >
              {label}
            </Button>
          ))}
        </Button.Group>
        {own && <DayFields days={range} onChange={(days) => address.set({ ...days }, { replace: true })} />}
      </div>
      {compares && (
        <div className="fa-row fa-spread">
          <div className="fa-row">
            <NativeSelect
              aria-label={t('Compared with')}
              value={comparing}
              data={[
                { value: '', label: t('Compared with the days before') },
                { value: 'year', label: t('Compared with a year earlier') },
                { value: 'own', label: t('Compared with custom days') },
              ]}
              onChange={(event) => address.set({ with: event.currentTarget.value, 'with-from': null })}
            />
            {comparing === 'own' ? (
              <DayFields
                days={before}
                length={length}
                onChange={({ from }) => address.set({ 'with-from': from }, { replace: true })}
              />
            ) : (
              <span className="fa-faint">{daysText(before.from, before.to)}</span>
            )}
          </div>
          {actions}
        </div>
      )}
    </div>
  );
  return { range, before, picker };
}

/** The same day a year earlier; February 28 for a leap day. */
function yearEarlier(day: string): string {
  const earlier = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return earlier.endsWith('-02-29') ? earlier.replace('-29', '-28') : earlier;
}
