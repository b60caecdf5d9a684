import { mailDay, sayIn } from '../../core/mail-texts.js';
import type { Deps } from './deps.js';
import { Digest } from './digest.js';
import {
  accountCodes,
  apiKeyCodes,
  paymentCodes,
  paymentDetailsCodes,
  payoutCodes,
  webhookCodes,
} from './notice-codes.js';
import { newestSubject } from './queries.js';
import { examplesOf } from './extension-mails.js';
import type { CodeGroup, CodeValues, EmailTemplate } from './types.js';
import { mailValues, rateChangeCodes } from './values.js';

const AMOUNT = 12_345;
const MAKE: Readonly<Partial<Record<CodeGroup, (app: Deps) => CodeValues | Promise<CodeValues>>>> = {
  application: (app) => ({
    application: { reason: sayIn(app.host.site().language)('Your site does not fit the program.') },
  }),
  payment: async (app) => {
    const { currency } = await app.settings.referralConfig();
    const message = sayIn(app.host.site().language)('The account is closed.');
    return paymentCodes(app, { sent_minor: AMOUNT, currency, message });
  },
  invitation: async (app) => ({
    invitation: { url: await app.settings.portalScreenUrl('/?invitation=example'), note: '' },
  }),
  digest: (app) => new Digest(app).example(),
  payout: async (app) => {
    const { currency } = await app.settings.referralConfig();
    const title = mailDay(app.clock.now(), app.host.site());
    return payoutCodes(app, { id: 1, title, total_amount_minor: AMOUNT, currency });
  },
  webhook: (app) => webhookCodes(app, { url: 'https://crm.example/webhooks', isGone: false }),
  payment_details: (app) => paymentDetailsCodes(app, { at: app.clock.now(), name: '' }),
  api_key: (app) => apiKeyCodes(app, { at: app.clock.now(), name: 'CRM' }),
  signup: () => ({ signup: { code: '123456' } }),
  account: (app) => accountCodes(app),
  test: async (app) => ({ test: { name: 'Ann', url: await app.settings.consoleUrl('/guide') } }),
};

/** Values for a preview: of the newest rows that the mail could be about, and examples where there is no row. */
export async function exampleValues(app: Deps, key: string, template: EmailTemplate): Promise<CodeValues> {
  const groups: readonly CodeGroup[] = [...new Set<CodeGroup>([...template.smartcode_groups, 'site'])];
  const { values, affiliate } = await mailValues(app, {
    ...(await newestSubject(app.db, template)),
    ...examplesOf(template),
  });
  const filled: { -readonly [Group in keyof CodeValues]: CodeValues[Group] } = {};
  for (const group of groups) {
    const value = ((await MAKE[group]?.(app)) ?? values)[group];
    if (value !== undefined) filled[group] = value;
  }
  if (key !== 'rates_changed_to_affiliate') return filled;
  const changes = await app.rewards.sampleChanges(affiliate);
  return { ...filled, affiliate: { ...filled.affiliate, ...rateChangeCodes(app.host.site(), changes) } };
}
