import type { ReactNode } from 'react';
import { Chart } from '../../shared/chart.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { AddressTabs, Figures, PageHead, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { number, t } from '../../shared/texts.js';
import { boot, useBoot } from '../../shared/boot.js';
import { useRange, type Range } from '../overview/range.js';
import { Breakdown, SubIdBreakdown } from './breakdown.js';
import { amountCell, ofDays, TableFileButton } from './file.js';
import { Shops } from './shops.js';

export function Reports(): ReactNode {
  const { rights } = useBoot();
  const sees = (...parts: readonly ('affiliates' | 'referrals' | 'visits')[]): boolean =>
    parts.every((part) => rights[part] !== 'none');
  return (
    <>
      <PageHead title={t('Reports')} about={t('Where sales come from and what they cost.')} />
      <AddressTabs
        tabs={[
          { key: 'course', label: t('Over time'), content: () => <EarningsChart /> },
          {
            key: 'shops',
            label: t('Shops and sites'),
            content: () => (
              <div className="fa-stack">
                {sees('referrals') && <Breakdown by="shops" />}
                <Shops />
              </div>
            ),
          },
          sees('referrals') && {
            key: 'products',
            label: t('Products'),
            content: () => <Breakdown by="products" />,
          },
          sees('visits', 'referrals') && {
            key: 'campaigns',
            label: t('Campaigns'),
            content: () => <Breakdown by="campaigns" />,
          },
          sees('visits', 'referrals') && {
            key: 'sub-ids',
            label: t('Sub IDs'),
            content: () => <SubIdBreakdown />,
          },
          sees('affiliates', 'referrals') && {
            key: 'affiliates',
            label: t('Affiliates'),
            content: () => <Breakdown by="affiliates" />,
          },
          sees('affiliates', 'referrals') && {
            key: 'groups',
            label: t('Groups'),
            content: () => <Breakdown by="groups" />,
          },
        ]}
      />
    </>
  );
}

const NAMES: Readonly<Record<string, () => string>> = {
  Referrals: () => t('Commissions'),
  Visits: () => t('Clicks'),
  Affiliates: () => t('New affiliates'),
};

interface Metric {
  readonly name: string;
  readonly values: readonly number[];
  readonly earlier: readonly number[] | undefined;
  readonly money: boolean;
}

interface TwoTimes<Response> {
  readonly now: Response | undefined;
  readonly past: Response | undefined;
}

/** The earnings, where the reader may see them, and the counts. */
const metricsOf = (
  counts: TwoTimes<ResponseOf<'reports.chart'>>,
  earned: TwoTimes<ResponseOf<'reports.earnings'>>,
): readonly Metric[] => [
  ...(earned.now && earned.now.labels.length > 0
    ? [{ name: t('Earnings'), values: earned.now.earnings, earlier: earned.past?.earnings, money: true }]
    : []),
  ...(counts.now?.series ?? []).map(({ name, data }) => ({
    name: NAMES[name]?.() ?? name,
    values: data,
    earlier: counts.past?.series.find((one) => one.name === name)?.data,
    money: false,
  })),
];

/** The tables of the charts beside each other, each value beside that of the days before. */
function fileRows(
  labels: readonly string[],
  metrics: readonly Metric[],
  { before, currency }: { readonly before: Range; readonly currency: string },
): string[][] {
  const cell = ({ money: isMoney }: Metric, value = 0): string =>
    isMoney ? amountCell(value, currency) : String(value);
  const nameOf = ({ name, money: isMoney }: Metric): string => (isMoney ? `${name}, ${currency}` : name);
  return [
    [
      t('Date'),
      ...metrics.flatMap((metric) => [nameOf(metric), ofDays(`${metric.name}, ${t('Before')}`, before)]),
    ],
    ...labels.map((label, at) => [
      label,
      ...metrics.flatMap((metric) => [cell(metric, metric.values[at]), cell(metric, metric.earlier?.[at])]),
    ]),
  ];
}

function EarningsChart(): ReactNode {
  const { range, before, picker } = useRange({ compares: true });
  const days = { start_date: range.from, end_date: range.to };
  const daysBefore = { start_date: before.from, end_date: before.to };
  const readings = {
    now: useRead('reports.chart', { query: days }),
    past: useRead('reports.chart', { query: daysBefore }),
    earned: useRead('reports.earnings', { query: days }),
    earnedPast: useRead('reports.earnings', { query: daysBefore }),
  };
  const { now, past, earned, earnedPast } = readings;
  const isRead = Object.values(readings).every(
    ({ data, isPlaceholderData }) => data !== undefined && !isPlaceholderData,
  );
  const sum = (values: readonly number[] | undefined): number =>
    (values ?? []).reduce((total, value) => total + value, 0);
  const metrics = metricsOf({ now: now.data, past: past.data }, { now: earned.data, past: earnedPast.data });
  const { currency } = earned.data ?? boot().program;
  return (
    <div className="fa-stack">
      {picker(
        <TableFileButton
          name="over-time"
          days={range}
          rows={isRead ? fileRows(now.data?.xAxisData ?? [], metrics, { before, currency }) : null}
        />,
      )}
      <QueryView of="reports.chart" input={{ query: days }}>
        {(data) => (
          <>
            <Figures
              figures={metrics.map(({ name, values, earlier, money: isMoney }) => {
                const [total, past] = [sum(values), sum(earlier)];
                const text = isMoney ? money : number;
                return {
                  label: name,
                  value: text(total),
                  change: past === 0 ? null : (total - past) / past,
                  note: t('before: {value}', { value: text(past) }),
                };
              })}
            />
            {metrics.map(({ name, values, earlier, money: isMoney }) => (
              <Panel key={name} title={name}>
                <Chart
                  title={name}
                  height={180}
                  labels={data.xAxisData}
                  series={[
                    {
                      name,
                      values,
                      money: isMoney,
                      ...(earlier !== undefined && { before: values.map((_, at) => earlier[at] ?? 0) }),
                    },
                  ]}
                />
              </Panel>
            ))}
          </>
        )}
      </QueryView>
    </div>
  );
}
