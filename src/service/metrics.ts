import type { App } from '../app/app.js';
import { systemClock } from '../core/clock.js';
import { SECOND } from '../core/duration.js';
import type { Sample, Telemetry } from '../core/telemetry.js';
import type { Row } from '../platform/database/db.js';
import type { RiskCode } from '../platform/risks.js';

/** Figures for monitoring. Totals only grow, and all processes of a program answer the same. */
export interface Metrics {
  /** Counted clicks, commissions and affiliates since the program began. */
  readonly clicks: number;
  readonly commissions: number;
  readonly affiliates: number;
  /** Clicks and orders that earned nothing, by reason. */
  readonly skipped: {
    readonly clicks: Readonly<Record<string, number>>;
    readonly orders: Readonly<Record<string, number>>;
  };
  readonly queues: readonly QueueMetrics[];
  /** How long ago each job ran. */
  readonly jobs: readonly { readonly name: string; readonly seconds_ago: number | null }[];
  readonly risks: readonly RiskCode[];
}

export interface QueueMetrics {
  /** `mail` and `webhook` are sent, `shop` is received. */
  readonly queue: string;
  readonly waiting: number;
  /** Entries that failed for good. */
  readonly failed: number;
  /** The age of the oldest waiting entry; 0 without one. */
  readonly oldest_seconds: number;
}

/** Five short queries; none of them reads a list of clicks or orders. */
export async function readMetrics(app: App, risks: readonly RiskCode[]): Promise<Metrics> {
  const { db } = app;
  const now = app.clock.now();
  const totals: Row | undefined = await db('daily_stats')
    .where('scope', 'like', 'all:%')
    .sum({ clicks: 'visits', commissions: 'referrals', affiliates: 'affiliates' })
    .first();
  const skips: Row[] = await db('skip_counts')
    .select('kind', 'reason')
    .sum({ hits: 'hits' })
    .groupBy('kind', 'reason');
  const skipped = (kind: string): Record<string, number> =>
    Object.fromEntries(
      skips.filter((row) => row['kind'] === kind).map((row) => [String(row['reason']), Number(row['hits'])]),
    );
  const jobs: Row[] = await db('job_leases').select('name', 'last_run_at').where('name', 'like', 'job:%');
  return {
    clicks: Number(totals?.['clicks'] ?? 0),
    commissions: Number(totals?.['commissions'] ?? 0),
    affiliates: Number(totals?.['affiliates'] ?? 0),
    skipped: { clicks: skipped('visit'), orders: skipped('conversion') },
    queues: [...(await outboxQueues(app, now)), await shopQueue(app, now)],
    jobs: jobs.map((row) => ({
      name: String(row['name']).slice('job:'.length),
      seconds_ago: row['last_run_at'] === null ? null : secondsSince(now, row['last_run_at']),
    })),
    risks,
  };
}

const secondsSince = (now: number, at: unknown): number =>
  Math.max(0, Math.round((now - Number(at)) / SECOND));

async function outboxQueues({ db }: App, now: number): Promise<QueueMetrics[]> {
  const rows: Row[] = await db('outbox')
    .select('channel', 'status')
    .whereIn('status', ['pending', 'dead'])
    .count({ n: '*' })
    .min({ oldest: 'created_at' })
    .groupBy('channel', 'status');
  const isMail = (row: Row): boolean => row['channel'] === 'mail';
  return [
    queueOf('mail', rows.filter(isMail), now),
    queueOf(
      'webhook',
      rows.filter((row) => !isMail(row)),
      now,
    ),
  ];
}

async function shopQueue({ db }: App, now: number): Promise<QueueMetrics> {
  const rows: Row[] = await db('provider_deliveries')
    .select('status')
    .whereIn('status', ['received', 'processing', 'failed', 'dead'])
    .count({ n: '*' })
    .min({ oldest: 'received_at' })
    .groupBy('status');
  return queueOf('shop', rows, now);
}

function queueOf(queue: string, rows: readonly Row[], now: number): QueueMetrics {
  const hasFailed = (row: Row): boolean => row['status'] === 'dead';
  const count = (of: readonly Row[]): number => of.reduce((sum, row) => sum + Number(row['n']), 0);
  const waiting = rows.filter((row) => !hasFailed(row));
  return {
    queue,
    waiting: count(waiting),
    failed: count(rows.filter(hasFailed)),
    oldest_seconds: Math.max(0, ...waiting.map((row) => secondsSince(now, row['oldest']))),
  };
}

/** Gives OpenTelemetry the same figures; they are read once every few seconds for all of them. */
export function observeMetrics(telemetry: Telemetry, read: () => Promise<Metrics>): void {
  let known: { readonly at: number; readonly figures: Promise<Metrics> } | undefined;
  const recent = (): Promise<Metrics> => {
    const now = systemClock.now();
    if (known === undefined || now - known.at > RECENT) known = { at: now, figures: read() };
    return known.figures;
  };
  const of =
    (samples: (figures: Metrics) => readonly Sample[]): (() => Promise<readonly Sample[]>) =>
    async () =>
      samples(await recent());
  const byReason = (counts: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(counts).map(([reason, value]) => ({ value, attributes: { reason } }));
  const byQueue = (key: 'waiting' | 'failed' | 'oldest_seconds') =>
    of(({ queues }) => queues.map(({ queue, [key]: value }) => ({ value, attributes: { queue } })));
  for (const name of ['clicks', 'commissions', 'affiliates'] as const)
    telemetry.observe(
      'counter',
      `affiliate.${name}`,
      of((figures) => [{ value: figures[name] }]),
    );
  for (const name of ['clicks', 'orders'] as const)
    telemetry.observe(
      'counter',
      `affiliate.skipped.${name}`,
      of(({ skipped }) => byReason(skipped[name])),
    );
  for (const name of ['waiting', 'failed', 'oldest_seconds'] as const)
    telemetry.observe('gauge', `affiliate.queue.${name}`, byQueue(name));
}

const RECENT = 5 * SECOND;

/** The metrics in the text format of Prometheus. */
export function prometheusText(metrics: Metrics): string {
  const lines: string[] = [];
  const add = (
    name: string,
    type: 'counter' | 'gauge',
    samples: readonly (readonly [string, number])[],
  ): void => {
    lines.push(`# TYPE affiliate_${name} ${type}`);
    for (const [labels, value] of samples) lines.push(`affiliate_${name}${labels} ${value}`);
  };
  const byReason = (counts: Readonly<Record<string, number>>): [string, number][] =>
    Object.entries(counts).map(([reason, n]) => [label('reason', reason), n]);
  const byQueue = (key: 'waiting' | 'failed' | 'oldest_seconds'): [string, number][] =>
    metrics.queues.map((each) => [label('queue', each.queue), each[key]]);
  add('clicks_total', 'counter', [['', metrics.clicks]]);
  add('commissions_total', 'counter', [['', metrics.commissions]]);
  add('affiliates_total', 'counter', [['', metrics.affiliates]]);
  add('clicks_skipped_total', 'counter', byReason(metrics.skipped.clicks));
  add('orders_skipped_total', 'counter', byReason(metrics.skipped.orders));
  add('queue_waiting', 'gauge', byQueue('waiting'));
  add('queue_failed', 'gauge', byQueue('failed'));
  add('queue_oldest_seconds', 'gauge', byQueue('oldest_seconds'));
  const ran = metrics.jobs.flatMap(({ name, seconds_ago: age }) =>
    age === null ? [] : [[label('job', name), age] as const],
  );
  add('job_age_seconds', 'gauge', ran);
  add(
    'risk',
    'gauge',
    metrics.risks.map((code) => [label('code', code), 1] as const),
  );
  return `${lines.join('\n')}\n`;
}

const label = (name: string, value: string): string =>
  `{${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"}`;
