import type { ConnectionOptions } from 'node:tls';
import { transportMailer, type Mailer } from './mailer.js';

export interface SmtpOptions {
  readonly host: string;
  readonly port?: number;
  /** TLS from the first byte (port 465); otherwise STARTTLS when the server offers it. */
  readonly secure?: boolean;
  /** Options of `node:tls`, e.g. `{ ca }` for a relay with a certificate of its own. */
  readonly tls?: Pick<
    ConnectionOptions,
    'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized' | 'minVersion'
  >;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The sender, where the mail settings name none. */
  readonly from?: string;
}

const TIMEOUT_MS = 20_000;

/** Sends over SMTP by nodemailer, which is loaded with the first mail. */
export function smtpMailer(options: SmtpOptions, from: string): Mailer {
  const { host, port = 587, secure = port === 465, tls, auth } = options;
  let mailer: Promise<Mailer> | undefined;
  const open = async (): Promise<Mailer> => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      host,
      port,
      secure,
      ...(tls && { tls }),
      ...(auth && { auth }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
    return transportMailer(transport, options.from ?? from);
  };
  return { send: async (mail) => (await (mailer ??= open())).send(mail) };
}
