import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../../shared/buttons.js';
import { useWrite } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { t } from '../../shared/texts.js';
import type { AffiliateView } from '../affiliates/view.js';
import { nameOf } from '../people.js';

/** A request to erase an affiliate's personal data, which a manager decides. */
export function DeletionRequest({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const erase = useWrite('affiliates.erase', { quiet: true });
  const name = nameOf(affiliate);
  const owed = affiliate.balances.filter(({ payable, waiting, held, on_its_way: sent }) =>
    [payable, waiting, held, sent].some((sum) => sum > 0),
  );
  return (
    <Alert color="yellow" title={t('{name} asks you to delete their personal data', { name })}>
      <div className="fa-stack">
        <p>
          <DateTime at={affiliate.deletion_asked_at} full />.{' '}
          {t(
            'Erases name, addresses, answers, payment details and notes. Commissions and payouts stay for your accounting.',
          )}
        </p>
        {owed.length > 0 && (
          <p>
            {t('Pay this first. You can’t pay it without payment details:')}{' '}
            {owed
              .map(({ currency, payable, waiting }) =>
                t('{payable} ready to pay, {waiting} in the waiting period', {
                  payable: money(payable, currency),
                  waiting: money(waiting, currency),
                }),
              )
              .join(' · ')}
          </p>
        )}
        <div>
          <ConfirmButton
            color="red"
            question={{
              title: t('Erase the personal data of {name}?', { name }),
              danger: true,
              text: t('This cannot be undone. The links stop counting.'),
              yes: t('Erase permanently'),
              type: name,
              run: () => erase.run({ params: { id: affiliate.id } }),
            }}
          >
            {t('Erase personal data')}
          </ConfirmButton>
        </div>
      </div>
    </Alert>
  );
}
