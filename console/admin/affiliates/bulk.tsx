import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import type { RowOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import type { BulkDialogProps } from '../../shared/list.js';
import { currencySign } from '../../shared/money.js';
import { t, tn } from '../../shared/texts.js';
import { AmountInput } from '../../shared/typed.js';
import { useGroups } from '../people.js';
import { ownRate } from '../typed-rates.js';

type Props = BulkDialogProps<RowOf<'affiliates.list'>>;

const changeText = (count: number): string =>
  tn('Change {count} affiliate', 'Change {count} affiliates', count);

/** Moves the chosen affiliates into one group, or out of theirs. */
export function GroupDialog({ rows, start, onClose }: Props): ReactNode {
  const groups = useGroups();
  const form = useForm(
    { group_id: '' },
    ({ group_id: group }) =>
      start(({ id }) =>
        send('affiliates.update', {
          params: { id },
          body: { group_id: group === '' ? null : Number(group) },
        }),
      ),
    undefined,
    { creates: true },
  );
  return (
    <FormFrame form={form} always yes={changeText(rows.length)} onCancel={onClose}>
      <Select
        label={t('Group')}
        data={[{ value: '', label: t('No group') }, ...groups]}
        allowDeselect={false}
        {...form.field('group_id')}
        onChange={(group) => form.set({ group_id: group ?? '' })}
      />
    </FormFrame>
  );
}

/** Gives the chosen affiliates one rate. */
export function RateDialog({ rows, start, onClose }: Props): ReactNode {
  const form = useForm<{ rate_type: RowOf<'affiliates.list'>['rate_type']; rate: string }>(
    { rate_type: 'default', rate: '' },
    ({ rate_type, rate }) => {
      const hasRate = rate_type === 'percentage' || rate_type === 'flat';
      return start(({ id }) =>
        send('affiliates.update', { params: { id }, body: { rate_type, ...(hasRate && { rate }) } }),
      );
    },
    undefined,
    { creates: true, figures: ownRate },
  );
  const { rate_type: type } = form.values;
  return (
    <FormFrame form={form} always yes={changeText(rows.length)} onCancel={onClose}>
      <div className="fa-two">
        <Select
          label={t('Rate')}
          allowDeselect={false}
          data={[
            { value: 'default', label: t("The program's rate") },
            { value: 'group', label: t("The group's rate") },
            { value: 'percentage', label: t('Custom percentage') },
            { value: 'flat', label: t('Custom amount per sale') },
          ]}
          {...form.field('rate_type')}
          onChange={(chosen) => chosen && form.set({ rate_type: chosen })}
        />
        {(type === 'percentage' || type === 'flat') && (
          <AmountInput
            label={type === 'flat' ? t('Amount in {currency}', { currency: currencySign() }) : t('Percent')}
            {...form.field('rate')}
            {...(type === 'percentage' && { unit: '%' })}
          />
        )}
      </div>
      <p className="fa-about">{t('It counts for orders from now on. What was earned stays.')}</p>
    </FormFrame>
  );
}
