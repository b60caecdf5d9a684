import { Select, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWrite } from '../../shared/data.js';
import { FieldGroup, FormFrame, useForm } from '../../shared/form.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';
import { reasonText } from '../reasons.js';
import { actionText, RULES } from '../suspicions/rules.js';
import { Locked, type ProgramRules } from './rules.js';

type Fraud = ProgramRules['rules']['fraud'];

/** The action of each fraud rule. */
export const FraudRules = (): ReactNode => (
  <QueryView of="settings.program_rules" fresh lines={10}>
    {(response) => <FraudForm answer={response} />}
  </QueryView>
);

const LISTS: readonly (readonly [keyof Fraud, () => string])[] = [
  ['banned_referrers', () => t('Banned sites')],
  ['coupon_sites', () => t('Additional coupon sites')],
  ['disposable_domains', () => t('Additional disposable email domains')],
  ['free_mail_domains', () => t('Additional free email domains')],
  ['paid_traffic_params', () => t('Additional parameters of ads')],
  ['allowed_campaigns', () => t('Campaigns with allowed paid clicks')],
  ['code_without_click_except', () => t('IDs of affiliates whose coupons need no clicks')],
];
const NUMBERS: readonly (readonly [keyof Fraud, () => string])[] = [
  ['fast_order_seconds', () => t('Minimum seconds between click and order')],
  ['address_orders_per_day', () => t('Orders of one address in a day')],
  ['refund_ratio_percent', () => t('Limit for the share of refunds, in percent')],
  ['refund_ratio_orders', () => t('Orders before the share counts')],
  ['code_without_click_days', () => t('Days before the order in which a coupon needs a click')],
  ['code_rise_orders', () => t('Coupon orders a day that are always allowed')],
  ['code_rise_factor', () => t('Limit for coupon orders, as a multiple of the usual number')],
];

function FraudForm({ answer: { rules, locked } }: { answer: ProgramRules }): ReactNode {
  const save = useWrite('settings.save_program_rules', { quiet: true });
  const fixed = locked.includes('fraud');
  const numbers = Object.fromEntries(NUMBERS.map(([name]) => [name, String(rules.fraud[name])]));
  const form = useForm<Record<string, unknown>>(
    { ...rules.fraud, ...numbers },
    (_values, changed) => {
      const sent = Object.fromEntries(
        Object.entries(changed).map(([name, value]) => [
          name,
          NUMBERS.some(([key]) => key === name) ? Number(value) : value,
        ]),
      );
      return save.run({ body: { fraud: sent } });
    },
    undefined,
    {
      figures: (values) =>
        NUMBERS.map(([field, label]) => ({
          field,
          label: label(),
          typed: String(values[field]),
          unit: 'count',
        })),
    },
  );
  return (
    <FormFrame form={form}>
      {fixed && <Locked />}
      <FieldGroup
        title={t('Rules')}
        about={t(
          'Marked: paid as usual, with a note. Held: waits for review. No commission: rejected at once.',
        )}
      >
        {RULES.map((name) => (
          <Select
            key={name}
            label={reasonText(name)}
            disabled={fixed}
            data={[...(name === 'self_referral' ? [] : ['off']), 'flag', 'hold', 'reject'].map((value) => ({
              value,
              label: actionText(value),
            }))}
            value={String(form.values[name])}
            onChange={(value) => value && form.set({ [name]: value })}
            error={form.field(name).error}
          />
        ))}
      </FieldGroup>
      <FieldGroup title={t('Limits')}>
        {NUMBERS.map(([name, label]) => (
          <TextInput key={name} label={label()} disabled={fixed} inputMode="numeric" {...form.text(name)} />
        ))}
      </FieldGroup>
      <FieldGroup title={t('Lists')} about={t('Press Enter after each entry.')}>
        {LISTS.map(([name, label]) => (
          <TagsInput
            key={name}
            size="sm"
            label={label()}
            disabled={fixed}
            value={(form.values[name] as string[] | undefined) ?? []}
            onChange={(value) => form.set({ [name]: value })}
            error={form.field(name).error}
          />
        ))}
      </FieldGroup>
    </FormFrame>
  );
}
