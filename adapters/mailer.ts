import type { Logger } from '../src/core/logger.js';
import type { HostMail } from './host.js';

/** Delivers one mail, or throws; then it is sent again later. */
export interface Mailer {
  send(mail: HostMail): Promise<void>;
}

/** Only logs that a mail was sent. Subject and text are not logged, as they may hold secrets. */
export function logMailer(log: Logger): Mailer {
  return {
    async send(mail) {
      log.info('A mail was not sent: no mailer is set.', { to: mail.to });
    },
  };
}

/** The part of a nodemailer transport that is used. */
export interface MailTransport {
  sendMail(message: {
    to: string;
    subject: string;
    html: string;
    text: string;
    from?: string;
    replyTo?: string;
    messageId?: string;
    headers?: Readonly<Record<string, string>>;
  }): Promise<unknown>;
}

/**
 * Sends through a nodemailer transport of the host: `transportMailer(createTransport(…),
 * 'shop@example.com')`.
 */
export function transportMailer(transport: MailTransport, from: string): Mailer {
  return {
    async send(mail) {
      const { to, subject, html, text, replyTo, messageId, headers } = mail;
      await transport.sendMail({
        to,
        subject: oneLine(subject),
        html,
        text,
        from: mail.from ?? from,
        ...(replyTo === undefined ? {} : { replyTo }),
        ...(messageId === undefined ? {} : { messageId }),
        // out-of-office replies are not sent to mails of a program
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      });
    },
  };
}

/** A line break in a subject would begin another header. */
// oxlint-disable-next-line no-control-regex -- control characters are what it removes
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001F\u007F]+/g, ' ').trim();

/** Collects mails instead of sending them, for tests. */
export class MemoryMailer implements Mailer {
  readonly mailbox: HostMail[] = [];

  async send(mail: HostMail): Promise<void> {
    this.mailbox.push(mail);
  }
}
