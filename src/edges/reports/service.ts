import type { Needs } from './needs.js';
import { dashboard } from './dashboard.js';
import { campaignsIn, earnedIn, type Campaigns, type Earned } from './earned.js';
import { listProviders, providerReport, type Providers } from './providers.js';
import type { Chart, ChartDates, ChartSeries } from '../../books/rollups/types.js';
import type { WireDashboard, WireReport } from './schemas.js';
import type { ReportFile, Sections } from './types.js';

type Allows = (section: keyof Sections) => Promise<boolean>;

const SERIES: readonly ChartSeries[] = ['referrals', 'visits', 'affiliates'];

/** Figures over the whole program. Whoever is signed in may ask; each sees only the sections open to them. */
export class ReportsService {
  constructor(private readonly app: Needs) {}

  async dashboard(allows: Allows): Promise<Omit<WireDashboard, 'notices'>> {
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

  /** Nothing for whoever may not see referrals. */
  async earnings(dates: ChartDates, allows: Allows): Promise<Earned> {
    if (await allows('referrals')) return earnedIn(this.app, dates);
    const { currency } = await this.app.settings.referralConfig();
    return { currency, labels: [], earnings: [], total: 0 };
  }

  /** Clicks and money together: nothing for whoever may not see both. */
  async campaigns(dates: ChartDates, allows: Allows): Promise<Campaigns> {
    if ((await allows('visits')) && (await allows('referrals'))) return campaignsIn(this.app, dates);
    const { currency } = await this.app.settings.referralConfig();
    return { currency, campaigns: [] };
  }

  async providers(allows: Allows): Promise<Providers> {
    return Object.values(await sectionsOf(allows)).includes(true) ? listProviders(this.app) : {};
  }

  async provider(key: string, allows: Allows): Promise<WireReport> {
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
export function reportFile(provider: string, { report }: WireReport): ReportFile {
  return {
    file: `report_${provider}.csv`,
    columns: ['key', 'label', 'value'],
    rows: Object.entries(report.widgets).map(([key, { label, value }]) => ({ key, label, value })),
  };
}
