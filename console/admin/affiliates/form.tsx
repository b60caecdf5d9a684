import { Select, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { FurtherInputs } from '../../shared/columns.js';
import { useWrite } from '../../shared/data.js';
import { choicesOf } from '../../shared/filters.js';
import { FieldGroup, FormFrame, useForm } from '../../shared/form.js';
import { statusText } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { CUSTOM, ExtensionInputs, extensionTexts, withCustomFields } from '../extension-inputs.js';
import { GroupInput, RateInputs, sentRate } from '../terms-inputs.js';
import { rateText } from '../rates.js';
import { ownRate, typedRate } from '../typed-rates.js';
import { rateSource, type AffiliateView } from './view.js';
import { furtherTexts, textsOf } from '../../shared/record-facts.js';

/** Rate, group, payment address, link name and note of one affiliate. */
export function AffiliateForm({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const { program, fields } = useBoot();
  const update = useWrite('affiliates.update', { quiet: true });
  const byBank = program.payoutMethod === 'bank_transfer';
  const own = {
    status: affiliate.status,
    rate_type: affiliate.rate_type,
    rate: typedRate(affiliate.rate, affiliate.rate_type),
    group_id: affiliate.group_id === null ? '' : String(affiliate.group_id),
    payment_email: affiliate.payment_email ?? '',
    bank_details: affiliate.bank_details,
    custom_param: affiliate.custom_param ?? '',
    note: affiliate.note ?? '',
  };
  const further = furtherTexts('affiliates', own);
  const form = useForm<typeof own & Record<string, string>>(
    {
      ...own,
      ...textsOf(further, affiliate),
      ...extensionTexts(fields.affiliates, affiliate.custom_fields, CUSTOM),
    },
    (values, changed) => {
      const body = {
        ...withCustomFields(changed),
        ...('rate_type' in changed || 'rate' in changed ? sentRate(values) : {}),
        ...('group_id' in changed || changed.rate_type === 'group'
          ? { group_id: values.group_id === '' ? null : Number(values.group_id) }
          : {}),
      };
      return update.run({ params: { id: affiliate.id }, body });
    },
    undefined,
    { record: 'affiliates', figures: ownRate },
  );
  return (
    <FormFrame form={form}>
      <FieldGroup
        title={t('Terms')}
        about={t('Current rate: {rate}, {source}.', {
          rate: rateText(affiliate.rate_details),
          source: rateSource(affiliate),
        })}
      >
        <Select
          label={t('Status')}
          data={choicesOf(['active', 'pending', 'inactive'], statusText)}
          {...form.choice('status')}
        />
        <RateInputs form={form} />
        <GroupInput form={form} />
      </FieldGroup>
      <FieldGroup
        title={t('Payment')}
        about={t('Where you send this affiliate’s payouts. The history records each change.')}
      >
        {byBank ? (
          <Textarea label={t('Bank details')} {...form.text('bank_details')} />
        ) : (
          <TextInput label={t('Payment email')} type="email" {...form.text('payment_email')} />
        )}
      </FieldGroup>
      <FieldGroup
        title={t('Link name')}
        about={t(
          'Letters, digits and hyphens, used instead of the number. Links with earlier names still work.',
        )}
      >
        <TextInput label={t('Name in the link')} {...form.text('custom_param')} />
      </FieldGroup>
      <FieldGroup title={t('Note')} about={t('Only managers can see this.')}>
        <Textarea aria-label={t('Note')} {...form.text('note')} />
      </FieldGroup>
      {further.length + fields.affiliates.length > 0 && (
        <FieldGroup title={t('More details')}>
          <FurtherInputs names={further} form={form} />
          <ExtensionInputs fields={fields.affiliates} form={form} prefix={CUSTOM} />
        </FieldGroup>
      )}
    </FormFrame>
  );
}
