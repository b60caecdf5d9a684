import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';
import { isolated, mailDate, sayIn, type Say } from '../../core/mail-texts.js';
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
  app: Deps,
  payload: MailSubject,
  { affiliate, user }: MailPeople,
): Promise<WrittenMail | null> {
  const to = addresseeOf(payload, user?.email ?? '');
  if (to === '' || affiliate === null) return null;
  const { name, adminEmail, ...clock } = app.host.site();
  const say = sayIn(clock.language);
  const help = escapeHtml(adminEmail ?? '');
  const site = escapeHtml(name);
  const day = escapeHtml(mailDate(payload.changed_at ?? affiliate.updated_at, clock));
  const portal = await app.settings.portalScreenUrl('/settings');
  return {
    to,
    subject: say('Your payment details at {site} were changed', { site: name }),
    body:
      `<p>${greetingOf(payload, user?.display_name ?? '', say)}</p>` +
      `<p>${say(
        'on {day} the payment details of your affiliate account at {site} were changed. ' +
          'Future payments go to the new ones.',
        { day, site },
      )}</p>` +
      `<p>${say(
        'If you did this, you need not do anything. If you did not, write to us at once' +
          `${help === '' ? '' : ' ({help})'}, before the next payment is made.`,
        { help },
      )}</p>` +
      (portal === ''
        ? ''
        : `<p><a class="button" href="${escapeHtml(portal)}">${say('See your settings')}</a></p>`),
  };
}

/**
 * Nobody has proven the former payment address, so the copy to it contains nothing that a user has written.
 */
const greetingOf = ({ to_account: toAccount }: MailSubject, name: string, say: Say): string =>
  toAccount === true && name !== '' ? say('Hello {name},', { name: escapeHtml(name) }) : say('Hello,');

/** Tells the owner of an API key that it was made or changed; null when the host does not know the owner. */
export async function apiKeyMail(
  app: Deps,
  { user_id: userId = 0, key_name: keyName = '', key_is_new: isNew = true, changed_at: at = 0 }: MailSubject,
): Promise<WrittenMail | null> {
  const user = (await app.users([userId])).get(userId);
  if (!user?.email) return null;
  const { name, ...clock } = app.host.site();
  const say = sayIn(clock.language);
  const keys = await app.settings.consoleUrl('/settings/keys');
  const done = isNew
    ? 'on {day} the API key “{key}” was made for your account at {site}. '
    : 'on {day} the API key “{key}” of your account at {site} got other rights or another end. ';
  const values = {
    day: escapeHtml(mailDate(at, clock)),
    site: escapeHtml(name),
    key: isolated(escapeHtml(keyName), clock.language),
  };
  return {
    to: user.email,
    subject: say(isNew ? 'A new API key for your account at {site}' : 'Your API key at {site} was changed', {
      site: name,
    }),
    body:
      `<p>${say('Hello {name},', { name: escapeHtml(user.display_name) })}</p>` +
      `<p>${say(`${done}Programs that have it act in your name.`, values)}</p>` +
      `<p>${say('If you did this, you need not do anything. If you did not, revoke the key at once.')}</p>` +
      `<p><a class="button" href="${escapeHtml(keys)}">${say('See your API keys')}</a></p>`,
  };
}

/** The old address, or the account's if that is another one; '' for none. */
function addresseeOf({ to_account: toAccount, old_address }: MailSubject, account: string): string {
  const old = old_address ?? '';
  if (toAccount !== true) return old;
  return account.toLowerCase() === old.toLowerCase() ? '' : account;
}
