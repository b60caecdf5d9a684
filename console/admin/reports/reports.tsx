import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { Chart } from '../../shared/chart.js';
import { useRead } from '../../shared/data.js';
import { List } from '../../shared/list.js';
import { money, Money } from '../../shared/money.js';
import { AddressTabs, Answer, AppLink, Empty, Figures, PageHead, Panel, Person } from '../../shared/parts.js';
import { number, t, word } from '../../shared/texts.js';
import { useBoot } from '../../shared/boot.js';
import { nameOf } from '../people.js';
import { useRange } from '../overview/range.js';
import { Campaigns } from './campaigns.js';

export function Reports(): ReactNode {
  const { rights } = useBoot();
  return (
    <>
      <PageHead title={t('Reports')} about={t('Where sales come from, and what they cost.')} />
      <AddressTabs
        tabs={[
          { key: 'course', label: t('Over time'), content: () => <Course /> },
          { key: 'shops', label: t('Shops and sites'), content: () => <Shops /> },
          rights.visits !== 'none' &&
            rights.referrals !== 'none' && {
              key: 'campaigns',
              label: t('Campaigns'),
              content: () => <Campaigns />,
            },
          rights.affiliates !== 'none' && {
            key: 'affiliates',
            label: t('Affiliates'),
            content: () => <People />,
          },
          rights.settings && { key: 'groups', label: t('Groups'), content: () => <ByGroup /> },
        ]}
      />
    </>
  );
}

function Course(): ReactNode {
  const { range, before, picker } = useRange();
  const now = useRead('reports.chart', { query: { start_date: range.from, end_date: range.to } });
  const then = useRead('reports.chart', { query: { start_date: before.from, end_date: before.to } });
  const earned = useRead('reports.earnings', { query: { start_date: range.from, end_date: range.to } });
  const earnedThen = useRead('reports.earnings', {
    query: { start_date: before.from, end_date: before.to },
  });
  const sum = (values: readonly number[] | undefined): number =>
    (values ?? []).reduce((total, value) => total + value, 0);
  const names: Readonly<Record<string, string>> = {
    Referrals: t('Referrals'),
    Visits: t('Clicks'),
    Affiliates: t('New affiliates'),
  };
  return (
    <div className="fa-stack">
      {picker}
      <Answer of={now}>
        {(data) => {
          const courses = [
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
                figures={courses.map(({ name, values, earlier, money: isMoney }) => {
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
              {courses.map(({ name, values, earlier, money: isMoney }) => (
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
      </Answer>
    </div>
  );
}

function Shops(): ReactNode {
  const address = useAddress();
  const providers = useRead('reports.providers');
  const entries = Object.entries(providers.data?.providers ?? {});
  const chosen = address.get('shop', entries[0]?.[0] ?? '');
  const report = useRead('reports.provider', { params: { provider: chosen } }, { enabled: chosen !== '' });
  if (providers.data !== undefined && entries.length === 0)
    return (
      <Empty
        title={t('No reports yet')}
        text={t('Switch on an integration or connect a site; its sales are added up here.')}
      />
    );
  return (
    <div className="fa-stack">
      <Select
        aria-label={t('Shop')}
        w={280}
        data={entries.map(([value, { title }]) => ({ value, label: title }))}
        value={chosen || null}
        onChange={(shop) => address.set({ shop })}
      />
      <Answer of={report}>
        {({ report: { title, widgets, by_currency: others } }) => (
          <>
            <Figures
              figures={Object.values(widgets).map(({ label, value, is_money }) => ({
                label: word(label),
                value: is_money ? money(value) : number(value),
              }))}
            />
            {others && Object.keys(others).length > 0 && (
              <Panel title={t('{shop}: by currency', { shop: title })} flush>
                <div className="fa-table-frame fa-keep" tabIndex={0}>
                  <table className="fa-table">
                    <thead>
                      <tr>
                        <th scope="col">{t('Currency')}</th>
                        {Object.keys(Object.values(others)[0] ?? {}).map((key) => (
                          <th scope="col" key={key} className="fa-end">
                            {word(key)}
                          </th>
                        ))}
                      </tr>
                    </thead>
                    <tbody>
                      {Object.entries(others).map(([code, figures]) => (
                        <tr key={code}>
                          <th scope="row">{code}</th>
                          {Object.entries(figures).map(([key, value]) => (
                            <td key={key} className="fa-end fa-number">
                              {money(value, code)}
                            </td>
                          ))}
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              </Panel>
            )}
          </>
        )}
      </Answer>
    </div>
  );
}

function People(): ReactNode {
  return (
    <List
      name="report-affiliates"
      operation="affiliates.list"
      record="affiliates"
      input={{ query: { order_by: 'total_earnings', order_type: 'DESC' } }}
      columns={[
        {
          key: 'who',
          label: t('Affiliate'),
          head: true,
          cell: (row) => (
            <Person name={nameOf(row)} about={row.user?.user_email ?? ''} href={`/affiliates/${row.id}`} />
          ),
        },
        {
          key: 'clicks',
          label: t('Clicks'),
          of: 'visits',
          cell: (row) => <span className="fa-number">{number(row.visits)}</span>,
        },
        {
          key: 'referrals',
          label: t('Referrals'),
          of: 'referrals',
          cell: (row) => <span className="fa-number">{number(row.referrals)}</span>,
        },
        {
          key: 'rate',
          label: t('Conversion'),
          end: true,
          cell: (row) => (
            <span className="fa-number">
              {row.visits === 0 ? '—' : `${number((row.referrals / row.visits) * 100, 1)} %`}
            </span>
          ),
        },
        {
          key: 'unpaid',
          label: t('Unpaid'),
          of: 'unpaid_earnings',
          cell: (row) => <Money amount={row.unpaid_earnings} />,
        },
        {
          key: 'earned',
          label: t('Earned'),
          of: 'total_earnings',
          cell: (row) => <Money amount={row.total_earnings} />,
        },
      ]}
      rowKey={(row) => row.id}
      href={(row) => `/affiliates/${row.id}`}
      exportOf="affiliates.export"
      empty={{ title: t('No affiliates yet') }}
    />
  );
}

function ByGroup(): ReactNode {
  return (
    <List
      name="report-groups"
      operation="groups.list"
      columns={[
        {
          key: 'name',
          label: t('Group'),
          head: true,
          cell: (row) => <AppLink href={`/groups/${row.id}`}>{row.name}</AppLink>,
        },
        { key: 'people', label: t('Affiliates'), end: true, cell: (row) => number(row.affiliates_count) },
        { key: 'visits', label: t('Clicks'), end: true, cell: (row) => number(row.visits_count) },
        {
          key: 'earned',
          label: t('Earned'),
          end: true,
          cell: (row) => <Money amount={row.total_earnings} />,
        },
      ]}
      rowKey={(row) => row.id}
      href={(row) => `/groups/${row.id}`}
      search={false}
      empty={{ title: t('No groups yet') }}
    />
  );
}
