import { moneyText, percentText } from '../../core/figures.js';
import { currencyDigits, formatMoney, minor } from '../../core/money.js';
import { escapeHtml } from '../../core/text.js';
import { isolated, isolatedAmount, mailDate, sayIn } from '../../core/mail-texts.js';
import type { HostSite } from '../../../adapters/host.js';
import type { Deps } from './deps.js';
import type { CodeValues } from './types.js';

/** An amount as mails write it. */
async function amountText(
  app: Deps,
  { language }: HostSite,
  [amount, currency]: readonly [amount: number, currency: string],
): Promise<string> {
  const { currency_symbol_position: position, number_format: numberFormat } =
    await app.settings.referralConfig();
  return isolatedAmount(formatMoney(minor(amount), currency, { position, numberFormat }), language);
}

/** A rate as a sentence in the language of the site. */
export async function rateSentence(
  app: Deps,
  { rate, rate_type: type }: { readonly rate: number; readonly rate_type: 'percentage' | 'fixed' },
): Promise<string> {
  const { language = 'en' } = app.host.site();
  const say = sayIn(language);
  if (type === 'percentage')
    return say('Your commission: {rate} of each order.', { rate: percentText(rate, language) });
  const { currency } = await app.settings.referralConfig();
  const text = moneyText(rate, { currency, digits: currencyDigits(currency) }, language);
  return say('Your commission: {rate} per order.', { rate: text });
}

/** A payment that failed or came back, and the message of the payment service. */
export async function paymentCodes(
  app: Deps,
  site: HostSite,
  payment: { readonly sent_minor: number; readonly currency: string; readonly message: string | null },
): Promise<CodeValues> {
  const { language } = site;
  const { message } = payment;
  return {
    payment: {
      amount_formatted: await amountText(app, site, [payment.sent_minor, payment.currency]),
      problem:
        message === null
          ? ''
          : sayIn(language)('The payment service says: “{message}”', {
              message: isolated(message, language),
            }),
      settings_url: await app.settings.portalScreenUrl('/settings'),
    },
  };
}

export async function payoutCodes(
  app: Deps,
  site: HostSite,
  payout: {
    readonly id: number;
    readonly title: string;
    readonly total_amount_minor: number;
    readonly currency: string | null;
  },
): Promise<CodeValues> {
  return {
    payout: {
      title: isolated(payout.title, site.language),
      amount_formatted: await amountText(app, site, [payout.total_amount_minor, payout.currency ?? '']),
      edit_url: await app.settings.consoleUrl(`/payouts/${payout.id}`),
    },
  };
}

/** An endpoint that was switched off: it returned 410 (Gone), or accepted nothing for days. */
export async function webhookCodes(
  app: Deps,
  site: HostSite,
  { url, isGone }: { readonly url: string; readonly isGone: boolean },
): Promise<CodeValues> {
  const say = sayIn(site.language);
  return {
    webhook: {
      url,
      reason: isGone
        ? say('It answered that it is gone (410).')
        : say('It has not accepted any event for five days.'),
      settings_url: await app.settings.consoleUrl('/settings/webhooks'),
    },
  };
}

/** `name`: '' unless the reader is proven to own the account. */
export async function paymentDetailsCodes(
  app: Deps,
  site: HostSite,
  { at, name }: { readonly at: number; readonly name: string },
): Promise<CodeValues> {
  const { adminEmail: help = '' } = site;
  const say = sayIn(site.language);
  return {
    payment_details: {
      greeting: name === '' ? say('Hello,') : say('Hello {name},', { name }),
      day: mailDate(at, site),
      advice: say(
        'If it was you, no action is needed. If not, write to us at once' +
          `${help === '' ? '' : ' ({help})'}, before the next payment is made.`,
        { help },
      ),
      settings_url: await app.settings.portalScreenUrl('/settings'),
    },
  };
}

export async function apiKeyCodes(
  app: Deps,
  site: HostSite,
  { at, name }: { readonly at: number; readonly name: string },
): Promise<CodeValues> {
  return {
    api_key: {
      name: isolated(name, site.language),
      day: mailDate(at, site),
      settings_url: await app.settings.consoleUrl('/settings/keys'),
    },
  };
}

/** Where the owner of an account signs in, in place of signing up again. */
export function accountCodes({ loginUrl = '', language }: HostSite): CodeValues {
  const adviceWith = (where: string): string =>
    sayIn(language)(
      `If it was you, sign in${loginUrl === '' ? '' : ' at {where}'} and apply from there. ` +
        'If not, ignore this mail: nothing was changed.',
      { where },
    );
  const link = `<a href="${escapeHtml(loginUrl)}">${escapeHtml(loginUrl)}</a>`;
  return { account: { advice: { html: adviceWith(link), text: adviceWith(loginUrl) } } };
}
