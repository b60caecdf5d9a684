import { percentage } from '../../core/percentage.js';
import type { CardDto } from '../../platform/http/responses.js';
import type { NestedAffiliateDto, UserDto } from '../../program/api-schemas.js';
import type { VisitReferral } from '../../accounting/visits/types.js';
import type { Deps } from './deps.js';
import { byCurrency, countRows, figureOf, moneyOf, wireMoney } from './figures.js';
import { affiliateGroups, newestIds, referralGroups } from './queries.js';
import type { DashboardDto, RecentReferralDto, RecentVisitDto } from './schemas.js';
import type { MoneyFigure, Sections } from './types.js';

const NEWEST = 5;
const FIRST = { page: 1, per_page: NEWEST, search: '', order_type: 'DESC' } as const;

/**
 * Cards and newest rows, without those that the caller may not see (docs/interface.md §12.1). The number of
 * queries does not depend on the data.
 */
export async function dashboard(app: Deps, sections: Sections): Promise<Omit<DashboardDto, 'notices'>> {
  const { cards, money } = await cardsOf(app, sections);
  return {
    stats: cards,
    recent_referrals: sections.referrals ? await recentReferrals(app, sections) : [],
    top_affiliates: sections.affiliates
      ? (
          await app.affiliates.listing.list(
            { ...FIRST, status: 'active', order_by: 'total_earnings' },
            { bankDetails: false },
          )
        ).rows
      : [],
    recent_visits: sections.visits ? await recentVisits(app, sections) : [],
    recent_payouts: sections.payouts
      ? (await app.payouts.lists.list({ ...FIRST, status: 'paid', order_by: 'created_at' })).rows
      : [],
    ...byCurrency(money),
  };
}

async function cardsOf(
  app: Deps,
  may: Sections,
): Promise<{ cards: Record<string, CardDto>; money: Record<string, MoneyFigure> }> {
  const { currency } = await app.settings.referralConfig();
  const balances = may.payouts ? await app.balances.paidAndOwed() : [];
  const referrals = may.referrals ? await referralGroups(app.db) : [];
  const affiliates = may.affiliates || may.visits ? await affiliateGroups(app.db) : [];
  const visits = affiliates.find(({ status }) => status === 'active')?.visits ?? 0;
  const money = {
    ...(may.payouts && {
      total_paid: figureOf(balances, 'paid_minor', currency),
      total_unpaid: figureOf(balances, 'owed_minor', currency),
    }),
    ...(may.referrals && {
      total_order_value: moneyOf(referrals, ['paid', 'unpaid'], currency, 'order_total_minor'),
    }),
  };
  const amount = (title: string, figure: MoneyFigure | undefined, icon: string): CardDto | undefined =>
    figure && { title, amount: wireMoney(figure, currency), is_currency: true, icon };
  const count = (title: string, value: number, icon: string, allowed: boolean): CardDto | undefined =>
    allowed ? { title, amount: value, is_currency: false, is_number: true, icon } : undefined;
  const rate = {
    title: 'Conversion Rate',
    amount: percentage(countRows(referrals), visits),
    is_currency: false,
    is_number: false,
    icon: 'PercentIcon',
  };
  const cards = {
    total_paid: amount('Total Paid', money.total_paid, 'MoneyPaid'),
    total_unpaid: amount('Total Unpaid', money.total_unpaid, 'MoneyUnPaid'),
    active_affiliates: count('Active Affiliates', countRows(affiliates, 'active'), 'Persons', may.affiliates),
    total_visits: count('Total Visits', visits, 'LinkClick', may.visits),
    total_referrals: count('Total Referrals', countRows(referrals), 'LinkReferal', may.referrals),
    conversion_rate: may.referrals && may.visits ? rate : undefined,
    pending_affiliates: count(
      'Pending Affiliates',
      countRows(affiliates, 'pending'),
      'PendingUser',
      may.affiliates,
    ),
    total_order_value: amount('Total Order Value by Referrals', money.total_order_value, 'BagLoveIcon'),
  };
  const allowed = Object.entries(cards).flatMap(([name, card]) => (card ? [[name, card] as const] : []));
  return { cards: Object.fromEntries(allowed), money };
}

async function recentReferrals(app: Deps, sections: Sections): Promise<RecentReferralDto[]> {
  const ids = await newestIds(app.db, 'referrals', NEWEST);
  const referrals = [...(await app.referrals.findMany(ids)).values()].toSorted(
    (a, b) => ids.indexOf(a.id) - ids.indexOf(b.id),
  );
  const affiliates = await app.affiliates.embed(referrals.map((referral) => referral.affiliate_id));
  return (await app.referrals.lists.present(referrals)).map((referral) => ({
    ...referral,
    affiliate: owner(app, affiliates.get(referral.affiliate_id ?? 0), sections),
  }));
}

async function recentVisits(app: Deps, sections: Sections): Promise<RecentVisitDto[]> {
  const ids = await newestIds(app.db, 'visits', NEWEST);
  const visits = await app.visits.embed(ids);
  const affiliates = await app.affiliates.embed([...visits.values()].map((visit) => visit.affiliate_id));
  const referrals = sections.referrals
    ? await app.referrals.summaryByVisit(ids)
    : new Map<number, VisitReferral[]>();
  return ids.flatMap((id) => {
    const visit = visits.get(id);
    return visit
      ? [
          {
            ...visit,
            affiliate: owner(app, affiliates.get(visit.affiliate_id ?? 0), sections),
            referrals: referrals.get(id) ?? [],
          },
        ]
      : [];
  });
}

/**
 * The client reads `affiliate.user` without checking; addresses are only for callers who may see affiliates.
 */
function owner(
  app: Deps,
  affiliate: NestedAffiliateDto | undefined,
  { affiliates: full }: Sections,
): NestedAffiliateDto | null {
  if (!affiliate) return null;
  const { full_name: name = '', avatar = '' } = affiliate.user_details;
  const user: UserDto = affiliate.user ?? {
    ID: affiliate.user_id,
    user_login: '',
    user_email: '',
    user_url: '',
    display_name: name,
    full_name: name,
    photo: avatar,
  };
  const whole = { ...affiliate, user };
  return full ? whole : app.affiliates.trimmed(whole, { payment: false });
}
