import { Alert, Button, Switch, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { boot } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { readFigure, type Figure } from '../../shared/figures.js';
import { Loaded, AppLink, Copyable, Facts, Panel, Problem } from '../../shared/parts.js';
import { t, word } from '../../shared/texts.js';
import { Inbox } from '../inbox.js';
import { reasonText } from '../reasons.js';
import { rateFigure, typedRate } from '../typed-rates.js';
import { OwnRates, type OwnRate } from './own-rates.js';

type Reading = AnswerOf<'integrations.config'>;
type Field = Reading['fields'][string];
type Values = Record<string, unknown>;

/** One shop: its settings and own rates, a question for one of its orders, and what it told. */
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
                        label: t('Webhook address'),
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
            {response.info.can_ask && <AskShop integration={integration} />}
            <Panel title={t('What the shop reported')} flush>
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
/** A field that stands for a table only shows while the flag it names has this value. */
const isShown = ({ shown_when: when }: Field, values: Values): boolean =>
  when === undefined || values[when[0] ?? ''] === when[1];

/** The rows as they are typed: rates with the reader's decimal sign. */
function typed({ config, fields }: Reading): Values {
  const tables = Object.values(fields).filter(isTable).map(rowsOf);
  const rows = (name: string): OwnRate[] =>
    ((config as Values)[name] as readonly OwnRate[]).map((row) => ({
      ...row,
      object_ids: row.object_ids.map(String),
      rate: typedRate(row.rate, row.rate_type),
    }));
  return { ...config, ...Object.fromEntries(tables.map((name) => [name, rows(name)])) };
}

function SetUpForm({ integration, reading }: { integration: string; reading: Reading }): ReactNode {
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
          .map((field) => [rowsOf(field), t('Each row needs a rate and what it is for.')]),
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
      <Switch label={t('Orders are taken')} {...form.flag('is_enabled')} />
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

/** The rate of a row, called by what it is for. */
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

/** For an order whose notice was lost: the shop is asked what it knows of it. */
function AskShop({ integration }: { integration: string }): ReactNode {
  const question = useWrite('integrations.ask', { quiet: true, done: null });
  const [outcome, setOutcome] = useState<AnswerOf<'integrations.ask'>['outcome'] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [order, setOrder] = useState('');
  const put = (): void => {
    setError(null);
    setOutcome(null);
    void question
      .run({ body: { integration, order: order.trim() } })
      .then((response) => setOutcome(response.outcome), setError);
  };
  return (
    <Panel
      title={t('Ask the shop again')}
      about={t('For an order whose notice was lost: it is recorded as the shop has it now.')}
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
            {t('Ask')}
          </Button>
        </div>
        {error !== null && <Problem error={error} />}
        {outcome !== null && (
          <Alert color={outcome.result === 'ignored' ? 'yellow' : 'green'} role="status">
            {outcomeText(outcome.result)} {outcome.reason !== null && reasonText(outcome.reason)}{' '}
            {outcome.referral_id !== null && (
              <AppLink href={`/referrals/${outcome.referral_id}`}>{t('Show the referral')}</AppLink>
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
    updated: t('The commission was brought up to date.'),
    unchanged: t('Everything is as the shop says.'),
    ignored: t('The order earned nothing.'),
    deferred: t('The order waits for something that the shop has not reported yet.'),
  };
  return texts[result] ?? word(result);
}
