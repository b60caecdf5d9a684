import { humanDate } from '../../core/dates.js';
import { escapeHtml } from '../../core/text.js';
import type { Needs } from './needs.js';
import type { MailSubject } from './types.js';
import type { MailPeople } from './values.js';

export interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/**
 * Tells the owner of an account that the payment address changed. It goes to the old address, so that a thief
 * cannot hide the change.
 */
export async function paymentDetailsMail(
  app: Needs,
  payload: MailSubject,
  { affiliate, user }: MailPeople,
): Promise<WrittenMail | null> {
  const to = addresseeOf(payload, user?.email ?? '');
  if (to === '' || affiliate === null) return null;
  const { name, adminEmail, timeZone } = app.host.site();
  const help = adminEmail ?? '';
  const when = humanDate(payload.changed_at ?? affiliate.updated_at, timeZone);
  const portal = await app.settings.portalUrl();
  return {
    to,
    subject: `Your payment details at ${name} were changed`,
    body:
      `<p>Hello ${escapeHtml(user?.display_name ?? '')},</p>` +
      `<p>on ${escapeHtml(when)} the payment details of your affiliate account at ${escapeHtml(name)} ` +
      `were changed. Future payments go to the new ones.</p>` +
      `<p>If you did this, you need not do anything. If you did not, write to us at once` +
      `${help === '' ? '' : ` (${escapeHtml(help)})`}, before the next payment is made.</p>` +
      (portal === '' ? '' : `<p><a class="button" href="${escapeHtml(portal)}">See your settings</a></p>`),
  };
}

/** The old address, or the account's if that is another one; '' for none. */
function addresseeOf({ to_account: toAccount, old_address }: MailSubject, account: string): string {
  const old = old_address ?? '';
  if (toAccount !== true) return old;
  return account.toLowerCase() === old.toLowerCase() ? '' : account;
}
