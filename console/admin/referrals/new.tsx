import { SegmentedControl, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useBoot } from '../../shared/boot.js';
import { useWrite } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { money } from '../../shared/money.js';
import { settableChoices } from '../../shared/money-states.js';
import { AmountInput, parseInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { AffiliateChooser } from '../people.js';

/** Creates a commission by hand. */
export function NewReferral({ onClose }: { onClose: () => void }): ReactNode {
  const create = useWrite('referrals.create', { quiet: true });
  const { currency } = useBoot().program;
  const [, go] = useLocation();
  const form = useForm(
    { affiliate_id: '', amount: '', status: 'unpaid', type: 'sale', description: '', provider_id: '' },
    async (values) => {
      const { referral } = await create.run({
        body: {
          affiliate_id: Number(values.affiliate_id),
          amount: values.amount,
          status: values.status as 'unpaid',
          type: values.type as 'sale',
          description: values.description,
          ...(values.provider_id !== '' && { provider: 'manual', provider_id: values.provider_id }),
        },
      });
      onClose();
      go(`/referrals/${referral.id}`);
    },
    (values) => ({ ...(values.affiliate_id === '' && { affiliate_id: t('Choose an affiliate.') }) }),
    {
      record: 'referrals',
      creates: true,
      figures: ({ amount }) => [{ field: 'amount', label: t('Commission'), typed: amount, unit: currency }],
    },
  );
  const amount = parseInput(form.values.amount, currency);
  return (
    <FormFrame
      form={form}
      yes={
        amount === null || Number(amount) < 0
          ? t('Create commission')
          : t('Create commission of {amount}', { amount: money(amount) })
      }
      onCancel={onClose}
      always
    >
      <AffiliateChooser label={t('Affiliate')} required autoFocus {...form.field('affiliate_id')} />
      <AmountInput label={t('Commission')} required {...form.field('amount')} />
      <SegmentedControl
        fullWidth
        aria-label={t('Status')}
        data={settableChoices()}
        value={form.values.status}
        onChange={(status) => form.set({ status })}
      />
      <TextInput label={t('Description')} {...form.text('description')} />
      <TextInput
        label={t('Order number')}
        description={t('Prevents entering the same order twice.')}
        {...form.text('provider_id')}
      />
    </FormFrame>
  );
}
