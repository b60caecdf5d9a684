import { SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWrite, type AnswerOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { AmountInput, currencySign, decimalOf, typedOf } from '../../shared/money.js';
import { t } from '../../shared/texts.js';

type Group = AnswerOf<'groups.get'>['group'];

/** Name, rate and terms of a group. */
export function GroupForm({
  group,
  onDone,
  onCancel,
}: {
  group?: Group;
  onDone: (id: number) => void;
  onCancel?: () => void;
}): ReactNode {
  const create = useWrite('groups.create', { quiet: true });
  const update = useWrite('groups.update', { quiet: true });
  const value = group?.value ?? {};
  const text = (key: string): string =>
    typeof value[key] === 'string' || typeof value[key] === 'number' ? String(value[key]) : '';
  const form = useForm(
    {
      meta_key: group?.name ?? '',
      rate_type: group?.rate_type ?? 'percentage',
      rate: typedOf(group?.rate ?? ''),
      status: group?.status ?? 'active',
      notes: group?.notes ?? '',
      hold_days: text('hold_days'),
      enable_subscription_renewal: text('enable_subscription_renewal') || 'default',
      renewal_rate_type: text('renewal_rate_type') || 'percentage',
      renewal_rate: typedOf(text('renewal_rate')),
      enable_lifetime_commission: text('enable_lifetime_commission') || 'default',
      lifetime_rate_type: text('lifetime_rate_type') || 'percentage',
      lifetime_rate: typedOf(text('lifetime_rate')),
    },
    async (values, changed) => {
      const own = values.rate_type !== 'default';
      const body = {
        ...(group === undefined ? values : changed),
        rate_type: values.rate_type,
        ...(own && { rate: decimalOf(values.rate) ?? '' }),
        ...(values.renewal_rate !== '' && { renewal_rate: decimalOf(values.renewal_rate) ?? '' }),
        ...(values.lifetime_rate !== '' && { lifetime_rate: decimalOf(values.lifetime_rate) ?? '' }),
      };
      const { data } =
        group === undefined
          ? await create.run({ body: withoutEmpty(body) })
          : await update.run({ params: { id: group.id }, body });
      onDone(data.id);
    },
    (values) => ({
      ...(values.meta_key.trim() === '' && { meta_key: t('Give the group a name.') }),
      ...(values.rate_type !== 'default' &&
        decimalOf(values.rate) === null && { rate: t('Enter a number.') }),
    }),
  );
  const rateTypes = [
    { value: 'percentage', label: t('Percent') },
    { value: 'flat', label: t('Amount in {currency}', { currency: currencySign() }) },
  ];
  const { values } = form;
  return (
    <FormFrame
      form={form}
      yes={group === undefined ? t('Create group') : t('Save')}
      always={group === undefined}
      {...(onCancel && { onCancel })}
    >
      <TextInput label={t('Name')} required data-autofocus {...form.text('meta_key')} />
      <div className="fa-two">
        <Select
          label={t('Rate')}
          data={[...rateTypes, { value: 'default', label: t("The program's rate") }]}
          {...form.field('rate_type')}
          onChange={(next) => next && form.set({ rate_type: next })}
        />
        {values.rate_type !== 'default' && (
          <AmountInput
            label={t('Value')}
            {...form.field('rate')}
            {...(values.rate_type === 'percentage' && { unit: '%' })}
          />
        )}
      </div>
      <SegmentedControl
        aria-label={t('Status')}
        data={[
          { value: 'active', label: t('Active') },
          { value: 'inactive', label: t('Inactive') },
        ]}
        value={values.status}
        onChange={(status) => form.set({ status })}
      />
      <TextInput
        label={t('Days until a commission can be paid')}
        description={t('Empty: as in the program')}
        inputMode="numeric"
        {...form.text('hold_days')}
      />
      <Terms
        form={form}
        name="enable_subscription_renewal"
        label={t('Renewals of subscriptions')}
        kind="renewal_rate_type"
        rate="renewal_rate"
        rateTypes={rateTypes}
      />
      <Terms
        form={form}
        name="enable_lifetime_commission"
        label={t('Later orders of the same customer')}
        kind="lifetime_rate_type"
        rate="lifetime_rate"
        rateTypes={rateTypes}
      />
      <Textarea label={t('Note')} minRows={2} {...form.text('notes')} />
    </FormFrame>
  );
}

const withoutEmpty = (body: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== '' && value !== 'default'));

interface TermsProps {
  readonly form: unknown;
  readonly name: string;
  readonly label: string;
  readonly kind: string;
  readonly rate: string;
  readonly rateTypes: readonly { value: string; label: string }[];
}

/** Earned as in the program, not at all, or at a rate of the group's own. */
function Terms({ form: given, name, label, kind, rate, rateTypes }: TermsProps): ReactNode {
  const form = given as ReturnType<typeof useForm<Record<string, string>>>;
  return (
    <>
      <Switch
        label={label}
        checked={form.values[name] === 'yes'}
        onChange={(event) => form.set({ [name]: event.currentTarget.checked ? 'yes' : 'no' })}
      />
      {form.values[name] === 'yes' && (
        <div className="fa-two">
          <Select
            label={t('Rate')}
            data={[...rateTypes]}
            value={form.values[kind] ?? null}
            onChange={(next) => next && form.set({ [kind]: next })}
          />
          <AmountInput
            label={t('Value')}
            value={form.values[rate] ?? ''}
            onChange={(next) => form.set({ [rate]: next })}
            error={form.field(rate).error}
            {...(form.values[kind] === 'percentage' && { unit: '%' })}
          />
        </div>
      )}
    </>
  );
}
