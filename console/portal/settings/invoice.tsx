import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { FieldGroup, FormFrame, useForm } from '../../shared/form.js';
import { Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

/** Invoice details of the affiliate. */
export function Invoice({
  details,
}: {
  details: ResponseOf<'portal.invoice_details'>['details'];
}): ReactNode {
  const save = useWrite('portal.save_invoice_details', { quiet: true, done: t('Invoice details saved') });
  const form = useForm({ ...details }, (_values, changed) => save.run({ body: changed }));
  return (
    <Panel>
      <FormFrame form={form}>
        <FieldGroup title={t('Invoice details')} about={t('They appear on your payment statements.')}>
          <TextInput {...form.text('name')} label={t('Name or company')} autoComplete="organization" />
          <Textarea
            {...form.text('address')}
            label={t('Address')}
            autosize
            minRows={3}
            autoComplete="street-address"
          />
          <TextInput {...form.text('tax_number')} label={t('Tax number')} dir="ltr" />
        </FieldGroup>
      </FormFrame>
    </Panel>
  );
}
