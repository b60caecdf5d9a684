import type { Deps } from './deps.js';
import type { Application } from './types.js';

/**
 * Sends the code at once, without waiting for a job. The mailbox is not proven yet, so the mail contains
 * nothing that the sender has written.
 */
export async function sendCode(app: Deps, code: string, application: Application): Promise<void> {
  const { to, ...mail } = await app.emails.writeSignup(application.email, code);
  const subject = await app.hooks.applyFilters('auth/signup_verification_mail_subject', mail.subject);
  const html = await app.hooks.applyFilters('auth/signup_verification_email_body', mail.html, code, {
    ...application,
  });
  await app.emails.sendPlain({ to, subject: subject.replaceAll(/\s+/g, ' ').trim(), html });
}

/**
 * A mail to the owner of an address that was used for a sign-up although it has an account; it contains
 * nothing that the sender has written.
 */
export async function sendAccountNotice(app: Deps, { email }: Application): Promise<void> {
  await app.emails.sendPlain(await app.emails.writeSignup(email, null));
}
