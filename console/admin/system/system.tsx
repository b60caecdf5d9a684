import { Alert, Button } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { boot } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
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
import { number, t, tn, word } from '../../shared/texts.js';
import { riskText } from './risks.js';
import { dayFilters } from '../people.js';

// Their code comes with their tabs.
const Steps = lazy(async () => ({ default: (await import('../guide/guide.js')).Steps }));
const Inbox = lazy(async () => ({ default: (await import('../inbox.js')).Inbox }));
const History = lazy(async () => ({ default: (await import('../history.js')).History }));
const later = (tab: ReactNode): ReactNode => <Suspense fallback={<Waiting />}>{tab}</Suspense>;

/** How the service itself is doing. */
export function System(): ReactNode {
  return (
    <>
      <PageHead
        title={t('System')}
        about={t('Whether the books are in order, what runs, what waits, and who changed what.')}
      />
      <AddressTabs
        tabs={[
          { key: 'health', label: t('Health'), content: () => <Health /> },
          { key: 'guide', label: t('Going live'), content: () => later(<Steps />) },
          { key: 'outbox', label: t('Outbox'), content: () => <Outbox /> },
          { key: 'inbox', label: t('Inbox'), content: () => later(<Inbox />) },
          { key: 'audit', label: t('History'), content: () => later(<History />) },
        ]}
      />
    </>
  );
}

function Health(): ReactNode {
  const state = useRead('system.state', undefined, { every: ({ works }) => works.length > 0 && 2000 });
  return (
    <div className="fa-stack">
      <Books />
      <UnderWay works={state.data?.works ?? []} />
      <Panel title={t('Risks')} about={t('What can cost money, data or trust in this installation.')}>
        <Loaded of={state}>{({ risks }) => <Risks risks={risks} />}</Loaded>
      </Panel>
      <div className="fa-split">
        <Panel title={t('Recurring work')} flush>
          <Loaded of={state}>{({ jobs }) => <Jobs jobs={jobs} />}</Loaded>
        </Panel>
        <Panel title={t('Installation')}>
          <Loaded of={state}>
            {({ schema, database, size_bytes: bytes, outbox }) => (
              <Facts
                facts={[
                  { label: t('Database'), value: `${DATABASES[database] ?? database}, ${sizeText(bytes)}` },
                  { label: t('Schema'), value: <code>{`${schema.step} (${schema.steps})`}</code> },
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

/** A sentence with `names of code` in it. */
const Written = ({ text }: { text: string }): ReactNode =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));

function Risks({ risks }: { risks: AnswerOf<'system.state'>['risks'] }): ReactNode {
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
            <Written text={riskText(code) ?? text} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Long work that runs now, or was begun and is not finished. */
function UnderWay({ works }: { works: AnswerOf<'system.state'>['works'] }): ReactNode {
  if (works.length === 0) return null;
  return (
    <Panel title={t('Under way')}>
      <ul className="fa-plain-list" role="status">
        {works.map(({ kind, payout_id: payout, done, total, repaired, started_at: begun }) => (
          <li key={`${kind} ${payout}`}>
            {payout === null ? word(kind) : <AppLink href={`/payouts/${payout}`}>{word(kind)}</AppLink>}
            <span className="fa-number">
              {': '}
              {t('{done} of {total}', { done: number(done), total: number(total) })}
              {repaired > 0 && `, ${tn('{count} figure set right', '{count} figures corrected', repaired)}`}
              {' · '}
              {t('Started')} <When at={begun} full />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** `verify()` and `reconcile()` with what they found. */
function Books(): ReactNode {
  const verify = useWrite('system.verify', { done: null });
  const reconcile = useWrite('system.reconcile', { quiet: true });
  const [found, setFound] = useState<AnswerOf<'system.verify'> | null>(null);
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
          <Button
            variant="default"
            onClick={() =>
              ask({
                title: t('Recount all figures?'),
                text: t('Counters that disagree with their rows are set right. Amounts owed do not change.'),
                yes: t('Recount'),
                run: async () => {
                  await reconcile.run({});
                  check();
                },
              })
            }
          >
            {t('Recount')}
          </Button>
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
            title={tn('{count} rule is broken', '{count} rules are broken', found.violations.length)}
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

function Jobs({ jobs }: { jobs: AnswerOf<'system.state'>['jobs'] }): ReactNode {
  if (jobs.list.length === 0)
    return (
      <Empty
        title={t('Nothing has run yet')}
        text={jobs.enabled ? undefined : t('The site runs the work itself (jobs: false).')}
      />
    );
  return (
    <div className="fa-table-frame fa-keep" tabIndex={0}>
      <table className="fa-table">
        <thead>
          <tr>
            <th scope="col">{t('Work')}</th>
            <th scope="col" className="fa-end">
              {t('Last')}
            </th>
            <th scope="col" className="fa-end">
              {t('Next')}
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.list.map(({ name, last_run_at: last, next_run_at: next }) => (
            <tr key={name}>
              <td>{word(name)}</td>
              <td className="fa-end">
                <When at={last} />
              </td>
              <td className="fa-end">
                <When at={next} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whom a message is for: the administrator, an affiliate, or an address. */
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
      {of === 'admin' ? t('Administrator') : of}
    </span>
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
    { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
    { key: 'tries', label: t('Failed attempts'), end: true, cell: (row) => number(row.attempts) },
    {
      key: 'error',
      label: t('Last error'),
      cell: (row) => (
        <span className="fa-clip" title={row.last_error ?? ''}>
          {row.last_error ?? '—'}
        </span>
      ),
    },
    { key: 'created', label: t('Date'), end: true, cell: (row) => <When at={row.created_at} /> },
    {
      key: 'again',
      label: '',
      end: true,
      cell: (row) =>
        row.status === 'dead' && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              ask({
                title: t('Send again?'),
                text: row.last_error ?? '',
                yes: t('Send again'),
                run: () => retry.run({ params: { id: row.id } }),
              })
            }
          >
            {t('Send again')}
          </Button>
        ),
    },
  ];
  return (
    <List
      name="outbox"
      operation="system.outbox"
      columns={columns}
      rowKey={(row) => row.id}
      search={false}
      filters={[
        {
          key: 'status',
          label: t('Status'),
          choices: ['pending', 'sent', 'skipped', 'dead'].map((value) => ({ value, label: word(value) })),
        },
        ...dayFilters(),
      ]}
      empty={{
        title: t('Nothing was sent yet'),
        text: t('Mails and messages to other systems are listed here with what became of them.'),
      }}
    />
  );
}
