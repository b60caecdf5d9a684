import { cleanTextarea, escapeHtml } from '../../core/text.js';
import { isRightToLeft, sayIn } from '../../core/mail-texts.js';
import type { Deps } from './deps.js';
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
export async function sendCode(app: Deps, code: string, application: Application): Promise<void> {
  const { name: site, language } = app.host.site();
  const say = sayIn(language);
  const subject = await app.hooks.applyFilters(
    'auth/signup_verification_mail_subject',
    say('Your verification code for {site}', { site }),
  );
  const body = directed(
    language,
    `<p>${say('Hello,')}</p><p>${say('this is your code to join the affiliate program of {site}:', {
      site: escapeHtml(site),
    })}</p><p><strong>${code}</strong></p>` +
      `<p>${say('It is valid for 10 minutes. If you did not ask for it, ignore this mail.')}</p>`,
  );
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
export async function sendAccountNotice(app: Deps, { email }: Application): Promise<void> {
  const { name, loginUrl, language } = app.host.site();
  const say = sayIn(language);
  const asked = say(
    'somebody asked to join the affiliate program of {site} with this e-mail address, ' +
      'which has an account there already.',
    { site: escapeHtml(name) },
  );
  const todo = say(
    `If it was you, sign in${loginUrl ? ' at {where}' : ''} and apply from there. ` +
      'If not, ignore this mail: nothing was changed.',
    { where: escapeHtml(loginUrl ?? '') },
  );
  const html = directed(language, `<p>${say('Hello,')}</p><p>${asked}</p><p>${todo}</p>`);
  await app.emails.sendPlain({
    to: email,
    subject: say('You have an account at {site} already', { site: name }).replaceAll(/\s+/g, ' ').trim(),
    html,
    text: plain(html),
  });
}

const directed = (language: string | undefined, html: string): string =>
  isRightToLeft(language ?? 'en') ? `<div dir="rtl">${html}</div>` : html;

const plain = (html: string): string =>
  cleanTextarea(html.replaceAll(BREAKS, '\n')).replaceAll(
    /&(?:amp|lt|gt|quot|#39|nbsp);/g,
    (entity) => ENTITIES[entity] ?? entity,
  );
