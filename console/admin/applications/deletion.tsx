import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { useWrite } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { t } from '../../shared/texts.js';
import type { AffiliateView } from '../affiliates/view.js';
import { nameOf } from '../people.js';

/** An affiliate who asked for the deletion of the personal data; a manager decides. */
export function DeletionRequest({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const erase = useWrite('affiliates.erase', { quiet: true });
  const name = nameOf(affiliate);
  const owed = affiliate.balances.filter(({ payable, waiting, held, on_its_way: sent }) =>
    [payable, waiting, held, sent].some((sum) => sum > 0),
  );
  return (
    <Alert color="yellow" title={t('{name} asks for the deletion of the personal data', { name })}>
      <div className="fa-stack">
        <p>
          <When at={affiliate.deletion_asked_at} full />.{' '}
          {t(
            'Name, addresses, answers, payment details and notes are erased. Commissions and payouts stay, because the books need them.',
          )}
        </p>
        {owed.length > 0 && (
          <p>
            {t('Pay first: without payment details, this cannot be paid:')}{' '}
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
          <Button
            color="red"
            onClick={() =>
              ask({
                title: t('Erase the personal data of {name}?', { name }),
                danger: true,
                text: t('This cannot be undone. The links stop counting.'),
                yes: t('Erase for good'),
                type: name,
                run: () => erase.run({ params: { id: affiliate.id } }),
              })
            }
          >
            {t('Erase personal data')}
          </Button>
        </div>
      </div>
    </Alert>
  );
}
