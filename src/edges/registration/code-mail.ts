import { cleanTextarea, escapeHtml } from '../../core/text.js';
import type { Needs } from './needs.js';
import type { Application } from './types.js';

const BREAKS = /<(?:br|\/p|\/div|\/h[1-6]|\/li|\/tr)\b[^>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/**
 * Sends the code at once, without waiting for a job. The mailbox is not proven yet, so the mail contains
 * nothing that the sender has written.
 */
export async function sendCode(app: Needs, code: string, application: Application): Promise<void> {
  const site = app.host.site().name;
  const subject = await app.hooks.applyFilters(
    'auth/signup_verification_mail_subject',
    `Your verification code for ${site}`,
  );
  const body =
    `<p>Hello,</p><p>this is your code to join the affiliate program of ` +
    `${escapeHtml(site)}:</p>` +
    `<p><strong>${code}</strong></p><p>It is valid for 10 minutes. If you did not ask for it, ignore this mail.</p>`;
  const html = await app.hooks.applyFilters('auth/signup_verification_email_body', body, code, {
    ...application,
  });
  await app.emails.sendPlain({
    to: application.email,
    subject: subject.replaceAll(/\s+/g, ' ').trim(),
    html,
    text: plain(html),
  });
}

/**
 * A mail to the owner of an address with which somebody signs up although it has an account; it contains
 * nothing that the sender has written.
 */
export async function sendAccountNotice(app: Needs, { email }: Application): Promise<void> {
  const { name, loginUrl } = app.host.site();
  const site = escapeHtml(name);
  const where = loginUrl ? ` at ${escapeHtml(loginUrl)}` : '';
  const html =
    `<p>Hello,</p><p>somebody asked to join the affiliate program of ${site} with this e-mail address, ` +
    'which has an account there already.</p>' +
    `<p>If it was you, sign in${where} and apply from there. If not, ignore this mail: nothing was changed.</p>`;
  await app.emails.sendPlain({
    to: email,
    subject: `You have an account at ${name} already`.replaceAll(/\s+/g, ' ').trim(),
    html,
    text: plain(html),
  });
}

const plain = (html: string): string =>
  cleanTextarea(html.replaceAll(BREAKS, '\n')).replaceAll(
    /&(?:amp|lt|gt|quot|#39|nbsp);/g,
    (entity) => ENTITIES[entity] ?? entity,
  );
