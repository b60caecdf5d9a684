import { SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWrite, type AnswerOf, type InputOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { AmountInput, currencySign, decimalOf, typedOf } from '../../shared/money.js';
import { t } from '../../shared/texts.js';

type Group = AnswerOf<'groups.get'>['group'];

interface Values {
  meta_key: string;
  rate_type: Group['rate_type'];
  rate: string;
  status: Group['status'];
  notes: string;
  hold_days: string;
  enable_subscription_renewal: 'yes' | 'no' | 'default';
  renewal_rate_type: Group['value']['renewal_rate_type'];
  renewal_rate: string;
  enable_lifetime_commission: 'yes' | 'no' | 'default';
  lifetime_rate_type: Group['value']['lifetime_rate_type'];
  lifetime_rate: string;
}

/** What the form begins with. */
function valuesOf(group: Group | undefined): Values {
  if (group === undefined) return NEW;
  const { value } = group;
  return {
    meta_key: group.name,
    rate_type: group.rate_type,
    rate: typedOf(group.rate),
    status: group.status,
    notes: group.notes,
    hold_days: String(value.hold_days),
    enable_subscription_renewal: value.enable_subscription_renewal,
    renewal_rate_type: value.renewal_rate_type,
    renewal_rate: typedOf(value.renewal_rate),
    enable_lifetime_commission: value.enable_lifetime_commission,
    lifetime_rate_type: value.lifetime_rate_type,
    lifetime_rate: typedOf(value.lifetime_rate),
  };
}

const NEW: Values = {
  meta_key: '',
  rate_type: 'percentage',
  rate: '',
  status: 'active',
  notes: '',
  hold_days: '',
  enable_subscription_renewal: 'default',
  renewal_rate_type: 'percentage',
  renewal_rate: '',
  enable_lifetime_commission: 'default',
  lifetime_rate_type: 'percentage',
  lifetime_rate: '',
};

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
  const form = useForm<Values>(
    valuesOf(group),
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
          ? await create.run({ body: withoutEmpty(sentOf(body)) })
          : await update.run({ params: { id: group.id }, body: sentOf(body) });
      onDone(data.id);
    },
    (values) => ({
      ...(values.meta_key.trim() === '' && { meta_key: t('Give the group a name.') }),
      ...(values.rate_type !== 'default' &&
        decimalOf(values.rate) === null && { rate: t('Enter a number.') }),
    }),
  );
  const rateTypes = [
    { value: 'percentage' as const, label: t('Percent') },
    { value: 'flat' as const, label: t('Amount in {currency}', { currency: currencySign() }) },
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
          data={[...rateTypes, { value: 'default' as const, label: t("The program's rate") }]}
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

type Sent = InputOf<'groups.create'>['body'];

/** Terms that are as in the program are not sent. */
function sentOf({
  enable_subscription_renewal: renewals,
  enable_lifetime_commission: lifetime,
  ...rest
}: Partial<Values>): NonNullable<Sent> {
  return {
    ...rest,
    ...(renewals !== undefined && renewals !== 'default' && { enable_subscription_renewal: renewals }),
    ...(lifetime !== undefined && lifetime !== 'default' && { enable_lifetime_commission: lifetime }),
  };
}

const withoutEmpty = (body: NonNullable<Sent>): NonNullable<Sent> =>
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
