import { sayIn, type Say } from '../../core/mail-texts.js';
import { button, noticeTemplates } from './notice-templates.js';
import type { CodeGroup, EmailKey, EmailTemplate } from './types.js';

const table = (...rows: readonly string[]): string => `<table>${rows.join('')}</table>`;

/** The notifications, in the order of the settings page, with our own texts (docs/settings.md §2.2). */
export function templatesIn(say: Say): Readonly<Record<EmailKey, EmailTemplate>> {
  const row = (label: string, code: string): string => `<tr><td>${say(label)}</td><td>{{${code}}}</td></tr>`;
  const hello = `<p>${say('Hello {{user.display_name}},')}</p>`;
  const earnings = table(
    row('Last 30 days', 'affiliate.earning_total_30_days_formatted'),
    row('All time', 'affiliate.lifetime_earning_formatted'),
    row('Ready to pay or in the waiting period', 'affiliate.unpaid_earning_formatted'),
  );
  const sale = table(
    row('Commission', 'referral.amount_formatted'),
    row('For', 'referral.description'),
    row('Order', 'referral.order_number'),
    row('Order total', 'referral.order_total'),
  );
  return {
    account_created_to_admin: {
      title: 'New affiliate',
      description: 'Notifies the administrator that an affiliate joined or applied.',
      recipient: 'admin',
      smartcode_groups: ['affiliate', 'user', 'site'],
      subject: say('New affiliate on {{site.name}}'),
      body: `<p>{{affiliate.joined}}</p>${table(
        row('Login', 'user.user_login'),
        row('Email', 'user.user_email'),
        row('Name', 'user.display_name'),
        row('Website', 'user.user_url'),
        row('Status', 'affiliate.status_formatted'),
        row('Payment email', 'affiliate.payment_email'),
        row('Note', 'affiliate.note'),
      )}${button('affiliate.edit_url', say('Open the affiliate'))}`,
    },
    new_sale_to_admin: {
      title: 'New sale',
      description: 'Notifies the administrator that an affiliate earned a commission.',
      recipient: 'admin',
      smartcode_groups: ['affiliate', 'user', 'referral'],
      subject: say('New affiliate sale: {{referral.amount_formatted}}'),
      body: [
        `<p>${say('{{user.display_name}} (affiliate {{affiliate.id}}) earned a commission.')}</p>`,
        sale,
        earnings,
        button('referral.edit_url', say('Open the commission')),
      ].join(''),
    },
    pending_account_created_to_affiliate: {
      title: 'Application received',
      description: 'Notifies an applicant that the application is being reviewed.',
      recipient: 'affiliate',
      reader: 'applicant',
      smartcode_groups: ['affiliate', 'user', 'site'],
      subject: say('Your application at {{site.name}} is in review'),
      body: [
        hello,
        `<p>${say(
          'Thank you for applying to the affiliate program of {{site.name}}. ' +
            'We are reviewing your application and will notify you of our decision.',
        )}</p>`,
        button('site.portal_url', say('See the status')),
      ].join(''),
    },
    account_approved_to_affiliate: {
      title: 'Application approved',
      description: 'Notifies an affiliate that the account is active.',
      recipient: 'affiliate',
      smartcode_groups: ['affiliate', 'user', 'site'],
      subject: say('Welcome to the affiliate program of {{site.name}}'),
      body: [
        `${hello}<p>${say('Your affiliate account is active.')}</p>`,
        table(
          row('Your affiliate ID', 'affiliate.id'),
          `<tr><td>${say('Your link')}</td><td>` +
            '<a href="{{affiliate.affiliate_link}}">{{affiliate.affiliate_link}}</a></td></tr>',
        ),
        button('site.portal_url', say('Open your portal')),
      ].join(''),
    },
    new_sale_to_affiliate: {
      title: 'Commission earned',
      description: 'Notifies an affiliate about a new commission.',
      recipient: 'affiliate',
      smartcode_groups: ['affiliate', 'user', 'site', 'referral'],
      subject: say('You earned a commission at {{site.name}}'),
      body: [
        `${hello}<p>${say('You have earned a commission.')}</p>`,
        sale,
        earnings,
        button('site.earnings_url', say('See your earnings')),
      ].join(''),
    },
    payout_to_affiliate: {
      title: 'Payout sent',
      description: 'Notifies an affiliate that a payout is on its way.',
      recipient: 'affiliate',
      smartcode_groups: ['affiliate', 'user', 'site', 'transaction'],
      subject: say('Your payout from {{site.name}}'),
      body: `${hello}<p>${say('Your payout was sent.')}</p>${table(
        row('Amount', 'transaction.amount_formatted'),
        row('Date', 'transaction.paid_at_formatted'),
        row('Method', 'transaction.method'),
        row('Period', 'transaction.period'),
        row('Reference', 'transaction.reference'),
        row('Commissions', 'transaction.referrals_count'),
        row('Paid to', 'transaction.paid_to'),
      )}${button('transaction.portal_url', say('See the payment'))}`,
    },
    level_changed_to_affiliate: {
      title: 'Level changed',
      description: 'Notifies an affiliate that a level moved it to another group.',
      recipient: 'affiliate',
      smartcode_groups: ['affiliate', 'user', 'site'],
      subject: say('Your level at {{site.name}} has changed'),
      body: [
        hello,
        `<p>${say('Your level in the affiliate program has changed. It applies to new orders.')}</p>`,
        table(row('Your level', 'affiliate.group')),
        button('site.terms_url', say('See your terms')),
      ].join(''),
    },
    rates_changed_to_affiliate: {
      title: 'Rates changed',
      description: 'Notifies affiliates whose rates change when reward rules become active or end.',
      recipient: 'affiliate',
      smartcode_groups: ['affiliate', 'user', 'site'],
      subject: say('Your rates at {{site.name}} change'),
      body: [
        hello,
        `<p>${say('From {{affiliate.rates_from}}, new rates apply to new orders. Earned commissions do not change.')}</p>`,
        '{{affiliate.rate_changes}}',
        button('site.terms_url', say('See your terms')),
      ].join(''),
      ownCodes: ['affiliate.rates_from', 'affiliate.rate_changes'],
    },
    ...noticeTemplates(say),
  };
}

/** In English; title, recipient and codes are the same in every language. */
export const TEMPLATES = templatesIn(sayIn('en'));

const codes = (group: string, keys: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(keys).map(([key, label]) => [
      /_url$|^url$|^admin_portal$/.test(key) ? `##${group}.${key}##` : `{{${group}.${key}}}`,
      label,
    ]),
  );

/** The smart codes that the editor offers for each group, in this order. */
export const SMART_CODES: readonly {
  readonly key: CodeGroup;
  readonly title: string;
  readonly shortcodes: Readonly<Record<string, string>>;
}[] = [
  {
    key: 'affiliate',
    title: 'Affiliate',
    shortcodes: codes('affiliate', {
      id: 'Affiliate ID',
      edit_url: 'URL of the affiliate in the admin area',
      affiliate_link: 'Affiliate link',
      earning_total_30_days_formatted: 'Earnings of the last 30 days',
      lifetime_earning_formatted: 'Earnings of all time',
      unpaid_earning_formatted: 'Ready to pay or in the waiting period',
      referrals: 'Number of commissions',
      visits: 'Number of clicks',
      payment_email: 'Payment email',
      group: 'Group',
      status_formatted: 'Status',
      note: 'Note',
    }),
  },
  {
    key: 'user',
    title: 'User',
    shortcodes: codes('user', {
      first_name: 'First name',
      last_name: 'Last name',
      display_name: 'Display name',
      user_email: 'Email',
      user_login: 'Login',
      user_url: 'Website',
      roles: 'Roles',
    }),
  },
  {
    key: 'transaction',
    title: 'Payment',
    shortcodes: codes('transaction', {
      amount_formatted: 'Amount',
      created_at_formatted: 'Date',
      paid_at_formatted: 'Day of the payment',
      paid_to: 'Paid to',
      method: 'Payment method',
      period: 'Period of the payout',
      reference: 'Reference of the payment',
      referrals_count: 'Number of commissions',
      currency: 'Currency',
      portal_url: 'URL of the payment in the portal',
    }),
  },
  {
    key: 'referral',
    title: 'Referral',
    shortcodes: codes('referral', {
      amount_formatted: 'Commission',
      created_at_formatted: 'Date',
      order_number: 'Order number',
      order_total: 'Order total',
      description: 'Description',
      currency: 'Currency',
      utm_campaign: 'Campaign',
      edit_url: 'URL of the commission in the admin area',
    }),
  },
  {
    key: 'site',
    title: 'Site',
    shortcodes: codes('site', {
      name: 'Site title',
      description: 'Site description',
      admin_email: 'Administrator email',
      portal_url: 'Portal URL',
      earnings_url: 'URL of the earnings in the portal',
      terms_url: 'URL of the terms in the portal',
      admin_portal: 'Console URL',
      url: 'Site URL',
      login_url: 'Login URL',
    }),
  },
  { key: 'application', title: 'Application', shortcodes: codes('application', { reason: 'Reason' }) },
  {
    key: 'payment',
    title: 'Payment',
    shortcodes: codes('payment', {
      amount_formatted: 'Amount',
      problem: 'The payment service’s reason, as a sentence',
      settings_url: 'URL of the settings in the portal',
    }),
  },
  {
    key: 'invitation',
    title: 'Invitation',
    shortcodes: codes('invitation', {
      url: 'Link of the invitation',
      rate: 'Rate, as a sentence',
      note: 'Note',
    }),
  },
  {
    key: 'digest',
    title: 'Summary',
    shortcodes: codes('digest', { period: 'Days the summary covers', figures: 'Table of the figures' }),
  },
  {
    key: 'payout',
    title: 'Payout',
    shortcodes: codes('payout', {
      title: 'Title',
      amount_formatted: 'Amount',
      edit_url: 'URL of the payout in the admin area',
    }),
  },
  {
    key: 'webhook',
    title: 'Webhook',
    shortcodes: codes('webhook', {
      url: 'URL of the webhook',
      reason: 'Why it was switched off, as a sentence',
      settings_url: 'URL of the webhooks in the admin area',
    }),
  },
  {
    key: 'payment_details',
    title: 'Payment details',
    shortcodes: codes('payment_details', {
      greeting: 'Greeting, with the name only if the address is verified',
      day: 'Time of the change',
      advice: 'What to do if someone else did it, as a sentence',
      settings_url: 'URL of the settings in the portal',
    }),
  },
  {
    key: 'api_key',
    title: 'API key',
    shortcodes: codes('api_key', {
      name: 'Name of the API key',
      day: 'Time of the change',
      settings_url: 'URL of the API keys in the admin area',
    }),
  },
  { key: 'signup', title: 'Sign-up', shortcodes: codes('signup', { code: 'Verification code' }) },
  {
    key: 'account',
    title: 'Account',
    shortcodes: codes('account', { advice: 'Where to sign in, as a sentence' }),
  },
  {
    key: 'test',
    title: 'Test mail',
    shortcodes: codes('test', { name: 'Display name', url: 'Link that ticks the step of the guide' }),
  },
];

/** Codes that are filled in, too, but that the editor does not offer. */
const MORE_KEYS: Readonly<Partial<Record<CodeGroup, readonly string[]>>> = {
  affiliate: [
    'joined',
    'status',
    'rate_type',
    'rate',
    'group_id',
    'custom_param',
    'created_at',
    'updated_at',
  ],
  transaction: ['id', 'total_amount', 'status', 'payout_method'],
  referral: ['id', 'status', 'type', 'provider'],
  site: ['name_with_url'],
  mail: [],
};

/** The keys of a group that are filled in. */
export const codeKeys = (group: CodeGroup): readonly string[] => {
  const offered = SMART_CODES.find(({ key }) => key === group)?.shortcodes ?? {};
  const keys = Object.keys(offered).map((code) => code.replaceAll(/^(?:\{\{|##)\w+\.|(?:\}\}|##)$/g, ''));
  return [...keys, ...(MORE_KEYS[group] ?? [])];
};
