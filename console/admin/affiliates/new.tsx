import { SegmentedControl, TextInput, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useBoot } from '../../shared/boot.js';
import { FurtherInputs } from '../../shared/columns.js';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesOf } from '../../shared/filters.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { statusText } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { CUSTOM, ExtensionInputs, extensionTexts, withCustomFields } from '../extension-inputs.js';
import { UserChooser } from '../people.js';
import { GroupInput, RateInputs, sentRate } from '../terms-inputs.js';
import { ownRate } from '../typed-rates.js';
import { furtherTexts, textsOf } from '../../shared/record-facts.js';

type Affiliate = ResponseOf<'affiliates.create'>['affiliate'];

interface Values {
  user_id: string;
  status: Affiliate['status'];
  rate_type: Affiliate['rate_type'];
  rate: string;
  group_id: string;
  payment_email: string;
  bank_details: string;
  note: string;
  /** Text columns of the record that have no input of their own here. */
  [further: string]: string;
}

/** Creates an affiliate for a user of the host. */
export function NewAffiliate({ onClose }: { onClose: () => void }): ReactNode {
  const { program, fields } = useBoot();
  const create = useWrite('affiliates.create', { quiet: true });
  const [, go] = useLocation();
  const byBank = program.payoutMethod === 'bank_transfer';
  const own: Values = {
    user_id: '',
    status: 'active',
    rate_type: 'default',
    rate: '',
    group_id: '',
    payment_email: '',
    bank_details: '',
    note: '',
  };
  const further = furtherTexts('affiliates', own);
  const form = useForm<Values>(
    { ...own, ...textsOf(further, {}), ...extensionTexts(fields.affiliates, {}, CUSTOM) },
    async (values) => {
      const { affiliate } = await create.run({
        body: {
          user_id: Number(values.user_id),
          status: values.status,
          ...sentRate(values),
          ...(values.group_id !== '' && { group_id: Number(values.group_id) }),
          ...(byBank ? { bank_details: values.bank_details } : { payment_email: values.payment_email }),
          note: values.note,
          ...textsOf(further, values),
          custom_fields: withCustomFields(values).custom_fields,
        },
      });
      onClose();
      go(`/affiliates/${affiliate.id}`);
    },
    (values) => ({ ...(values.user_id === '' && { user_id: t('Choose a user of the site.') }) }),
    { record: 'affiliates', figures: ownRate, creates: true },
  );
  return (
    <FormFrame form={form} yes={t('Create affiliate')} onCancel={onClose} always>
      <UserChooser label={t('User of the site')} required onlyNew autoFocus {...form.field('user_id')} />
      <div>
        <SegmentedControl
          fullWidth
          aria-label={t('Status')}
          data={choicesOf(['active', 'pending', 'inactive'], statusText)}
          {...pick(form.field('status'))}
        />
      </div>
      <RateInputs form={form} />
      <GroupInput form={form} />
      {byBank ? (
        <Textarea label={t('Bank details')} {...form.text('bank_details')} />
      ) : (
        <TextInput label={t('Payment email')} type="email" {...form.text('payment_email')} />
      )}
      <Textarea
        label={t('Note')}
        description={t('Only managers can see this.')}
        minRows={2}
        {...form.text('note')}
      />
      <FurtherInputs names={further} form={form} />
      <ExtensionInputs fields={fields.affiliates} form={form} prefix={CUSTOM} />
    </FormFrame>
  );
}

const pick = <Value,>({ value, onChange }: ChooserProps<Value>): ChooserProps<Value> => ({ value, onChange });

interface ChooserProps<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}
