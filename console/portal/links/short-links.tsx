import { ActionIcon } from '@mantine/core';
import { IconQrcode, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { confirmFirst } from '../../shared/confirm.js';
import { useRead, useWrite, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import { Copyable, Panel, Clip } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { pathOf } from '../clicks/path.js';
import { useHasQr } from './qr.js';

const QrDialog = lazyPart(() => import('./qr-dialog.js'), 'QrDialog');

type Row = RowOf<'portal.redirect_links'>;

/** Short links of the affiliate, created by the affiliate or the program. */
export function ShortLinks(): ReactNode {
  const { data } = useRead('portal.redirect_links', { query: { per_page: 1 } });
  const remove = useWrite('portal.delete_redirect_link', { done: t('Short link deleted') });
  const hasQr = useHasQr();
  const [code, setCode] = useState<Row | null>(null);
  if ((data?.links.total ?? 0) === 0) return null;
  const columns: readonly Column<Row>[] = [
    {
      key: 'link',
      label: t('Short link'),
      head: true,
      cell: (row) => (
        <span dir="ltr">
          <Copyable value={row.link} />
        </span>
      ),
    },
    {
      key: 'target',
      label: t('Leads to'),
      cell: (row) => <Clip whole={row.target}>{pathOf(row.target)}</Clip>,
    },
    {
      key: 'campaign',
      label: t('Campaign'),
      cell: (row) => row.utm_campaign ?? <span className="fa-faint">—</span>,
    },
    { key: 'made', label: t('Created'), cell: (row) => <DateTime at={row.created_at} /> },
    {
      key: 'actions',
      label: t('Actions'),
      end: true,
      cell: (row) => (
        <span className="fa-row fa-row-actions">
          {hasQr && (
            <ActionIcon
              data-hint={t('QR code')}
              aria-label={t('QR code of {link}', { link: row.slug })}
              onClick={() => setCode(row)}
            >
              <IconQrcode size={17} />
            </ActionIcon>
          )}
          {row.creative_id === null && (
            <ActionIcon
              data-hint={t('Delete')}
              aria-label={t('Delete {name}', { name: row.slug })}
              onClick={() =>
                confirmFirst({
                  title: t('Delete {name}?', { name: `/go/${row.slug}` }),
                  text: t('The link stops working. Existing clicks and orders are kept.'),
                  yes: t('Delete'),
                  danger: true,
                  run: () => remove.run({ params: { id: row.id } }),
                })
              }
            >
              <IconTrash size={17} />
            </ActionIcon>
          )}
        </span>
      ),
    },
  ];
  return (
    <Panel title={t('Short links')} flush>
      <List
        name="portal-short-links"
        prefix="short-"
        operation="portal.redirect_links"
        columns={columns}
        rowName={(row) => row.slug}
        search={t('Search short links')}
        empty={{ title: t('No short links yet') }}
      />
      {code !== null && <QrDialog onClose={() => setCode(null)} link={code.link} name={code.slug} />}
    </Panel>
  );
}
