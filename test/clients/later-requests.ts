import { AT, FORM, type Recorded } from './requests.js';

const over = (verb: 'PATCH' | 'DELETE'): Readonly<Record<string, string>> => ({
  ...FORM,
  'X-HTTP-Method-Override': verb,
});
const JSON_BODY = { 'Content-Type': 'application/json' };

type Rest = Pick<Recorded, 'answers' | 'headers' | 'as'>;
const reading = (what: string, path: string, reads: string, rest: Rest = {}): Recorded => ({
  what,
  method: 'GET',
  path: `${path}${path.includes('?') ? '&' : '?'}${AT}`,
  reads,
  ...rest,
});
const writing = (what: string, path: string, body: string, reads: string, rest: Rest = {}): Recorded => ({
  what,
  method: 'POST',
  path,
  headers: FORM,
  body: body === '' ? AT : `${AT}&${body}`,
  reads,
  ...rest,
});
const changing = (...[what, path, body, reads, rest]: Parameters<typeof writing>): Recorded =>
  writing(what, path, body, reads, { headers: over('PATCH'), ...rest });
const deleting = (what: string, path: string): Recorded =>
  writing(what, path, '', 'message', { headers: over('DELETE') });
/** The portal's app sends JSON. */
const own = (what: string, path: string, reads: string, answers?: object): Recorded =>
  reading(what, path, reads, { as: 2, ...(answers && { answers }) });

/** The days after the first session: a customer of the shop has bought through affiliate 1. */
export const LATER: readonly Recorded[] = [
  reading('an affiliate’s page', '/affiliates/1', 'affiliate', {
    answers: {
      affiliate: { id: 1, user_details: { full_name: 'Alice Doe' }, widgets: [], attached_coupons: [] },
    },
  }),
  reading('its commissions', '/affiliates/1/referrals?page=1&per_page=10&search=&status=all', 'referrals', {
    answers: { referrals: { total: 2, per_page: 10 } },
  }),
  reading('its clicks', '/affiliates/1/visits?page=1&per_page=10&search=&status=', 'visits', {
    answers: { visits: { total: 0 } },
  }),
  reading('its payments', '/affiliates/1/transactions?page=1&per_page=10&status=all', 'transactions', {
    answers: { transactions: { data: [{ status: 'paid', currency_symbol: '$', referrals_count: 1 }] } },
  }),
  reading('its figures', '/affiliates/1/stats', 'stats', {
    answers: { stats: { total_paid: { amount: 12.5, is_currency: true } } },
  }),
  reading('its chart', '/affiliates/1/statistics?start_date=2026-01-01&end_date=2026-01-31', 'series', {
    answers: { series: [{ name: 'Referrals' }, { name: 'Visits' }] },
  }),
  reading('its customers', '/affiliates/1/customers?page=1&per_page=10&search=', 'customers', {
    answers: { customers: { data: [{ id: 1, email: 'jo@buyer.test', referrals_count: 1 }] } },
  }),
  writing(
    'one who waits',
    '/affiliates',
    'user_id=3&status=pending&rate_type=default&rate=&group_id=&payment_email=bob%40pay.test',
    'affiliate',
    { answers: { affiliate: { id: 2, status: 'pending' } } },
  ),
  changing('is approved', '/affiliates/2/status', 'status=active', 'affiliate', {
    answers: { affiliate: { id: 2, status: 'active' } },
  }),
  reading('customers found', '/affiliates/2/customers/search?search=jo', 'customers', {
    answers: {
      customers: [
        {
          value: 1,
          label: 'Jo (jo@buyer.test)',
          disabled: false,
          linked_affiliate_id: 1,
          linked_affiliate_name: 'Alice Doe',
          affiliate: { user: { full_name: 'Alice Doe', user_email: 'alice@shop.test' } },
        },
      ],
    },
  }),
  writing('a customer moved', '/affiliates/2/customers/link', 'customer_id=1&transfer=yes', 'customer', {
    answers: { customer: { id: 1, by_affiliate_id: 2 } },
  }),
  deleting('and taken away', '/affiliates/2/customers/1'),
  reading(
    'all commissions',
    '/referrals?page=1&per_page=10&search=&status=all&order_by=created_at&order_type=DESC',
    'referrals',
    { answers: { referrals: { total: 2 } } },
  ),
  reading('one of them', '/referrals/2', 'referral', {
    answers: { referral: { id: 2, amount: 10, customer: { full_name: 'Jo' }, payout: null } },
  }),
  writing(
    'one with the number of another system',
    '/referrals',
    'affiliate_id=2&amount=5&status=pending&type=opt_in&description=&provider_id=INV-2026%2F17',
    'referral',
    { answers: { referral: { id: 3, provider_id: 'INV-2026/17', affiliate: { id: 2 } } } },
  ),
  changing(
    'is put right',
    '/referrals/3',
    'amount=6.5&status=unpaid&type=sale&description=Fair',
    'referral',
    {
      answers: { referral: { amount: 6.5, status: 'unpaid', affiliate: { user: { ID: 3 } } } },
    },
  ),
  deleting('is deleted', '/referrals/3'),
  reading('clicks', '/visits?page=1&per_page=10&search=&convert_status=', 'visits', {
    answers: { visits: { total: 0 } },
  }),
  ...(
    [
      ['affiliates', '/affiliates/export?search=&status=all'],
      ['visits', '/visits/export?search=&convert_status='],
      ['transactions', '/payouts/1/transactions-export?search='],
    ] as const
  ).map(([rows, path]) =>
    reading(`the rows of the export of ${rows}`, path, rows, {
      headers: { Accept: '*/*' },
      answers: { limited: false },
    }),
  ),
  reading('payouts', '/payouts?page=1&per_page=10&search=&with_counts=yes', 'payouts', {
    answers: { payouts: { data: [{ id: 1, status: 'paid', referrals_count: 1, affiliates_count: 1 }] } },
  }),
  reading('a payout', '/payouts/1', 'payout', { answers: { payout: { title: 'January' } } }),
  changing('its name', '/payouts/1', 'title=January%202026&description=Run', 'payout', {
    answers: { payout: { title: 'January 2026' } },
  }),
  reading('its payments by page', '/payouts/1/transactions?page=1&per_page=10&search=', 'transactions', {
    answers: { transactions: { total: 1 } },
  }),
  reading('its commissions by page', '/payouts/1/referrals?page=1&per_page=10', 'referrals', {
    answers: { referrals: { total: 1 } },
  }),
  changing('all of it paid', '/payouts/1/transactions/bulk-action', 'status=paid', 'processing_count', {
    answers: { processing_count: 0 },
  }),
  deleting('a payment taken back', '/payouts/1/transactions/1'),
  changing('a group', '/settings/groups/1', 'meta_key=VIP&rate_type=flat&rate=7.5&status=active', 'data', {
    answers: { data: { meta_key: 'VIP', value: { rate_type: 'flat', rate: 7.5 } } },
  }),
  reading('groups', '/settings/groups?page=1&per_page=10&search=', 'groups'),
  reading('groups to choose', '/settings/options/affiliate-groups', 'affiliate_groups', {
    answers: { affiliate_groups: [{ id: 1, name: 'VIP' }] },
  }),
  reading('affiliates to choose', '/settings/options/affiliates?search=&include_ids[]=2', 'affiliates', {
    answers: { affiliates: [{ full_name: 'Alice Doe' }, { full_name: 'Bob Ray' }] },
  }),
  changing(
    'material for one affiliate',
    '/settings/creatives/1',
    'name=Banner&type=text&text=Hi&url=https%3A%2F%2Fshop.test%2F&privacy=private&affiliate_ids[]=1&group_ids[]=1&status=active',
    'creative',
    { answers: { creative: { privacy: 'private', affiliate_ids: ['1'], group_ids: ['1'] } } },
  ),
  reading('material', '/settings/creatives?page=1&search=', 'creatives', {
    answers: { creatives: { per_page: 15, total: 1 } },
  }),
  own('the affiliate’s material', '/portal/creatives?page=1&per_page=10', 'creatives', {
    creatives: { total: 1 },
  }),
  changing(
    'material for everybody again',
    '/settings/creatives/1',
    'name=Banner&type=text&text=Hi&url=https%3A%2F%2Fshop.test%2F&privacy=public&status=active',
    'creative',
    { answers: { creative: { privacy: 'public', affiliate_ids: [], group_ids: [] } } },
  ),
  writing('a manager', '/settings/managers', 'user_id=5&permissions[]=read_all_visits', 'manager'),
  reading('managers', '/settings/managers', 'managers', {
    answers: { managers: [{ id: 5 }], permissions: {} },
  }),
  deleting('the manager gone', '/settings/managers/5'),
  writing(
    'networks to share on',
    '/settings/features/social_media_share',
    'is_enabled=yes&settings[0][key]=email&settings[0][enabled]=yes&settings[1][key]=facebook&settings[1][enabled]=no',
    'message',
  ),
  reading('how they stand', '/settings/features/social_media_share', 'platforms', {
    answers: { is_enabled: 'yes', enabled_keys: ['email'] },
  }),
  writing('the shop off', '/settings/integration/update-status', 'integration=woo&is_enabled=no', 'message'),
  reading('integrations', '/settings/integrations', 'integrations', {
    answers: { integrations: { woo: { config: { is_enabled: 'no' } } } },
  }),
  writing('the shop on', '/settings/integration/update-status', 'integration=woo&is_enabled=yes', 'message'),
  changing(
    'a mail off',
    '/settings/email-config/emails',
    'email_key=new_sale_to_admin&data[active]=no&data[subject]=Sold',
    'settings',
    { answers: { settings: { active: 'no', subject: 'Sold' } } },
  ),
  reading('mails', '/settings/email-config/emails', 'emails'),
  reading('the form of applicants', '/settings/registration-fields', 'fields', {
    answers: { settings: { enabled: 'yes', require_approval: 'yes' } },
  }),
  reading('pages to choose', '/settings/pages?search=', 'pages'),
  changing('connected sites on', '/settings/connected-sites-config', 'status=yes', 'config'),
  reading('connected sites', '/settings/connected-sites-config', 'config'),
  reading('imports', '/settings/migrations', 'migrators', {
    answers: { data_counts: { affiliates: 2, customers: 1 } },
  }),
  reading('the license', '/settings/license', 'status'),
  reading('the chart', '/reports/dashboard-chart-stats?start_date=2026-01-01&end_date=2026-01-31', 'series'),
  reading('shops with reports', '/reports/advanced-providers', 'providers'),
  own('the affiliate’s start', '/portal/bootstrap', 'menu_items', { additional_sites: [] }),
  own('the affiliate’s figures', '/portal/stats', 'stats'),
  own('the affiliate’s commissions', '/portal/referrals?page=1&per_page=10', 'referrals', {
    referrals: { total: 2, per_page: 10 },
  }),
  own('the affiliate’s payments', '/portal/transactions?page=1&per_page=10', 'transactions'),
  own('the affiliate’s clicks', '/portal/visits?page=1&per_page=10', 'visits'),
  own('the affiliate’s settings', '/portal/settings', 'form_fields', {
    settings: { payment_email: 'alice@pay.test' },
  }),
  {
    what: 'the affiliate’s settings, saved',
    method: 'POST',
    path: '/portal/settings',
    headers: JSON_BODY,
    body: '{"settings":{"ref_email_notification":"no","payment_email":"new@pay.test"},"query_timestamp":1768489200000}',
    as: 2,
    reads: 'message',
  },
  reading('as the console sees it', '/affiliates/1', 'affiliate', {
    answers: {
      affiliate: { payment_email: 'new@pay.test', settings: { disable_new_ref_email: 'yes' } },
    },
  }),
  deleting('an affiliate gone', '/affiliates/2'),
  deleting('the group gone', '/settings/groups/1'),
  deleting('the material gone', '/settings/creatives/1'),
];
