import type { ReactNode } from 'react';
import { Chart } from '../../shared/chart.js';
import { useRead } from '../../shared/data.js';
import { DownloadButton } from '../../shared/file-buttons.js';
import { money } from '../../shared/money.js';
import { AddressTabs, Figures, PageHead, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { number, t } from '../../shared/texts.js';
import { useBoot } from '../../shared/boot.js';
import { useRange } from '../overview/range.js';
import { Breakdown, SubIdBreakdown } from './breakdown.js';
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

function EarningsChart(): ReactNode {
  const { range, before, picker } = useRange({ compares: true });
  const days = { start_date: range.from, end_date: range.to };
  const daysBefore = { start_date: before.from, end_date: before.to };
  const then = useRead('reports.chart', { query: daysBefore });
  const earned = useRead('reports.earnings', { query: days });
  const earnedThen = useRead('reports.earnings', { query: daysBefore });
  const sum = (values: readonly number[] | undefined): number =>
    (values ?? []).reduce((total, value) => total + value, 0);
  const names: Readonly<Record<string, string>> = {
    Referrals: t('Commissions'),
    Visits: t('Clicks'),
    Affiliates: t('New affiliates'),
  };
  return (
    <div className="fa-stack">
      <div className="fa-row fa-spread">
        {picker}
        <DownloadButton name="report-course" of="reports.chart" input={{ query: { ...days, format: 'csv' } }}>
          {t('Export')}
        </DownloadButton>
      </div>
      <QueryView of="reports.chart" input={{ query: days }}>
        {(data) => {
          const metrics = [
            ...(earned.data && earned.data.labels.length > 0
              ? [
                  {
                    name: t('Earnings'),
                    values: earned.data.earnings,
                    earlier: earnedThen.data?.earnings,
                    money: true,
                  },
                ]
              : []),
            ...data.series.map(({ name, data: values }) => ({
              name: names[name] ?? name,
              values,
              earlier: then.data?.series.find((one) => one.name === name)?.data,
              money: false,
            })),
          ];
          return (
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
          );
        }}
      </QueryView>
    </div>
  );
}
