import { escapeHtml } from '../../core/text.js';
import type { Needs } from './needs.js';
import type { WrittenMail } from './security.js';
import type { MailSubject } from './types.js';
import type { MailPeople } from './values.js';

/**
 * Tells an applicant why the application was rejected; null when it is no longer rejected, or nobody can be
 * told.
 */
export function rejectionMail(
  app: Needs,
  { reason = '' }: MailSubject,
  { affiliate, user }: MailPeople,
): WrittenMail | null {
  if (affiliate?.status !== 'inactive' || !user?.email || reason === '') return null;
  const { name } = app.host.site();
  return {
    to: user.email,
    subject: `Your application at ${name}`,
    body:
      `<p>Hello ${escapeHtml(user.display_name)},</p>` +
      `<p>thank you for your interest in the affiliate program of ${escapeHtml(name)}. ` +
      'We cannot accept your application:</p>' +
      `<p>${escapeHtml(reason).replaceAll('\n', '<br>')}</p>`,
  };
}
