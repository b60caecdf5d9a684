import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { RowOf } from '../../shared/data.js';
import { List, type Column } from '../../shared/list.js';
import { NewButton, UrlDialog } from '../../shared/url-dialog.js';
import { AppLink, PageHead, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { GroupForm } from './form.js';
import { dayFilters, statusFilter } from '../people.js';
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
  { key: 'people', label: t('Affiliates'), of: 'affiliates_count', kind: 'number' },
  { key: 'visits', label: t('Clicks'), of: 'visits_count', kind: 'number' },
  { key: 'earned', label: t('Earned'), of: 'total_earnings', kind: 'amount' },
];

export function Groups(): ReactNode {
  const [, go] = useLocation();
  const create = <NewButton>{t('New group')}</NewButton>;
  return (
    <>
      <PageHead
        title={t('Groups')}
        about={t(
          'Affiliates with the same terms: their own rate, longer waiting periods, exclusive creatives.',
        )}
        actions={create}
      />
      <List
        name="groups"
        operation="groups.list"
        columns={columns()}
        href={(row) => `/groups/${row.id}`}
        filters={[statusFilter(['active', 'inactive']), ...dayFilters()]}
        exportOf="groups.export"
        empty={{
          title: t('No groups yet'),
          text: t('Create a group for affiliates with better terms.'),
          action: create,
        }}
      />
      <UrlDialog name="new" title={t('New group')} size="lg">
        {(close) => <GroupForm onDone={(id) => go(`/groups/${id}`)} onCancel={close} />}
      </UrlDialog>
    </>
  );
}
