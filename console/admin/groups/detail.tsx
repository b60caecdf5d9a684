import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { confirmFirst } from '../../shared/confirm.js';
import { Chart } from '../../shared/chart.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { siteDay } from '../../shared/dates.js';
import { List } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { AddressTabs, Figures, PageHead, Panel, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { number, t, tn } from '../../shared/texts.js';
import { Days } from '../affiliates/days.js';
import { AffiliatePerson } from '../people.js';
import { groupRate } from '../rates.js';
import { GroupForm } from './form.js';

type GroupView = ResponseOf<'groups.get'>['group'];

export function Group(): ReactNode {
  const { id } = useParams<{ id: string }>();
  return (
    <QueryView of="groups.get" input={{ params: { id } }} fresh page>
      {({ group }) => <Detail group={group} />}
    </QueryView>
  );
}

function Detail({ group }: { group: GroupView }): ReactNode {
  const remove = useWrite('groups.delete', { quiet: true });
  const [, go] = useLocation();
  const params = { id: group.id };
  const askDelete = (): void =>
    confirmFirst({
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
        <QueryView
          of="groups.statistics"
          input={{ params: { id }, query: { start_date: siteDay(-days + 1), end_date: siteDay() } }}
        >
          {(data) => (
            <Chart
              title={t('Over time')}
              labels={data.xAxisData}
              series={data.series.map(({ name, data: values }) => ({
                name: name === 'Visits' ? t('Clicks') : name === 'Referrals' ? t('Commissions') : name,
                values,
              }))}
            />
          )}
        </QueryView>
      </Panel>
    </div>
  );
}

function Members({ id }: { id: number }): ReactNode {
  return (
    <List
      name="group-affiliates"
      operation="groups.affiliates"
      input={{ params: { id } }}
      columns={[
        { key: 'who', label: t('Affiliate'), head: true, cell: (row) => <AffiliatePerson of={row} /> },
        { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
        {
          key: 'unpaid',
          label: t('Ready to pay or in the waiting period'),
          of: 'unpaid_earnings',
          kind: 'amount',
        },
        { key: 'earned', label: t('Earned'), of: 'total_earnings', kind: 'amount' },
        { key: 'created', label: t('Joined'), of: 'created_at', kind: 'time' },
      ]}
      href={({ id: affiliate }) => `/affiliates/${affiliate}`}
      empty={{
        title: t('No affiliates in this group'),
        text: t(
          'Select affiliates in the list and press “Group…”. One affiliate also has the group in its settings.',
        ),
        action: (
          <Button component={Link} href="/affiliates" variant="default">
            {t('Affiliates')}
          </Button>
        ),
      }}
    />
  );
}
