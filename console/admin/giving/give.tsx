import { Alert, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { ConfirmForm, OtherAffiliateDialog } from '../other-affiliate.js';
import { AffiliateName } from '../people.js';
import type { ReferralView } from '../referrals/view.js';

type GivePreview = ResponseOf<'referrals.give_preview'>['give'];

/** Moves an order to another affiliate: choose, preview, confirm with a reason. */
export const GiveDialog = ({ referral }: { referral: ReferralView }): ReactNode => (
  <OtherAffiliateDialog
    title={t('Move this order to another affiliate')}
    label={t('The affiliate who brought the order')}
    except={referral.affiliate_id ?? 0}
  >
    {(to, close) => <Preview id={referral.id} to={to} onClose={close} />}
  </OtherAffiliateDialog>
);

function Preview({ id, to, onClose }: { id: number; to: string; onClose: () => void }): ReactNode {
  const [giving, setGiving] = useState(false);
  const input = { params: { id, affiliate_id: to } };
  const reading = useRead('referrals.give_preview', input, { keep: false, enabled: !giving });
  return (
    <Loaded of={reading} lines={4}>
      {({ give }) => <Confirm id={id} give={give} onGiving={setGiving} onClose={onClose} />}
    </Loaded>
  );
}

function Confirm({
  id,
  give,
  onGiving,
  onClose,
}: {
  id: number;
  give: GivePreview;
  onGiving: (is: boolean) => void;
  onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const [, go] = useLocation();
  const write = useWrite('referrals.give', {
    quiet: true,
    done: t('The order now credits the other affiliate.'),
  });
  const run = async (): Promise<void> => {
    const body = { affiliate_id: give.to_affiliate_id, reason: reason.trim() };
    const { referral } = await write.run({ params: { id }, body });
    onClose();
    go(`/referrals/${referral.id}`);
  };
  return (
    <ConfirmForm
      yes={t('Move the order')}
      ready={reason.trim() !== ''}
      running={write.running}
      onRunning={onGiving}
      run={run}
      onClose={onClose}
    >
      <Sums give={give} />
      <TextInput
        label={t('Reason, stored with the order')}
        required
        maxLength={191}
        value={reason}
        autoComplete="off"
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmForm>
  );
}

/** The commissions of both affiliates after the move. */
function Sums({ give }: { give: GivePreview }): ReactNode {
  const { currency } = give;
  return (
    <>
      <table className="fa-table">
        <thead>
          <tr>
            <th scope="col">{t('Affiliate')}</th>
            <th scope="col" className="fa-end">
              {t('Commission')}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <AffiliateName id={give.from_affiliate_id} />
            </td>
            <td className="fa-end">{money(-give.takes_back, currency)}</td>
          </tr>
          <tr>
            <td>
              <AffiliateName id={give.to_affiliate_id} />
            </td>
            <td className="fa-end">{money(give.gives, currency)}</td>
          </tr>
        </tbody>
      </table>
      {give.was_paid && (
        <Alert color="yellow">
          {t('The first commission is in a payout. It is deducted from the next payout.')}
        </Alert>
      )}
      <p className="fa-faint">
        {give.keeps_amount
          ? t('The amount was set for this order, so it stays the same.')
          : t('The new commission follows the rate of the other affiliate.')}{' '}
        {t('The customer stays with the affiliate they belong to.')}
      </p>
    </>
  );
}
