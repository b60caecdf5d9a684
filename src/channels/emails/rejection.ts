import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';
import type { WrittenMail } from './security.js';
import { sayIn } from '../../core/mail-texts.js';
import type { MailSubject } from './types.js';
import type { MailPeople } from './values.js';

/**
 * Tells an applicant why the application was rejected; null when it is no longer rejected, or nobody can be
 * told.
 */
export function rejectionMail(
  app: Deps,
  { reason = '' }: MailSubject,
  { affiliate, user }: MailPeople,
): WrittenMail | null {
  if (affiliate?.status !== 'inactive' || !user?.email || reason === '') return null;
  const { name, language } = app.host.site();
  const say = sayIn(language);
  const site = escapeHtml(name);
  return {
    to: user.email,
    subject: say('Your application at {site}', { site: name }),
    body:
      `<p>${say('Hello {name},', { name: escapeHtml(user.display_name) })}</p>` +
      `<p>${say(
        'thank you for your interest in the affiliate program of {site}. We cannot accept your application:',
        { site },
      )}</p>` +
      `<p>${escapeHtml(reason).replaceAll('\n', '<br>')}</p>`,
  };
}
