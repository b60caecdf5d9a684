import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { choicesOf } from '../../shared/filters.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import { NewButton } from '../../shared/url-dialog.js';
import { PageHead, Status, Waiting, Clip } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { kindText, TYPES, type Row } from './kinds.js';
import { dayFilters, statusFilter } from '../people.js';

// Loaded on first use.
const OpenCreative = lazyPart(() => import('./form.js'), 'OpenCreative', <Waiting />);

const columns = (open: (row: Row) => void): readonly Column<Row>[] => [
  {
    key: 'name',
    label: t('Creative'),
    head: true,
    cell: (row) => (
      <span className="fa-person">
        {row.image && (
          <img src={row.image} alt="" width={40} height={30} className="fa-thumb" loading="lazy" />
        )}
        <button type="button" className="fa-plain fa-strong" onClick={() => open(row)}>
          {row.name}
        </button>
      </span>
    ),
  },
  { key: 'kind', label: t('Type'), cell: (row) => kindText(row.type) },
  { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
  {
    key: 'who',
    label: t('For'),
    cell: (row) => (row.privacy === 'public' ? t('Everyone') : t('Selected affiliates')),
  },
  { key: 'url', label: t('Leads to'), cell: (row) => <Clip whole={row.url} /> },
  { key: 'updated', label: t('Changed'), of: 'updated_at', kind: 'time' },
];

export function Creatives(): ReactNode {
  const [open, setOpen] = useOpenRecord();
  const create = <NewButton>{t('New creative')}</NewButton>;
  return (
    <>
      <PageHead
        title={t('Creatives')}
        about={t('Pictures, texts and codes that affiliates put on their pages.')}
        actions={create}
      />
      <List
        name="creatives"
        operation="creatives.list"
        exportOf="creatives.export"
        columns={columns(({ id }) => setOpen(id))}
        onRow={({ id }) => setOpen(id)}
        filters={[
          statusFilter(['active', 'inactive', 'scheduled', 'expired']),
          { key: 'type', label: t('Type'), choices: choicesOf(TYPES, kindText) },
          ...dayFilters(),
        ]}
        empty={{
          title: t('No creatives yet'),
          text: t('Good creatives sell. Start with a picture and the page it links to.'),
          action: create,
        }}
      />
      <Modal
        opened={open !== ''}
        onClose={() => setOpen(null)}
        title={open === 'new' ? t('New creative') : t('Creative')}
        size="xl"
      >
        {open !== '' && <OpenCreative id={open} onClose={() => setOpen(null)} />}
      </Modal>
    </>
  );
}
