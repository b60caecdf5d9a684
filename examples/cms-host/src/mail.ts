import type { HostMail } from 'affiliate-service/adapters';
import type { Mails } from './store/mails.js';

/** This example sends no mail: it keeps what it would send for /mails, and prints it. */
export const mailKeeper =
  (mails: Mails) =>
  async (mail: HostMail): Promise<void> => {
    mails.keep(mail);
    const { to, subject, text } = mail;
    process.stdout.write(`\n  Mail to ${to}: ${subject}\n${text.replaceAll(/^/gmu, '    ')}\n`);
  };
