import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { useBoot } from '../../shared/boot.js';
import { useRead, useWrite, type RowOf } from '../../shared/data.js';
import { Loaded } from '../../shared/parts.js';
import { DialogSum } from '../../shared/sums.js';
import { t } from '../../shared/texts.js';

type Row = RowOf<'settings.fraud_events'>;

/** The sum it is about comes first. */
function About({ id, children }: { id: number; children: ReactNode }): ReactNode {
  const reading = useRead('referrals.get', { params: { id } });
  return <Loaded of={reading}>{({ referral }) => <DialogSum of={[referral]}>{children}</DialogSum>}</Loaded>;
}

/** What a person decides about a suspicion. */
export function Deeds({ row }: { row: Row }): ReactNode {
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
                text: <About id={id}>{t('You have looked at it and it is fine. It becomes payable.')}</About>,
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
                text: <About id={id}>{t('It is not paid.')}</About>,
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
