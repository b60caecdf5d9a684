import { SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { BootField } from '../../server/boot.js';
import { useBoot } from '../../shared/boot.js';
import { useWrite, type ResponseOf, type InputOf } from '../../shared/data.js';
import { choicesOf, choicesIn } from '../../shared/filters.js';
import { FormFrame, useForm, type Form } from '../../shared/form.js';
import type { Figure } from '../../shared/figures.js';
import { currencySign } from '../../shared/money.js';
import { statusText } from '../../shared/parts.js';
import { AmountInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { ExtensionInputs, extensionTexts } from '../extension-inputs.js';
import { rateFigure, typedRate } from '../typed-rates.js';

type Group = ResponseOf<'groups.get'>['group'];

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
  /** Fields of extensions. */
  [extension: string]: string;
}

/** The initial values of the form. */
function valuesOf(group: Group | undefined, fields: readonly BootField[]): Values {
  const own = extensionTexts(fields, group?.value);
  if (group === undefined) return { ...own, ...NEW };
  const { value } = group;
  return {
    ...own,
    meta_key: group.name,
    rate_type: group.rate_type,
    rate: typedRate(group.rate, group.rate_type),
    status: group.status,
    notes: group.notes,
    hold_days: String(value.hold_days),
    enable_subscription_renewal: value.enable_subscription_renewal,
    renewal_rate_type: value.renewal_rate_type,
    renewal_rate: typedRate(value.renewal_rate, value.renewal_rate_type),
    enable_lifetime_commission: value.enable_lifetime_commission,
    lifetime_rate_type: value.lifetime_rate_type,
    lifetime_rate: typedRate(value.lifetime_rate, value.lifetime_rate_type),
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

/** Form for a group's name, rate and terms. */
export function GroupForm({
  group,
  onDone,
  onCancel,
}: {
  group?: Group;
  onDone: (id: number) => void;
  onCancel?: () => void;
}): ReactNode {
  const fields = useBoot().fields.groups;
  const create = useWrite('groups.create', { quiet: true });
  const update = useWrite('groups.update', { quiet: true });
  const form = useForm<Values>(
    valuesOf(group, fields),
    async (values, changed) => {
      const { data } =
        group === undefined
          ? await create.run({ body: { meta_key: values.meta_key, ...withoutEmpty(sentOf(values)) } })
          : await update.run({
              params: { id: group.id },
              body: sentOf({ ...changed, ...ratesOf(values, changed) }),
            });
      onDone(data.id);
    },
    (values) => ({ ...(values.meta_key.trim() === '' && { meta_key: t('Enter a name for the group.') }) }),
    { figures: figuresOf, creates: group === undefined },
  );
  const percentage = t('Percent');
  const amount = t('Amount in {currency}', { currency: currencySign() });
  const rateTypes = choicesIn({ percentage, flat: amount, default: t("The program's rate") });
  const termTypes = choicesIn({ percentage, fixed: amount });
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
        <Select label={t('Rate')} data={rateTypes} {...form.choice('rate_type')} />
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
        data={choicesOf(['active', 'inactive'], statusText)}
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
        term="renewal"
        name="enable_subscription_renewal"
        label={t('Renewals of subscriptions')}
        rateTypes={termTypes}
      />
      <Terms
        form={form}
        term="lifetime"
        name="enable_lifetime_commission"
        label={t('Later orders of the same customer')}
        rateTypes={termTypes}
      />
      <ExtensionInputs fields={fields} form={form} />
      <Textarea label={t('Note')} minRows={2} {...form.text('notes')} />
    </FormFrame>
  );
}

/** Sends a rate and its type together, even if only one of them changed. */
function ratesOf(values: Values, changed: Partial<Values>): Partial<Values> {
  const both = (kind: keyof Values, rate: keyof Values): Partial<Values> =>
    (kind in changed || rate in changed) && rate in values
      ? { [kind]: values[kind], [rate]: values[rate] }
      : {};
  return {
    ...both('rate_type', 'rate'),
    ...both('renewal_rate_type', 'renewal_rate'),
    ...both('lifetime_rate_type', 'lifetime_rate'),
  };
}

function figuresOf(values: Values): readonly Figure[] {
  const own = values.rate_type !== 'default';
  const term = (
    field: 'renewal_rate' | 'lifetime_rate',
    label: string,
    earns: Values['enable_subscription_renewal'],
  ): Figure =>
    rateFigure(field, {
      type: values[`${field}_type`],
      label,
      typed: earns === 'yes' ? values[field] : '',
      empty: earns === 'no' ? t('No commission') : t('As in the program'),
    });
  return [
    rateFigure('rate', {
      type: values.rate_type,
      label: t('Rate'),
      typed: own ? values.rate : '',
      ...(!own && { empty: t("The program's rate") }),
    }),
    term('renewal_rate', t('Renewals of subscriptions'), values.enable_subscription_renewal),
    term('lifetime_rate', t('Later orders of the same customer'), values.enable_lifetime_commission),
    {
      field: 'hold_days',
      label: t('Days until a commission can be paid'),
      typed: values.hold_days,
      unit: 'count',
      empty: t('As in the program'),
    },
  ];
}

type Sent = InputOf<'groups.update'>['body'];

/** Omits terms that are inherited from the program. */
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
  readonly form: Form<Values>;
  readonly term: 'renewal' | 'lifetime';
  readonly name: 'enable_subscription_renewal' | 'enable_lifetime_commission';
  readonly label: string;
  readonly rateTypes: readonly { value: Values['renewal_rate_type']; label: string }[];
}

/** Inherited from the program, disabled, or a rate of the group. */
function Terms({ form, term, name, label, rateTypes }: TermsProps): ReactNode {
  const rate = `${term}_rate` as const;
  const kind = `${rate}_type` as const;
  return (
    <>
      <Switch label={label} {...form.flag(name)} />
      {form.values[name] === 'yes' && (
        <div className="fa-two">
          <Select label={t('Rate')} data={[...rateTypes]} {...form.choice(kind)} />
          <AmountInput
            label={t('Value')}
            {...form.field(rate)}
            {...(form.values[kind] === 'percentage' && { unit: '%' })}
          />
        </div>
      )}
    </>
  );
}
