import { formatMoney, minor } from '../../core/money.js';
import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';
import type { WrittenMail } from './security.js';
import { isolated, isolatedAmount, sayIn } from '../../core/mail-texts.js';
import type { MailSubject } from './types.js';
import type { MailPeople } from './values.js';

/** Tells an affiliate that a payment did not arrive, why, and what to do; null when nobody can be told. */
export async function paymentFailedMail(
  app: Deps,
  { attempt_id: id = 0 }: MailSubject,
  { user }: MailPeople,
): Promise<WrittenMail | null> {
  const payment = await app.payers.payment(id);
  if (payment === null || !user?.email) return null;
  const { name, language } = app.host.site();
  const say = sayIn(language);
  const { currency_symbol_position: position, number_format: numberFormat } =
    await app.settings.referralConfig();
  const amount = isolatedAmount(
    formatMoney(minor(payment.sent_minor), payment.currency, { position, numberFormat }),
    language,
  );
  const portal = await app.settings.portalUrl();
  const reason =
    payment.message === null
      ? ''
      : ` ${say('The payment service says: “{message}”', { message: isolated(escapeHtml(payment.message), language) })}`;
  const what =
    payment.state === 'returned'
      ? 'your payment of {amount} came back to us.'
      : 'your payment of {amount} failed.';
  return {
    to: user.email,
    subject: say('A payment from {site} did not reach you', { site: name }),
    body:
      `<p>${say('Hello {name},', { name: escapeHtml(user.display_name) })}</p>` +
      `<p>${say(what, { amount: escapeHtml(amount) })}${reason}</p>` +
      `<p>${say(
        'You lose nothing: we still owe you this amount. Check your payment details and correct them. ' +
          'The next payout then pays you.',
      )}</p>` +
      (portal === ''
        ? ''
        : `<p><a class="button" href="${escapeHtml(portal)}">${say('Check your payment details')}</a></p>`),
  };
}

/** Tells the administrator that the schedule made a payout that a person has to look at. */
export async function payoutWaitsMail(
  app: Deps,
  { payout_id: id }: MailSubject,
): Promise<{ readonly subject: string; readonly body: string } | null> {
  const payout = id ? await app.payouts.find(id) : null;
  if (payout?.status !== 'processing') return null;
  const { name, language } = app.host.site();
  const say = sayIn(language);
  const { currency_symbol_position: position, number_format: numberFormat } =
    await app.settings.referralConfig();
  const amount = isolatedAmount(
    formatMoney(minor(payout.total_amount_minor), payout.currency ?? '', { position, numberFormat }),
    language,
  );
  const screen = await app.settings.consoleUrl(`/payouts/${payout.id}`);
  return {
    subject: say('A payout of {site} waits for you', { site: name }),
    body: `<p>${say(
      'The schedule made the payout “{title}” of {amount}. Look at it, and send it when it is right.',
      { title: isolated(escapeHtml(payout.title), language), amount: escapeHtml(amount) },
    )}</p><p><a class="button" href="${escapeHtml(screen)}">${say('Open the program')}</a></p>`,
  };
}
