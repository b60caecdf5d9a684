import { Alert, Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useBoot } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf, type InputOf } from '../../shared/data.js';
import { siteDay } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { money, Money } from '../../shared/money.js';
import { stateText } from '../../shared/money-states.js';
import { AmountInput } from '../../shared/typed.js';
import { AppLink, Empty, Figures, PageHead, Panel, Person, Problem } from '../../shared/parts.js';
import { fromServer, number, t, tn, word } from '../../shared/texts.js';
import { nameOf } from '../people.js';
import { Making } from './running.js';

type Preview = AnswerOf<'payouts.preview'>;
type Config = NonNullable<NonNullable<InputOf<'payouts.preview'>['body']>['config']>;

/** Whom and until when → what that would pay → paid with a second press. */
export function NewPayout(): ReactNode {
  const [plan, setPlan] = useState<{ readonly config: Config; readonly preview: Preview } | null>(null);
  return (
    <>
      <PageHead back={{ href: '/payouts', label: t('Payouts') }} title={t('New payout')} />
      <ol className="fa-steps">
        {[t('Affiliates and days'), t('Check'), t('Done')].map((label, at) => (
          <li key={label} {...((plan === null ? 0 : 1) === at && { 'aria-current': 'step' as const })}>
            <span aria-hidden="true">{at + 1}</span> {label}
          </li>
        ))}
      </ol>
      <div hidden={plan !== null}>
        <Choose onPlan={setPlan} />
      </div>
      {plan !== null && <Check plan={plan} onBack={() => setPlan(null)} />}
    </>
  );
}

function Choose({ onPlan }: { onPlan: (plan: { config: Config; preview: Preview }) => void }): ReactNode {
  const { program } = useBoot();
  const preview = useWrite('payouts.preview', { done: null, quiet: true });
  const methods = useRead('payouts.methods');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 200);
  const form = useForm(
    {
      title: t('Payout {day}', { day: siteDay() }),
      start_date: '',
      end_date: siteDay(),
      min_payout: '',
      payout_method: '',
      affiliate_ids: [] as string[],
      description: t('Commissions until {day}', { day: siteDay() }),
    },
    async (values) => {
      const config = {
        title: values.title,
        end_date: values.end_date,
        ...(values.start_date !== '' && { start_date: values.start_date }),
        ...(values.min_payout !== '' && { min_payout: values.min_payout }),
        ...(values.payout_method !== '' && { payout_method: values.payout_method }),
        ...(values.affiliate_ids.length > 0 && { affiliate_ids: values.affiliate_ids.map(Number) }),
        description: values.description,
      };
      onPlan({ config, preview: await preview.run({ body: { config } }) });
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
      <FormFrame form={form} yes={t('Show what it pays')} always>
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
            description={t('Holds are kept in any case')}
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
            description={t('How you will move the money')}
            placeholder={word('manual')}
            clearable
            data={(methods.data?.methods ?? []).map(({ key, title }) => ({
              value: key,
              label: fromServer(title),
            }))}
            value={form.values.payout_method || null}
            onChange={(value) => form.set({ payout_method: value ?? '' })}
            error={form.field('payout_method').error}
          />
        </div>
        <MultiSelect
          label={t('Only these affiliates')}
          description={t('Empty: everybody who is due')}
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
        <TextInput label={t('Remark')} required {...form.text('description')} />
      </FormFrame>
    </Panel>
  );
}

function Check({
  plan: { config, preview },
  onBack,
}: {
  plan: { config: Config; preview: Preview };
  onBack: () => void;
}): ReactNode {
  const process = useWrite('payouts.process', { quiet: true, later: true });
  const [, go] = useLocation();
  const [error, setError] = useState<unknown>(null);
  const { currency } = preview;
  const sum = money(preview.payable_total_amount, currency);
  const run = async (): Promise<void> => {
    setError(null);
    try {
      const { payout } = await process.run({
        body: { config: { ...config, preview_token: preview.preview_token } },
      });
      go(`/payouts/${payout.id}`);
    } catch (problem) {
      setError(problem);
    }
  };
  if (preview.payable_affiliates_count === 0)
    return (
      <Panel>
        <Empty
          title={t('Nothing is due')}
          text={t('No affiliate has payable commissions in this range, or nobody reaches the minimum.')}
          action={
            <Button variant="default" onClick={onBack}>
              {t('Change the range')}
            </Button>
          }
        />
        <LeftOut preview={preview} />
      </Panel>
    );
  return (
    <div className="fa-stack">
      <Figures
        figures={[
          { label: t('Total of this payout'), value: sum },
          { label: t('Affiliates'), value: number(preview.payable_affiliates_count) },
          { label: t('Referrals'), value: number(preview.payable_referral_count) },
        ]}
      />
      <LeftOut preview={preview} />
      <Panel title={t('Who gets what')} flush>
        <div className="fa-list">
          <div className="fa-table-frame">
            <table className="fa-table">
              <thead>
                <tr>
                  <th scope="col">{t('Affiliate')}</th>
                  <th scope="col" className="fa-end">
                    {t('Referrals')}
                  </th>
                  <th scope="col" className="fa-end">
                    {t('Amount')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {preview.payable_affiliates.slice(0, 500).map((row) => (
                  <tr key={row.id}>
                    <td className="fa-cell-head">
                      <Person
                        name={nameOf(row)}
                        about={row.payment_email ?? ''}
                        avatar={row.user?.photo ?? ''}
                        href={`/affiliates/${row.id}`}
                      />
                    </td>
                    <td className="fa-end fa-number" data-label={t('Referrals')}>
                      {number(row.payable_referral_count)}
                    </td>
                    <td className="fa-end" data-label={t('Amount')}>
                      <Money amount={row.total_payable_amount} currency={currency} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      </Panel>
      {error !== null && <Problem error={error} again={onBack} />}
      {process.running && (
        <Making
          referrals={preview.payable_referral_count}
          text={t('You may leave this page. The payout continues, and appears in the list when it is made.')}
        />
      )}
      <div className="fa-form-buttons">
        <Button loading={process.running} onClick={() => void run()}>
          {t('Make payout of {amount}', { amount: sum })}
        </Button>
        <Button variant="default" onClick={onBack}>
          {t('Back')}
        </Button>
      </div>
    </div>
  );
}

/** Who is left out and why, and what to look at first. */
function LeftOut({ preview }: { preview: Preview }): ReactNode {
  const people = new Map(preview.payable_affiliates.map((row) => [row.id, nameOf(row)]));
  const missing = preview.warnings.filter(({ code }) => code === 'missing_payment_details');
  const unpaid = preview.unpaid.filter(({ reason }) => reason !== 'paid_now');
  const inactive = preview.warnings.filter(({ code }) => code === 'affiliate_inactive');
  const names = (rows: readonly { affiliate_id: number }[]): ReactNode =>
    rows.slice(0, 10).map(({ affiliate_id: id }, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <AppLink href={`/affiliates/${id}?tab=settings`}>{people.get(id) ?? `#${id}`}</AppLink>
      </span>
    ));
  return (
    <div className="fa-notes">
      {missing.length > 0 && (
        <Alert
          color="yellow"
          title={tn(
            '{count} affiliate has no payment details',
            '{count} affiliates have no payment details',
            missing.length,
          )}
        >
          {names(missing)}
        </Alert>
      )}
      {inactive.length > 0 && (
        <Alert
          color="yellow"
          title={tn('{count} affiliate is not active', '{count} affiliates are not active', inactive.length)}
        >
          {names(inactive)}
        </Alert>
      )}
      {unpaid.length > 0 && (
        <Alert color="gray" title={t('Unpaid, and not in this payout')}>
          <ul className="fa-plain-list">
            {unpaid.map((row) => (
              <li key={row.reason + row.currency}>
                <strong className="fa-number">{money(row.amount, row.currency)}</strong>{' '}
                {leftOutText(row.reason)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {preview.unknown_affiliate_ids.length > 0 && (
        <Alert
          color="yellow"
          title={t('Not found: {ids}', { ids: preview.unknown_affiliate_ids.join(', ') })}
        />
      )}
    </div>
  );
}

function leftOutText(reason: string): string {
  const texts: Readonly<Record<string, string>> = {
    held: stateText('held'),
    until: stateText('waiting'),
    other_currency: t('is in another currency'),
    outside_range: t('lies outside the range'),
    not_selected: t('belongs to affiliates who were not chosen'),
    inactive: t('belongs to affiliates who are not active'),
    no_payment_details: t('belongs to affiliates without payment details'),
    below_minimum: t('is below the minimum'),
    user_missing: t('belongs to users who are gone'),
  };
  return texts[reason] ?? reason;
}
