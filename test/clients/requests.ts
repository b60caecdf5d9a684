/** A request as an app of the WordPress plugin sends it; written by hand. */
export interface Recorded {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The key its answer is read by. */
  readonly reads: string;
  /** What else has to come back. */
  readonly answers?: object;
  /** The user who sends it; the administrator unless said. */
  readonly as?: number;
}

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' };
const PATCH = { ...FORM, 'X-HTTP-Method-Override': 'PATCH' };
export const AT = 'query_timestamp=1768489200000';

/** In the order of a first session: onboarding, people, commissions, payout, settings. */
export const REQUESTS: readonly Recorded[] = [
  {
    what: 'onboarding 1',
    method: 'POST',
    path: '/settings/referral-config',
    headers: FORM,
    body: `${AT}&referral_config[enabled_integrations][]=woo&general_config[onboarding]=yes`,
    reads: 'config',
  },
  {
    what: 'onboarding 2',
    method: 'POST',
    path: '/settings/referral-config',
    headers: FORM,
    body: `${AT}&referral_config[referral_variable]=ref&referral_config[rate_type]=percentage&referral_config[rate]=12.5&referral_config[cookie_duration]=30`,
    reads: 'config',
  },
  {
    what: 'onboarding, finish',
    method: 'POST',
    path: '/settings/referral-config',
    headers: FORM,
    body: AT,
    reads: 'message',
  },
  {
    what: 'mails, nothing changed',
    method: 'POST',
    path: '/settings/email-config',
    headers: FORM,
    body: AT,
    reads: 'settings',
  },
  {
    what: 'a group',
    method: 'POST',
    path: '/settings/groups',
    headers: FORM,
    body: `${AT}&meta_key=VIP&rate_type=percentage&rate=25&status=active&notes=`,
    reads: 'data',
  },
  {
    what: 'users to choose',
    method: 'GET',
    path: `/settings/options/users?search=&exclude_affiliates=1&${AT}`,
    reads: 'users',
  },
  {
    what: 'an affiliate',
    method: 'POST',
    path: '/affiliates',
    headers: FORM,
    body: `${AT}&user_id=2&status=active&rate_type=group&rate=&group_id=1&payment_email=alice%40pay.test&note=`,
    reads: 'affiliate',
  },
  {
    what: 'the list',
    method: 'GET',
    path: `/affiliates?per_page=20&page=1&search=&status=all&order_by=id&order_type=DESC&${AT}`,
    reads: 'affiliates',
    answers: { affiliates: { data: [{ id: 1, group_id: '1', group: { id: 1 } }] } },
  },
  {
    what: 'the whole record back with an own rate',
    method: 'POST',
    path: '/affiliates/1',
    headers: PATCH,
    body: `${AT}&id=1&user_id=2&group_id=1&rate=10&rate_type=percentage&status=active&payment_email=alice%40pay.test&note=&created_at=2026-01-15T15%3A00%3A00%2B00%3A00&user[ID]=2&user[user_login]=alice&rate_details[type]=percentage`,
    reads: 'affiliate',
  },
  {
    what: 'a commission',
    method: 'POST',
    path: '/referrals',
    headers: FORM,
    body: `${AT}&affiliate_id=1&amount=12.50&status=unpaid&type=sale&description=Phone+order&provider_id=`,
    reads: 'referral',
  },
  {
    what: 'the rows of an export',
    method: 'GET',
    path: `/referrals/export?search=&status=all&${AT}`,
    headers: { Accept: '*/*' },
    reads: 'referrals',
  },
  {
    what: 'what a payout would pay',
    method: 'POST',
    path: '/payouts/validate-payout-config',
    headers: FORM,
    body: `${AT}&config[title]=January&config[description]=Run&config[start_date]=&config[end_date]=&config[min_payout]=0`,
    reads: 'payable_affiliates',
  },
  {
    what: 'the payout',
    method: 'POST',
    path: '/payouts/process-payout',
    headers: FORM,
    body: `${AT}&config[title]=January&config[description]=Run&config[start_date]=&config[end_date]=&config[min_payout]=0`,
    reads: 'payout',
  },
  {
    what: 'paid',
    method: 'POST',
    path: '/payouts/1/transactions/1',
    headers: PATCH,
    body: `${AT}&status=paid`,
    reads: 'transaction',
  },
  {
    what: 'the shop, its last rate removed',
    method: 'POST',
    path: '/settings/integration/config',
    headers: FORM,
    body: `${AT}&integration=woo&config[is_enabled]=yes&config[custom_affiliate_rate]=yes`,
    reads: 'message',
  },
  {
    what: 'material without targets',
    method: 'POST',
    path: '/settings/creatives',
    headers: FORM,
    body: `${AT}&id=&name=Banner&type=text&text=Hi&url=https%3A%2F%2Fshop.test%2F&privacy=public&status=active`,
    reads: 'creative',
  },
  { what: 'the check of sign-ups', method: 'GET', path: `/settings/captcha?${AT}`, reads: 'providers' },
  {
    what: 'the check of sign-ups, switched on',
    method: 'POST',
    path: '/settings/captcha',
    headers: FORM,
    body: `${AT}&settings[enabled]=yes&settings[active_provider]=turnstile&settings[providers][turnstile][site_key]=site&settings[providers][turnstile][secret_key]=s3cret`,
    reads: 'settings',
  },
  { what: 'the dashboard', method: 'GET', path: `/reports/dashboard-stats?${AT}`, reads: 'stats' },
  {
    what: 'customers to link',
    method: 'GET',
    path: `/affiliates/1/customers/search?search=&${AT}`,
    reads: 'customers',
  },
];
