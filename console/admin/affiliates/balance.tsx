import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import { useWrite } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { money } from '../../shared/money.js';
import { balanceFigures, OtherBalances } from '../../shared/money-states.js';
import { UrlDialog } from '../../shared/url-dialog.js';
import { AmountInput, parseInput } from '../../shared/typed.js';
import { Figures, Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import type { AffiliateView } from './view.js';
import { Statement } from './statement.js';

/** Balances of an affiliate, and the form that corrects them. */
export function AffiliateBalance({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const may = useBoot().rights.administrator; // a correction creates money
  const [, setOpened] = useOpenRecord();
  return (
    <div className="fa-stack">
      <Figures figures={affiliate.balances.slice(0, 1).flatMap(balanceFigures)} />
      <OtherBalances balances={affiliate.balances} />
      {may && (
        <Panel
          title={t('Correct the balance')}
          about={t(
            'Record a bonus, a refund outside the shop or a correction. The next payout adds or deducts it.',
          )}
          actions={
            <Button variant="default" onClick={() => setOpened('correct')}>
              {t('New correction')}
            </Button>
          }
        >
          <span className="fa-faint">{t('The entry appears among the commissions of the affiliate.')}</span>
        </Panel>
      )}
      <Panel title={t('Statement')} about={t('Every entry with its reason and the balance after it.')} flush>
        <Statement id={affiliate.id} />
      </Panel>
      <UrlDialog name="correct" may={may} title={t('Correct the balance')}>
        {(close) => <CorrectionForm affiliate={affiliate} onClose={close} />}
      </UrlDialog>
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
    ({ reason }) => ({ ...(reason.trim() === '' && { reason: t('Enter a reason.') }) }),
    {
      figures: ({ amount }) => [
        { field: 'amount', label: t('Amount'), typed: amount, unit: currency, signed: true },
      ],
      asks: ({ amount }) => {
        const after = owed + Number(parseInput(amount, currency));
        return { changes: [{ label: t('Ready to pay'), from: money(owed), to: money(after) }] };
      },
    },
  );
  const amount = parseInput(form.values.amount, currency);
  return (
    <FormFrame
      form={form}
      yes={amount === null ? t('Record') : t('Record {amount}', { amount: money(amount) })}
      onCancel={onClose}
    >
      <AmountInput
        label={t('Amount')}
        description={t('A negative amount reduces the balance.')}
        data-autofocus
        {...form.field('amount')}
      />
      <TextInput
        label={t('Reason')}
        description={t('The affiliate reads this.')}
        required
        {...form.text('reason')}
      />
    </FormFrame>
  );
}
