import { Button, Modal, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import { useWrite } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { money } from '../../shared/money.js';
import { balanceFigures, OtherBalances } from '../../shared/money-states.js';
import { AmountInput, readTyped } from '../../shared/typed.js';
import { Figures, Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import type { AffiliateView } from './view.js';
import { Statement } from './statement.js';

/** What is owed and was earned, and a correction with its reason. */
export function AffiliateBalance({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const may = useBoot().rights.administrator; // sums out of nothing
  const [opened, setOpened] = useOpened();
  const correcting = may && opened === 'correct';
  const close = (): void => setOpened(null);
  return (
    <div className="fa-stack">
      <Figures figures={affiliate.balances.slice(0, 1).flatMap(balanceFigures)} />
      <OtherBalances balances={affiliate.balances} />
      {may && (
        <Panel
          title={t('Correct the balance')}
          about={t(
            'A bonus, a refund outside the shop or a mistake: one entry with its reason, paid or taken off with the next payout.',
          )}
          actions={
            <Button variant="default" onClick={() => setOpened('correct')}>
              {t('New correction')}
            </Button>
          }
        >
          <span className="fa-faint">{t('The entry appears among the referrals of the affiliate.')}</span>
        </Panel>
      )}
      <Panel title={t('Statement')} about={t('Every entry with its reason and the balance after it.')} flush>
        <Statement id={affiliate.id} />
      </Panel>
      <Modal opened={correcting} onClose={close} title={t('Correct the balance')}>
        {correcting && <CorrectionForm affiliate={affiliate} onClose={close} />}
      </Modal>
    </div>
  );
}

function CorrectionForm({
  affiliate: { id, unpaid_earnings: owed },
  onClose,
}: {
  affiliate: AffiliateView;
  onClose: () => void;
}): ReactNode {
  const { currency } = useBoot().program;
  const correct = useWrite('affiliates.correct_balance', { quiet: true });
  const form = useForm(
    { amount: '', reason: '' },
    async ({ amount, reason }) => {
      await correct.run({ params: { id }, body: { amount, reason } });
      onClose();
    },
    ({ reason }) => ({ ...(reason.trim() === '' && { reason: t('Say why.') }) }),
    {
      figures: ({ amount }) => [{ field: 'amount', label: t('Amount'), typed: amount, unit: currency }],
      asks: ({ amount }) => {
        const after = owed + Number(readTyped(amount, currency));
        return { changes: [{ label: t('Ready to pay'), from: money(owed), to: money(after) }] };
      },
    },
  );
  const amount = readTyped(form.values.amount, currency);
  return (
    <FormFrame form={form} yes={t('Book {amount}', { amount: money(amount) })} onCancel={onClose}>
      <AmountInput
        label={t('Amount')}
        description={t('An amount below zero takes money away.')}
        data-autofocus
        {...form.field('amount')}
      />
      <TextInput label={t('Reason')} required {...form.text('reason')} />
    </FormFrame>
  );
}
