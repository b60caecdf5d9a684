import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { useBoot } from '../../shared/boot.js';
import { useRead, useWrite, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { List, type Column } from '../../shared/list.js';
import { AddressTabs, AppLink, PageHead, Status, statusText } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { affiliateFilter } from '../people.js';
import { reasonText } from '../reasons.js';
import { FraudRules } from '../settings/fraud.js';

type Row = RowOf<'settings.fraud_events'>;
export const RULES = [
  'self_referral',
  'same_domain',
  'same_address',
  'same_payment',
  'disposable_mail',
  'banned_referrer',
  'coupon_site',
  'paid_traffic',
  'fast_order',
  'address_orders',
  'refund_ratio',
  'shared_payout',
] as const;

function Owner({ id }: { id: number }): ReactNode {
  const found = useRead('settings.affiliate_options', { query: { include_ids: [id] } });
  return (
    <AppLink href={`/affiliates/${id}`}>
      {found.data?.affiliates.find((affiliate) => affiliate.id === id)?.full_name ?? `#${id}`}
    </AppLink>
  );
}

function Deeds({ row }: { row: Row }): ReactNode {
  const { rights } = useBoot();
  const referral = useWrite('referrals.update', { quiet: true });
  const affiliate = useWrite('affiliates.status', { quiet: true });
  const id = row.referral_id;
  return (
    <span className="fa-row">
      {id !== null && rights.referrals === 'write' && (
        <>
          <Button
            size="compact-xs"
            variant="light"
            onClick={() =>
              ask({
                title: t('Approve the commission?'),
                text: t('You have looked at it and it is fine. It becomes payable.'),
                yes: t('Approve'),
                run: () => referral.run({ params: { id }, body: { status: 'unpaid' } }),
              })
            }
          >
            {t('Approve')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              ask({
                title: t('Reject the commission?'),
                danger: true,
                text: t('It is not paid.'),
                yes: t('Reject'),
                run: () => referral.run({ params: { id }, body: { status: 'rejected' } }),
              })
            }
          >
            {t('Reject')}
          </Button>
        </>
      )}
      {rights.affiliates === 'write' && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() =>
            ask({
              title: t('Ban this affiliate?'),
              danger: true,
              text: t(
                'The affiliate is deactivated: links no longer count. What was earned is not touched; reject it where needed.',
              ),
              yes: t('Ban'),
              run: () => affiliate.run({ params: { id: row.affiliate_id }, body: { status: 'inactive' } }),
            })
          }
        >
          {t('Ban')}
        </Button>
      )}
    </span>
  );
}

export function Suspicions(): ReactNode {
  const columns: readonly Column<Row>[] = [
    {
      key: 'why',
      label: t('Suspicion'),
      head: true,
      cell: (row) => <span className="fa-strong">{reasonText(row.rule)}</span>,
    },
    {
      key: 'action',
      label: t('What was done'),
      cell: (row) => <Status of={row.action} label={actionText(row.action)} />,
    },
    { key: 'who', label: t('Affiliate'), cell: (row) => <Owner id={row.affiliate_id} /> },
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
    { key: 'created', label: t('Date'), end: true, cell: (row) => <When at={row.created_at} /> },
    { key: 'deeds', label: '', end: true, cell: (row) => <Deeds row={row} /> },
  ];
  return (
    <>
      <PageHead
        title={t('Suspicions')}
        about={t(
          'Orders that look as if an affiliate tricks the program. Look at the evidence, then decide.',
        )}
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
                rowKey={(row) => row.id}
                search={false}
                filters={[
                  {
                    key: 'rule',
                    label: t('Suspicion'),
                    choices: RULES.map((value) => ({ value, label: reasonText(value) })),
                  },
                  affiliateFilter(),
                ]}
                empty={{
                  title: t('No suspicions'),
                  text: t('Rules watch every first order. What they find appears here.'),
                }}
              />
            ),
          },
          { key: 'rules', label: t('Rules'), content: () => <FraudRules /> },
        ]}
      />
    </>
  );
}

export function actionText(action: string): string {
  const texts: Readonly<Record<string, string>> = {
    off: t('Nothing'),
    flag: t('Marked'),
    hold: t('Held for a person'),
    reject: t('No commission'),
  };
  return texts[action] ?? statusText(action);
}
