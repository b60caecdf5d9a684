import type { ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import type { RowOf } from '../../shared/data.js';
import { choicesOf } from '../../shared/filters.js';
import { lazyComponent, lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import { AddressTabs, AppLink, PageHead, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { AffiliateLink, recordFilters } from '../people.js';
import { reasonText } from '../reasons.js';
import { SuspicionActions } from './actions.js';
import { actionText, RULES } from './rules.js';

const FraudRules = lazyComponent(() => import('../settings/fraud.js'), 'FraudRules');
const Evidence = lazyPart(() => import('./evidence.js'), 'Evidence');

type Row = RowOf<'settings.fraud_events'>;

export function Suspicions(): ReactNode {
  const [open, setOpen] = useOpenRecord();
  const columns: readonly Column<Row>[] = [
    {
      key: 'why',
      label: t('Suspicion'),
      head: true,
      cell: (row) => (
        <button type="button" className="fa-plain fa-strong" onClick={() => setOpen(row.id)}>
          {reasonText(row.rule)}
        </button>
      ),
    },
    {
      key: 'action',
      label: t('Action'),
      cell: (row) => <Status of={row.action} label={actionText(row.action)} />,
    },
    { key: 'who', label: t('Affiliate'), cell: (row) => <AffiliateLink id={row.affiliate_id} /> },
    {
      key: 'order',
      label: t('Order'),
      cell: (row) =>
        row.referral_id === null ? (
          `${row.provider} ${row.provider_id}`
        ) : (
          <AppLink href={`/referrals/${row.referral_id}`}>
            {row.provider} {row.provider_id}
          </AppLink>
        ),
    },
    { key: 'created', label: t('Date'), of: 'created_at', kind: 'time' },
    { key: 'actions', label: '', end: true, cell: (row) => <SuspicionActions row={row} /> },
  ];
  return (
    <>
      <PageHead
        title={t('Suspicions')}
        about={t('Orders that may be affiliate fraud. Check the evidence, then decide.')}
      />
      <AddressTabs
        tabs={[
          {
            key: 'queue',
            label: t('Queue'),
            content: () => (
              <List
                name="suspicions"
                operation="settings.fraud_events"
                columns={columns}
                onRow={(row) => setOpen(row.id)}
                search={false}
                filters={[
                  { key: 'rule', label: t('Suspicion'), choices: choicesOf(RULES, reasonText) },
                  ...recordFilters(),
                ]}
                empty={{
                  title: t('No suspicions'),
                  text: t('Rules check every first order. Suspicious orders appear here.'),
                }}
              />
            ),
          },
          { key: 'rules', label: t('Rules'), content: () => <FraudRules /> },
        ]}
      />
      {open !== '' && <Evidence id={open} onClose={() => setOpen(null)} />}
    </>
  );
}
