import { Alert, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { ConfirmForm, OtherAffiliateDialog } from '../other-affiliate.js';
import { AffiliateName } from '../people.js';
import type { ReferralView } from '../referrals/view.js';

type Given = AnswerOf<'referrals.give_preview'>['give'];

/** The order goes to the affiliate who brought it: chosen, looked at, given with a reason. */
export const GiveDialog = ({ referral }: { referral: ReferralView }): ReactNode => (
  <OtherAffiliateDialog
    title={t('Give this order to another affiliate')}
    label={t('The affiliate who brought the order')}
    except={referral.affiliate_id ?? 0}
  >
    {(to, close) => <Look id={referral.id} to={to} onClose={close} />}
  </OtherAffiliateDialog>
);

function Look({ id, to, onClose }: { id: number; to: string; onClose: () => void }): ReactNode {
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
  give: Given;
  onGiving: (is: boolean) => void;
  onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const [, go] = useLocation();
  const write = useWrite('referrals.give', { quiet: true, done: t('The order was given.') });
  const run = async (): Promise<void> => {
    const body = { affiliate_id: give.to_affiliate_id, reason: reason.trim() };
    const { referral } = await write.run({ params: { id }, body });
    onClose();
    go(`/referrals/${referral.id}`);
  };
  return (
    <ConfirmForm
      yes={t('Give the order')}
      ready={reason.trim() !== ''}
      running={write.running}
      onRunning={onGiving}
      run={run}
      onClose={onClose}
    >
      <Sums give={give} />
      <TextInput
        label={t('Reason, kept with the order')}
        required
        maxLength={191}
        value={reason}
        autoComplete="off"
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmForm>
  );
}

/** What each of the two has afterwards. */
function Sums({ give }: { give: Given }): ReactNode {
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
              <AffiliateName id={String(give.from_affiliate_id)} />
            </td>
            <td className="fa-end">{money(-give.takes_back, currency)}</td>
          </tr>
          <tr>
            <td>
              <AffiliateName id={String(give.to_affiliate_id)} />
            </td>
            <td className="fa-end">{money(give.gives, currency)}</td>
          </tr>
        </tbody>
      </table>
      {give.was_paid && (
        <Alert color="yellow">
          {t('The first commission is in a payout. The next payout takes it back.')}
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
