import { escapeHtml } from '../../core/text.js';
import type { ModuleMail } from '../emails/types.js';
import type { Needs } from './needs.js';
import type { Invitation } from './types.js';

/** The mail with the link; it says in the footer why a stranger gets it. */
export async function invitationMail(app: Needs, invitation: Invitation, link: string): Promise<ModuleMail> {
  const { name } = app.host.site();
  const site = escapeHtml(name);
  const note = invitation.note ? `<p>${escapeHtml(invitation.note).replaceAll(/\r?\n/g, '<br>')}</p>` : '';
  const [what, label] =
    invitation.kind === 'manager'
      ? [`You are invited to help with the affiliate program of ${site}.`, 'Accept the invitation']
      : [
          `You are invited to join the affiliate program of ${site}: recommend it, and earn a share of what people buy.`,
          'See the terms and join',
        ];
  return {
    to: invitation.email,
    subject:
      invitation.kind === 'manager'
        ? `You are invited to help with the affiliate program of ${name}`
        : `You are invited to the affiliate program of ${name}`,
    body:
      `<p>Hello,</p><p>${what}</p>${note}` +
      `<p><a class="button" href="${escapeHtml(link)}">${label}</a></p>` +
      '<p>The link is for you alone and is valid for 14 days.</p>',
    footer: () =>
      `<p>Somebody who runs the program of ${site} has entered this address. ` +
      'If you do not want to join, you need not do anything.</p>',
  };
}
