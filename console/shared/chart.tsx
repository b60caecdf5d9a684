import { Fragment, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type UPlot from 'uplot';
import { moneyAxis, topOf, WHOLE_STEPS } from './axis.js';
import { boot } from './boot.js';
import { RowButton } from './buttons.js';
import { dayText, monthText } from './dates.js';
import { money, shortMoney } from './money.js';
import { Empty } from './parts.js';
import { number, t } from './texts.js';

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  readonly money?: boolean;
  /** Values of the previous period: dashed if there are one or two lines, always in brackets in the table. */
  readonly before?: readonly number[];
}

/** A short date or month; names of weeks and months are unchanged. */
function labelText(label: string): string {
  if (/^\d{4}-\d\d$/.test(label)) return monthText(label);
  return /^\d{4}-\d\d-\d\d$/.test(label) ? dayText(label, true) : label;
}

const COLORS = ['--fa-chart-1', '--fa-chart-2', '--fa-chart-3', '--fa-chart-4'];

/** A line chart with values on hover and a table view. */
export function Chart({
  labels,
  series,
  height = 240,
  title,
}: {
  labels: readonly string[];
  series: readonly Series[];
  height?: number;
  title: string;
}): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  if (labels.length === 0) return <Empty title={t('No figures yet')} />;
  const shown = at ?? labels.length - 1;
  return (
    <figure className="fa-chart" aria-label={title}>
      <div className="fa-legend">
        <span className="fa-legend-day">{at === null ? t('Total') : labelText(labels[shown] ?? '')}</span>
        {series.map(({ name, values, money: isMoney, before }, index) => (
          <span key={name} className="fa-legend-item">
            <span className="fa-legend-line" data-color={index} aria-hidden="true" />
            <span className="fa-faint">{name}</span>{' '}
            <strong className="fa-number">{text(at === null ? sum(values) : values[shown], isMoney)}</strong>
            {before && (
              <span className="fa-faint fa-number">
                ({text(at === null ? sum(before) : before[shown], isMoney)})
              </span>
            )}
          </span>
        ))}
        <RowButton quiet ml="auto" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? t('Show chart') : t('Show table')}
        </RowButton>
      </div>
      {asTable ? (
        <ChartTable labels={labels} series={series} title={title} />
      ) : (
        <Plot labels={labels} series={series} height={height} onAt={setAt} />
      )}
    </figure>
  );
}

// Chart values are approximate; exact totals come from the server.
const sum = (values: readonly number[]): number =>
  Math.round(values.reduce((total, value) => total + value, 0) * 10_000) / 10_000;
const text = (value: number | undefined, isMoney: boolean | undefined): string =>
  value === undefined ? '—' : isMoney ? money(value) : number(value);

const ChartTable = ({
  labels,
  series,
  title,
}: {
  labels: readonly string[];
  series: readonly Series[];
  title: string;
}): ReactNode => (
  <div className="fa-chart-table" tabIndex={0} role="region" aria-label={title}>
    <table className="fa-table">
      <thead>
        <tr>
          <th scope="col">{t('Date')}</th>
          {series.map(({ name, before }) => (
            <Fragment key={name}>
              <th scope="col" className="fa-end">
                {name}
              </th>
              {before && (
                <th scope="col" className="fa-end">
                  {t('Before')}
                </th>
              )}
            </Fragment>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label, at) => (
          <tr key={label}>
            <th scope="row">{labelText(label)}</th>
            {series.map(({ name, values, before, money: isMoney }) => (
              <Fragment key={name}>
                <td className="fa-end fa-number">{text(values[at], isMoney)}</td>
                {before && <td className="fa-end fa-number fa-faint">{text(before[at], isMoney)}</td>}
              </Fragment>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function Plot({
  labels,
  series,
  height,
  onAt,
}: {
  labels: readonly string[];
  series: readonly Series[];
  height: number;
  onAt: (at: number | null) => void;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const report = useRef(onAt);
  report.current = onAt;
  const key = JSON.stringify([labels, series]);
  const lines = useMemo(
    () =>
      series.flatMap((one, index) => [
        { ...one, index, dashed: false },
        ...(one.before && series.length <= 2 ? [{ ...one, values: one.before, index, dashed: true }] : []),
      ]),
    [key],
  );
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const style = getComputedStyle(element);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    let plot: UPlot | null = null;
    let gone = false;
    const watch = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    // The chart library loads after the figures.
    void import('uplot').then(({ default: Plotter }) => {
      if (gone) return;
      plot = new Plotter(
        {
          width: element.clientWidth || 600,
          height,
          // at the end, half a label of the last day or month
          padding: [8, 28, 0, 0],
          legend: { show: false },
          cursor: { y: false, points: { size: 7 } },
          scales: {
            x: { time: false },
            y: { range: (_plot, _low, high) => [0, topOf(high)] },
            money: { range: (_plot, _low, high) => [0, topOf(high)] },
          },
          axes: axesOf(labels, lines, color, style.fontFamily),
          series: [
            {},
            ...lines.map(({ index, dashed, money: isMoney }) => ({
              scale: isMoney ? 'money' : 'y',
              stroke: color(COLORS[index % COLORS.length]!),
              width: dashed ? 1.25 : 2,
              alpha: dashed ? Number(color('--fa-chart-past')) : 1,
              ...(dashed ? { dash: [4, 4] } : {}),
              ...(!dashed && index === 0 ? { fill: color('--fa-chart-fill') } : {}),
              points: { show: labels.length < 3 },
            })),
          ],
          hooks: { setCursor: [(self) => report.current(self.cursor.idx ?? null)] },
        },
        [labels.map((_, at) => at), ...lines.map(({ values }) => [...values])] as UPlot.AlignedData,
        element,
      );
      watch.observe(element);
    });
    return () => {
      gone = true;
      watch.disconnect();
      plot?.destroy();
    };
  }, [key, height, lines, useSchemeMark()]);
  return <div ref={place} className="fa-plot" style={{ minHeight: height }} aria-hidden="true" dir="ltr" />;
}

/** Changes with the color scheme, so that charts re-render. */
function useSchemeMark(): string {
  const [mark, setMark] = useState(() => document.documentElement.dataset['mantineColorScheme'] ?? '');
  useEffect(() => {
    const watch = new MutationObserver(() =>
      setMark(document.documentElement.dataset['mantineColorScheme'] ?? ''),
    );
    watch.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['data-mantine-color-scheme'],
    });
    return () => watch.disconnect();
  }, []);
  return mark;
}

function axesOf(
  labels: readonly string[],
  lines: readonly { readonly money?: boolean; readonly values: readonly number[] }[],
  color: (name: string) => string,
  font: string,
): UPlot.Axis[] {
  const common = {
    stroke: color('--fa-faint'),
    font: `11px ${font}`,
    ticks: { show: false },
    grid: { stroke: color('--fa-line'), width: 1 },
  };
  const short = new Intl.NumberFormat(boot().locale, { notation: 'compact', maximumFractionDigits: 1 });
  const sums = lines.flatMap(({ money: isMoney, values }) => (isMoney ? values : []));
  const { steps, digits } = moneyAxis(Math.max(...sums, 0), boot().program.digits);
  const hasMoney = lines.some((line) => line.money);
  const hasCount = lines.some((line) => !line.money);
  return [
    {
      ...common,
      grid: { show: false },
      size: 28,
      space: 70,
      values: (_plot, at) =>
        at.map((index) => (Number.isInteger(index) ? labelText(labels[index] ?? '') : '')),
    },
    ...(hasCount
      ? [
          {
            ...common,
            scale: 'y',
            size: 44,
            space: 44,
            incrs: [...WHOLE_STEPS],
            values: (_plot: UPlot, at: number[]) => at.map((value) => short.format(value)),
          },
        ]
      : []),
    ...(hasMoney
      ? [
          {
            ...common,
            scale: 'money',
            size: 60,
            space: 44,
            ...(hasCount && { side: 1 as const, grid: { show: false } }),
            ...(steps && { incrs: [...steps] }),
            values: (_plot: UPlot, at: number[]) => at.map((value) => shortMoney(value, digits)),
          },
        ]
      : []),
  ];
}
