// What the routes need, typed in here by hand and not read from the policies.

export type Section = 'affiliates' | 'referrals' | 'visits' | 'payouts';
export type Deps =
  'admin' | 'send' | 'signed in' | 'site' | 'public' | { readonly prefix: Section; readonly also?: Section };

const TABLE: readonly (readonly [form: RegExp, needs: Deps])[] = [
  [/ \/messages\/unsubscribe$/, 'public'],
  [/^(POST|DELETE) \/(messages|invitations)\b/, 'send'],
  [/ \/(messages|invitations)\b/, { prefix: 'affiliates' }],
  [/ \/files\/:name$/, 'public'],
  [/ \/guide\b/, 'admin'],
  [/ \/program\/terms$/, 'public'],
  [/ \/reward-rules\b/, 'admin'],
  [/ \/portal\/terms$/, 'public'],
  [/ \/coupons\b/, { prefix: 'affiliates' }],
  [/ \/audit$/, 'admin'],
  [/ \/affiliates\/:id\/(balance-corrections|merge)\b/, 'admin'],
  [/ \/affiliates\/:id\/(referrals|customers)\b/, { prefix: 'affiliates', also: 'referrals' }],
  [/ \/affiliates\/:id\/progress$/, { prefix: 'affiliates', also: 'referrals' }],
  [/ \/affiliates\/:id\/visits$/, { prefix: 'affiliates', also: 'visits' }],
  [/ \/affiliates\/:id\/(transactions|statement)$/, { prefix: 'affiliates', also: 'payouts' }],
  [/ \/customers\b/, { prefix: 'affiliates', also: 'referrals' }],
  [/ \/system\b/, 'admin'],
  [/ \/affiliates\b/, { prefix: 'affiliates' }],
  [/ \/referrals\b/, { prefix: 'referrals' }],
  [/^POST \/leads\b/, { prefix: 'referrals' }],
  [/ \/visits\b/, { prefix: 'visits' }],
  [/ \/payouts\/:id\/(referrals|items)$/, { prefix: 'payouts', also: 'referrals' }],
  [/ \/payouts\b/, { prefix: 'payouts' }],
  [
    / \/(groups\/groups|settings|creatives\/creatives|connected-sitesconnected-sites-config|license\/license)\b/,
    'admin',
  ],
  [/ \/events$/, 'admin'],
  [/ \/(portal|creativescreatives|reports)/, 'signed in'],
  [/ \/connected-sites\//, 'site'],
  [/ \/(registration|webhooks|nonce)\b/, 'public'],
];

/** Money leaves, or is marked as having left: a key needs the right `send_payouts` besides. */
export const SENDS =
  / \/payouts\/:id\/(send|bank-answer|payments\/:payment_id\/\w+|batches\/:batch_id\/\w+)$/;

/** What a form such as `GET /affiliates/:id` needs; undefined when the table has no row for it. */
export const needsOf = (form: string): Deps | undefined => TABLE.find(([pattern]) => pattern.test(form))?.[1];

/**
 * Only a person does these, whatever an API key holds: rights of people, keys, the wipe, sums out of nothing,
 * who did what, the state of the system; and what would outlive the key: secrets, what gives access, what sends
 * personal data out, the rules of payouts.
 */
export const FOR_PEOPLE = new RegExp(
  [
    String.raw`\/(audit|system|settings\/(managers|api-keys|migrations\/wipe))\b`,
    String.raw`\/affiliates\/:id\/(balance-corrections|merge)\b`,
    String.raw`^POST \/settings\/webhooks$`,
    String.raw`^POST \/guide\/test-mail$`,
    String.raw`^PATCH \/settings\/webhooks\/:id$`,
    String.raw`\/settings\/webhooks\/:id\/(secret|rotate)$`,
    String.raw`^PATCH .*\/(connected-sitesconnected-sites-config|connected-sites-config)(\/update)?$`,
    String.raw`^POST .*\/(connected-sitesconnected-sites-config|connected-sites-config)\/issue$`,
    String.raw`^(POST|PATCH) \/settings\/email-config(\/emails)?$`,
    String.raw`^POST \/settings\/migrations\/(start|check|files)$`,
    String.raw`\/settings\/payers\b`,
    String.raw`^POST \/reward-rules\/(:id\/(activate|retire)|terms)$`,
    String.raw`^POST \/settings\/(addons\/install|program-rules|captcha(\/validate)?)$`,
  ].join('|'),
);
