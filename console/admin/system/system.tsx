import { Alert, Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { boot } from '../../shared/boot.js';
import { ConfirmButton, RowButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { choicesOf, dayFilters } from '../../shared/filters.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import {
  AddressTabs,
  Loaded,
  AppLink,
  Empty,
  Facts,
  PageHead,
  Panel,
  Status,
  Waiting,
} from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { number, t, tn, word } from '../../shared/texts.js';
import { StopReason } from '../payouts/running.js';
import { optionOf, riskText } from './risks.js';

// Loaded when their tab is opened.
const Steps = lazyPart(() => import('../guide/guide.js'), 'Steps', <Waiting />);
const Inbox = lazyPart(() => import('../inbox.js'), 'Inbox', <Waiting />);
const History = lazyPart(() => import('../history.js'), 'History', <Waiting />);

/** The health of the service. */
export function System(): ReactNode {
  return (
    <>
      <PageHead title={t('System')} about={t('Balance checks, jobs, queues and change history.')} />
      <AddressTabs
        tabs={[
          { key: 'health', label: t('Health'), content: () => <Health /> },
          { key: 'guide', label: t('Going live'), content: () => <Steps /> },
          { key: 'outbox', label: t('Outbox'), content: () => <Outbox /> },
          { key: 'inbox', label: t('Inbox'), content: () => <Inbox /> },
          { key: 'audit', label: t('History'), content: () => <History /> },
        ]}
      />
    </>
  );
}

function Health(): ReactNode {
  const state = useRead('system.state', undefined, {
    every: ({ works }) => (works.length > 0 ? 2000 : 10_000),
  });
  return (
    <div className="fa-stack">
      <LedgerChecks />
      <Operations works={state.data?.works ?? []} />
      <Panel title={t('Risks')} about={t('Risks to money, data or trust in this installation.')}>
        <Loaded of={state}>{({ risks }) => <Risks risks={risks} />}</Loaded>
      </Panel>
      <div className="fa-split">
        <Panel title={t('Jobs')} flush>
          <Loaded of={state}>{({ jobs }) => <Jobs jobs={jobs} />}</Loaded>
        </Panel>
        <Panel title={t('Installation')}>
          <Loaded of={state}>
            {({ schema, database, size_bytes: bytes, outbox }) => (
              <Facts
                facts={[
                  { label: t('Database'), value: `${DATABASES[database] ?? database}, ${sizeText(bytes)}` },
                  {
                    label: t('Version of the tables'),
                    value: (
                      <>
                        {number(schema.steps)} <code className="fa-faint">{schema.step}</code>
                      </>
                    ),
                  },
                  ...outbox.map(({ channel, status, count }) => ({
                    label: `${word(channel.split(':')[0])}: ${word(status)}`,
                    value: number(count),
                  })),
                ]}
              />
            )}
          </Loaded>
        </Panel>
      </div>
    </div>
  );
}

const DATABASES: Readonly<Record<string, string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  mysql: 'MySQL / MariaDB',
};

const sizeText = (bytes: number): string =>
  new Intl.NumberFormat(boot().locale, {
    style: 'unit',
    unit: bytes < 1e9 ? 'megabyte' : 'gigabyte',
    maximumFractionDigits: 1,
  }).format(bytes / (bytes < 1e9 ? 1e6 : 1e9));

/** A text with `code` in it. */
const TextWithCode = ({ text }: { text: string }): ReactNode =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));

function Risks({ risks }: { risks: ResponseOf<'system.state'>['risks'] }): ReactNode {
  if (risks.length === 0) return <Status of="ok" label={t('None found')} />;
  return (
    <ul className="fa-risks">
      {risks.map(({ code, severity, text }) => (
        <li key={code}>
          <Status
            of={code}
            tone={severity === 'warning' ? 'amber' : 'gray'}
            label={severity === 'warning' ? t('Warning') : t('Note')}
          />
          <span>
            <TextWithCode text={riskText(code) ?? text} />
            {optionOf(code) !== undefined && (
              <span className="fa-faint fa-risk-option">
                {t('A developer can change this:')} <code>{optionOf(code)}</code>
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

type Work = ResponseOf<'system.state'>['works'][number];

const rateText = ({
  per_second: rate,
  seconds_left: left,
}: Pick<Work, 'per_second' | 'seconds_left'>): string =>
  rate === null || left === null
    ? ''
    : `${t('{rate} per second', { rate: number(Math.round(rate)) })}, ${tn('{count} second left', '{count} seconds left', left)} · `;

/** Operations that are running or stopped. */
function Operations({ works }: { works: ResponseOf<'system.state'>['works'] }): ReactNode {
  const resume = useWrite('system.resume');
  if (works.length === 0) return null;
  return (
    <Panel
      title={t('Long operations')}
      actions={
        works.some(({ running }) => !running) && (
          <Button variant="default" loading={resume.running} onClick={() => resume.press({})}>
            {t('Continue')}
          </Button>
        )
      }
    >
      <div role="status">
        <ul className="fa-plain-list">
          {works.map(
            ({ kind, payout_id: payout, done, total, repaired, running, started_at: begun, ...work }) => (
              <li key={`${kind} ${payout}`}>
                {payout === null ? word(kind) : <AppLink href={`/payouts/${payout}`}>{word(kind)}</AppLink>}
                <span className="fa-number">
                  {': '}
                  {t('{done} of {total}', { done: number(done), total: number(total) })}
                  {repaired > 0 &&
                    `, ${tn('{count} figure corrected', '{count} figures corrected', repaired)}`}
                  {' · '}
                  {running ? rateText(work) : `${t('It was stopped')} · `}
                  {t('Started')} <DateTime at={begun} full />
                </span>
                {!running && <StopReason {...work} />}
              </li>
            ),
          )}
        </ul>
      </div>
    </Panel>
  );
}

/** Runs `verify()` and `reconcile()` and shows their findings. */
function LedgerChecks(): ReactNode {
  const verify = useWrite('system.verify', { done: null });
  const reconcile = useWrite('system.reconcile', { quiet: true });
  const [found, setFound] = useState<ResponseOf<'system.verify'> | null>(null);
  const check = (): void => void verify.run({}).then(setFound, () => undefined);
  return (
    <Panel
      title={t('Books')}
      about={t('Every balance is the sum of its entries. The check reads everything and changes nothing.')}
      actions={
        <>
          <Button loading={verify.running} onClick={check}>
            {t('Check now')}
          </Button>
          <ConfirmButton
            variant="default"
            question={{
              title: t('Recalculate all figures?'),
              text: t('Corrects counters that don’t match their rows. Amounts owed don’t change.'),
              yes: t('Recalculate'),
              run: async () => {
                await reconcile.run({});
                check();
              },
            }}
          >
            {t('Recalculate')}
          </ConfirmButton>
        </>
      }
    >
      <div role="status">
        {found === null ? (
          <span className="fa-faint">{t('Not checked since this page was opened.')}</span>
        ) : found.violations.length === 0 ? (
          <Status of="ok" label={t('Everything adds up')} />
        ) : (
          <Alert
            color="red"
            title={tn('{count} rule is broken', '{count} invariants are violated', found.violations.length)}
          >
            <ul className="fa-plain-list">
              {found.violations.slice(0, 50).map((row, at) => (
                <li key={at}>
                  <code>{row.invariant}</code> {row.table} {row.id}: {row.detail} {row.rule}
                </li>
              ))}
            </ul>
          </Alert>
        )}
      </div>
    </Panel>
  );
}

function Jobs({ jobs }: { jobs: ResponseOf<'system.state'>['jobs'] }): ReactNode {
  if (jobs.list.length === 0)
    return (
      <Empty
        title={t('Nothing has run yet')}
        text={jobs.enabled ? undefined : t('The host runs the jobs itself (jobs: false).')}
      />
    );
  return (
    <Sheet
      plain
      rows={jobs.list}
      rowKey={({ name }) => name}
      columns={[
        { label: t('Work'), cell: ({ name }) => word(name) },
        { label: t('Last'), end: true, cell: ({ last_run_at: at }) => <DateTime at={at} /> },
        { label: t('Next'), end: true, cell: ({ next_run_at: at }) => <NextRun at={at} /> },
      ]}
    />
  );
}

/** A job whose time has come runs with the next round. */
const NextRun = ({ at }: { at: string | null }): ReactNode =>
  at !== null && Date.parse(at) <= Date.now() ? t('due now') : <DateTime at={at} />;

/** The recipient of a mail: the administrator, an affiliate or an address. */
function Recipient({ of, name }: { of: string; name: string | null }): ReactNode {
  const [, id] = /^affiliate:(\d+)$/.exec(of) ?? [];
  if (id !== undefined)
    return <AppLink href={`/affiliates/${id}`}>{name ?? t('Affiliate {id}', { id })}</AppLink>;
  if (of.startsWith('webhook:') && name !== null)
    return (
      <span className="fa-clip" title={name}>
        <AppLink href="/settings/webhooks">{name}</AppLink>
      </span>
    );
  return (
    <span className="fa-clip" title={of}>
      {of === 'admin' ? t('Administrator') : of.replace(/^address:/, '')}
    </span>
  );
}

/** Why the last attempt failed, with what the mail server responded. */
const errorOf = ({ last_error: error, answer }: RowOf<'system.outbox'>): string =>
  [error, answer].filter((each) => each !== null).join(': ');

/** When an entry that waits is sent. */
function SentLater({
  row: { status, next_attempt_at: at },
}: {
  row: Pick<RowOf<'system.outbox'>, 'status' | 'next_attempt_at'>;
}): ReactNode {
  if (status !== 'pending' || at === null || Date.parse(at) <= Date.now()) return null;
  return (
    <div className="fa-faint">
      {t('Leaves')} <DateTime at={at} />
    </div>
  );
}

function Outbox(): ReactNode {
  type Row = RowOf<'system.outbox'>;
  const retry = useWrite('system.retry', { quiet: true });
  const columns: readonly Column<Row>[] = [
    {
      key: 'kind',
      label: t('Message'),
      head: true,
      cell: (row) => <span className="fa-strong">{row.channel === 'mail' ? word(row.kind) : row.kind}</span>,
    },
    {
      key: 'to',
      label: t('Recipient'),
      cell: (row) => <Recipient of={row.recipient} name={row.recipient_name} />,
    },
    {
      key: 'status',
      label: t('Status'),
      cell: (row) => (
        <>
          <Status of={row.status} />
          <SentLater row={row} />
        </>
      ),
    },
    { key: 'tries', label: t('Failed attempts'), of: 'attempts', kind: 'number' },
    {
      key: 'error',
      label: t('Last error'),
      cell: (row) => (
        <span className="fa-clip" title={errorOf(row)}>
          {errorOf(row) || '—'}
        </span>
      ),
    },
    { key: 'created', label: t('Date'), of: 'created_at', kind: 'time' },
    {
      key: 'again',
      label: '',
      end: true,
      cell: (row) =>
        row.status === 'dead' && (
          <RowButton
            question={{
              title: t('Send again?'),
              text: errorOf(row),
              yes: t('Send again'),
              run: () => retry.run({ params: { id: row.id } }),
            }}
          >
            {t('Send again')}
          </RowButton>
        ),
    },
  ];
  return (
    <List
      name="outbox"
      operation="system.outbox"
      columns={columns}
      search={false}
      filters={[
        {
          key: 'status',
          label: t('Status'),
          choices: choicesOf(['pending', 'sent', 'skipped', 'dead'], word),
        },
        ...dayFilters(),
      ]}
      empty={{
        title: t('Nothing was sent yet'),
        text: t('Mails and webhooks appear here with their status.'),
      }}
    />
  );
}
