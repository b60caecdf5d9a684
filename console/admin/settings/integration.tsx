import { Alert, Button, Switch, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { boot } from '../../shared/boot.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { readFigure, type Figure } from '../../shared/figures.js';
import { Loaded, AppLink, Copyable, Facts, Panel, Problem } from '../../shared/parts.js';
import { t, word } from '../../shared/texts.js';
import { Inbox } from '../inbox.js';
import { reasonText } from '../reasons.js';
import { rateFigure, typedRate } from '../typed-rates.js';
import { OwnRates, type OwnRate } from './own-rates.js';

type IntegrationConfig = ResponseOf<'integrations.config'>;
type Field = IntegrationConfig['fields'][string];
type Values = Record<string, unknown>;

/** One shop: settings, rates of its products, fetching an order, and its deliveries. */
export function IntegrationSetUp({ integration }: { integration: string }): ReactNode {
  const reading = useRead('integrations.config', { query: { integration } }, { keep: false });
  return (
    <div className="fa-stack">
      <AppLink href="/settings/integrations">{t('All integrations')}</AppLink>
      <Loaded of={reading} lines={8}>
        {(response) => (
          <>
            <Panel title={response.info.title ?? integration} about={response.info.description}>
              <div className="fa-stack">
                {response.info.has_webhook && (
                  <Facts
                    facts={[
                      {
                        label: t('Webhook URL'),
                        value: (
                          <Copyable
                            value={`${boot().program.siteUrl}${boot().api}/webhooks/${integration}`}
                          />
                        ),
                      },
                    ]}
                  />
                )}
                <SetUpForm integration={integration} reading={response} />
              </div>
            </Panel>
            {response.info.can_ask && <FetchOrder integration={integration} />}
            <Panel title={t('Report of the shop')} flush>
              <Inbox provider={integration} />
            </Panel>
          </>
        )}
      </Loaded>
    </div>
  );
}

const flagOf = (field: Field): string => field.rate_key ?? 'custom_affiliate_rate';
const rowsOf = (field: Field): string => field.rates_key ?? 'custom_affiliate_rates';
const isTable = (field: Field): boolean => field.type === 'custom_rate_component';
/** A table field is shown only while its flag has this value. */
const isShown = ({ shown_when: when }: Field, values: Values): boolean =>
  when === undefined || values[when[0] ?? ''] === when[1];

/** The rows as entered: rates with the user's decimal separator. */
function typed({ config, fields }: IntegrationConfig): Values {
  const tables = Object.values(fields).filter(isTable).map(rowsOf);
  const rows = (name: string): OwnRate[] =>
    ((config as Values)[name] as readonly OwnRate[]).map((row) => ({
      ...row,
      object_ids: row.object_ids.map(String),
      rate: typedRate(row.rate, row.rate_type),
    }));
  return { ...config, ...Object.fromEntries(tables.map((name) => [name, rows(name)])) };
}

function SetUpForm({ integration, reading }: { integration: string; reading: IntegrationConfig }): ReactNode {
  const save = useWrite('integrations.save_config', { quiet: true });
  const fields = Object.values(reading.fields);
  const tables = fields.filter(isTable);
  const form = useForm<Values>(
    typed(reading),
    (_values, changed) => {
      const rates = tables
        .filter((field) => rowsOf(field) in changed)
        .map((field) => [
          rowsOf(field),
          (changed[rowsOf(field)] as readonly OwnRate[]).map((row) => ({
            ...row,
            rate: readFigure(rowFigure(rowsOf(field), row)),
          })),
        ]);
      return save.run({ body: { integration, config: { ...changed, ...Object.fromEntries(rates) } } });
    },
    (values) =>
      Object.fromEntries(
        tables
          .filter((field) => (values[rowsOf(field)] as readonly OwnRate[]).some(isUnfinished))
          .map((field) => [rowsOf(field), t('Fill in both fields of each row.')]),
      ),
    {
      figures: (values) =>
        tables
          .filter((field) => values[flagOf(field)] === 'yes')
          .flatMap((field) =>
            (values[rowsOf(field)] as readonly OwnRate[]).map((row) => rowFigure(rowsOf(field), row)),
          ),
    },
  );
  return (
    <FormFrame form={form}>
      <Switch label={t('Orders are accepted')} {...form.flag('is_enabled')} />
      {Object.entries(reading.fields)
        .filter(([, field]) => isShown(field, form.values))
        .map(([name, field]) =>
          isTable(field) ? (
            <div key={name} className="fa-stack">
              <Switch label={field.main_label} {...form.flag(flagOf(field))} />
              {form.values[flagOf(field)] === 'yes' && (
                <OwnRates
                  integration={integration}
                  kinds={[
                    ...(field.has_products ? (['product'] as const) : []),
                    ...(field.has_categories ? (['category'] as const) : []),
                  ]}
                  rows={form.values[rowsOf(field)] as readonly OwnRate[]}
                  onChange={(rows) => form.set({ [rowsOf(field)]: rows })}
                  error={form.field(rowsOf(field)).error}
                />
              )}
            </div>
          ) : (
            <Switch
              key={name}
              label={field.checkbox_label ?? word(name)}
              description={field.help_text}
              {...form.flag(name)}
            />
          ),
        )}
    </FormFrame>
  );
}

/** The rate of a row with its label. */
const rowFigure = (
  field: string,
  { object_type: kind, object_ids: ids, rate, rate_type: type }: OwnRate,
): Figure =>
  rateFigure(field, {
    type,
    label: `${kind === 'product' ? t('Products') : t('Categories')} ${ids.join(', ')}`,
    typed: rate,
  });

const isUnfinished = ({ object_ids: ids, rate }: OwnRate): boolean => ids.length === 0 || rate.trim() === '';

/** Fetches an order from the shop, in case its webhook was lost. */
function FetchOrder({ integration }: { integration: string }): ReactNode {
  const question = useWrite('integrations.ask', { quiet: true, done: null });
  const [outcome, setOutcome] = useState<ResponseOf<'integrations.ask'>['outcome'] | null>(null);
  const [order, setOrder] = useState('');
  const put = (): void => {
    setOutcome(null);
    void question.run({ body: { integration, order: order.trim() } }).then(
      (response) => setOutcome(response.outcome),
      () => undefined,
    );
  };
  return (
    <Panel
      title={t('Fetch from the shop again')}
      about={t('If an order’s webhook was lost, this records the order as it is in the shop now.')}
    >
      <form
        className="fa-stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (order.trim() !== '' && !question.running) put();
        }}
      >
        <div className="fa-ask">
          <TextInput
            label={t('Order number')}
            value={order}
            onChange={(event) => setOrder(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={question.running} disabled={order.trim() === ''}>
            {t('Fetch')}
          </Button>
        </div>
        {question.error && <Problem error={question.error} />}
        {outcome !== null && (
          <Alert color={outcome.result === 'ignored' ? 'yellow' : 'green'} role="status">
            {outcomeText(outcome.result)} {outcome.reason !== null && reasonText(outcome.reason)}{' '}
            {outcome.referral_id !== null && (
              <AppLink href={`/referrals/${outcome.referral_id}`}>{t('Show the commission')}</AppLink>
            )}
          </Alert>
        )}
      </form>
    </Panel>
  );
}

function outcomeText(result: string): string {
  const texts: Readonly<Record<string, string>> = {
    recorded: t('The order was recorded.'),
    updated: t('The commission was updated.'),
    unchanged: t('The order matches the shop.'),
    ignored: t('The order earned nothing.'),
    deferred: t('The order waits for more data from the shop.'),
  };
  return texts[result] ?? word(result);
}
