import { Alert, Button, Modal, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded, Problem } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { AffiliateChooser, AffiliateName } from '../people.js';
import type { ReferralView } from '../referrals/view.js';

type Given = AnswerOf<'referrals.give_preview'>['give'];

/** The order goes to the affiliate who brought it: chosen, looked at, given with a reason. */
export function GiveDialog({ referral }: { referral: ReferralView }): ReactNode {
  const address = useAddress();
  const to = address.get('to');
  const onClose = (): void => address.set({ open: null, to: null });
  return (
    <Modal opened onClose={onClose} title={t('Give this order to another affiliate')}>
      <div className="fa-dialog">
        <AffiliateChooser
          label={t('The affiliate who brought the order')}
          value={to}
          onChange={(id) => address.set({ to: id }, { replace: true })}
          except={referral.affiliate_id ?? 0}
          autoFocus
        />
        {to !== '' && <Look key={to} id={referral.id} to={to} onClose={onClose} />}
      </div>
    </Modal>
  );
}

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
  const [error, setError] = useState<unknown>(null);
  const [, go] = useLocation();
  const write = useWrite('referrals.give', { quiet: true, done: t('The order was given.') });
  const run = async (): Promise<void> => {
    setError(null);
    onGiving(true);
    try {
      const body = { affiliate_id: give.to_affiliate_id, reason: reason.trim() };
      const { referral } = await write.run({ params: { id }, body });
      onClose();
      go(`/referrals/${referral.id}`);
    } catch (problem) {
      onGiving(false);
      setError(problem);
    }
  };
  return (
    <form
      className="fa-dialog"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '' && !write.running) void run();
      }}
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
      {error !== null && <Problem error={error} />}
      <div className="fa-dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button type="submit" loading={write.running} disabled={reason.trim() === ''}>
          {t('Give the order')}
        </Button>
      </div>
    </form>
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
