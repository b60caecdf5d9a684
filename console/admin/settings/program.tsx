import { Select, Switch, TextInput } from '@mantine/core';
import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useAddress } from '../../shared/address.js';
import { refreshSession, useBoot } from '../../shared/boot.js';
import { isConfirmed } from '../../shared/confirm.js';
import type { Confirmation } from '../../shared/confirmation.js';
import { ApiError, useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { FieldGroup, FormFrame, useForm } from '../../shared/form.js';
import { readFigure, type Figure } from '../../shared/figures.js';
import { currencySign, money } from '../../shared/money.js';
import { AppLink } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { AmountInput, formatInput, howToWrite } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { weekdays } from './weekdays.js';
import { rateFigure, typedRate } from '../typed-rates.js';

type Config = ResponseOf<'settings.referral_config'>['config'];

export const Program = (): ReactNode => (
  <QueryView of="settings.referral_config" fresh lines={12}>
    {({ config, former_variables: former = [] }) => <ProgramForm config={config} former={former} />}
  </QueryView>
);

const FLAGS = [
  'credit_last_referrer',
  'exclude_shipping',
  'exclude_tax',
  'exclude_discount',
  'self_referral_disabled',
  'enable_subscription_renewal',
  'enable_lifetime_commission',
  'ask_invoice_details',
  'show_products',
] as const;
const RATES = ['rate', 'renewal_rate', 'lifetime_rate'] as const;
const COUNTS = [
  'cookie_duration',
  'hold_days',
  'max_renewal_count',
  'renewal_max_months',
  'lifetime_expiry_days',
  'commission_cap_days',
  'payout_day',
] as const;

/** These have no limit when they are empty. */
const MAY_BE_EMPTY: readonly (typeof COUNTS)[number][] = ['renewal_max_months', 'lifetime_expiry_days'];

type NumberInputs = Readonly<
  Record<
    | (typeof RATES)[number]
    | `${(typeof RATES)[number]}_type`
    | (typeof COUNTS)[number]
    | 'commission_cap_amount'
    | 'lead_amount'
    | 'enable_subscription_renewal'
    | 'enable_lifetime_commission',
    string
  >
>;

/** Sends a rate and its type together, even if only one of them changed. */
const ratesOf = (values: NumberInputs, changed: Partial<NumberInputs>): Partial<NumberInputs> =>
  Object.fromEntries(
    RATES.filter((name) => name in values && (name in changed || `${name}_type` in changed)).flatMap(
      (name) => [
        [name, values[name]],
        [`${name}_type`, values[`${name}_type`]],
      ],
    ),
  );

/** The numbers in the form, without those of disabled features. */
function figuresOf(values: NumberInputs, currency: string): readonly Figure[] {
  const rate = (field: (typeof RATES)[number], label: string, earns = 'yes'): Figure =>
    rateFigure(field, {
      type: values[`${field}_type`],
      label,
      typed: earns === 'yes' ? values[field] : '',
      ...(earns !== 'yes' && { empty: t('No commission') }),
    });
  return [
    rate('rate', t('Commission')),
    rate('renewal_rate', t('Subscriptions'), values.enable_subscription_renewal),
    rate('lifetime_rate', t('Customers who come back'), values.enable_lifetime_commission),
    {
      field: 'commission_cap_amount',
      label: t('Maximum commission per customer'),
      typed: values.commission_cap_amount,
      unit: currency,
      empty: t('0: no limit'),
    },
    {
      field: 'lead_amount',
      label: t('Commission per lead'),
      typed: values.lead_amount,
      unit: currency,
      empty: t('0: leads earn nothing'),
    },
    ...COUNTS.map((field) => ({
      field,
      label: field,
      typed: values[field],
      unit: 'count',
      ...(MAY_BE_EMPTY.includes(field) && { empty: '' }),
    })),
  ];
}

/** No number of the program is below zero. */
const negatives = (figures: readonly Figure[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    figures
      .filter((figure) => readFigure(figure)?.startsWith('-'))
      .map(({ field, unit }) => [field, howToWrite(unit)]),
  );

/** The form of links, and earlier parameters that still work. */
function linkHint(name: string, former: readonly string[]): string {
  const form = t('…/?{name}=anna', { name });
  return former.length === 0
    ? form
    : `${form} · ${t('Links with earlier parameters still work: {names}', { names: former.join(', ') })}`;
}

/** Asks before the currency changes while a payout is open or money is owed; null for other errors. */
function currencyQuestion(error: unknown): Pick<Confirmation, 'title' | 'text' | 'yes'> | null {
  if (!(error instanceof ApiError)) return null;
  const { code, data } = error;
  const ask = { title: t('Change the currency?'), yes: t('Change the currency') };
  const stays = <p>{t('Money in the old currency stays owed and is shown separately.')}</p>;
  if (code === 'payout_open')
    return {
      ...ask,
      text: (
        <>
          <p>{t('These payouts are still open:')}</p>
          <ul>
            {(data['payouts'] as readonly number[]).map((id) => (
              <li key={id}>
                <AppLink href={`/payouts/${id}`}>{t('Payout {id}', { id })}</AppLink>
              </li>
            ))}
          </ul>
          {stays}
        </>
      ),
    };
  if (code === 'currency_owed')
    return {
      ...ask,
      text: (
        <>
          {(data['owed'] as readonly { amount: string; currency: string }[]).map(({ amount, currency }) => (
            <p key={currency}>{t('Affiliates are owed {sum}.', { sum: money(Number(amount), currency) })}</p>
          ))}
          {stays}
        </>
      ),
    };
  return null;
}

/** The `ref` of an input; the one that the address asks for with `field` gets the focus when it is shown. */
function useAskedInput(): (name: string) => RefObject<HTMLInputElement | null> | undefined {
  const field = useAddress().get('field');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (name) => (name === field ? input : undefined);
}

function ProgramForm({ config, former }: { config: Config; former: readonly string[] }): ReactNode {
  const save = useWrite('settings.save_referral_config', { quiet: true });
  const { currency } = useBoot().program;
  const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
  const form = useForm(
    {
      referral_variable: config.referral_variable,
      referral_format: config.referral_format,
      rate_type: config.rate_type,
      rate: typedRate(config.rate, config.rate_type),
      currency: config.currency,
      cookie_duration: text(config.cookie_duration),
      hold_days: text(config.hold_days),
      renewal_rate_type: config.renewal_rate_type,
      renewal_rate: typedRate(config.renewal_rate, config.renewal_rate_type),
      max_renewal_count: text(config.max_renewal_count),
      renewal_max_months: text(config.renewal_max_months),
      lifetime_rate_type: config.lifetime_rate_type,
      lifetime_rate: typedRate(config.lifetime_rate, config.lifetime_rate_type),
      lifetime_expiry_days: text(config.lifetime_expiry_days),
      payout_method: config.payout_method,
      payout_rhythm: config.payout_rhythm,
      payout_day: text(config.payout_day),
      rate_rules: config.rate_rules,
      commission_cap_amount: formatInput(config.commission_cap_amount, currency),
      commission_cap_days: text(config.commission_cap_days),
      lead_amount: formatInput(config.lead_amount, currency),
      ...(Object.fromEntries(FLAGS.map((name) => [name, config[name]])) as Record<
        (typeof FLAGS)[number],
        string
      >),
    },
    async (values, changed) => {
      const sent: Readonly<Record<string, unknown>> = { ...changed, ...ratesOf(values, changed) };
      try {
        await save.run({ body: { referral_config: sent } });
      } catch (error) {
        const question = currencyQuestion(error);
        if (question === null) throw error;
        if (!(await isConfirmed(question)))
          throw new ApiError((error as ApiError).code, t('The currency was not changed.'));
        await save.run({ body: { referral_config: sent, confirm: true } });
      }
      await refreshSession();
    },
    (values) => negatives(figuresOf(values, currency)),
    {
      figures: (values) => figuresOf(values, currency),
      asks: (values, changes) =>
        values.currency === config.currency
          ? changes.length === 0
            ? null
            : { changes }
          : {
              changes: [...changes, { label: t('Currency'), from: config.currency, to: values.currency }],
            },
    },
  );
  const { values } = form;
  const asked = useAskedInput();
  const kinds = choicesIn({
    percentage: t('Percent'),
    fixed: t('Amount in {currency}', { currency: currencySign() }),
  });
  const rate = (
    kind: 'rate_type' | 'renewal_rate_type' | 'lifetime_rate_type',
    name: (typeof RATES)[number],
  ): ReactNode => (
    <div className="fa-two">
      <Select label={t('Rate type')} data={kinds} {...form.choice(kind)} />
      <AmountInput
        label={t('Value')}
        {...form.field(name)}
        {...(values[kind] === 'percentage' && { unit: '%' })}
      />
    </div>
  );
  return (
    <FormFrame form={form}>
      <FieldGroup
        title={t('Commission')}
        about={t('Used if neither the affiliate nor the group has a rate.')}
      >
        {rate('rate_type', 'rate')}
        <TextInput
          label={t('Days until a commission can be paid')}
          description={t('Time for returns. 0: pay immediately')}
          inputMode="numeric"
          {...form.text('hold_days')}
        />
        <Switch label={t('No commission on shipping')} {...form.flag('exclude_shipping')} />
        <Switch label={t('No commission on tax')} {...form.flag('exclude_tax')} />
        <Switch label={t('Take discounts off first')} {...form.flag('exclude_discount')} />
        <Select
          label={t('When several product rates fit')}
          data={choicesIn({ first: t('the first one counts'), best: t('the best one counts') })}
          {...form.choice('rate_rules')}
        />
      </FieldGroup>
      <FieldGroup title={t('Currency')} about={t('Changing it doesn’t convert existing amounts.')}>
        <TextInput
          label={t('Currency')}
          description={t('Three letters, such as EUR')}
          maxLength={3}
          {...form.text('currency')}
          onChange={(event) => form.set({ currency: event.currentTarget.value.toUpperCase() })}
        />
      </FieldGroup>
      <FieldGroup title={t('Links and clicks')}>
        <TextInput
          label={t('Parameter in the link')}
          description={linkHint(values.referral_variable, former)}
          {...form.text('referral_variable')}
        />
        <Select
          label={t('Parameter value')}
          data={choicesIn({
            id: t('the number of the affiliate'),
            username: t('the login of the affiliate'),
          })}
          {...form.choice('referral_format')}
        />
        <TextInput label={t('Days a click counts')} inputMode="numeric" {...form.text('cookie_duration')} />
        <Switch
          label={t('The affiliate of the last click is credited')}
          description={t('Off: the first one')}
          {...form.flag('credit_last_referrer')}
        />
        <Switch label={t('Affiliates’ own orders earn nothing')} {...form.flag('self_referral_disabled')} />
      </FieldGroup>
      <FieldGroup title={t('Subscriptions')} about={t('Renewals of an order that an affiliate brought.')}>
        <Switch label={t('Renewals earn a commission')} {...form.flag('enable_subscription_renewal')} />
        {values.enable_subscription_renewal === 'yes' && (
          <>
            {rate('renewal_rate_type', 'renewal_rate')}
            <div className="fa-two">
              <TextInput
                label={t('Maximum number of renewals')}
                description={t('0: no limit')}
                inputMode="numeric"
                {...form.text('max_renewal_count')}
              />
              <TextInput
                label={t('Months they earn')}
                description={t('Empty: no limit')}
                inputMode="numeric"
                {...form.text('renewal_max_months')}
              />
            </div>
          </>
        )}
      </FieldGroup>
      <FieldGroup
        title={t('Customers who come back')}
        about={t('Later orders of the same customer, without a new click.')}
      >
        <Switch label={t('Later orders earn a commission')} {...form.flag('enable_lifetime_commission')} />
        {values.enable_lifetime_commission === 'yes' && (
          <>
            {rate('lifetime_rate_type', 'lifetime_rate')}
            <TextInput
              label={t('Days a customer stays with the affiliate')}
              description={t('Empty: forever')}
              inputMode="numeric"
              {...form.text('lifetime_expiry_days')}
            />
          </>
        )}
        <div className="fa-two">
          <AmountInput
            label={t('Maximum commission per customer')}
            description={t('0: no limit')}
            {...form.field('commission_cap_amount')}
          />
          <TextInput
            label={t('Within days')}
            description={t('0: forever')}
            inputMode="numeric"
            {...form.text('commission_cap_days')}
          />
        </div>
      </FieldGroup>
      <FieldGroup
        title={t('Leads')}
        about={t('Sign-ups, forms and trials that your code or an API key reports.')}
      >
        <AmountInput
          label={t('Commission per lead')}
          description={t('0: leads earn nothing')}
          {...form.field('lead_amount')}
        />
      </FieldGroup>
      <FieldGroup title={t('Payment')} about={t('What affiliates enter to be paid.')}>
        <Select
          label={t('Affiliates are paid by')}
          data={choicesIn({ paypal: t('PayPal (email)'), bank_transfer: t('Bank transfer') })}
          {...form.choice('payout_method')}
          ref={asked('payout_method')}
        />
        {values.payout_method !== config.payout_method && (
          <p className="fa-faint" role="status">
            {values.payout_method === 'paypal'
              ? t('Affiliates without a PayPal email have to enter it before you can pay them this way.')
              : t('Affiliates without bank details have to enter them before you can pay them this way.')}
          </p>
        )}
        <Switch
          label={t('Ask affiliates for invoice details')}
          description={t('Name, address and tax number appear on their payment statements.')}
          {...form.flag('ask_invoice_details')}
        />
        <Switch
          label={t('Show affiliates the products of their orders')}
          description={t('In the portal and on the statements of their payments.')}
          {...form.flag('show_products')}
        />
        <div className="fa-two">
          <Select
            label={t('Payout schedule')}
            description={t('Affiliates see this; you start each payout.')}
            data={choicesIn({
              none: t('on no fixed day'),
              weekly: t('every week'),
              monthly: t('every month'),
              quarterly: t('every quarter'),
            })}
            {...form.choice('payout_rhythm')}
          />
          {values.payout_rhythm === 'weekly' && (
            <Select label={t('Weekday')} data={weekdays()} {...form.choice('payout_day')} />
          )}
          {['monthly', 'quarterly'].includes(values.payout_rhythm) && (
            <TextInput
              label={t('Day of the month')}
              description={t('1 to 28')}
              inputMode="numeric"
              {...form.text('payout_day')}
            />
          )}
        </div>
      </FieldGroup>
    </FormFrame>
  );
}
