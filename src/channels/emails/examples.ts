import type { HostSite } from '../../../adapters/host.js';
import type { Language } from '../../core/localized.js';
import { mailDay, sayIn } from '../../core/mail-texts.js';
import type { Deps } from './deps.js';
import { Digest } from './digest.js';
import {
  accountCodes,
  apiKeyCodes,
  paymentCodes,
  paymentDetailsCodes,
  payoutCodes,
  rateSentence,
  webhookCodes,
} from './notice-codes.js';
import { newestSubject } from './queries.js';
import { examplesOf } from './extension-mails.js';
import type { CodeGroup, CodeValues, EmailTemplate } from './types.js';
import { mailValues, rateChangeCodes } from './values.js';

const AMOUNT = 12_345;
type Make = (app: Deps, site: HostSite) => CodeValues | Promise<CodeValues>;
const MAKE: Readonly<Partial<Record<CodeGroup, Make>>> = {
  application: (_app, { language }) => ({
    application: { reason: sayIn(language)('Your site does not fit the program.') },
  }),
  payment: async (app, site) => {
    const { currency } = await app.settings.referralConfig();
    const message = sayIn(site.language)('The account is closed.');
    return paymentCodes(app, site, { sent_minor: AMOUNT, currency, message });
  },
  invitation: async (app) => ({
    invitation: {
      url: await app.settings.portalScreenUrl('/?invitation=example'),
      rate: await rateSentence(app, { rate: 15, rate_type: 'percentage' }),
      note: '',
    },
  }),
  digest: (app, { language }) => new Digest(app, language).example(),
  payout: async (app, site) => {
    const { currency } = await app.settings.referralConfig();
    const title = mailDay(app.clock.now(), site);
    return payoutCodes(app, site, { id: 1, title, total_amount_minor: AMOUNT, currency });
  },
  webhook: (app, site) => webhookCodes(app, site, { url: 'https://crm.example/webhooks', isGone: false }),
  payment_details: (app, site) => paymentDetailsCodes(app, site, { at: app.clock.now(), name: '' }),
  api_key: (app, site) => apiKeyCodes(app, site, { at: app.clock.now(), name: 'CRM' }),
  signup: () => ({ signup: { code: '123456' } }),
  account: (_app, site) => accountCodes(site),
  test: async (app) => ({ test: { name: 'Ann', url: await app.settings.consoleUrl('/guide') } }),
};

/** Of an affiliate without a user, or whose user has no such value. */
const EXAMPLE_USER: NonNullable<CodeValues['user']> = {
  first_name: 'Alex',
  last_name: 'Example',
  display_name: 'Alex Example',
  user_email: 'alex@example.com',
  user_login: 'alex',
  user_url: 'https://alex.example',
  roles: '',
};
const withoutBlank = (values: NonNullable<CodeValues['user']>): NonNullable<CodeValues['user']> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** Values for a preview: of the newest rows that the mail could be about, and examples where there is no row. */
export async function exampleValues(
  app: Deps,
  key: string,
  { template, language }: { readonly template: EmailTemplate; readonly language?: Language | undefined },
): Promise<CodeValues> {
  const groups: readonly CodeGroup[] = [...new Set<CodeGroup>([...template.smartcode_groups, 'site'])];
  const subject = { ...(await newestSubject(app.db, template)), ...examplesOf(template) };
  const { site, values, affiliate } = await mailValues(app, subject, language);
  const filled: { -readonly [Group in keyof CodeValues]: CodeValues[Group] } = {};
  for (const group of groups) {
    const value = ((await MAKE[group]?.(app, site)) ?? values)[group];
    if (value !== undefined) filled[group] = value;
  }
  if (groups.includes('user')) filled.user = { ...EXAMPLE_USER, ...withoutBlank(filled.user ?? {}) };
  if (key !== 'rates_changed_to_affiliate') return filled;
  const changes = await app.rewards.sampleChanges(affiliate, site.language);
  return { ...filled, affiliate: { ...filled.affiliate, ...rateChangeCodes(site, changes) } };
}
