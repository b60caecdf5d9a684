import { Button, Modal } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { useLocation } from 'wouter';
import type { RowOf } from '../../shared/data.js';
import { List, type Column } from '../../shared/list.js';
import { Money } from '../../shared/money.js';
import { AppLink, PageHead, Status, statusText } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { GroupForm } from './form.js';
import { dayFilters } from '../people.js';
import { groupRate } from '../rates.js';

type Row = RowOf<'groups.list'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'name',
    label: t('Group'),
    head: true,
    cell: (row) => (
      <span className="fa-person-text">
        <AppLink href={`/groups/${row.id}`}>{row.name}</AppLink>
      </span>
    ),
  },
  { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
  { key: 'rate', label: t('Rate'), cell: (row) => groupRate(row) },
  {
    key: 'people',
    label: t('Affiliates'),
    end: true,
    cell: (row) => <span className="fa-number">{number(row.affiliates_count)}</span>,
  },
  {
    key: 'visits',
    label: t('Clicks'),
    end: true,
    cell: (row) => <span className="fa-number">{number(row.visits_count)}</span>,
  },
  { key: 'earned', label: t('Earned'), end: true, cell: (row) => <Money amount={row.total_earnings} /> },
];

export function Groups(): ReactNode {
  const [opened, setOpened] = useOpened();
  const creating = opened === 'new';
  const close = (): void => setOpened(null);
  const [, go] = useLocation();
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened('new')}>
      {t('New group')}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t('Groups')}
        about={t(
          'Affiliates with the same terms: a rate of their own, longer holds, material only for them.',
        )}
        actions={create}
      />
      <List
        name="groups"
        operation="groups.list"
        columns={columns()}
        rowKey={(row) => row.id}
        href={(row) => `/groups/${row.id}`}
        filters={[
          {
            key: 'status',
            label: t('Status'),
            choices: ['active', 'inactive'].map((value) => ({ value, label: statusText(value) })),
          },
          ...dayFilters(),
        ]}
        exportOf="groups.export"
        empty={{
          title: t('No groups yet'),
          text: t('Make one for those who deserve better terms.'),
          action: create,
        }}
      />
      <Modal opened={creating} onClose={close} title={t('New group')} size="lg">
        {creating && <GroupForm onDone={(id) => go(`/groups/${id}`)} onCancel={close} />}
      </Modal>
    </>
  );
}
