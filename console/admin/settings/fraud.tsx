import { Select, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead, useWrite } from '../../shared/data.js';
import { FieldGroup, FormFrame, useForm } from '../../shared/form.js';
import { Loaded } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { reasonText } from '../reasons.js';
import { actionText, RULES } from '../suspicions/rules.js';
import { Locked, type ProgramRules } from './rules.js';

type Fraud = ProgramRules['rules']['fraud'];

/** What each rule against abuse leads to. */
export function FraudRules(): ReactNode {
  const reading = useRead('settings.program_rules', undefined, { keep: false });
  return (
    <Loaded of={reading} lines={10}>
      {(response) => <FraudForm answer={response} />}
    </Loaded>
  );
}

const LISTS: readonly (readonly [keyof Fraud, () => string])[] = [
  ['banned_referrers', () => t('Banned sites')],
  ['coupon_sites', () => t('Further coupon sites')],
  ['disposable_domains', () => t('Further throw-away mail domains')],
  ['free_mail_domains', () => t('Further free mail domains')],
  ['paid_traffic_params', () => t('Further parameters of advertisements')],
  ['allowed_campaigns', () => t('Campaigns whose paid clicks are welcome')],
  ['code_without_click_except', () => t('IDs of affiliates whose coupons need no clicks')],
];
const NUMBERS: readonly (readonly [keyof Fraud, () => string])[] = [
  ['fast_order_seconds', () => t('Seconds after a click that are too soon')],
  ['address_orders_per_day', () => t('Orders of one address in a day')],
  ['refund_ratio_percent', () => t('Share of refunds that is too high, in percent')],
  ['refund_ratio_orders', () => t('Orders before the share counts')],
  ['code_without_click_days', () => t('Days in which a buyer with a coupon has to have clicked')],
  ['code_rise_orders', () => t('Orders by coupon in a day that are never too many')],
  ['code_rise_factor', () => t('Times the usual number of orders by coupon that are too many')],
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
          'Marked: paid as usual, with a note. Held: waits for a person. No commission: rejected at once.',
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
      <FieldGroup title={t('Lists')} about={t('One entry after the other, each closed with Enter.')}>
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
