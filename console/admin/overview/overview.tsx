import { Button, TextInput } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import { Chart } from '../../shared/chart.js';
import { useRead, type AnswerOf } from '../../shared/data.js';
import { moveDay, siteDay, When } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import {
  Answer,
  AppLink,
  Empty,
  Figures,
  PageHead,
  Panel,
  Person,
  Status,
  type Figure,
} from '../../shared/parts.js';
import { useStored } from '../../shared/stored.js';
import { number, t } from '../../shared/texts.js';
import { nameOf } from '../people.js';
import { referralName } from '../referrals/list.js';

interface Range {
  readonly from: string;
  readonly to: string;
}

/** The days a name in the address stands for, and as many before them. */
export function useRange(): { readonly range: Range; readonly before: Range; readonly picker: ReactNode } {
  const address = useAddress();
  const key = address.get('days', '30');
  const own = key === 'own';
  const today = siteDay();
  const starts: Readonly<Record<string, string>> = {
    month: `${today.slice(0, 7)}-01`,
    quarter: `${today.slice(0, 5)}${String(Math.floor((Number(today.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`,
    year: `${today.slice(0, 4)}-01-01`,
  };
  const range = own
    ? { from: address.get('from', siteDay(-29)), to: address.get('to', today) }
    : { from: starts[key] ?? siteDay(1 - Number(key)), to: today };
  const length = Math.max(1, Math.round((Date.parse(range.to) - Date.parse(range.from)) / 86_400_000) + 1);
  const before = { from: moveDay(range.from, -length), to: moveDay(range.from, -1) };
  const choices = [
    ['7', t('7 days')],
    ['30', t('30 days')],
    ['90', t('90 days')],
    ['month', t('Month')],
    ['quarter', t('Quarter')],
    ['year', t('Year')],
    ['own', t('Custom')],
  ] as const;
  const picker = (
    <div className="fa-row">
      <Button.Group className="fa-range">
        {choices.map(([value, label]) => (
          <Button
            key={value}
            size="compact-md"
            variant={key === value ? 'light' : 'default'}
            aria-pressed={key === value}
            onClick={() => address.set({ days: value === '30' ? null : value, from: null, to: null })}
          >
            {label}
          </Button>
        ))}
      </Button.Group>
      {own && (
        <>
          <TextInput
            type="date"
            aria-label={t('From')}
            value={range.from}
            max={range.to}
            onChange={(event) => address.set({ from: event.currentTarget.value }, { replace: true })}
          />
          <TextInput
            type="date"
            aria-label={t('To')}
            value={range.to}
            min={range.from}
            onChange={(event) => address.set({ to: event.currentTarget.value }, { replace: true })}
          />
        </>
      )}
    </div>
  );
  return { range, before, picker };
}

export function Overview(): ReactNode {
  const { user } = useBoot();
  const { range, before, picker } = useRange();
  const dashboard = useRead('reports.dashboard');
  return (
    <>
      <PageHead
        title={t('Hello, {name}', { name: user?.name.split(' ')[0] ?? '' })}
        about={t('This is how the program is doing.')}
        actions={picker}
      />
      <div className="fa-stack">
        <Start />
        <Cards reading={dashboard} />
        <Course range={range} before={before} />
        <div className="fa-split">
          <ToDo reading={dashboard} />
          <Best reading={dashboard} />
        </div>
        <Newest reading={dashboard} />
      </div>
    </>
  );
}

interface Reading {
  readonly data: AnswerOf<'reports.dashboard'> | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

function Cards({ reading }: { reading: Reading }): ReactNode {
  const stats = reading.data?.stats ?? {};
  const show: readonly (readonly [string, string, string?])[] = [
    ['total_unpaid', t('Owed to affiliates'), '/payouts/new'],
    ['total_paid', t('Paid so far')],
    ['total_order_value', t('Sales through affiliates')],
    ['total_referrals', t('Referrals'), '/referrals'],
    ['total_visits', t('Clicks'), '/visits'],
    ['conversion_rate', t('Conversion')],
    ['active_affiliates', t('Active affiliates'), '/affiliates?status=active'],
  ];
  const figures = show.flatMap(([key, label, href]): Figure[] => {
    const card = stats[key];
    if (reading.data !== undefined && card === undefined) return [];
    const value =
      card === undefined
        ? ''
        : card.is_currency
          ? money(card.amount)
          : card.is_number
            ? number(Number(card.amount))
            : String(card.amount);
    return [{ label, value, ...(href !== undefined && { href }) }];
  });
  if (reading.error && reading.data === undefined) return <Answer of={reading}>{() => null}</Answer>;
  return figures.length === 0 ? null : <Figures figures={figures} loading={reading.data === undefined} />;
}

const NAMES = (): Readonly<Record<string, string>> => ({
  Referrals: t('Referrals'),
  Visits: t('Clicks'),
  Affiliates: t('New affiliates'),
});

/** Clicks, referrals and new affiliates over the chosen days, with the days before beside them. */
function Course({ range, before }: { range: Range; before: Range }): ReactNode {
  const now = useRead('reports.chart', { query: { start_date: range.from, end_date: range.to } });
  const then = useRead('reports.chart', { query: { start_date: before.from, end_date: before.to } });
  return (
    <Panel title={t('Over time')} about={t('In brackets and dashed: the same time before.')}>
      <Answer of={now} lines={6}>
        {(data) =>
          data.series.length === 0 ? (
            <Empty title={t('No figures for your rights')} />
          ) : (
            <Chart
              title={t('Over time')}
              labels={data.xAxisData}
              series={data.series.map(({ name, data: values }) => {
                const earlier = then.data?.series.find((one) => one.name === name)?.data;
                return {
                  name: NAMES()[name] ?? name,
                  values,
                  ...(earlier !== undefined && { before: values.map((_, at) => earlier[at] ?? 0) }),
                };
              })}
            />
          )
        }
      </Answer>
    </Panel>
  );
}

/** What waits for a person. */
function ToDo({ reading }: { reading: Reading }): ReactNode {
  const { rights } = useBoot();
  const stale = useRead(
    'referrals.stale',
    { query: { per_page: 1 } },
    { enabled: rights.referrals !== 'none' },
  );
  const suspicions = useRead(
    'settings.fraud_events',
    { query: { per_page: 1 } },
    { enabled: rights.settings },
  );
  const stats = reading.data?.stats ?? {};
  const pending = Number(stats['pending_affiliates']?.amount ?? 0);
  const unpaid = Number(stats['total_unpaid']?.amount ?? 0);
  const items = [
    pending > 0 && {
      href: '/affiliates?status=pending',
      label: t('Applications to decide'),
      value: number(pending),
    },
    (stale.data?.referrals.total ?? 0) > 0 && {
      href: '/referrals?tab=stale',
      label: t('Commissions that wait too long'),
      value: number(stale.data?.referrals.total ?? 0),
    },
    (suspicions.data?.events.total ?? 0) > 0 && {
      href: '/suspicions',
      label: t('Suspicious orders'),
      value: number(suspicions.data?.events.total ?? 0),
    },
    unpaid > 0 &&
      rights.payouts === 'write' && {
        href: '/payouts/new',
        label: t('Owed and not paid'),
        value: money(unpaid),
      },
  ].filter((item) => item !== false);
  return (
    <Panel title={t('To do')}>
      {items.length === 0 ? (
        <Empty title={t('All caught up')} text={t('Applications, suspicions and sums to pay appear here.')} />
      ) : (
        <ul className="fa-todo">
          {items.map(({ href, label, value }) => (
            <li key={href}>
              <Link href={href}>
                <span>{label}</span>
                <strong className="fa-number">{value}</strong>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Best({ reading }: { reading: Reading }): ReactNode {
  return (
    <Panel
      title={t('Top affiliates')}
      actions={<AppLink href="/affiliates?sort=-total_earnings">{t('All')}</AppLink>}
    >
      <Answer of={reading}>
        {({ top_affiliates: rows }) =>
          rows.length === 0 ? (
            <Empty title={t('No affiliates yet')} />
          ) : (
            <div className="fa-rows">
              {rows.map((row) => (
                <div key={row.id}>
                  <Person
                    name={nameOf(row)}
                    about={row.user?.user_email ?? ''}
                    avatar={row.user?.photo ?? ''}
                    href={`/affiliates/${row.id}`}
                  />
                  <span className="fa-number">{money(row.total_earnings)}</span>
                </div>
              ))}
            </div>
          )
        }
      </Answer>
    </Panel>
  );
}

function Newest({ reading }: { reading: Reading }): ReactNode {
  return (
    <Panel title={t('Latest referrals')} actions={<AppLink href="/referrals">{t('All')}</AppLink>}>
      <Answer of={reading}>
        {({ recent_referrals: rows }) =>
          rows.length === 0 ? (
            <Empty
              title={t('No referrals yet')}
              text={t('The first sale through an affiliate appears here.')}
            />
          ) : (
            <div className="fa-rows">
              {rows.map((row) => (
                <div key={row.id}>
                  <span className="fa-person-text">
                    <AppLink href={`/referrals/${row.id}`}>{referralName(row)}</AppLink>
                    <span className="fa-faint">
                      {row.affiliate?.user?.full_name} · <When at={row.created_at} />
                    </span>
                  </span>
                  <span className="fa-row">
                    <Status of={row.status} />
                    <span className="fa-number">{money(row.amount, row.currency)}</span>
                  </span>
                </div>
              ))}
            </div>
          )
        }
      </Answer>
    </Panel>
  );
}

/** The way to the first paid commission; gone when it was walked or put away. */
function Start(): ReactNode {
  const { rights } = useBoot();
  const [away, setAway] = useStored('guide-away', false);
  const enabled = rights.administrator && !away;
  const affiliates = useRead('affiliates.list', { query: { per_page: 1 } }, { enabled });
  const referrals = useRead('referrals.list', { query: { per_page: 1 } }, { enabled });
  const paid = useRead('payouts.list', { query: { per_page: 1, status: 'paid' } }, { enabled });
  if (
    !enabled ||
    affiliates.data === undefined ||
    referrals.data === undefined ||
    paid.data === undefined ||
    paid.data.payouts.total > 0
  )
    return null;
  const steps = [
    { done: true, label: t('Install the service'), href: '/system' },
    { done: affiliates.data.affiliates.total > 0, label: t('Set rates and terms'), href: '/settings' },
    { done: affiliates.data.affiliates.total > 0, label: t('Add the first affiliate'), href: '/affiliates' },
    { done: referrals.data.referrals.total > 0, label: t('Get the first referral'), href: '/referrals' },
    { done: false, label: t('Pay the first commission'), href: '/payouts/new' },
  ];
  return (
    <Panel
      title={t('Getting started')}
      actions={
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setAway(true)}>
          {t('Hide')}
        </Button>
      }
    >
      <ul className="fa-todo">
        {steps.map(({ done, label, href }) => (
          <li key={label}>
            <Link href={href}>
              <span className={done ? 'fa-row fa-faint' : 'fa-row'}>
                {done ? <IconCircleCheck size={17} color="var(--fa-green)" /> : <IconCircle size={17} />}{' '}
                {label}
              </span>
              {done && <span className="fa-hidden">{t('Done')}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
