import { Alert, Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { FieldGroup, FormFrame, useForm } from '../../shared/form.js';
import { QueryView } from '../../shared/query-view.js';
import { AmountInput, formatInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';

export type ProgramRules = ResponseOf<'settings.program_rules'>;

/** Rules about refunds and payouts; those fixed in the host's code are read-only. */
export const Rules = (): ReactNode => (
  <QueryView of="settings.program_rules" fresh lines={8}>
    {(response) => <RulesForm answer={response} />}
  </QueryView>
);

export const Locked = (): ReactNode => (
  <Alert color="gray" variant="light">
    {t('Set in code. You can’t change it here.')}
  </Alert>
);

function RulesForm({ answer: { rules, locked } }: { answer: ProgramRules }): ReactNode {
  const save = useWrite('settings.save_program_rules', { quiet: true });
  const { currency } = useBoot().program;
  const isLocked = (name: string): boolean => locked.includes(name);
  const form = useForm(
    {
      clawback: rules.clawback,
      refund_flat: rules.refund_flat,
      stale_pending_days: String(rules.stale_pending_days),
      min_payout: formatInput(rules.min_payout, currency),
      approval_above: formatInput(rules.approval_above, currency),
      require_payment_details: rules.require_payment_details,
    },
    (_values, changed) =>
      save.run({
        body: {
          ...(changed.clawback !== undefined && { clawback: changed.clawback as 'off' }),
          ...(changed.refund_flat !== undefined && { refund_flat: changed.refund_flat as 'keep' }),
          ...(changed.stale_pending_days !== undefined && {
            stale_pending_days: Number(changed.stale_pending_days),
          }),
          ...(changed.min_payout !== undefined && { min_payout: changed.min_payout || '0' }),
          ...(changed.approval_above !== undefined && { approval_above: changed.approval_above || null }),
          ...(changed.require_payment_details !== undefined && {
            require_payment_details: changed.require_payment_details,
          }),
        },
      }),
    undefined,
    {
      figures: (values) => [
        {
          field: 'stale_pending_days',
          label: t('Days until a commission counts as on hold too long'),
          typed: values.stale_pending_days,
          unit: 'count',
        },
        {
          field: 'min_payout',
          label: t('Minimum per affiliate'),
          typed: values.min_payout,
          unit: currency,
          empty: t('No minimum'),
        },
        {
          field: 'approval_above',
          label: t('Second approval above'),
          typed: values.approval_above,
          unit: currency,
          empty: t('Never'),
        },
      ],
    },
  );
  return (
    <FormFrame form={form}>
      <FieldGroup title={t('Refunds')} about={t('How refunds change commissions.')}>
        {(isLocked('clawback') || isLocked('refund_flat')) && <Locked />}
        <Select
          label={t('Refunded after the commission was paid')}
          disabled={isLocked('clawback')}
          data={choicesIn({
            off: t('The affiliate keeps it'),
            adjust: t('It is deducted from the next payout'),
          })}
          {...form.choice('clawback')}
        />
        <Select
          label={t('Part of an order with a fixed commission refunded')}
          disabled={isLocked('refund_flat')}
          data={choicesIn({
            prorate: t('The commission shrinks in proportion'),
            keep: t('The commission stays'),
          })}
          {...form.choice('refund_flat')}
        />
        <TextInput
          label={t('Days until a commission counts as on hold too long')}
          disabled={isLocked('stale_pending_days')}
          inputMode="numeric"
          {...form.text('stale_pending_days')}
        />
      </FieldGroup>
      <FieldGroup title={t('Payouts')}>
        {(isLocked('min_payout') || isLocked('approval_above')) && <Locked />}
        <AmountInput
          label={t('Minimum per affiliate')}
          description={t('Smaller sums wait for the next payout')}
          disabled={isLocked('min_payout')}
          {...form.field('min_payout')}
        />
        <AmountInput
          label={t('Second approval above')}
          description={t('Above this amount, a second manager has to confirm a payout. Empty: never')}
          disabled={isLocked('approval_above')}
          {...form.field('approval_above')}
        />
        <Switch
          label={t('Only pay affiliates with payment details')}
          disabled={isLocked('require_payment_details')}
          {...form.flag('require_payment_details')}
        />
      </FieldGroup>
    </FormFrame>
  );
}
