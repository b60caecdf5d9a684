import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { ask } from '../../shared/ask.js';
import { Chart } from '../../shared/chart.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { siteDay, When } from '../../shared/dates.js';
import { List } from '../../shared/list.js';
import { money, Money } from '../../shared/money.js';
import { AddressTabs, Loaded, Figures, PageHead, Panel, Person, Status } from '../../shared/parts.js';
import { number, t, tn } from '../../shared/texts.js';
import { Days } from '../affiliates/days.js';
import { nameOf } from '../people.js';
import { groupRate } from '../rates.js';
import { GroupForm } from './form.js';

type GroupView = AnswerOf<'groups.get'>['group'];

export function Group(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const reading = useRead('groups.get', { params: { id } }, { keep: false });
  return (
    <Loaded page of={reading}>
      {({ group }) => <Detail group={group} />}
    </Loaded>
  );
}

function Detail({ group }: { group: GroupView }): ReactNode {
  const remove = useWrite('groups.delete', { quiet: true });
  const [, go] = useLocation();
  const params = { id: group.id };
  const askDelete = (): void =>
    ask({
      title: t('Delete {name}?', { name: group.name }),
      danger: true,
      yes: t('Delete'),
      text: (
        <p>
          {tn(
            '{count} affiliate goes back to the rate of the program.',
            '{count} affiliates go back to the rate of the program.',
            group.affiliates_count,
          )}
        </p>
      ),
      run: async () => {
        await remove.run({ params });
        go('/groups');
      },
    });
  return (
    <>
      <PageHead
        back={{ href: '/groups', label: t('Groups') }}
        title={group.name}
        badge={<Status of={group.status} />}
        about={groupRate(group)}
        actions={
          <Button variant="default" onClick={askDelete}>
            {t('Delete')}
          </Button>
        }
      />
      <AddressTabs
        tabs={[
          { key: 'summary', label: t('Summary'), content: () => <Summary id={group.id} /> },
          { key: 'affiliates', label: t('Affiliates'), content: () => <Members id={group.id} /> },
          {
            key: 'settings',
            label: t('Settings'),
            content: () => (
              <Panel>
                <GroupForm group={group} onDone={() => {}} />
              </Panel>
            ),
          },
        ]}
      />
    </>
  );
}

function Summary({ id }: { id: number }): ReactNode {
  const overview = useRead('groups.overview', { params: { id } });
  const [days, setDays] = useState(30);
  const chart = useRead('groups.statistics', {
    params: { id },
    query: { start_date: siteDay(-days + 1), end_date: siteDay() },
  });
  const widgets = overview.data?.widgets;
  return (
    <div className="fa-stack">
      <Figures
        loading={widgets === undefined}
        figures={[
          { label: t('Earned'), value: money(widgets?.total_earnings) },
          { label: t('On its way or paid'), value: money(widgets?.paid_amount) },
          { label: t('Ready to pay or in the waiting period'), value: money(widgets?.unpaid_amount) },
          { label: t('Affiliates'), value: number(widgets?.total_affiliate ?? 0) },
        ]}
      />
      <Panel title={t('Over time')} actions={<Days value={days} onChange={setDays} />}>
        <Loaded of={chart}>
          {(data) => (
            <Chart
              title={t('Over time')}
              labels={data.xAxisData}
              series={data.series.map(({ name, data: values }) => ({
                name: name === 'Visits' ? t('Clicks') : name === 'Referrals' ? t('Referrals') : name,
                values,
              }))}
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function Members({ id }: { id: number }): ReactNode {
  type Row = {
    id: number;
    status: string;
    total_earnings: number;
    unpaid_earnings: number;
    created_at: string | null;
    payment_email: string | null;
    user: {
      full_name: string;
      display_name: string;
      user_login: string;
      user_email: string;
      photo: string;
    } | null;
  };
  return (
    <List
      name="group-affiliates"
      operation="groups.affiliates"
      input={{ params: { id } }}
      columns={
        [
          {
            key: 'who',
            label: t('Affiliate'),
            head: true,
            cell: (row: Row) => (
              <Person
                name={nameOf(row)}
                about={row.user?.user_email ?? ''}
                avatar={row.user?.photo ?? ''}
                href={`/affiliates/${row.id}`}
              />
            ),
          },
          { key: 'status', label: t('Status'), cell: (row: Row) => <Status of={row.status} /> },
          {
            key: 'unpaid',
            label: t('Ready to pay or in the waiting period'),
            end: true,
            cell: (row: Row) => <Money amount={row.unpaid_earnings} />,
          },
          {
            key: 'earned',
            label: t('Earned'),
            end: true,
            cell: (row: Row) => <Money amount={row.total_earnings} />,
          },
          { key: 'created', label: t('Joined'), end: true, cell: (row: Row) => <When at={row.created_at} /> },
        ] as never
      }
      rowKey={(row) => Number(row['id'])}
      href={(row) => `/affiliates/${String(row['id'])}`}
      empty={{
        title: t('Nobody is in this group'),
        text: t('Choose the group in the settings of an affiliate.'),
      }}
    />
  );
}
