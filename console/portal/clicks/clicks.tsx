import type { ReactNode } from 'react';
import { useRead, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { choicesIn } from '../../shared/filters.js';
import { List, type Column } from '../../shared/list.js';
import { Money } from '../../shared/money.js';
import { AppLink, PageHead, Status, Clip } from '../../shared/parts.js';
import { subIdColumn, subIdFilters } from '../../shared/sub-ids.js';
import { t } from '../../shared/texts.js';
import { pathOf } from './path.js';

type Row = RowOf<'portal.clicks'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'page',
    label: t('Page'),
    head: true,
    card: 'name',
    cell: (row) => (
      <span className="fa-clip fa-strong" title={row.url} dir="ltr">
        {pathOf(row.url)}
      </span>
    ),
  },
  {
    key: 'from',
    label: t('Came from'),
    card: 'state',
    cell: (row) =>
      row.referrer === null || row.referrer === '' ? (
        <span className="fa-faint">{t('Direct')}</span>
      ) : (
        <Clip whole={String(row.referrer)}>{String(row.referrer).replace(/^https?:\/\/(?:www\.)?/, '')}</Clip>
      ),
  },
  {
    key: 'campaign',
    label: t('Campaign'),
    cell: (row) => row.utm_campaign || <span className="fa-faint">—</span>,
  },
  { key: 'source', label: t('Source'), extra: true, cell: (row) => row.utm_source || '—' },
  { key: 'medium', label: t('Medium'), extra: true, cell: (row) => row.utm_medium || '—' },
  subIdColumn(),
  { key: 'when', label: t('When'), card: 'date', cell: (row) => <DateTime at={row.created_at} /> },
  {
    key: 'order',
    label: t('Brought'),
    card: 'amount',
    end: true,
    cell: (row) =>
      row.is_converted ? (
        <span className="fa-brought">
          <Status of="converted" label={t('Order')} /> <Money amount={row.total_referral_amount} />
        </span>
      ) : (
        <span className="fa-faint">—</span>
      ),
  },
];

export function Clicks(): ReactNode {
  const { data } = useRead('portal.performance', { query: { by: 'campaign', days: 365 } });
  const campaigns = (data?.rows ?? []).filter(({ name }) => name !== '').slice(0, 40);
  return (
    <>
      <PageHead title={t('Clicks')} about={t('Clicks on your links, with their source and orders.')} />
      <List
        name="portal-clicks"
        operation="portal.clicks"
        columns={columns()}
        search={t('Search pages and sources')}
        filters={[
          {
            key: 'converted',
            label: t('Result'),
            choices: choicesIn({ yes: t('With an order'), no: t('Without an order') }),
          },
          {
            key: 'campaign',
            label: t('Campaign'),
            choices: campaigns.map(({ name }) => ({ value: name, label: name })),
          },
          ...subIdFilters(),
        ]}
        empty={{
          title: t('No clicks yet'),
          text: t('Share one of your links. Its clicks are listed here.'),
          action: <AppLink href="/links">{t('Create a link')}</AppLink>,
        }}
      />
    </>
  );
}
