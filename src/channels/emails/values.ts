import type { HostSite, HostUser } from '../../../adapters/host.js';
import { dayStart, parseDay, toIso } from '../../core/dates.js';
import { formatMoney, minor } from '../../core/money.js';
import { rateText } from '../../core/rate.js';
import { languageOf, type Language } from '../../core/localized.js';
import { escapeHtml } from '../../core/text.js';
import { DAY } from '../../core/duration.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { PayoutTransaction } from '../../accounting/payouts/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';
import { isolated, isolatedAmount, mailDate, mailDay, sayIn } from '../../core/mail-texts.js';
import { countItems, earnedSince, earnings, type CurrencyAmount } from './queries.js';
import type { CodeValues, MailSubject } from './types.js';

const DAYS_30 = 30 * DAY;

/** The rows a mail is about, as they are now; null when there is none or it was deleted. */
export interface MailPeople {
  /** The site in the language of the mail. */
  readonly site: HostSite;
  readonly affiliate: Affiliate | null;
  readonly user: HostUser | null;
  readonly referral: Referral | null;
  readonly transaction: PayoutTransaction | null;
  readonly values: CodeValues;
}
type Values = Readonly<Record<string, string>>;
/** The language a mail is written in: that of the affiliate's user, or a given one; undefined for that of the site. */
type MailLanguage = 'user' | Language | undefined;
type Money = (amount: number, currency: string | null) => string;

/** The site as a reader of this language sees it, or in its own language where mails do not have the reader's. */
export function siteIn({ host }: Pick<Deps, 'host'>, language: string | undefined): HostSite {
  const site = host.site();
  return language === undefined || languageOf(language) === null ? site : { ...site, language };
}

const languageFor = (language: MailLanguage, user: HostUser | null): string | undefined =>
  language === 'user' ? user?.language : language;

/** The values of all smart codes of a mail, read now; groups without a row are omitted. */
export async function mailValues(
  app: Deps,
  subject: MailSubject,
  language?: MailLanguage,
): Promise<MailPeople> {
  const config = await app.settings.referralConfig();
  const affiliate = subject.affiliate_id ? await app.affiliates.find(subject.affiliate_id) : null;
  const user = affiliate?.user_id
    ? ((await app.users([affiliate.user_id])).get(affiliate.user_id) ?? null)
    : null;
  const site = siteIn(app, languageFor(language, user));
  const money: Money = (amount, currency) =>
    isolatedAmount(
      formatMoney(minor(amount), currency ?? config.currency, {
        position: config.currency_symbol_position,
        numberFormat: config.number_format,
      }),
      site.language,
    );
  const referral = subject.referral_id ? await app.referrals.find(subject.referral_id) : null;
  const transaction = subject.transaction_id
    ? await app.payouts.findTransaction(subject.transaction_id)
    : null;
  return {
    site,
    affiliate,
    user,
    referral,
    transaction,
    values: {
      site: await siteValues(app, site),
      ...ofMail(subject),
      ...(affiliate && {
        affiliate: {
          ...(await affiliateValues(app, affiliate, { money, site, currency: config.currency })),
          ...(await rateValues(app, affiliate, { site, subject })),
          // of a payment, the address it went to
          ...(subject.paid_to !== undefined && { payment_email: subject.paid_to }),
        },
      }),
      ...(user && { user: userValues(user, affiliate) }),
      ...(referral && {
        referral: {
          ...referralValues(referral, money, site),
          edit_url: await app.settings.consoleUrl(`/referrals/${referral.id}`),
        },
      }),
      ...(transaction && {
        transaction: {
          ...transactionValues(transaction, { money, site, subject, affiliate }),
          portal_url: await app.settings.portalScreenUrl(`/payments/${transaction.id}`),
          ...(await payoutValues(app, transaction, site)),
          referrals_count: String(await countItems(app.db, transaction.id)),
        },
      }),
    },
  };
}

/** The codes of an extension's mail. */
const ofMail = ({ values }: MailSubject): Pick<CodeValues, 'mail'> =>
  values === undefined ? {} : { mail: values };

async function siteValues(app: Deps, site: HostSite): Promise<NonNullable<CodeValues['site']>> {
  return {
    name: site.name,
    description: site.description ?? '',
    admin_email: site.adminEmail ?? '',
    url: site.url,
    login_url: site.loginUrl ?? site.url,
    portal_url: await app.settings.portalUrl(),
    earnings_url: await app.settings.portalScreenUrl('/earnings'),
    terms_url: await app.settings.portalScreenUrl('/terms'),
    admin_portal: await app.settings.consoleUrl('/'),
    name_with_url: {
      html: `<a href="${escapeHtml(site.url)}">${escapeHtml(site.name)}</a>`,
      text: `${site.name} (${site.url})`,
    },
  };
}

const STATUSES: Readonly<Record<string, string>> = {
  active: 'Active',
  pending: 'Pending',
  inactive: 'Inactive',
};

/** Each line has its own direction in a mail that reads from right to left. */
const isolatedLines = (text: string, language: string | undefined): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : isolated(line, language)))
    .join('\n');

async function affiliateValues(
  app: Deps,
  affiliate: Affiliate,
  { money, site, currency }: { readonly money: Money; readonly site: HostSite; readonly currency: string },
): Promise<Values> {
  const ever = await earnings(app.db, affiliate.id, currency);
  const last30 = await earnedSince(app.db, affiliate.id, app.clock.now() - DAYS_30, currency);
  // each currency has its own amount; the program's comes first
  const each = (amounts: readonly CurrencyAmount[]): string => {
    const other = amounts.filter((entry) => entry.currency !== currency && entry.amount_minor !== 0);
    const own = amounts.find((entry) => entry.currency === currency)?.amount_minor ?? 0;
    return [{ currency, amount_minor: own }, ...other]
      .map((entry) => money(entry.amount_minor, entry.currency))
      .join(', ');
  };
  const { language } = site;
  return {
    id: String(affiliate.id),
    edit_url: await app.settings.consoleUrl(`/affiliates/${affiliate.id}`),
    affiliate_link: await app.tracking.shareUrlOf(affiliate),
    earning_total_30_days_formatted: each(last30),
    lifetime_earning_formatted: each(ever.total),
    unpaid_earning_formatted: each(ever.unpaid),
    referrals: String(affiliate.referrals),
    visits: String(affiliate.visits),
    payment_email: affiliate.payment_email ?? '',
    note: isolatedLines(affiliate.note ?? '', language),
    status: affiliate.status,
    joined: sayIn(language)(joinedText(affiliate)),
    status_formatted: sayIn(language)(STATUSES[affiliate.status] ?? affiliate.status),
    rate_type: affiliate.rate_type,
    rate: affiliate.rate_e4 === null ? '' : rateText(affiliate.rate_e4),
    group_id: affiliate.group_id === null ? '' : String(affiliate.group_id),
    group: affiliate.group_id === null ? '–' : ((await app.groups.find(affiliate.group_id))?.meta_key ?? '–'),
    custom_param: affiliate.custom_param ?? '',
    created_at: toIso(affiliate.created_at) ?? '',
    updated_at: toIso(affiliate.updated_at) ?? '',
  };
}

const joinedText = ({ status }: Affiliate): string =>
  status === 'pending' ? 'An application waits for your decision.' : 'A new affiliate account was created.';

type Rates = NonNullable<CodeValues['affiliate']>;

/** The rules that begin and end for an affiliate; nothing for mails about something else. */
async function rateValues(
  app: Deps,
  affiliate: Affiliate,
  { site, subject }: { readonly site: HostSite; readonly subject: MailSubject },
): Promise<Rates> {
  const { reward_set_id: set, reward_set_before: before = null } = subject;
  if (set === undefined) return {};
  const changes = await app.rewards.rateChanges(affiliate, { set, before }, site.language);
  return changes === null ? {} : rateChangeCodes(site, changes);
}

export function rateChangeCodes(
  site: HostSite,
  changes: { readonly from: number; readonly begins: readonly string[]; readonly ends: readonly string[] },
): NonNullable<CodeValues['affiliate']> {
  const say = sayIn(site.language);
  const parts = [
    { title: say('New:'), lines: changes.begins },
    { title: say('No longer:'), lines: changes.ends },
  ].filter(({ lines }) => lines.length > 0);
  const htmlOf = (lines: readonly string[]): string =>
    `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`;
  return {
    rates_from: mailDay(changes.from, site),
    rate_changes: {
      html: parts.map(({ title, lines }) => `<p>${title}</p>${htmlOf(lines)}`).join(''),
      text: parts.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n\n'),
    },
  };
}

const answered = (affiliate: Affiliate | null, name: string): string => {
  const answer = affiliate?.custom_fields[name];
  return typeof answer === 'string' ? answer : '';
};

export const userValues = (user: HostUser, affiliate: Affiliate | null): Values => ({
  first_name: user.first_name,
  last_name: user.last_name,
  display_name: user.display_name,
  user_email: user.email,
  user_login: user.login,
  // If the host has no website, the one from the sign-up form.
  user_url: user.url || answered(affiliate, 'url'),
  roles: (user.roles ?? []).join(', '),
});

const referralValues = (referral: Referral, money: Money, site: HostSite): Values => ({
  id: String(referral.id),
  amount_formatted: money(referral.amount_minor, referral.currency),
  created_at_formatted: mailDate(referral.created_at, site),
  description: isolatedLines(referral.description ?? '', site.language),
  currency: referral.currency ?? '',
  utm_campaign: referral.utm_campaign ?? '',
  status: referral.status,
  type: referral.type,
  provider: referral.provider ?? '',
  order_number: String(
    referral.settings?.['order_number'] ?? referral.provider_id ?? referral.provider_sub_id ?? '',
  ),
  order_total:
    referral.order_total_minor === null ? '' : money(referral.order_total_minor, referral.currency),
});

interface PaymentContext {
  readonly money: Money;
  readonly site: HostSite;
  readonly subject: MailSubject;
  readonly affiliate: Affiliate | null;
}

const METHODS: Readonly<Record<string, string>> = {
  manual: 'Manual',
  paypal: 'PayPal',
  bank: 'Bank transfer',
  bank_transfer: 'Bank transfer',
};

/** How and for which days a payment was made; the reference is that of the portal. */
async function payoutValues(app: Deps, transaction: PayoutTransaction, site: HostSite): Promise<Values> {
  const { id, payout_id: payoutId, payout_method: key } = transaction;
  const settings = (await app.payouts.find(payoutId))?.settings ?? {};
  const [from, to] = ['start_date', 'end_date'].map((name) => {
    const day = parseDay(String(settings[name] ?? '').slice(0, 10));
    return day === null || day === 0 ? '…' : mailDay(dayStart(day, site.timeZone), site);
  });
  const title = METHODS[key] ?? app.payouts.method(key)?.title ?? key;
  return {
    method: sayIn(site.language)(title),
    period: from === to && from === '…' ? '' : `${from} – ${to}`,
    reference: `P${payoutId}-T${id}`,
  };
}

const transactionValues = (
  transaction: PayoutTransaction,
  { money, site, subject, affiliate }: PaymentContext,
): Values => ({
  id: String(transaction.id),
  amount_formatted: money(transaction.total_amount_minor, transaction.currency),
  total_amount: money(transaction.total_amount_minor, transaction.currency),
  created_at_formatted: mailDate(transaction.created_at, site),
  currency: transaction.currency ?? '',
  status: transaction.status,
  payout_method: transaction.payout_method,
  paid_at_formatted: mailDate(subject.paid_at ?? transaction.created_at, site),
  paid_to: subject.paid_to ?? affiliate?.payment_email ?? '',
});
