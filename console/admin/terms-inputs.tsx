import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RowOf } from '../shared/data.js';
import type { Form } from '../shared/form.js';
import { currencySign } from '../shared/money.js';
import { t } from '../shared/texts.js';
import { AmountInput } from '../shared/typed.js';
import { useGroups } from './people.js';

export type RateType = RowOf<'affiliates.list'>['rate_type'];
type FormOf<T extends object> = Pick<Form<T>, 'values' | 'set' | 'field' | 'choice'>;

const isOwn = (type: string): boolean => type === 'percentage' || type === 'flat';

/** The rate type, and the rate unless it is inherited, for the request. */
export const sentRate = <T extends string>({
  rate_type,
  rate,
}: {
  readonly rate_type: T;
  readonly rate: string;
}): { rate_type: T; rate?: string } => ({ rate_type, ...(isOwn(rate_type) && { rate }) });

/** The group of an affiliate; empty for none. */
export function GroupInput({ form }: { form: FormOf<{ group_id: string }> }): ReactNode {
  return (
    <Select
      label={t('Group')}
      clearable
      placeholder={t('No group')}
      data={[...useGroups()]}
      value={form.values.group_id || null}
      onChange={(group) => form.set({ group_id: group ?? '' })}
      error={form.field('group_id').error}
    />
  );
}

/** Inputs for the rate of an affiliate: inherited or its own. `inherited`: one option for program and group. */
export function RateInputs({
  form,
  inherited,
}: {
  form: FormOf<{ rate_type: RateType; rate: string }>;
  inherited?: string;
}): ReactNode {
  const { rate_type: type } = form.values;
  return (
    <div className={isOwn(type) ? 'fa-two' : undefined}>
      <Select
        label={t('Rate')}
        allowDeselect={false}
        data={[
          ...(inherited === undefined
            ? [
                { value: 'default' as const, label: t("The program's rate") },
                { value: 'group' as const, label: t("The group's rate") },
              ]
            : [{ value: 'default' as const, label: inherited }]),
          { value: 'percentage' as const, label: t('Own percentage') },
          { value: 'flat' as const, label: t('Own amount per sale') },
        ]}
        {...form.choice('rate_type')}
      />
      {isOwn(type) && (
        <AmountInput
          label={type === 'flat' ? t('Amount in {currency}', { currency: currencySign() }) : t('Percent')}
          {...form.field('rate')}
          {...(type === 'percentage' && { unit: '%' })}
        />
      )}
    </div>
  );
}
