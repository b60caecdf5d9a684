import type { Deps } from './deps.js';
import { dashboard } from './dashboard.js';
import { breakdown } from './breakdown.js';
import { earnedIn, type EarningsChart } from './earned.js';
import { listProviders, providerReport, type Providers } from './providers.js';
import type { Chart, ChartDates, ChartSeries } from '../../accounting/rollups/types.js';
import type { BreakdownQuery, BalancesDto, BreakdownDto, DashboardDto, ReportDto } from './schemas.js';
import type { BreakdownBy, ReportFile, Sections } from './types.js';

type Allows = (section: keyof Sections) => Promise<boolean>;

const NEEDS_CLICKS: readonly (keyof Sections)[] = ['visits', 'referrals'];
/** The sections a caller must be allowed to see for each breakdown. */
const BREAKDOWN_NEEDS: Readonly<Record<BreakdownBy, readonly (keyof Sections)[]>> = {
  campaigns: NEEDS_CLICKS,
  sub1: NEEDS_CLICKS,
  sub2: NEEDS_CLICKS,
  sub3: NEEDS_CLICKS,
  sub4: NEEDS_CLICKS,
  sub5: NEEDS_CLICKS,
  shops: ['referrals'],
  products: ['referrals'],
  affiliates: ['affiliates', 'referrals'],
  groups: ['affiliates', 'referrals'],
};

const SERIES: readonly ChartSeries[] = ['referrals', 'visits', 'affiliates'];

/** Figures of the whole program. Any signed-in user may ask, and sees only the sections they may read. */
export class ReportsService {
  constructor(private readonly app: Deps) {}

  async dashboard(allows: Allows): Promise<Omit<DashboardDto, 'notices'>> {
    return dashboard(this.app, await sectionsOf(allows));
  }

  async chart(dates: ChartDates, allows: Allows): Promise<Chart> {
    const sections = await sectionsOf(allows);
    return this.app.rollups.chart(
      'all',
      dates,
      SERIES.filter((series) => sections[series]),
    );
  }

  /** Empty for callers who may not see referrals. */
  async earnings(dates: ChartDates, allows: Allows): Promise<EarningsChart> {
    if (await allows('referrals')) return earnedIn(this.app, dates);
    const { currency } = await this.app.settings.referralConfig();
    return { currency, labels: [], earnings: [], total: 0, order_totals: [], order_total: 0 };
  }

  /** Empty for callers who may not see the data it is made of. */
  async breakdown(query: BreakdownQuery, allows: Allows): Promise<BreakdownDto> {
    const may = await sectionsOf(allows);
    if (BREAKDOWN_NEEDS[query.by].every((section) => may[section])) return breakdown(this.app, query, may);
    const { currency } = await this.app.settings.referralConfig();
    return { currency, rows: [], course: null };
  }

  /** Where the money of all affiliates is; empty for callers who may not see payouts. */
  async balances(allows: Allows): Promise<BalancesDto> {
    return { balances: (await allows('payouts')) ? await this.app.balances.totalDtos('all') : [] };
  }

  async providers(allows: Allows): Promise<Providers> {
    return Object.values(await sectionsOf(allows)).includes(true) ? listProviders(this.app) : {};
  }

  async provider(key: string, allows: Allows): Promise<ReportDto> {
    return providerReport(this.app, key, await sectionsOf(allows));
  }
}

async function sectionsOf(allows: Allows): Promise<Sections> {
  return {
    affiliates: await allows('affiliates'),
    referrals: await allows('referrals'),
    visits: await allows('visits'),
    payouts: await allows('payouts'),
  };
}

/** The chart as a table: one line per label, one column per series. */
export const chartFile = ({ xAxisData: labels, series }: Chart): ReportFile => ({
  file: 'dashboard_chart.csv',
  columns: ['date', ...series.map(({ name }) => name)],
  rows: labels.map((date, at) => ({
    date,
    ...Object.fromEntries(series.map(({ name, data }) => [name, data[at] ?? 0])),
  })),
});

/** A provider's figures as a table. */
export function reportFile(provider: string, { report }: ReportDto): ReportFile {
  return {
    file: `report_${provider}.csv`,
    columns: ['key', 'label', 'value'],
    rows: Object.entries(report.widgets).map(([key, { label, value }]) => ({ key, label, value })),
  };
}

/** The rows of a breakdown as a table. */
export const breakdownFile = (by: BreakdownBy, { rows, currency }: BreakdownDto): ReportFile => ({
  file: `report_${by}.csv`,
  columns: ['name', 'clicks', 'orders', 'order_total', 'earnings', 'currency'],
  rows: rows.map(({ key: _key, ...row }) => ({ ...row, currency })),
});
