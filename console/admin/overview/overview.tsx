import { Button } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useBoot, useMay } from '../../shared/boot.js';
import { Chart, type Series } from '../../shared/chart.js';
import { useRead, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { cardText, money } from '../../shared/money.js';
import { balanceFigures, Counted, OtherBalances, StateMark } from '../../shared/money-states.js';
import { Loaded, AppLink, Change, Empty, Figures, PageHead, Panel, Person } from '../../shared/parts.js';
import { useStored } from '../../shared/stored.js';
import { number, percent, t } from '../../shared/texts.js';
import { nameOf } from '../people.js';
import { referralName } from '../referrals/name.js';
import { loadGuide } from '../screens.js';
import { useRange, type Range } from './range.js';
import { ToDo } from './to-do.js';

interface NextStepProps {
  readonly isAway: boolean;
  readonly hide: ReactNode;
}
// With its texts, which few need.
const NextStep = lazy(async () => ({
  default: ((await loadGuide()) as { NextStep: (props: NextStepProps) => ReactNode }).NextStep,
}));

export function Overview(): ReactNode {
  const { user } = useBoot();
  const { range, before, picker } = useRange();
  const dashboard = useRead('reports.dashboard');
  return (
    <>
      <PageHead
        name={t('Overview')}
        title={t('Hello, {name}', { name: user?.name.split(' ')[0] ?? '' })}
        about={t('This is how the program is doing.')}
        actions={picker}
      />
      <div className="fa-stack">
        <Start />
        <ToDo reading={dashboard} />
        <Now reading={dashboard} />
        <Course range={range} before={before} />
        <div className="fa-split">
          <Newest reading={dashboard} />
          <Best reading={dashboard} />
        </div>
      </div>
    </>
  );
}

interface Reading {
  readonly data: AnswerOf<'reports.dashboard'> | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Where the money is and who is active at this moment, whatever days are chosen. */
function Now({ reading }: { reading: Reading }): ReactNode {
  const seesMoney = useMay('payouts', 'read');
  const balances = useRead('reports.balances', undefined, { enabled: seesMoney });
  const program = balances.data?.balances ?? [];
  const active = reading.data?.stats['active_affiliates'];
  if (reading.error && reading.data === undefined) return <Loaded of={reading}>{() => null}</Loaded>;
  const figures = [
    ...program.slice(0, 1).flatMap(balanceFigures),
    ...(active === undefined
      ? []
      : [{ label: t('Active affiliates'), value: cardText(active), href: '/affiliates?status=active' }]),
  ];
  const isLoading = reading.data === undefined || (seesMoney && balances.isPending);
  if (figures.length === 0 && !isLoading) return null;
  return (
    <section aria-labelledby="fa-now">
      <h2 className="fa-part" id="fa-now">
        {t('Now')}
      </h2>
      <Figures
        figures={figures.length > 0 ? figures : [{ label: t('Active affiliates'), value: '' }]}
        loading={isLoading}
      />
      <OtherBalances balances={program} />
    </section>
  );
}

const NAMES = (): Readonly<Record<string, string>> => ({
  Referrals: t('Referrals'),
  Visits: t('Clicks'),
  Affiliates: t('New affiliates'),
});

/** Values day by day with their sum, and the sum of the time before; null where it is not known. */
interface Metric {
  readonly key: string;
  readonly line: Series;
  readonly sum: number;
  readonly before: number | null;
  /** Stands behind the sum. */
  readonly note?: string;
}

const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function metricOf(key: string, line: Series, before: readonly number[] | undefined): Metric {
  return {
    key,
    line: before === undefined ? line : { ...line, before: line.values.map((_, at) => before[at] ?? 0) },
    sum: sumOf(line.values),
    before: before === undefined ? null : sumOf(before),
  };
}

/** Earnings, sales, referrals, clicks and new affiliates of the chosen days beside the days before; one is drawn. */
function Course({ range, before }: { range: Range; before: Range }): ReactNode {
  const address = useAddress();
  const query = { start_date: range.from, end_date: range.to };
  const queryBefore = { start_date: before.from, end_date: before.to };
  const now = useRead('reports.chart', { query });
  const then = useRead('reports.chart', { query: queryBefore });
  const earned = useRead('reports.earnings', { query });
  const earnedThen = useRead('reports.earnings', { query: queryBefore });
  return (
    <Panel title={t('In these days')} about={t('Dashed: the same time before.')}>
      <Loaded of={now} lines={6}>
        {(data) => {
          const metrics = [
            ...(earned.data?.labels.length === data.xAxisData.length
              ? [
                  metricOf(
                    'Earnings',
                    { name: t('Earnings'), values: earned.data.earnings, money: true },
                    earnedThen.data?.earnings,
                  ),
                  metricOf(
                    'Sales',
                    { name: t('Sales'), values: earned.data.order_totals, money: true },
                    earnedThen.data?.order_totals,
                  ),
                ]
              : []),
            ...data.series.map(({ name, data: values }) => ({
              ...metricOf(
                name,
                { name: NAMES()[name] ?? name, values },
                then.data?.series.find((one) => one.name === name)?.data,
              ),
              ...(name === 'Referrals' && { note: conversionText(data) }),
            })),
          ];
          const shown = metrics.find(({ key }) => key === address.get('chart')) ?? metrics[0];
          if (shown === undefined) return <Empty title={t('No figures for your rights')} />;
          return (
            <>
              <div className="fa-metrics" role="group" aria-label={t('What the chart shows')}>
                {metrics.map((metric) => (
                  <MetricButton
                    key={metric.key}
                    metric={metric}
                    chosen={metric === shown}
                    onChoose={() =>
                      address.set({ chart: metric === metrics[0] ? null : metric.key }, { replace: true })
                    }
                  />
                ))}
              </div>
              <Chart title={shown.line.name} labels={data.xAxisData} series={[shown.line]} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** How many clicks became a sale. */
function conversionText({ series }: AnswerOf<'reports.chart'>): string {
  const total = (name: string): number => sumOf(series.find((one) => one.name === name)?.data ?? []);
  const clicks = total('Visits');
  return clicks === 0 ? '' : t('{share} of clicks', { share: percent(total('Referrals') / clicks) });
}

function MetricButton({
  metric: { line, sum, before, note },
  chosen,
  onChoose,
}: {
  metric: Metric;
  chosen: boolean;
  onChoose: () => void;
}): ReactNode {
  return (
    <button type="button" className="fa-metric" aria-pressed={chosen} onClick={onChoose}>
      <span className="fa-figure-label">{line.name}</span>
      <span className="fa-metric-value">{line.money ? money(sum) : number(sum)}</span>
      <span className="fa-figure-note">
        <Change share={before === null || before === 0 ? null : (sum - before) / before} /> {note}
      </span>
    </button>
  );
}

function Best({ reading }: { reading: Reading }): ReactNode {
  return (
    <Panel
      title={t('Top affiliates')}
      actions={<AppLink href="/affiliates?sort=-total_earnings">{t('All')}</AppLink>}
    >
      <Loaded of={reading}>
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
      </Loaded>
    </Panel>
  );
}

function Newest({ reading }: { reading: Reading }): ReactNode {
  return (
    <Panel title={t('Latest referrals')} actions={<AppLink href="/referrals">{t('All')}</AppLink>}>
      <Loaded of={reading}>
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
                    <StateMark of={row.state} />
                    <Counted of={row} />
                  </span>
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** The next step to the first payout, for those who can take it. */
function Start(): ReactNode {
  const { rights } = useBoot();
  const [isAway, setAway] = useStored('guide-away', false);
  if (!rights.settings) return null;
  const hide = (
    <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setAway(true)}>
      {t('Hide')}
    </Button>
  );
  return (
    <Suspense fallback={null}>
      <NextStep isAway={isAway} hide={hide} />
    </Suspense>
  );
}
