import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useAddress, type Address } from '../../shared/address.js';
import { boot, send, useBoot } from '../../shared/boot.js';
import { queries, useRead } from '../../shared/data.js';
import { dayText, siteDay } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { PageHead, Panel } from '../../shared/parts.js';
import { AmountInput, formatInput } from '../../shared/typed.js';
import { fromServer, t } from '../../shared/texts.js';
import { Check } from './check.js';
import { previewKey, type Config } from './preview.js';

/** Creates a payout in two steps: plan, then preview and confirm. Plan and step are stored in the URL. */
export function NewPayout(): ReactNode {
  const address = useAddress();
  const isChecking = address.get('step') === 'check';
  return (
    <>
      <PageHead back={{ href: '/payouts', label: t('Payouts') }} title={t('New payout')} />
      <ol className="fa-steps">
        {[t('Affiliates and days'), t('Check')].map((label, at) => (
          <li key={label} {...((isChecking ? 1 : 0) === at && { 'aria-current': 'step' as const })}>
            <span aria-hidden="true">{at + 1}</span> {label}
          </li>
        ))}
      </ol>
      {isChecking ? (
        <Check plan={configOf(planOf(address))} onBack={() => address.set({ step: null })} />
      ) : (
        <Choose address={address} />
      )}
    </>
  );
}

const usualRemark = (): string => t('Commissions until {day}', { day: dayText(siteDay()) });

/** The method by which affiliates are paid, as the settings say. */
const usualMethod = (): string => {
  const { payoutMethod } = boot().program;
  return payoutMethod === 'bank_transfer' ? 'bank' : payoutMethod;
};

const planOf = (address: Address) => ({
  title: address.get('title', t('Payout {day}', { day: dayText(siteDay()) })),
  start_date: address.get('from'),
  end_date: address.get('until', siteDay()),
  min_payout: address.get('min'),
  payout_method: address.get('method', usualMethod()),
  affiliate_ids: address.get('only') === '' ? [] : address.get('only').split('.'),
  description: address.get('remark', usualRemark()),
});
type Plan = ReturnType<typeof planOf>;

const configOf = (plan: Plan): Config => ({
  title: plan.title,
  end_date: plan.end_date,
  ...(plan.start_date !== '' && { start_date: plan.start_date }),
  ...(plan.min_payout !== '' && { min_payout: plan.min_payout }),
  payout_method: plan.payout_method,
  ...(plan.affiliate_ids.length > 0 && { affiliate_ids: plan.affiliate_ids.map(Number) }),
  description: plan.description.trim() || usualRemark(),
});

/** The plan as a query string without empty values. */
function searchOf(plan: Plan): string {
  const values = {
    title: plan.title,
    from: plan.start_date,
    until: plan.end_date,
    min: plan.min_payout,
    method: plan.payout_method,
    only: plan.affiliate_ids.join('.'),
    remark: plan.description,
  };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString();
}

function Choose({ address }: { address: Address }): ReactNode {
  const { program } = useBoot();
  const [path, go] = useLocation();
  const methods = useRead('payouts.methods');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 200);
  const plan = planOf(address);
  const form = useForm(
    { ...plan, min_payout: formatInput(plan.min_payout, program.currency) },
    async (values) => {
      const config = configOf(values);
      queries.setQueryData(previewKey(config), await send('payouts.preview', { body: { config } }));
      const chosen = searchOf(values);
      go(`${path}?${chosen}`, { replace: true }); // so that Back shows it again
      go(`${path}?${chosen}&step=check`);
    },
    ({ title }) => ({
      ...(title.trim().length < 3 && { title: t('Enter a name of at least three letters.') }),
    }),
    {
      creates: true,
      figures: ({ min_payout }) => [
        {
          field: 'min_payout',
          label: t('Minimum per affiliate'),
          typed: min_payout,
          unit: program.currency,
          empty: t('Empty: as in the settings'),
        },
      ],
    },
  );
  const found = useRead('settings.affiliate_options', {
    query: {
      search,
      ...(form.values.affiliate_ids.length > 0 && { include_ids: form.values.affiliate_ids.map(Number) }),
    },
  });
  return (
    <Panel>
      <FormFrame form={form} yes={t('Preview')} always>
        <TextInput
          label={t('Name')}
          description={t('Affiliates see it beside their payment.')}
          required
          {...form.text('title')}
        />
        <div className="fa-two">
          <TextInput
            label={t('Commissions from')}
            description={t('Empty: from the beginning')}
            type="date"
            {...form.text('start_date')}
          />
          <TextInput
            label={t('Commissions until')}
            description={t('Waiting periods always apply')}
            type="date"
            required
            {...form.text('end_date')}
          />
        </div>
        <div className="fa-two">
          <AmountInput
            label={t('Minimum per affiliate')}
            description={t('Empty: as in the settings')}
            {...form.field('min_payout')}
            unit={program.currency}
          />
          <Select
            label={t('Method')}
            description={t('How you will send the money')}
            data={(methods.data?.methods ?? []).map(({ key, title, sandbox }) => ({
              value: key,
              label: `${fromServer(title)}${sandbox ? ` (${t('Sandbox')})` : ''}`,
            }))}
            {...form.choice('payout_method')}
          />
        </div>
        <MultiSelect
          label={t('Only these affiliates')}
          description={t('Empty: all affiliates with an amount due')}
          searchable
          data={(found.data?.affiliates ?? []).map(({ id, full_name }) => ({
            value: String(id),
            label: `${full_name} #${id}`,
          }))}
          searchValue={text}
          onSearchChange={setText}
          filter={({ options }) => options}
          {...form.field('affiliate_ids')}
        />
        <TextInput
          label={t('Remark')}
          description={t('Only managers can see this.')}
          {...form.text('description')}
        />
      </FormFrame>
    </Panel>
  );
}
