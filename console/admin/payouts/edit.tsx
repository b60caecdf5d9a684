import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { t } from '../../shared/texts.js';

type PayoutView = ResponseOf<'payouts.get'>['payout'];

/** Edits title and description of a payout. */
export function EditForm({ payout, onClose }: { payout: PayoutView; onClose: () => void }): ReactNode {
  const update = useWrite('payouts.update', { quiet: true });
  const form = useForm(
    { title: payout.title, description: payout.description ?? '' },
    async (_values, changed) => {
      await update.run({ params: { id: payout.id }, body: changed });
      onClose();
    },
  );
  return (
    <FormFrame form={form} onCancel={onClose}>
      <TextInput label={t('Name')} data-autofocus {...form.text('title')} />
      <Textarea
        label={t('Remark')}
        description={t('Only managers can see this.')}
        {...form.text('description')}
      />
    </FormFrame>
  );
}
