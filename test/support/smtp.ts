import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}
export interface SmtpSink {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** While set, the server refuses every mail with this SMTP code. */
  refuse: number | null;
  /** While true, the server keeps a mail and then says that it could not. */
  forget: boolean;
  close(): Promise<void>;
}

/** A real SMTP server on a free port that keeps what it gets. */
export async function startSmtp(tls?: { readonly key: string; readonly cert: string }): Promise<SmtpSink> {
  const mails: ReceivedMail[] = [];
  const sink = { refuse: null as number | null, forget: false };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: tls ? ['AUTH'] : ['STARTTLS', 'AUTH'],
    ...tls,
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (sink.refuse !== null) {
          done(Object.assign(new Error('refused'), { responseCode: sink.refuse }));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map((to) => to.address),
          source: Buffer.concat(chunks).toString('utf8'),
        });
        if (sink.forget) done(Object.assign(new Error('try again'), { responseCode: 451 }));
        else done();
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as { port: number };
  return Object.assign(sink, {
    port,
    mails,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(resolve);
      }),
  });
}
