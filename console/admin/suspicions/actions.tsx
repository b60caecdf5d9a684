import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { RowButton } from '../../shared/buttons.js';
import { useWrite, type RowOf } from '../../shared/data.js';
import { QueryView } from '../../shared/query-view.js';
import { DialogSum, sumText } from '../../shared/sums.js';
import { t } from '../../shared/texts.js';

type Row = RowOf<'settings.fraud_events'>;

/** Shows the amount first. */
const About = ({ id, children }: { id: number; children: ReactNode }): ReactNode => (
  <QueryView of="referrals.get" input={{ params: { id } }}>
    {({ referral }) => <DialogSum sum={sumText([referral])}>{children}</DialogSum>}
  </QueryView>
);

/** Buttons to decide about a suspicion. */
export function SuspicionActions({ row }: { row: Row }): ReactNode {
  const { rights } = useBoot();
  const referral = useWrite('referrals.update', { quiet: true });
  const affiliate = useWrite('affiliates.status', { quiet: true });
  const id = row.referral_id;
  return (
    <span className="fa-row">
      {id !== null && rights.referrals === 'write' && (
        <>
          <RowButton
            variant="light"
            question={{
              title: t('Approve the commission?'),
              text: <About id={id}>{t('Approves the commission. It becomes payable.')}</About>,
              yes: t('Approve'),
              run: () => referral.run({ params: { id }, body: { status: 'unpaid' } }),
            }}
          >
            {t('Approve')}
          </RowButton>
          <RowButton
            question={{
              title: t('Reject the commission?'),
              danger: true,
              text: <About id={id}>{t('It is not paid.')}</About>,
              yes: t('Reject'),
              run: () => referral.run({ params: { id }, body: { status: 'rejected' } }),
            }}
          >
            {t('Reject')}
          </RowButton>
        </>
      )}
      {rights.affiliates === 'write' && (
        <RowButton
          quiet
          question={{
            title: t('Ban this affiliate?'),
            danger: true,
            text: t(
              'Deactivates the affiliate: links no longer count. Earned commissions stay; reject them if needed.',
            ),
            yes: t('Ban'),
            run: () => affiliate.run({ params: { id: row.affiliate_id }, body: { status: 'inactive' } }),
          }}
        >
          {t('Ban')}
        </RowButton>
      )}
    </span>
  );
}
