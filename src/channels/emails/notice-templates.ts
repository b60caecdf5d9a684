import type { Say } from '../../core/mail-texts.js';
import type { EmailTemplate, NoticeKey } from './types.js';

export const button = (url: string, label: string): string =>
  `<p><a class="button" href="{{${url}}}">${label}</a></p>`;
const paragraph = (...sentences: readonly string[]): string => `<p>${sentences.join(' ')}</p>`;

const SITE = { site: '{{site.name}}' };

/** The notifications that have smart codes of their own, in the order of the settings page (docs/settings.md §2.2). */
export const noticeTemplates = (say: Say): Readonly<Record<NoticeKey, EmailTemplate>> => ({
  ...toAffiliates(say),
  ...toAdministrators(say),
  ...ofSecurity(say),
});

type Templates<Key extends NoticeKey> = Readonly<Record<Key, EmailTemplate>>;

const helloUser = (say: Say): string => paragraph(say('Hello {name},', { name: '{{user.display_name}}' }));

function toAffiliates(
  say: Say,
): Templates<'application_rejected' | 'payment_failed' | 'payment_returned' | 'affiliate_invitation'> {
  const failure = {
    recipient: 'affiliate',
    smartcode_groups: ['affiliate', 'user', 'site', 'payment'],
    subject: say('A payment from {site} did not reach you', SITE),
  } as const;
  const failed = (sentence: string): string =>
    [
      helloUser(say),
      paragraph(say(sentence, { amount: '{{payment.amount_formatted}}' }), '{{payment.problem}}'),
      paragraph(
        say(
          'We still owe you this amount. Check your payment details and correct them. ' +
            'The next payout then includes it.',
        ),
      ),
      button('payment.settings_url', say('Check your payment details')),
    ].join('');
  return {
    application_rejected: {
      title: 'Application rejected',
      description: 'Notifies an applicant that the application was rejected, and why.',
      recipient: 'affiliate',
      reader: 'applicant',
      smartcode_groups: ['affiliate', 'user', 'site', 'application'],
      subject: say('Your application at {site}', SITE),
      body: [
        helloUser(say),
        paragraph(
          say(
            'Thank you for your interest in the affiliate program of {site}. We cannot accept your application:',
            SITE,
          ),
        ),
        paragraph('{{application.reason}}'),
      ].join(''),
    },
    payment_failed: {
      ...failure,
      title: 'Payment failed',
      description: 'Notifies an affiliate that a payment failed, and why.',
      body: failed('Your payment of {amount} failed.'),
    },
    payment_returned: {
      ...failure,
      title: 'Payment returned',
      description: 'Notifies an affiliate that a payment was returned, and why.',
      body: failed('Your payment of {amount} was returned to us.'),
    },
    affiliate_invitation: {
      ...invitation(say, {
        sentence:
          'You are invited to join the affiliate program of {site}. Recommend it, and earn a share of what people buy.',
        label: 'See the terms and join',
      }),
      title: 'Affiliate invitation',
      description: 'Invites a person to join the program.',
      recipient: 'affiliate',
      subject: say('You are invited to the affiliate program of {site}', SITE),
    },
  };
}

function toAdministrators(
  say: Say,
): Templates<'digest' | 'payout_waits' | 'endpoint_disabled' | 'manager_invitation' | 'test_mail'> {
  const arrived = paragraph(`<a href="{{test.url}}">${say('The mail has arrived')}</a>`);
  return {
    digest: {
      title: 'Summary',
      description: 'Summarizes the previous day or week for the administrator.',
      recipient: 'admin',
      smartcode_groups: ['site', 'digest'],
      subject: say('Affiliate program of {site}: {period}', { ...SITE, period: '{{digest.period}}' }),
      body: [
        paragraph(
          say('What happened in the affiliate program of {site}, {period}:', {
            ...SITE,
            period: '{{digest.period}}',
          }),
        ),
        '{{digest.figures}}',
        button('site.admin_portal', say('Open the program')),
      ].join(''),
    },
    payout_waits: {
      title: 'Payout waiting',
      description: 'Notifies the administrator that the schedule created a payout. Someone has to send it.',
      recipient: 'admin',
      smartcode_groups: ['site', 'payout'],
      subject: say('A payout of {site} is ready to send', SITE),
      body: [
        paragraph(
          say(
            'The schedule created the payout “{title}” of {amount}. Check it, and send it if it is right.',
            {
              title: '{{payout.title}}',
              amount: '{{payout.amount_formatted}}',
            },
          ),
        ),
        button('payout.edit_url', say('Open the payout')),
      ].join(''),
    },
    endpoint_disabled: {
      title: 'Webhook switched off',
      description: 'Notifies the administrator that a webhook was switched off because its endpoint fails.',
      recipient: 'admin',
      smartcode_groups: ['site', 'webhook'],
      subject: say('A webhook of {site} was switched off', SITE),
      body: [
        paragraph(say('Events of the affiliate program are no longer sent to')),
        paragraph('{{webhook.url}}'),
        paragraph('{{webhook.reason}}'),
        paragraph(
          say(
            'Once it works again, switch it on in the settings; ' +
              'what happened meanwhile can be sent again for 30 days.',
          ),
        ),
        button('webhook.settings_url', say('Open the webhooks')),
      ].join(''),
    },
    manager_invitation: {
      ...invitation(say, {
        sentence: 'You are invited to help with the affiliate program of {site}.',
        label: 'Accept the invitation',
      }),
      title: 'Manager invitation',
      description: 'Invites a person to help manage the program.',
      recipient: 'admin',
      subject: say('You are invited to help with the affiliate program of {site}', SITE),
    },
    test_mail: {
      title: 'Test mail',
      description: 'Shows whether mails arrive. The guide sends it.',
      recipient: 'admin',
      smartcode_groups: ['site', 'test'],
      subject: say('Test mail of the affiliate program of {site}', SITE),
      body: [
        paragraph(say('Hello {name},', { name: '{{test.name}}' })),
        paragraph(
          say(
            'Mails of the affiliate program of {site} reach you. Open this link to complete the step in the guide:',
            SITE,
          ),
        ),
        arrived,
      ].join(''),
      isRequired: true,
      isBare: true,
      must: [{ code: ['test', 'url'], block: arrived }],
    },
  };
}

type Invitation = Pick<EmailTemplate, 'smartcode_groups' | 'body' | 'isRequired' | 'must' | 'footer'>;

/** The footer explains why a stranger gets the mail. */
function invitation(
  say: Say,
  { sentence, label }: Readonly<Record<'sentence' | 'label', string>>,
): Invitation {
  const link = button('invitation.url', say(label));
  return {
    smartcode_groups: ['site', 'invitation'],
    body: [
      paragraph(say('Hello,')),
      paragraph(say(sentence, SITE)),
      paragraph('{{invitation.rate}}'),
      paragraph('{{invitation.note}}'),
      link,
      paragraph(say('The link is for you alone and is valid for 14 days.')),
    ].join(''),
    isRequired: true,
    must: [{ code: ['invitation', 'url'], block: link }],
    footer: paragraph(
      say(
        'A manager of the affiliate program of {site} entered this address. If you do not want to join, ignore this mail.',
        SITE,
      ),
    ),
  };
}

const SECURITY = { isSecurity: true, isRequired: true } as const;

function ofSecurity(
  say: Say,
): Templates<
  'payment_details_changed' | 'api_key_granted' | 'api_key_changed' | 'signup_code' | 'account_exists'
> {
  const changed = paragraph(
    say(
      'On {day} the payment details of your affiliate account at {site} were changed. ' +
        'Future payments go to the new ones.',
      { ...SITE, day: '{{payment_details.day}}' },
    ),
  );
  const code = paragraph('<strong>{{signup.code}}</strong>');
  return {
    payment_details_changed: {
      ...SECURITY,
      title: 'Payment details changed',
      description:
        'Notifies an affiliate that the payment details changed. The previous payment address gets a copy.',
      recipient: 'affiliate',
      smartcode_groups: ['site', 'payment_details'],
      subject: say('Your payment details at {site} were changed', SITE),
      body: [
        paragraph('{{payment_details.greeting}}'),
        changed,
        paragraph('{{payment_details.advice}}'),
        button('payment_details.settings_url', say('See your settings')),
      ].join(''),
      must: [{ code: ['payment_details', 'day'], block: changed }],
    },
    api_key_granted: {
      ...apiKey(
        say,
        'On {day} the API key “{key}” was created for your account at {site}. ' +
          'Programs with this key act in your name.',
      ),
      title: 'API key created',
      description: 'Notifies the owner of an API key that the key was created.',
      subject: say('A new API key for your account at {site}', SITE),
    },
    api_key_changed: {
      ...apiKey(
        say,
        'On {day} the rights or the expiry date of the API key “{key}” of your account at {site} changed. ' +
          'Programs with this key act in your name.',
      ),
      title: 'API key changed',
      description: 'Notifies the owner of an API key that its rights or expiry date changed.',
      subject: say('Your API key at {site} was changed', SITE),
    },
    signup_code: {
      ...SECURITY,
      isBare: true,
      title: 'Verification code',
      description: 'Sends the code that verifies the address of a new sign-up.',
      recipient: 'affiliate',
      smartcode_groups: ['site', 'signup'],
      subject: say('Your verification code for {site}', SITE),
      body: [
        paragraph(say('Hello,')),
        paragraph(say('This is your code to join the affiliate program of {site}:', SITE)),
        code,
        paragraph(say('It is valid for 10 minutes. If you did not ask for it, ignore this mail.')),
      ].join(''),
      must: [{ code: ['signup', 'code'], block: code }],
    },
    account_exists: {
      ...SECURITY,
      isBare: true,
      title: 'Account exists',
      description: 'Notifies the owner of an account that someone tried to sign up with its address.',
      recipient: 'affiliate',
      smartcode_groups: ['site', 'account'],
      subject: say('You already have an account at {site}', SITE),
      body: [
        paragraph(say('Hello,')),
        paragraph(
          say(
            'Someone asked to join the affiliate program of {site} with this e-mail address, ' +
              'which already has an account there.',
            SITE,
          ),
        ),
        paragraph('{{account.advice}}'),
      ].join(''),
    },
  };
}

type ApiKeyMail = Omit<EmailTemplate, 'title' | 'description' | 'subject'>;

function apiKey(say: Say, sentence: string): ApiKeyMail {
  const done = paragraph(say(sentence, { ...SITE, day: '{{api_key.day}}', key: '{{api_key.name}}' }));
  return {
    ...SECURITY,
    recipient: 'admin',
    smartcode_groups: ['user', 'site', 'api_key'],
    body: [
      helloUser(say),
      done,
      paragraph(say('If it was you, no action is needed. If not, revoke the key at once.')),
      button('api_key.settings_url', say('See your API keys')),
    ].join(''),
    must: [{ code: ['api_key', 'name'], block: done }],
  };
}
