import type { HostMail, HostUser } from '../../../adapters/host.js';
import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';

/** The mail whose link, once opened, proves that mails of the program arrive. */
export async function testMail(
  app: Deps,
  user: HostUser,
  key: string,
): Promise<Pick<HostMail, 'to' | 'subject' | 'html' | 'text'>> {
  const { name } = app.host.site();
  const link = await app.settings.consoleUrl(`/guide?mail=${key}`);
  const lines = [
    `Hello ${user.display_name},`,
    `mails of the affiliate program of ${name} reach you. Open this link, so that the guide knows it too:`,
  ];
  return {
    to: user.email,
    subject: `Test mail of the affiliate program of ${name}`.replaceAll(/\s+/g, ' ').trim(),
    html:
      lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('') +
      `<p><a href="${escapeHtml(link)}">The mail has arrived</a></p>`,
    text: `${lines.join('\n\n')}\n\n${link}\n`,
  };
}
