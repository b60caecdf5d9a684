import { sayIn } from '../../core/mail-texts.js';
import { escapeHtml } from '../../core/text.js';
import type { ModuleMail } from '../emails/types.js';
import type { Deps } from './deps.js';
import type { Invitation } from './types.js';

/** The mail with the link; it says in the footer why a stranger gets it. */
export async function invitationMail(app: Deps, invitation: Invitation, link: string): Promise<ModuleMail> {
  const { name, language } = app.host.site();
  const say = sayIn(language);
  const site = { site: escapeHtml(name) };
  const note = invitation.note ? `<p>${escapeHtml(invitation.note).replaceAll(/\r?\n/g, '<br>')}</p>` : '';
  const isManager = invitation.kind === 'manager';
  const what = isManager
    ? say('You are invited to help with the affiliate program of {site}.', site)
    : say(
        'You are invited to join the affiliate program of {site}. Recommend it, and earn a share of what people buy.',
        site,
      );
  const label = isManager ? say('Accept the invitation') : say('See the terms and join');
  return {
    to: invitation.email,
    subject: isManager
      ? say('You are invited to help with the affiliate program of {site}', { site: name })
      : say('You are invited to the affiliate program of {site}', { site: name }),
    body:
      `<p>${say('Hello,')}</p><p>${what}</p>${note}` +
      `<p><a class="button" href="${escapeHtml(link)}">${label}</a></p>` +
      `<p>${say('The link is for you alone and is valid for 14 days.')}</p>`,
    footer: () =>
      `<p>${say(
        'Somebody who runs the program of {site} has entered this address. If you do not want to join, you need not do anything.',
        site,
      )}</p>`,
  };
}
