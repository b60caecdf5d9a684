import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';

import {
  chartBuckets,
  dayRange,
  dayStart,
  dayText,
  humanDate,
  parseDay,
  parseSiteTime,
  siteDay,
  toIso,
  toSite,
} from '../../src/core/dates.js';
import { createZones } from '../../src/core/zone.js';
import { stopwatch } from '../support/cpu.js';

const HOUR = 3_600_000;
const day = (text: string): number => parseDay(text) ?? Number.NaN;
const at = (text: string): number => Date.parse(text);

describe('texts', () => {
  const instant = at('2026-01-15T15:00:00.999Z');

  it('writes the wire, export and human forms', () => {
    expect(toIso(instant)).toBe('2026-01-15T15:00:00+00:00');
    expect(toIso(null)).toBeNull();
    expect(toSite(instant, 'America/New_York')).toBe('2026-01-15 10:00:00');
    expect(humanDate(at('2026-01-05T14:03:59Z'), 'UTC')).toBe('05 Jan 2026, 14:03');
    expect(toSite(at('1969-12-31T23:59:59.500Z'), 'UTC')).toBe('1969-12-31 23:59:59');
  });

  it('knows offsets without a name', () => {
    expect(toSite(instant, '+05:30')).toBe('2026-01-15 20:30:00');
    expect(toSite(instant, '-0945')).toBe('2026-01-15 05:15:00');
    expect(() => toSite(instant, 'Nowhere/Land')).toThrow(RangeError);
  });

  it.each([
    ['2026-01-15', 20_468],
    ['1970-01-01', 0],
    ['1969-12-31', -1],
    ['2028-02-29', 21_243],
    ['2027-02-29', null],
    ['2026-04-31', null],
    ['2026-13-01', null],
    ['2026-00-10', null],
    ['2026-1-5', null],
    ['2026-01-15T00:00', null],
    ['', null],
    ['0999-01-01', null],
    ['9999-12-31', 2_932_896],
  ])('day %j is %j', (text, expected) => {
    expect(parseDay(text)).toBe(expected);
    if (expected !== null) expect(dayText(expected)).toBe(text);
  });
});

describe('ranges', () => {
  const defaults = { start: 100, end: 130 };

  it.each<[string | null | undefined, string | null | undefined, object, object | null]>([
    [undefined, null, defaults, { start: 100, end: 130 }],
    ['', '1970-05-01', defaults, { start: 100, end: 120 }],
    ['2026-01-01', '2026-01-31', defaults, { start: day('2026-01-01'), end: day('2026-01-31') }],
    ['2026-01-31', '2026-01-31', defaults, { start: day('2026-01-31'), end: day('2026-01-31') }],
    ['2026-02-01', '2026-01-31', defaults, null],
    ['2026-02-30', '2026-03-01', defaults, null],
    ['2026-02-01', 'soon', defaults, null],
    [
      '2006-01-01',
      '2026-01-01',
      { ...defaults, maxYears: 20 },
      { start: day('2006-01-01'), end: day('2026-01-01') },
    ],
    ['2006-01-01', '2026-01-02', { ...defaults, maxYears: 20 }, null],
  ])('%j to %j', (start, end, given, expected) => {
    expect(dayRange(start, end, given as typeof defaults)).toEqual(expected);
  });
});

describe('site days', () => {
  it.each([
    ['UTC', '2026-01-15', '2026-01-15T00:00:00Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00Z'],
    // clocks go from 24:00 to 01:00, the day has no midnight
    ['Africa/Cairo', '2027-04-30', '2027-04-29T22:00:00Z'],
    ['Africa/Cairo', '2027-05-01', '2027-04-30T21:00:00Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00Z'], // no midnight
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z'], // midnight twice, the first counts
    ['America/Havana', '2026-11-02', '2026-11-02T05:00:00Z'],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z'], // no midnight
    ['America/Santiago', '2026-04-05', '2026-04-05T04:00:00Z'], // 24:00 becomes 23:00
    ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00Z'], // no midnight
    ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00Z'], // midnight twice
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z'], // half an hour back
    ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30:00Z'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z'], // left out
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z'],
    ['Pacific/Apia', '2012-01-01', '2011-12-31T10:00:00Z'],
    // a minute of the day, an hour of the day before, the day again
    ['America/St_Johns', '2006-10-29', '2006-10-29T02:30:00Z'],
    ['America/St_Johns', '2006-10-30', '2006-10-30T03:30:00Z'],
    ['America/New_York', '9999-12-31', '9999-12-31T05:00:00Z'],
  ])('%s: %s starts at %s', (zone, text, start) => {
    expect(toIso(dayStart(day(text), zone))).toBe(toIso(at(start)));
  });

  it.each([
    ['2026-01-31T23:59:59.999Z', 'UTC', '2026-01-31'],
    ['2026-02-01T00:00:00Z', 'UTC', '2026-02-01'],
    ['2026-02-01T00:00:00Z', 'America/New_York', '2026-01-31'],
    ['2028-02-29T12:00:00Z', 'Asia/Tokyo', '2028-02-29'],
    ['2028-02-29T15:00:00Z', 'Asia/Tokyo', '2028-03-01'],
    ['2011-12-30T09:59:59Z', 'Pacific/Apia', '2011-12-29'],
    ['2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31'],
    ['2026-06-01T10:30:00Z', 'Pacific/Kiritimati', '2026-06-02'],
    ['2026-06-01T10:30:00Z', 'Pacific/Pago_Pago', '2026-05-31'],
    ['2006-10-29T02:31:30Z', 'America/St_Johns', '2006-10-29'],
  ])('%s in %s is %s', (instant, zone, text) => {
    expect(dayText(siteDay(at(instant), zone))).toBe(text);
  });

  it('end with the year 9999, in every zone', () => {
    for (const zone of ['UTC', 'America/New_York', 'Pacific/Kiritimati', '+05:30'])
      expect(dayStart(day('9999-12-31') + 1, zone) - dayStart(day('9999-12-31'), zone)).toBe(24 * HOUR);
  });

  it('cover the time line without gap or overlap, in every zone', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: day('2000-01-01'), max: day('2035-12-31') }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (zone, number, share) => {
          const [start, end] = [dayStart(number, zone), dayStart(number + 1, zone)];
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end - start).toBeLessThanOrEqual(26 * HOUR);
          const inside = Math.floor(start + (end - start) * share * 0.999_999);
          if (end > start)
            expect([siteDay(start, zone), siteDay(inside, zone), siteDay(end - 1, zone)]).toEqual([
              number,
              number,
              number,
            ]);
          expect(siteDay(end, zone)).toBeGreaterThan(number);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each([
    'Africa/Cairo',
    'America/Havana',
    'America/Santiago',
    'Atlantic/Azores',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Africa/Casablanca',
    'America/St_Johns',
    'Asia/Pyongyang',
  ])('agree with the wall clock through all hours of %s', (zone) => {
    let shown = siteDay(at('2000-01-01T00:00:00Z'), zone);
    for (let ms = at('2000-01-01T00:00:00Z'); ms < at('2035-01-01T00:00:00Z'); ms += 7 * HOUR) {
      shown = Math.max(shown, day(toSite(ms, zone).slice(0, 10)));
      if (siteDay(ms, zone) !== shown)
        throw new Error(`${toIso(ms)} is ${dayText(siteDay(ms, zone))}, not ${dayText(shown)}`);
    }
  });

  it('take less than a microsecond or so on the way of a click', () => {
    const ms = stopwatch();
    for (let index = 0; index < 100_000; index += 1)
      siteDay(1_800_000_000_000 + index * 1000, 'America/New_York');
    expect(ms()).toBeLessThan(5000);
  });

  it('forget old entries instead of growing', () => {
    const zoneOf = createZones();
    const zone = zoneOf('UTC');
    for (let number = 0; number < 5000; number += 1) expect(zone.dayStart(number)).toBe(number * 24 * HOUR);
    expect(zoneOf('UTC')).toBe(zone);
    for (let minute = 0; minute < 60; minute += 1) zoneOf(`+01:${String(minute).padStart(2, '0')}`);
    for (let minute = 0; minute < 10; minute += 1) zoneOf(`+02:0${minute}`);
    expect(zoneOf('UTC')).not.toBe(zone);
  });
});

describe('parseSiteTime', () => {
  it.each([
    ['2026-01-15 10:00:00', 'America/New_York', '2026-01-15T15:00:00Z'],
    ['2026-01-15T10:00', 'America/New_York', '2026-01-15T15:00:00Z'],
    ['2026-07-15 23:59:59', 'Europe/Berlin', '2026-07-15T21:59:59Z'],
    ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:30:00Z'], // does not occur: moved on to 03:30
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00Z'], // occurs twice: the earlier one
    ['2026-11-01 02:00', 'America/New_York', '2026-11-01T07:00:00Z'],
  ])('%s in %s', (text, zone, instant) => {
    expect(parseSiteTime(text, zone)).toBe(at(instant));
  });

  it.each([
    '',
    '2026-01-15',
    '2026-02-30 10:00',
    '2026-01-15 24:00',
    '2026-01-15 10:60',
    '2026-01-15 10:00:60',
    'now',
  ])('refuses %j', (text) => {
    expect(parseSiteTime(text, 'UTC')).toBeNull();
  });

  it('reads what toSite wrote, but for the repeated hour', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: at('2000-01-01T00:00:00Z') / 1000, max: at('2035-01-01T00:00:00Z') / 1000 }),
        (zone, seconds) => {
          const text = toSite(seconds * 1000, zone);
          const back = parseSiteTime(text, zone) ?? Number.NaN;
          expect(toSite(back, zone)).toBe(text);
          expect(back).toBeLessThanOrEqual(seconds * 1000);
          expect(seconds * 1000 - back).toBeLessThanOrEqual(3 * HOUR);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('chartBuckets', () => {
  it('shows days up to 62 of them', () => {
    const { labels, indexOf } = chartBuckets(day('2026-01-01'), day('2026-03-03'));

    expect(labels).toHaveLength(62);
    expect([labels[0], labels.at(-1)]).toEqual(['2026-01-01', '2026-03-03']);
    expect(indexOf(day('2026-01-02'))).toBe(1);
  });

  it('shows ISO weeks by their Monday, also before the start', () => {
    const { labels, indexOf } = chartBuckets(day('2025-12-03'), day('2026-02-03'));

    expect(labels).toEqual([
      '2025-12-01',
      '2025-12-08',
      '2025-12-15',
      '2025-12-22',
      '2025-12-29',
      '2026-01-05',
      '2026-01-12',
      '2026-01-19',
      '2026-01-26',
      '2026-02-02',
    ]);
    expect(
      ['2025-12-02', '2025-12-03', '2026-01-04', '2026-01-05', '2026-02-03', '2026-02-04'].map((text) =>
        indexOf(day(text)),
      ),
    ).toEqual([-1, 0, 4, 5, 9, -1]);
  });

  it('shows months and keeps the same month of two years apart', () => {
    const { labels, indexOf } = chartBuckets(day('2024-12-31'), day('2026-01-01'));

    expect(labels).toHaveLength(14);
    expect([labels[0], labels[1], labels.at(-1)]).toEqual(['2024-12-01', '2025-01-01', '2026-01-01']);
    expect([indexOf(day('2025-01-31')), indexOf(day('2026-01-01')), indexOf(day('2024-12-30'))]).toEqual([
      1, 13, -1,
    ]);
  });

  it.each([
    [62, 62],
    [63, 10],
    [92, 14],
    [93, 4],
  ])('%i days from 2026-01-01 make %i buckets', (days, buckets) => {
    expect(chartBuckets(day('2026-01-01'), day('2026-01-01') + days - 1).labels).toHaveLength(buckets);
  });

  it('puts every day of the range into exactly one bucket, none left empty, labels ascending', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -20_000, max: 30_000 }),
        fc.integer({ min: 0, max: 800 }),
        (start, length) => {
          const { labels, indexOf } = chartBuckets(start, start + length);
          const indexes = Array.from({ length: length + 1 }, (_, index) => indexOf(start + index));
          expect([...new Set(indexes)]).toEqual(labels.map((_, index) => index));
          expect(labels.toSorted()).toEqual(labels);
          expect(indexOf(start - 1)).toBe(-1);
        },
      ),
      { numRuns: 300 },
    );
  });
});
