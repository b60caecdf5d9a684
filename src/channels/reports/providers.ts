import { isMap } from '../../core/is-map.js';
import { cleanText } from '../../core/text.js';
import { own } from '../../core/own.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { byCurrency, countRows, figureOf, moneyOf, wireMoney } from './figures.js';
import {
  affiliateGroups,
  hasReferralsOf,
  openPayoutGroups,
  payoutGroups,
  referralGroups,
} from './queries.js';
import type { ReportDto } from './schemas.js';
import type { MoneyFigure, RawWidget, Sections } from './types.js';

type JsonObject = Record<string, unknown>;
export type Providers = Record<string, { readonly title: string }>;

interface Figures {
  readonly widgets: Record<string, RawWidget>;
  readonly money: Record<string, MoneyFigure>;
}

/** The section of each figure; a filter cannot add one that the caller may not see. */
const NEEDS: Readonly<Record<string, keyof Sections>> = {
  affiliates: 'affiliates',
  pending: 'affiliates',
  paid: 'referrals',
  unpaid: 'referrals',
  visits: 'visits',
  paid_transactions: 'payouts',
  pending_payout: 'payouts',
  total_revenue: 'referrals',
  total_orders: 'referrals',
};
export const OWN = 'fla';

/** The providers of reports: the service itself, shops and connected sites (docs/interface.md §12.3). */
export async function listProviders(app: Deps): Promise<Providers> {
  const providers: Record<string, { title: string }> = {
    [OWN]: { title: app.options.brandName },
    edd: { title: 'Easy Digital Downloads' },
    woo: { title: 'WooCommerce' },
  };
  const { enabled_integrations: enabled } = await app.settings.referralConfig();
  for (const [key, entry] of Object.entries(await app.commerce.settings.list())) {
    const { type, title } = (entry ?? {}) as { type?: unknown; title?: unknown };
    if (type === 'commerce' && enabled.includes(key))
      providers[key] = { title: typeof title === 'string' ? title : key };
  }
  for (const site of await app.connectedSites.active())
    providers[`site_${site.site_id}`] = { title: site.site_title };
  return usable(await app.hooks.applyFilters('advanced_report_providers', providers));
}

/** A filter may return a map, or a list of entries with their key. */
function usable(response: object): Providers {
  const entries = Array.isArray(response)
    ? response.map((entry: unknown) => [isMap(entry) ? entry['key'] : undefined, entry] as const)
    : Object.entries(response);
  const named = entries.filter(([key]) => typeof key === 'string' && /^[A-Za-z0-9_-]{1,100}$/u.test(key)) as [
    string,
    unknown,
  ][];
  return Object.fromEntries(
    named.map(([key, entry]) => {
      const { title } = (typeof entry === 'object' && entry !== null ? entry : { title: entry }) as {
        title?: unknown;
      };
      return [key, { title: typeof title === 'string' && title !== '' ? cleanText(title) : key }];
    }),
  );
}

/** The figures of one provider (docs/interface.md §12.3). */
export async function providerReport(app: Deps, provider: string, sections: Sections): Promise<ReportDto> {
  const providers = await listProviders(app);
  const known = own(providers, provider);
  if (!known && !(await hasReferralsOf(app.db, provider))) fail('provider_not_found');
  const { widgets, money } = await (provider === OWN
    ? ownFigures(app, sections)
    : figuresOf(app, provider, sections));
  return {
    report: {
      enabled: true,
      title: `${known?.title ?? provider} - Advanced Reports`,
      widgets: labeled(await filtered(app, provider, widgets, sections), sections),
      ...byCurrency(money),
    },
  };
}

// Callers who may see nothing get nothing, not even figures of an extension.
async function filtered(
  app: Deps,
  provider: string,
  widgets: Figures['widgets'],
  sections: Sections,
): Promise<JsonObject> {
  if (!Object.values(sections).includes(true)) return {};
  const name =
    provider === OWN ? 'dashboard_stats' : (`dashboard_${provider}_stats` as 'dashboard_{provider}_stats');
  return { ...(await app.hooks.applyFilters(name, widgets, { provider })) };
}

function labeled(widgets: JsonObject, sections: Sections): ReportDto['report']['widgets'] {
  return Object.fromEntries(
    Object.entries(widgets).flatMap(([key, widget]) => {
      const need = own(NEEDS, key);
      if ((need && !sections[need]) || typeof widget !== 'object' || widget === null) return [];
      const { title, count, is_money: isMoney } = widget as Partial<Record<keyof RawWidget, unknown>>;
      const value = Number(count);
      return [
        [
          key,
          {
            is_money: isMoney === true,
            label: cleanText(typeof title === 'string' ? title : key),
            value: Number.isFinite(value) ? value : 0,
          },
        ],
      ];
    }),
  );
}

async function ownFigures(app: Deps, may: Sections): Promise<Figures> {
  const { currency } = await app.settings.referralConfig();
  const affiliates = may.affiliates ? await affiliateGroups(app.db) : [];
  const money = await ownMoney(app, may, currency);
  const widgets = {
    ...(may.affiliates && {
      affiliates: count('Active Affiliates', countRows(affiliates, 'active')),
      pending: count('Pending Affiliates', countRows(affiliates, 'pending')),
    }),
    ...(may.referrals && {
      paid: amount('Paid', money.paid, currency),
      unpaid: amount('Unpaid', money.unpaid, currency),
    }),
    ...(may.visits && { visits: count('Visits', await app.visits.stored()) }),
    ...(may.payouts && {
      paid_transactions: amount('Paid Transactions', money.paid_transactions, currency),
      pending_payout: amount('Pending Payouts', money.pending_payout, currency),
    }),
  };
  return { widgets, money };
}

/** Figures the caller may not see are not read, so they are 0 here. */
async function ownMoney(
  app: Deps,
  may: Sections,
  currency: string,
): Promise<Record<'paid' | 'unpaid' | 'paid_transactions' | 'pending_payout', MoneyFigure>> {
  const balances = await app.balances.paidAndOwed();
  const [referrals, payouts] = [may.referrals ? balances : [], may.payouts ? balances : []];
  const transactions = may.payouts
    ? [...(await payoutGroups(app.db)), ...(await openPayoutGroups(app.db))]
    : [];
  return {
    paid: figureOf(referrals, 'paid_minor', currency),
    unpaid: figureOf(referrals, 'owed_minor', currency),
    paid_transactions: moneyOf(transactions, ['paid'], currency),
    pending_payout: figureOf(payouts, 'on_its_way_minor', currency),
  };
}

async function figuresOf(app: Deps, provider: string, may: Sections): Promise<Figures> {
  if (!may.referrals) return { widgets: {}, money: {} };
  const { currency } = await app.settings.referralConfig();
  const groups = await referralGroups(app.db, provider);
  const revenue = moneyOf(groups, ['paid'], currency);
  return {
    widgets: {
      total_revenue: amount('Total Revenue', revenue, currency),
      total_orders: count('Total Orders', countRows(groups)),
    },
    money: { total_revenue: revenue },
  };
}

const count = (title: string, value: number): RawWidget => ({ title, count: value, is_money: false });
const amount = (title: string, figure: MoneyFigure, currency: string): RawWidget => ({
  title,
  count: wireMoney(figure, currency),
  is_money: true,
});
