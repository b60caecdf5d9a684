import { Button, Modal } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { When } from '../../shared/dates.js';
import { List, type Column } from '../../shared/list.js';
import { PageHead, Status, statusText, Waiting } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { kindText, TYPES, type Row } from './kinds.js';
import { dayFilters } from '../people.js';

// Loaded when it is first opened.
const OpenCreative = lazy(async () => ({ default: (await import('./form.js')).OpenCreative }));

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
  { key: 'kind', label: t('Kind'), cell: (row) => kindText(row.type) },
  { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
  {
    key: 'who',
    label: t('For'),
    cell: (row) => (row.privacy === 'public' ? t('Everybody') : t('Chosen affiliates')),
  },
  {
    key: 'url',
    label: t('Leads to'),
    cell: (row) => (
      <span className="fa-clip" title={row.url} dir="ltr">
        {row.url}
      </span>
    ),
  },
  { key: 'updated', label: t('Changed'), end: true, cell: (row) => <When at={row.updated_at} /> },
];

export function Creatives(): ReactNode {
  const [open, setOpen] = useOpened();
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen('new')}>
      {t('New creative')}
    </Button>
  );
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
        rowKey={(row) => row.id}
        onRow={({ id }) => setOpen(id)}
        filters={[
          {
            key: 'status',
            label: t('Status'),
            choices: ['active', 'inactive', 'scheduled', 'expired'].map((value) => ({
              value,
              label: statusText(value),
            })),
          },
          {
            key: 'type',
            label: t('Kind'),
            choices: TYPES.map((value) => ({ value, label: kindText(value) })),
          },
          ...dayFilters(),
        ]}
        empty={{
          title: t('No creatives yet'),
          text: t('Good material sells. Begin with a picture and the page it leads to.'),
          action: create,
        }}
      />
      <Modal
        opened={open !== ''}
        onClose={() => setOpen(null)}
        title={open === 'new' ? t('New creative') : t('Creative')}
        size="xl"
      >
        {open !== '' && (
          <Suspense fallback={<Waiting />}>
            <OpenCreative id={open} onClose={() => setOpen(null)} />
          </Suspense>
        )}
      </Modal>
    </>
  );
}
